"""The wrong numbers of foils: lent by another question, or drawn from a few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from falter.suites.valse.foiling.counted_questions import CountedQuestion
from falter.suites.valse.foiling.lending import lend

__all__ = ["NumberFoil", "foil_with_numbers", "lend_numbers"]


class NumberFoil(NamedTuple):
    """A question with the wrong number of its foil."""

    question: CountedQuestion
    number: int


def lend_numbers(questions: Iterable[CountedQuestion], most: int | None = None) -> Iterator[NumberFoil]:
    """Foils, two by two: each of two questions has the number of the other, if possible about the same things."""
    lent = lend(
        questions, lambda one: str(one.number), lambda one: one.statement.noun.head, may_lend=_may_lend, most=most
    )
    return (NumberFoil(one, other.number) for one, other in lent)


def _may_lend(one: CountedQuestion, other: CountedQuestion) -> bool:
    fewer, more = sorted((one.number, other.number))
    # Where there is one sofa, nobody takes twenty for possible.
    return more <= 3 * fewer + 4 and all(
        first.excludes(second.number) and first.accepts(second.number) for first, second in ((one, other), (other, one))
    )


def foil_with_numbers(
    questions: Iterable[CountedQuestion], numbers: Collection[int], is_caption: Callable[[int], bool]
) -> Iterator[NumberFoil]:
    """Foils with some of the given numbers, each as often as the others, where the caption has none of them."""
    made: Counter[int] = Counter()
    for one in questions:
        if is_caption(one.number):
            fitting = [number for number in numbers if one.excludes(number) and one.accepts(number)]
            if fitting:
                number = min(fitting, key=lambda each: (made[each], each))
                made[number] += 1
                yield NumberFoil(one, number)
