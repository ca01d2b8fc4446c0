"""Sequence classifiers of the transformers library: the probabilities of labels for a text or a pair of texts."""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from falter.errors import InputError, UsageError
from falter.files import sha256_of_bytes, sha256_of_file
from falter.nlp.hub import hub_arguments
from falter.nlp.tokenizer_check import has_vocabulary

__all__ = ["SequenceClassifier", "load_sequence_classifier"]

_EXTRA = "pip install 'falter[torch]'"
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
    try:
        transformers = importlib.import_module("transformers")
        importlib.import_module("torch")
    except ImportError as error:
        raise UsageError(f"{what} by a model needs transformers and torch ({error}): {_EXTRA}") from error
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
