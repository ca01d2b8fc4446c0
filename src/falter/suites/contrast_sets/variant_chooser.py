"""Which variants a question gets, of those that it may have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from falter.authoring.balance import AnswerBalancer, Weighted, for_answer
from falter.authoring.generator import GenerateOptions
from falter.suites.contrast_sets.image_sets import Offer, OfferedSet
from falter.suites.contrast_sets.question_tests import TESTS
from falter.suites.contrast_sets.sizes import wanted_sets

__all__ = ["VariantChooser"]

_AHEAD = 10
"""How many of the written variants the first one is chosen among; two more for each further one."""
_NOISE = 0.5
_MOST_LEAN = 1.0
"""How far words may lean beyond what as many coin tosses would give, before a variant is given up."""
_FEW = 35
"""Sets from which nobody can learn what words tell: so many are not given up."""
_AHEAD_OF_OTHER = 3
"""How many more variants of one number may have one answer than the other."""


class VariantChooser:
    """Chooses the variants of sets so that their words alone do not tell the answers."""

    def __init__(self, per_question: int, options: GenerateOptions) -> None:
        self._per_question = per_question
        self._balance: dict[tuple[str, int], AnswerBalancer] = {}
        self._golds: dict[tuple[str, int], Counter[str]] = {}
        self.rejected: Counter[str] = Counter()
        self._made: dict[str, int] = dict.fromkeys(options.tests or TESTS, 0)
        self._wanted = {test: wanted_sets(options.size, test) for test in self._made}

    @property
    def is_full(self) -> bool:
        """Whether every test has as many sets as are wanted."""
        return all(map(self._has_enough, self._made))

    def _has_enough(self, test: str) -> bool:
        wanted = self._wanted[test]
        return wanted is not None and self._made[test] >= wanted

    def choose(self, offered: OfferedSet) -> tuple[Offer, ...]:
        """The variants of a set, best first: those of fewer are the first of those of more."""
        if offered.test not in self._made or self._has_enough(offered.test):
            return ()
        chosen: list[Offer] = []
        for number in range(self._per_question):
            best = self._next(offered, number, chosen)
            if best is None:
                break
            chosen.append(best)
        self._made[offered.test] += bool(chosen)
        return tuple(chosen)

    def _next(self, offered: OfferedSet, number: int, chosen: Sequence[Offer]) -> Offer | None:
        """The variant of a number; what is taken depends on variants of this number and lower ones alone."""
        left = [one for one in offered.offers[: _AHEAD + 2 * number] if one not in chosen]
        balance = self._balance.setdefault((offered.test, number), AnswerBalancer(_NOISE))
        taken = self._golds.setdefault((offered.test, number), Counter())
        found: list[tuple[float, int, Weighted]] = []
        for place, one in enumerate(left):
            if number and one.gold in _TWO and taken[one.gold] > taken[_TWO[one.gold]] + _AHEAD_OF_OTHER:
                continue
            features = _features(offered, one, is_first=number == 0)
            found.append((max(0.0, balance.bias_change(features)), place, features))
        if not found:
            return None
        bias, place, features = min(found)
        if bias > _MOST_LEAN and (number > 0 or taken.total() >= _FEW):
            self.rejected[f"{offered.test}: the words would tell the answer"] += 1
            return None
        # A balance of so many variants counts those of lower numbers too, and none of higher ones.
        for higher in range(number, self._per_question):
            self._balance.setdefault((offered.test, higher), AnswerBalancer(_NOISE)).add(features)
        taken[left[place].gold] += 1
        return left[place]


def _features(offered: OfferedSet, one: Offer, *, is_first: bool) -> Weighted:
    """What is new to a reader without the image; the original comes with the first variant.

    The opposite relation has one variant with the words of its original: whatever they tell, they tell of both.
    """
    if one.gold not in ("yes", "no") or offered.test == "relation":
        return ()
    original = for_answer(offered.gold, offered.features) if is_first else ()
    return (*original, *for_answer(one.gold, one.features))


_TWO = {"yes": "no", "no": "yes", "left": "right", "right": "left"}
"""Answers of which there are two, each with the other one."""
