"""Sequence classifiers of the transformers library: the probabilities of labels for a text or a pair of texts.

Two kinds are used: inference by a classifier that was trained for it, such as the paper's ALBERT, and grammaticality by
one that was trained on CoLA, as GRUEN's grammaticality component is.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from falter.core.errors import InputError, UsageError
from falter.core.files import sha256_of_bytes, sha256_of_file
from falter.core.optional_packages import has_vocabulary, hub_arguments, import_package
from falter.generation.nlp.entailment import InferenceLabel, Judgement, TextPair

_FILES = ("*.json", "*.safetensors", "*.bin", "*.model", "*.txt")


class SequenceClassifier:
    """A classifier with named labels; what it says of a text does not depend on those beside it."""

    def __init__(self, model: Any, tokenizer: Any, *, name: str, fingerprint: str, batch_size: int = 16) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self._model, self._tokenizer, self._batch_size = model, tokenizer, batch_size
        self.labels: tuple[str, ...] = tuple(
            str(model.config.id2label[index]).lower() for index in range(model.config.num_labels)
        )

    def find_label(self, *stems: str) -> int | None:
        """The index of the label whose name begins with one of the stems."""
        return next((index for index, label in enumerate(self.labels) if label.startswith(stems)), None)

    def probabilities(self, texts: Sequence[str], seconds: Sequence[str] | None = None) -> list[list[float]]:
        """By text, or by text and second text, the probability of each label."""
        import torch

        found: list[list[float]] = []
        for start in range(0, len(texts), self._batch_size):
            end = start + self._batch_size
            pairs = () if seconds is None else (list(seconds[start:end]),)
            encoded = self._tokenizer(
                list(texts[start:end]), *pairs, return_tensors="pt", padding=True, truncation=True
            ).to(self._model.device)
            with torch.inference_mode():
                logits = self._model(**encoded).logits.float()
            found += torch.softmax(logits, dim=-1).cpu().double().tolist()
        return found


def load_sequence_classifier(name: str, *, what: str, example: str, device: str = "cpu") -> SequenceClassifier:
    """The classifier of a folder or of an id on the hub; ``what`` says what it is for, in messages."""
    transformers = import_package("transformers", f"{what} by a model")
    import_package("torch", f"{what} by a model")
    folder = Path(name).expanduser()
    is_path = folder.is_dir()
    if is_path and not (folder / "config.json").is_file():
        raise InputError(folder, "has no config.json", hint=f"give the folder of a classifier such as {example}")
    at = str(folder) if is_path else name
    own = {} if is_path else hub_arguments(at)
    try:
        with redirect_stderr(io.StringIO()):
            tokenizer = transformers.AutoTokenizer.from_pretrained(at, **own)
            model, info = transformers.AutoModelForSequenceClassification.from_pretrained(
                at, dtype="float32", output_loading_info=True, **own
            )
    except Exception as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        if is_path:
            raise InputError(folder, f"cannot be loaded: {said}", hint="is it a whole checkpoint?") from error
        raise UsageError(
            f"{name} is no folder here, and no classifier can be loaded from the hub: download one such as {example} "
            f"and give its folder ({said})"
        ) from error
    if info["missing_keys"]:
        # The library would go on with random numbers in their place.
        raise InputError(at, f"is no classifier: it lacks {', '.join(sorted(info['missing_keys'])[:3])}", hint=example)
    if not has_vocabulary(tokenizer):
        raise InputError(at, "has no tokenizer", hint="its tokenizer.json belongs beside the weights")
    return SequenceClassifier(
        model.to(device).eval(),
        tokenizer,
        name=folder.name if is_path else name,
        fingerprint=_fingerprint(folder) if is_path else sha256_of_bytes(f"hub\n{name}".encode()),
    )


def _fingerprint(folder: Path) -> str:
    files = sorted({path for pattern in _FILES for path in folder.glob(pattern)})
    return sha256_of_bytes("".join(f"{sha256_of_file(path)}  {path.name}\n" for path in files).encode())


_NLI_EXAMPLE = "ynie/albert-xxlarge-v2-snli_mnli_fever_anli_R1_R2_R3-nli"
_STEMS: dict[InferenceLabel, tuple[str, ...]] = {
    "entailment": ("entail",),
    "neutral": ("neutral",),
    "contradiction": ("contradict",),
}


class NliClassifier:
    """The label with the highest probability."""

    def __init__(self, classifier: SequenceClassifier) -> None:
        self.name = f"{classifier.name} {classifier.fingerprint[:12]}"
        self._classifier = classifier
        self._places: dict[int, InferenceLabel] = {}
        for label, stems in _STEMS.items():
            place = classifier.find_label(*stems)
            if place is None:
                raise UsageError(
                    f"{classifier.name} has no label for {label} but {', '.join(classifier.labels)}; one that has is "
                    f"{_NLI_EXAMPLE}"
                )
            self._places[place] = label

    def judge(self, pairs: Sequence[TextPair]) -> list[Judgement]:
        """The judgements, in the order of the pairs."""
        if not pairs:
            return []
        premises, hypotheses = zip(*pairs, strict=True)
        found = []
        for row in self._classifier.probabilities(premises, hypotheses):
            place = max(self._places, key=lambda index, row=row: row[index])  # type: ignore[misc]
            found.append(Judgement(self._places[place], f"probability {row[place]:.3f}"))
        return found


def load_nli_classifier(name: str) -> NliClassifier:
    """A classifier with the three labels of inference, by its folder or id."""
    return NliClassifier(load_sequence_classifier(name, what="inference", example=_NLI_EXAMPLE))


_COLA_EXAMPLE = "textattack/bert-base-uncased-CoLA"
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


class ColaClassifier:
    """The mean probability of acceptability over the sentences of a text."""

    def __init__(self, classifier: SequenceClassifier) -> None:
        self.name = f"{classifier.name} {classifier.fingerprint[:12]}"
        self._classifier = classifier
        found = classifier.find_label("acceptable", "label_1", "1")
        self._place = len(classifier.labels) - 1 if found is None else found

    def score(self, texts: Sequence[str]) -> list[float]:
        """How acceptable each text is, in the order given."""
        sentences = [[one for one in _SENTENCE.split(text.strip()) if one] or [text] for text in texts]
        rows = iter(self._classifier.probabilities([one for some in sentences for one in some]))
        return [sum(next(rows)[self._place] for _ in some) / len(some) for some in sentences]


def load_cola_classifier(name: str) -> ColaClassifier:
    """A classifier of acceptable sentences, by its folder or id."""
    return ColaClassifier(load_sequence_classifier(name, what="grammaticality", example=_COLA_EXAMPLE))
