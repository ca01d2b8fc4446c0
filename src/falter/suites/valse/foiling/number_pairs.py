"""Pairs of questions that lend each other their numbers: captions and foils then have every number equally often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from falter.suites.valse.foiling.counted_questions import CountedQuestion

__all__ = ["NumberFoil", "foil_with_numbers", "lend_numbers"]


class NumberFoil(NamedTuple):
    """A question with the wrong number of its foil."""

    question: CountedQuestion
    number: int


class _Waiting:
    """Questions of one number, in order, also by what is counted."""

    def __init__(self) -> None:
        self.all: dict[str, CountedQuestion] = {}
        self.by_noun: dict[str, dict[str, CountedQuestion]] = defaultdict(dict)

    def add(self, one: CountedQuestion) -> None:
        self.all[one.caption.id] = one
        self.by_noun[one.statement.noun.head][one.caption.id] = one

    def remove(self, one: CountedQuestion) -> None:
        del self.all[one.caption.id]
        del self.by_noun[one.statement.noun.head][one.caption.id]


def lend_numbers(questions: Iterable[CountedQuestion], most: int | None = None) -> Iterator[NumberFoil]:
    """Foils, two by two: each of two questions has the number of the other, if possible about the same things.

    The rarest number so far comes next, so that numbers are as even as the questions allow; ``most`` caps the captions
    of a number.
    """
    waiting: dict[int, _Waiting] = defaultdict(_Waiting)
    for one in questions:
        waiting[one.number].add(one)
    made: Counter[int] = Counter()

    def is_open(number: int) -> bool:
        return bool(waiting[number].all) and (most is None or made[number] < most)

    def order(number: int) -> tuple[int, int]:
        return made[number], number

    while numbers := sorted(filter(is_open, list(waiting)), key=order):
        one = next(iter(waiting[numbers[0]].all.values()))
        waiting[one.number].remove(one)
        other = _partner(one, [waiting[number] for number in numbers[1:]])
        if other is None:
            continue
        waiting[other.number].remove(other)
        made.update((one.number, other.number))
        yield NumberFoil(one, other.number)
        yield NumberFoil(other, one.number)


def _partner(one: CountedQuestion, waiting: list[_Waiting]) -> CountedQuestion | None:
    noun = one.statement.noun.head
    groups = [each.by_noun.get(noun, {}) for each in waiting] + [each.all for each in waiting]
    return next((other for group in groups for other in group.values() if _may_lend(one, other)), None)


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
