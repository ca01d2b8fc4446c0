"""The audit of basic questions: every variant is the main question with the basic ones that its record names."""

from __future__ import annotations

from typing import get_args

import msgspec

from falter.core.errors import InputError
from falter.core.files import JsonDecoder
from falter.data.items import Item, Probe
from falter.generation.sources import Source
from falter.suites.basic_questions.dataset import BasicQuestion
from falter.suites.basic_questions.noise import combine_questions
from falter.suites.basic_questions.options import NoisePosition

__all__ = ["audit"]


class _Extra(msgspec.Struct):
    basic_questions: list[BasicQuestion] = []


_extra = JsonDecoder(_Extra)


def audit(probe: Probe, source: Source | None) -> str:  # noqa: ARG001 - a probe holds all that is needed
    """What is wrong with the variants of a probe, or an empty text."""
    original = probe.original
    for variant in probe.variants:
        if not _is_combined(original, variant):
            return "the text is not the main question with its basic questions"
        if (variant.gold, variant.answers) != (original.gold, original.answers):
            return "the answers are not those of the main question"
    return ""


def _is_combined(original: Item, variant: Item) -> bool:
    try:
        named = _extra.decode(variant.extra or "{}", "items.parquet").basic_questions
    except InputError:
        return False
    basics = [one.text for one in named]
    built = (combine_questions(original.text, basics, position) for position in get_args(NoisePosition))
    return bool(basics) and any((one.text, one.context) == (variant.text, variant.context) for one in built)
