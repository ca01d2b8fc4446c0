"""Arguments of a question before it is built."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from falter.authoring.balance import AnswerBalancer, Weighted
from falter.english.slots import SlotValue

__all__ = ["Candidate", "Cells", "ChoiceCandidate", "place_gold"]


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """Slots that may make a question with the wanted answer; the scene has the last word.

    In a question with choices the right one stands first in the slot ``c`` until it is arranged. ``sorts`` are what
    there should be as much of as of others, such as the class of the choices. ``held`` are features that would tell the
    answer on their own, such as a value that no source has: a question is passed over once they lean to its answer.
    """

    slots: Mapping[str, SlotValue]
    answer: str
    features: Weighted
    facets: Mapping[str, str]
    balance_keys: tuple[str, ...] = ()
    leaking_features: tuple[str, ...] = ()

    def resolve(self, balance: AnswerBalancer) -> Candidate:  # noqa: ARG002 - an open choice needs it
        """The candidate itself, which leaves nothing open."""
        return self


class ChoiceCandidate(msgspec.Struct, frozen=True, gc=False):
    """A question with choices of which the wrong ones are picked when it is asked, from others that exclude each other.

    ``seen`` are for each choice the features by which a blind reader could know it: the choice beside each word of the
    description.
    """

    slots: Mapping[str, SlotValue]
    right: str
    others: tuple[str, ...]
    many: int
    seen: Mapping[str, tuple[str, ...]]
    facets: Mapping[str, str]
    balance_keys: tuple[str, ...]

    def resolve(self, balance: AnswerBalancer) -> Candidate:
        """With the wrong choices that have been right furthest beyond their share, given the same words.

        A right choice lifts its features, a wrong one lowers them, so that none is right more often than its share.
        """
        seen = self.seen
        biases = balance.biases([seen[other] for other in self.others])
        owed = sorted(range(len(biases)), key=[-bias for bias in biases].__getitem__)
        wrong = tuple([self.others[place] for place in owed[: self.many - 1]])
        features = ((len(wrong), seen[self.right]), *[(-1, seen[other]) for other in wrong])
        return Candidate(
            {**self.slots, "c": (self.right, *wrong)}, self.right, features, self.facets, self.balance_keys
        )


Cells = dict[str, list[Candidate] | list[ChoiceCandidate]]
"""Candidates by cell: what is to be balanced, such as yes and no, or which of two things is there."""


def place_gold(candidate: Candidate, turn: int) -> dict[str, SlotValue]:
    """The slots with the right choice in the place whose turn it is."""
    slots = dict(candidate.slots)
    choices = slots.get("c")
    if isinstance(choices, tuple):
        place = turn % len(choices)
        right, *wrong = choices
        slots["c"] = (*wrong[:place], right, *wrong[place:])
    return slots
