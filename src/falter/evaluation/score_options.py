"""How runs are scored: one struct for the command line, for Python and for all functions down to the measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict, get_args

import msgspec
from msgspec import Meta

from falter.core.errors import UsageError

VqaRule = Literal["vqa-v2", "min3", "exact", "any"]
VQA_RULES: tuple[VqaRule, ...] = get_args(VqaRule)

Subset = Literal["all", "valid", "unanimous"]
SUBSETS: tuple[Subset, ...] = get_args(Subset)


class ScoreOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which pairs count, how their answers are judged, what is scored, and how intervals are drawn."""

    by: Annotated[
        tuple[str, ...], Meta(description="Break down by this facet; may be repeated.", extra={"metavar": "FACET"})
    ] = ()
    measures: Annotated[
        tuple[str, ...],
        Meta(
            description="Keep this measure only; may be repeated. Default: the main ones.",
            extra={"option": "--measure", "metavar": "NAME"},
        ),
    ] = ()
    subset: Annotated[
        Subset | None,
        Meta(
            description="Where annotators judged pairs: count all of them, the valid ones, or those that all "
            "confirmed. Default: valid."
        ),
    ] = None
    vqa_rule: Annotated[VqaRule, Meta(description="VQA accuracy where several people answered.")] = "vqa-v2"
    seed: Annotated[int, Meta(description="Random seed of the intervals.")] = 0
    n_resamples: Annotated[
        int, Meta(description="Resamples of the images for each interval; 0: none.", extra={"metavar": "N"})
    ] = 1000

    def __post_init__(self) -> None:
        if self.vqa_rule not in VQA_RULES:
            raise UsageError(f"unknown VQA rule {self.vqa_rule!r}; available: {', '.join(VQA_RULES)}")

    def replace(self, **changes: Any) -> ScoreOptions:
        """The same options but for these."""
        return msgspec.structs.replace(self, **changes)


PLAIN = ScoreOptions()
"""The options where nothing is said."""


class PairOptions(TypedDict, total=False):
    """The keywords that say which pairs count and how their answers are judged."""

    subset: Subset | None
    vqa_rule: VqaRule


class IntervalOptions(PairOptions, total=False):
    """The same, and the keyword of intervals."""

    seed: int


class ScoreKeywords(IntervalOptions, total=False):
    """Every option as a keyword in Python, where one facet or measure may stand alone."""

    by: str | Sequence[str]
    measures: str | Sequence[str] | None
    n_resamples: int


def read_options(given: Mapping[str, Any], allowed: type = ScoreKeywords) -> ScoreOptions:
    """The options that keywords name; one that is none of ``allowed`` is an unexpected argument.

    >>> read_options({"by": "form", "measures": None}).by
    ('form',)
    """
    unknown = [name for name in given if name not in allowed.__annotations__]
    if unknown:
        raise TypeError(f"unexpected keyword argument {unknown[0]!r}; options: {', '.join(allowed.__annotations__)}")
    several = {name: _several(given[name]) for name in ("by", "measures") if name in given}
    return ScoreOptions(**{**given, **several})


def _several(value: str | Sequence[str] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())
