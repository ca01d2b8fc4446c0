"""The augmentations: the rewrites in the YAML files of this folder, and a choice between answers from each."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from falter.generation.english.rewrites import Rewrite, load_rewrites

__all__ = ["DEFAULT_TESTS", "TESTS", "Augmentation", "augmentation", "rewrites"]

DEFAULT_TESTS = ("color", "how-many", "what-kind")
"""Those of the paper."""
_OWN = ("material", "shape", "brand", "sport", "animal", "room", "where", "who")
_CHOICE = "-choice"
TESTS = (*DEFAULT_TESTS, *_OWN, *(f"{name}{_CHOICE}" for name in (*DEFAULT_TESTS, *_OWN)))


class Augmentation(NamedTuple):
    """A rewrite, to a yes/no question or to a choice between answers."""

    name: str
    rewrite: Rewrite
    offers_choice: bool


@lru_cache(maxsize=1)
def rewrites() -> dict[str, Rewrite]:
    """The rewrites by name, read once."""
    return load_rewrites(Path(__file__).parent)


def augmentation(test: str) -> Augmentation | None:
    """The augmentation of a test; None where there is none of that name."""
    rewrite = rewrites().get(test.removesuffix(_CHOICE))
    return None if rewrite is None else Augmentation(test, rewrite, test.endswith(_CHOICE))
