"""The surface forms of the world's GQA questions, read from ``data/question_forms.yaml``."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

import msgspec

from falter.files import read_yaml

__all__ = ["NounShape", "QuestionForms", "SurfaceForm", "question_forms"]

NounShape = Literal["the", "that", "clause", "owned", "owned-that", "placed", "he", "him", "a", "bare"]
"""How a noun phrase refers to a thing, or speaks of some thing."""

_FILE = Path(__file__).parent / "data" / "question_forms.yaml"
_PLACEHOLDER = re.compile(r"\{([a-z-]+)(?: ([a-z]))?\}")
_AGREEMENT = {"is": ("is", "are"), "does": ("does", "do"), "has": ("has", "have")}


class SurfaceForm(msgspec.Struct, frozen=True, dict=True):
    """A sentence with placeholders, of which every ``{np x}`` has got a shape."""

    text: str

    @cached_property
    def shapes(self) -> Mapping[str, str]:
        """The shape of the noun phrase that stands for each thing."""
        return {slot: word for word, slot in _PLACEHOLDER.findall(self.text) if slot and word not in _AGREEMENT}

    def with_shapes(self, choose: Callable[[], str]) -> SurfaceForm:
        """The form with a shape for every ``{np x}``."""
        return SurfaceForm(re.sub(r"\{np ", lambda _: f"{{{choose()} ", self.text))

    def write(self, phrases: Mapping[str, str], plural: Mapping[str, bool], relation: str = "") -> str:
        """The sentence, with a capital letter first."""

        def fill(found: re.Match[str]) -> str:
            word, slot = found[1], found[2]
            if slot is None:
                return relation
            return _AGREEMENT[word][plural[slot]] if word in _AGREEMENT else phrases[slot]

        text = _PLACEHOLDER.sub(fill, self.text)
        return text[:1].upper() + text[1:]


class _ByNumber(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    singular: tuple[str, ...]
    plural: tuple[str, ...]


class QuestionForms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The forms of each question, and how often a noun phrase takes each shape."""

    shapes: dict[str, float]
    side: tuple[str, ...]
    color: tuple[str, ...]
    either: _ByNumber
    near: _ByNumber
    position: tuple[str, ...]

    def pick(self, forms: tuple[str, ...], rng: random.Random) -> SurfaceForm:
        """One of the forms, with shapes for its noun phrases."""
        names, weights = list(self.shapes), list(self.shapes.values())
        return SurfaceForm(rng.choice(forms)).with_shapes(lambda: rng.choices(names, weights)[0])


@cache
def question_forms() -> QuestionForms:
    """The forms, read once per process."""
    return read_yaml(_FILE, QuestionForms, what="surface forms of questions")
