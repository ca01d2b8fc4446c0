"""Loads a dual encoder from ``clip:NAME``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from falter.english.statements import statements
from falter.errors import InputError
from falter.images.blank import blank_image
from falter.models.clip.encoder import DualEncoder
from falter.models.clip.model import DualEncoderModel
from falter.models.clip.open_clip_encoder import CONFIG, OpenClipEncoder, open_clip_fingerprint
from falter.models.clip.transformers_encoder import TransformersEncoder
from falter.models.load_context import LoadContext
from falter.models.options import ModelOptions
from falter.models.weights.checkpoint import Checkpoint, open_checkpoint
from falter.models.weights.devices import needed_package, placements
from falter.models.weights.smoke_test import AS_IT_CAME, fits_together

__all__ = ["load_clip"]

_HUB = "hf-hub:"
_TEXTS = ("A dog.", "There are two red cars on the other side of the street.")


def load_clip(rest: str, context: LoadContext) -> DualEncoderModel:
    """A folder or an id on the hub, read by transformers, or by OpenCLIP where only that can."""
    options = context.options
    placed = placements(options)
    copies: list[DualEncoder]
    source = rest.removeprefix(_HUB)
    checkpoint = None if _is_for_open_clip(rest) else _open_for_transformers(source, options)
    if checkpoint is None:
        name = Path(source).resolve().name if Path(source).is_dir() else source
        copies = [OpenClipEncoder(source, place) for place in placed]
        weights = open_clip_fingerprint(source)
    else:
        name, weights = checkpoint.name, checkpoint.fingerprint()
        copies = [TransformersEncoder(checkpoint, place) for place in placed]
    _smoke_test(source, copies[0])
    return DualEncoderModel(
        list(zip(copies, placed, strict=True)),
        statements(*context.plugin_dirs),
        name=name,
        weights=weights,
        dtype=options.dtype,
    )


def _is_for_open_clip(rest: str) -> bool:
    """Whether there is OpenCLIP's configuration and none of transformers', or the user wrote OpenCLIP's own prefix."""
    if rest.startswith(_HUB):
        return True
    return (Path(rest) / CONFIG).is_file() and not (Path(rest) / "config.json").is_file()


def _open_for_transformers(source: str, options: ModelOptions) -> Checkpoint | None:
    """The checkpoint as transformers reads it; None for one on the hub that only OpenCLIP can read."""
    try:
        return open_checkpoint(source, options)
    except InputError:
        if Path(source).is_dir() or not _on_the_hub(source, CONFIG):
            raise
        return None


def _on_the_hub(source: str, file: str) -> bool:
    find = needed_package("transformers.utils").cached_file
    try:
        return find(source, file, _raise_exceptions_for_missing_entries=False) is not None
    except Exception:
        # A wrong name was reported when the configuration was read.
        return False


def _smoke_test(source: str, encoder: DualEncoder) -> None:
    """Fail if encoding gives no vectors, or the same vector for all texts."""
    with fits_together(source):
        encoder.encode_images([encoder.preprocess(blank_image())])
        one, other = encoder.encode_texts(_TEXTS)
    # CLIP reads a text off at its last token; where the tokenizer ends texts otherwise, that is the first for all.
    if np.array_equal(one, other):
        raise InputError(
            source,
            "its weights cannot tell the texts of its tokenizer apart: they do not belong together",
            hint=AS_IT_CAME,
        )
