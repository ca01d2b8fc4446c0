"""Arguments of a question before it is posed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from falter.english.slots import SlotValue
from falter.suites.balance import Weighted

__all__ = ["Candidate", "Cells", "arranged"]


class Candidate(NamedTuple):
    """Slots that may make a question with the wanted answer; the scene has the last word.

    In a question with choices the right one stands first in the slot ``c`` until it is arranged.
    """

    slots: Mapping[str, SlotValue]
    answer: str
    features: Weighted
    facets: Mapping[str, str]


Cells = dict[str, list[Candidate]]
"""Candidates by cell: what is to be balanced, such as yes and no, or which of two things is there."""


def arranged(candidate: Candidate, turn: int) -> dict[str, SlotValue]:
    """The slots with the right choice in the place whose turn it is."""
    slots = dict(candidate.slots)
    choices = slots.get("c")
    if isinstance(choices, tuple):
        place = turn % len(choices)
        right, *wrong = choices
        slots["c"] = (*wrong[:place], right, *wrong[place:])
    return slots
