"""How tables name a run, and what they say of one that lacks answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from falter.measures.results import AnsweredPairs

__all__ = ["RunName", "note_excluded"]


class RunName(msgspec.Struct, frozen=True):
    """A run and what its model is called in tables."""

    run: str
    model: str


def note_excluded(run: str, answered: Iterable[AnsweredPairs]) -> Iterator[str]:
    """One line where a run lacks more than 1 % of the answers of a test."""
    lacking = [str(one) for one in answered if one.lacks_answers]
    if lacking:
        yield f"{run} has no answer to more than 1 % of the pairs; they are in no score: {'; '.join(lacking)}"
