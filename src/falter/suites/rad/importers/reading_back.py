"""Whether a released yes/no question was made from an original, by the forms that our own augmentations read."""

from __future__ import annotations

from falter.suites.rad.augmentations import rewrites

__all__ = ["has_form", "is_made_from"]


def has_form(test: str, original: str) -> bool:
    """Whether an original is of the form that a test asks about."""
    rewrite = rewrites()[test]
    return rewrite.is_asked(original) or rewrite.read(original) is not None


def is_made_from(test: str, variant: str, original: str) -> bool:
    """Whether a yes/no question asks for an answer to the original."""
    reading = rewrites()[test].read(original)
    text = " ".join(variant.split()).rstrip(" ?.")
    return reading is not None and bool(reading.read_back(f"{text[:1].upper()}{text[1:]}?"))
