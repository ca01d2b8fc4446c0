"""Translation by Marian models of Hugging Face: a folder with the weights, or an id on the hub."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from textwrap import shorten
from typing import Any, Protocol

from falter.core.errors import InputError, UsageError
from falter.core.files import sha256_of_bytes, sha256_of_file
from falter.core.optional_packages import hub_arguments, import_package
from falter.core.progress import ProgressCallback, no_progress

_MOST_TOKENS = 128
"""Of a translation; a question of VQA has about ten words."""
_FILES = ("*.json", "*.safetensors", "*.bin", "*.spm")


class Translator(Protocol):
    """Translates texts of one language into another."""

    name: str
    fingerprint: str

    def translate(self, texts: Sequence[str], progress: ProgressCallback = no_progress) -> list[str]:
        """The translations, in the order of the texts."""
        ...


class MarianTranslator:
    """A Marian model; it searches with beams and draws nothing, so that the same text is always translated alike."""

    def __init__(
        self, model: Any, tokenizer: Any, *, name: str, fingerprint: str, num_beams: int = 4, batch_size: int = 32
    ) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self._model, self._tokenizer = model, tokenizer
        self._num_beams, self._batch_size = num_beams, batch_size
        self._positions = int(model.config.max_position_embeddings)
        # The limit of a call and that of the model would both be warned of.
        model.generation_config.max_length = None

    def translate(self, texts: Sequence[str], progress: ProgressCallback = no_progress) -> list[str]:
        """The translations, in the order of the texts; texts of like length are translated together."""
        import torch

        found = [""] * len(texts)
        order = sorted(range(len(texts)), key=lambda index: (len(texts[index]), texts[index]))
        for start in range(0, len(order), self._batch_size):
            batch = order[start : start + self._batch_size]
            encoded = self._tokenizer(
                [texts[index] for index in batch],
                return_tensors="pt",
                padding=True,
                truncation=True,
                max_length=self._positions,
            ).to(self._model.device)
            with torch.inference_mode():
                said = self._model.generate(
                    input_ids=encoded["input_ids"],
                    attention_mask=encoded["attention_mask"],
                    num_beams=self._num_beams,
                    do_sample=False,
                    max_new_tokens=min(_MOST_TOKENS, self._positions - 1),
                )
            for index, text in zip(batch, self._tokenizer.batch_decode(said, skip_special_tokens=True), strict=True):
                found[index] = text.strip()
            progress(len(batch))
        return found


def load_marian(name: str, *, device: str = "cpu", num_beams: int = 4, batch_size: int = 32) -> MarianTranslator:
    """The Marian model of a folder, or of an id on the hub such as ``Helsinki-NLP/opus-mt-en-de``."""
    transformers = import_package("transformers", "translation")
    import_package("torch", "translation")
    import_package("sentencepiece", "translation")
    folder = Path(name).expanduser()
    is_path = folder.exists() or folder.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1
    if is_path and not (folder / "config.json").is_file():
        problem = "has no config.json" if folder.is_dir() else "is not a folder"
        raise InputError(folder, problem, hint="give the folder of a Marian model, or its id on the hub")
    at = str(folder) if is_path else name
    own = {} if is_path else hub_arguments(at)
    with _quiet(transformers):
        config = _guard(name, is_path, "config", lambda: transformers.AutoConfig.from_pretrained(at, **own))
        if config.model_type != "marian":
            raise UsageError(f"{name} is no Marian model but {config.model_type}; one is Helsinki-NLP/opus-mt-en-de")
        tokenizer = _guard(name, is_path, "tokenizer", lambda: transformers.MarianTokenizer.from_pretrained(at, **own))
        model, info = _guard(
            name,
            is_path,
            "weights",
            lambda: transformers.MarianMTModel.from_pretrained(at, dtype="float32", output_loading_info=True, **own),
        )
    if info["missing_keys"]:
        lacking = ", ".join(sorted(info["missing_keys"])[:3])
        raise InputError(at, f"lacks weights: {lacking}", hint="get all of its files")
    return MarianTranslator(
        model.to(device).eval(),
        tokenizer,
        name=folder.name if is_path else name,
        fingerprint=_fingerprint(folder) if is_path else _hub_fingerprint(name, config),
        num_beams=num_beams,
        batch_size=batch_size,
    )


def _guard(name: str, is_path: bool, what: str, load: Any) -> Any:
    """What a loader of the library gives; whatever it raises is an error of one line."""
    try:
        return load()
    except Exception as error:
        said = shorten(str(error), 200, placeholder=" ...") or type(error).__name__
        if is_path:
            hint = "is it a whole checkpoint of a Marian model?"
            raise InputError(name, f"has no {what} that can be loaded: {said}", hint=hint) from error
        raise UsageError(
            f"{name} is no folder here, and no {what} can be loaded from the hub: download the model and give its "
            f"folder ({said})"
        ) from error


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """No progress bars of the library's own, and no advice on how to tokenize Moses-like."""
    bars = transformers.utils.logging
    was_on = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        with redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if was_on:
            bars.enable_progress_bar()


def _fingerprint(folder: Path) -> str:
    """Which weights and tokens, by the bytes of the files."""
    files = sorted({path for pattern in _FILES for path in folder.glob(pattern)})
    return sha256_of_bytes("".join(f"{sha256_of_file(path)}  {path.name}\n" for path in files).encode())


def _hub_fingerprint(name: str, config: Any) -> str:
    return sha256_of_bytes(f"hub\n{name}\n{getattr(config, '_commit_hash', None) or 'main'}".encode())
