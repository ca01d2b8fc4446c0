"""Keeping answers balanced over every word that a text-only model could bet on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat
from random import Random

from falter.scene import Selection

__all__ = ["Balance", "Weighted", "features_of", "for_answer"]

Weighted = tuple[tuple[int, tuple[str, ...]], ...]
"""Steps that a question makes, up for yes and down for no, with the features that it makes them on."""


@lru_cache(maxsize=8192)
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


def for_answer(answer: str, *features: tuple[str, ...]) -> Weighted:
    """The features of a yes/no question, weighted by its answer."""
    step = 1 if answer == "yes" else -1
    return tuple([(step, some) for some in features])


class Balance:
    """Knows, feature by feature, how far the questions taken so far lean, and picks against the lean."""

    def __init__(self) -> None:
        self._lean: dict[str, int] = {}

    def lean(self, feature: str) -> int:
        """How far a feature leans by now: to yes (positive) or to no (negative)."""
        return self._lean.get(feature, 0)

    def push(self, features: Weighted) -> int:
        """How much a question with these features would add to the lean there is; negative evens it out."""
        known, otherwise = self._lean.get, repeat(0)
        total = 0
        for step, some in features:
            total += step * sum(map(known, some, otherwise))
        return total

    def add(self, features: Weighted) -> None:
        """Count a question that was taken."""
        for step, some in features:
            for feature in some:
                self._lean[feature] = self._lean.get(feature, 0) + step

    def ranked(self, candidates: Sequence[Weighted], rng: Random) -> list[int]:
        """The places of the candidates, those that even out most first; ties are drawn."""
        keyed = sorted([(self.push(features), rng.random(), place) for place, features in enumerate(candidates)])
        return [place for _, _, place in keyed]
