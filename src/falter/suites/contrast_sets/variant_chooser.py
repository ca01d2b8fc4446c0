"""Which variants a question gets, of those that it may have."""

from __future__ import annotations

from falter.authoring.balance import COIN_NOISE, AnswerBalancer, Weighted, for_answer
from falter.authoring.generator import GenerateOptions
from falter.suites.contrast_sets.image_sets import Offer, OfferedSet
from falter.suites.contrast_sets.question_tests import TESTS

__all__ = ["VariantChooser"]

_AHEAD = 6
"""How many of the written variants the first one is chosen among; two more for each further one."""


class VariantChooser:
    """Chooses the variants of sets so that their words alone do not tell the answers."""

    def __init__(self, per_question: int, options: GenerateOptions) -> None:
        self._per_question = per_question
        self._options = options
        self._balance: dict[tuple[str, int], AnswerBalancer] = {}
        self._made: dict[str, int] = dict.fromkeys(options.tests or TESTS, 0)

    @property
    def is_full(self) -> bool:
        """Whether every test has as many sets as are wanted."""
        size = self._options.size
        return isinstance(size, int) and all(made >= size for made in self._made.values())

    def choose(self, offered: OfferedSet) -> tuple[Offer, ...]:
        """The variants of a set, best first: those of fewer are the first of those of more."""
        size = self._options.size
        if offered.test not in self._made or (isinstance(size, int) and self._made[offered.test] >= size):
            return ()
        chosen: list[Offer] = []
        for number in range(self._per_question):
            left = [one for one in offered.offers[: _AHEAD + 2 * number] if one not in chosen]
            if not left:
                break
            balance = self._balance.setdefault((offered.test, number), AnswerBalancer(COIN_NOISE))
            features = [_features(offered, one) for one in left]
            best = min(range(len(left)), key=lambda at: (max(0.0, balance.bias_change(features[at])), at))
            balance.add(features[best])
            chosen.append(left[best])
        self._made[offered.test] += bool(chosen)
        return tuple(chosen)


def _features(offered: OfferedSet, one: Offer) -> Weighted:
    """What is new to a reader without the image: what was replaced has the one answer, what replaces it the other."""
    if one.gold not in ("yes", "no"):
        return ()
    return (*for_answer(offered.gold, (one.before,)), *for_answer(one.gold, (one.after,)))
