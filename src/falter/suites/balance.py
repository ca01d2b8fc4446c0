"""Keeping answers balanced over every word that a text-only model could bet on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

from falter.scene import Selection

__all__ = ["Balance", "features_of"]

T = TypeVar("T")


def features_of(selection: Selection) -> tuple[str, ...]:
    """What a blind reader sees of a description: its words, and the words next to each other."""
    kind = f"{selection.number}:{selection.kind}"
    form = "single" if selection.relation is None else "related"
    plain = "" if selection.attributes else " plain"
    features = [kind, f"number:{selection.number}", f"{form} {selection.number}", f"{form}{plain}"]
    for value in selection.attributes:
        features += [f"attribute:{value}", f"attribute:{value} {kind}"]
    if not selection.attributes:
        features.append("attribute:none")
    if selection.relation is not None:
        target = selection.relation.to
        name = selection.relation.name
        features += [f"relation:{name}", f"target:{target.kind}", f"{kind} {name}", f"{name} {target.kind}"]
        features.append(f"{kind} .. {target.kind}")
    return tuple(features)


class Balance:
    """Counts, feature by feature, how many more questions were answered yes than no, and picks against the lean."""

    def __init__(self) -> None:
        self._lean: dict[str, int] = {}

    def lean(self, features: Iterable[str]) -> int:
        """How far these features lean to yes (positive) or no (negative) by now."""
        return sum(self._lean.get(feature, 0) for feature in features)

    def add(self, features: Iterable[str], answer: str) -> None:
        """Count a question that was taken."""
        step = 1 if answer == "yes" else -1
        for feature in features:
            self._lean[feature] = self._lean.get(feature, 0) + step

    def pick(self, candidates: Sequence[tuple[T, Sequence[str]]], answer: str, rng: Random) -> int | None:
        """The candidate whose features lean most to the other answer; ties are drawn.

        None when every candidate would push the lean of its features further than it may go.
        """
        if not candidates:
            return None
        sign = 1 if answer == "yes" else -1
        scored = [sign * self.lean(features) for _, features in candidates]
        best = min(scored)
        return rng.choice([index for index, score in enumerate(scored) if score == best])
