"""Existence and counting: statements made of questions for a number, against the same denied or with a wrong number.

"How many dogs are on the sofa?", answered with 0, becomes "There are [no dogs] on the sofa." against "There are [dogs]
on the sofa.", answered with 3 the reverse: existence. Answered with 3, it becomes "There are [exactly 3 dogs] on the
sofa." against "There is [exactly 1 dog] on the sofa.": counting, whose wrong numbers are lent by another question, or
drawn from a few."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from falter.generation.english.rewrites.count_statements import Quantity
from falter.generation.sources import HasQuestions
from falter.suites.valse.foiling.balance import lend
from falter.suites.valse.foiling.candidates import FoilCandidate, Funnel
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil
from falter.suites.valse.foiling.counted_questions import CountedQuestion, find_counted_questions

NONE_TO_SOME, SOME_TO_NONE = "none-to-some", "some-to-none"
_NO, _SOME = Quantity(0, "existence"), Quantity(None, "existence")
NO_PARTNER = "more questions than pairs are wanted, or no other question to balance it"
DISPUTED = "somebody answered otherwise whether there is one"


def foil_existence(question: CountedQuestion, *, singular: bool) -> FoilCandidate | None:
    """The statement that there are some, or none, against its opposite, in a number that is given."""
    some, none = (question.statement.change(one, singular=singular) for one in (_SOME, _NO))
    if some is None or none is None:
        return None
    right, wrong = (none, some) if question.number == 0 else (some, none)
    (caption, span), (foil, foil_span) = right.write_with_span(), wrong.write_with_span()
    if caption is None or foil is None:
        return None
    return FoilCandidate(
        caption=caption,
        foil=foil,
        caption_spans=(span,),
        foil_spans=(foil_span,),
        word="no" if question.number == 0 else "some",
        foil_word="some" if question.number == 0 else "no",
        facets={"direction": NONE_TO_SOME if question.number == 0 else SOME_TO_NONE},
    )


class ExistenceMaker:
    """Pairs a question answered with 0 with one answered otherwise, if possible about the same things.

    The statement of the first takes the grammatical number of the second: neither the noun nor its number tells which
    of "There is a dog." and "There is no dog." is right.
    """

    test = "existence"
    piece = "existence"
    paper_size = 534
    requires: tuple[type, ...] = (HasQuestions,)

    def make(self, context: FoilingContext, funnel: Funnel) -> Iterator[MadeFoil]:
        found = [one for one in find_counted_questions(context, funnel) if one.statement.is_there]
        funnel.propose(len(found))
        clear = [
            one for one in found if (one.number == 0) == (one.most == 0) and (one.fewest == 0) == (one.number == 0)
        ]
        made: set[str] = set()
        for none, some in _partners(clear):
            singular = some.number == 1
            candidates = [foil_existence(one, singular=singular) for one in (none, some)]
            # One person does not sit there "wearing hats".
            if None in candidates or (singular and not all(one.accepts(1) for one in (none, some))):
                continue
            if context.size is not None and len(made) + 2 > max(2, context.size):
                break
            for one, candidate in zip((none, some), candidates, strict=True):
                if candidate is not None:
                    made.add(one.caption.id)
                    funnel.keep(candidate)
                    yield MadeFoil(one.caption, candidate)
        self._give_up(found, clear, made, funnel)

    def _give_up(
        self, found: Sequence[CountedQuestion], clear: Sequence[CountedQuestion], made: set[str], funnel: Funnel
    ) -> None:
        agreed = {one.caption.id for one in clear}
        for one in found:
            candidate = None if one.caption.id in made else foil_existence(one, singular=False)
            if candidate is not None:
                funnel.reject(NO_PARTNER if one.caption.id in agreed else DISPUTED, candidate)


def _partners(questions: Sequence[CountedQuestion]) -> Iterator[tuple[CountedQuestion, CountedQuestion]]:
    """Questions answered with 0, each with another that is not; those about the same things first."""
    others: dict[str, list[CountedQuestion]] = defaultdict(list)
    for one in reversed(questions):
        if one.number:
            others[one.statement.noun.head].append(one)
    alone = []
    for one in questions:
        if one.number == 0:
            same = others[one.statement.noun.head]
            if same:
                yield one, same.pop()
            else:
                alone.append(one)
    rest = iter([one for one in questions if one.number and one in others[one.statement.noun.head]])
    yield from zip(alone, rest, strict=False)


EXISTENCE = ExistenceMaker()


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


_SMALL = (0, 1, 2, 3)
_MOST_PER_NUMBER = 150
"""Captions of one number in the balanced instrument; the released ones have 131 at most."""
NOT_NEEDED = "more questions than pairs are wanted, or no other question to balance the number"


def foil_count(question: CountedQuestion, number: int) -> FoilCandidate | None:
    """The statement of a question against the same with another number."""
    right, wrong = (question.statement.change(Quantity(one)) for one in (question.number, number))
    if right is None or wrong is None:
        return None
    (caption, span), (foil, foil_span) = right.write_with_span(), wrong.write_with_span()
    if caption is None or foil is None:
        return None
    return FoilCandidate(
        caption=caption,
        foil=foil,
        caption_spans=(span,),
        foil_spans=(foil_span,),
        word=str(question.number),
        foil_word=str(number),
        facets={"number": str(question.number)},
    )


class CountingMaker:
    """Makes the pairs of one of the three instruments."""

    piece = "counting"
    requires: tuple[type, ...] = (HasQuestions,)

    def __init__(self, test: str, paper_size: int) -> None:
        self.test = test
        self.paper_size = paper_size

    def make(self, context: FoilingContext, funnel: Funnel) -> Iterator[MadeFoil]:
        questions = [one for one in find_counted_questions(context, funnel) if self._is_caption(one.number)]
        funnel.propose(len(questions))
        made: set[str] = set()
        for question, number in self._foils(questions):
            if context.size is not None and len(made) >= context.size:
                break
            candidate = foil_count(question, number)
            if candidate is not None:
                made.add(question.caption.id)
                funnel.keep(candidate)
                yield MadeFoil(question.caption, candidate)
        for question in questions:
            if question.caption.id not in made:
                self._give_up(question, funnel)

    def _give_up(self, question: CountedQuestion, funnel: Funnel) -> None:
        candidate = foil_count(question, 0 if question.number else 2)
        if candidate is not None:
            funnel.reject(NOT_NEEDED, candidate)

    def _is_caption(self, number: int) -> bool:
        return number >= 0

    def _foils(self, questions: Iterable[CountedQuestion]) -> Iterator[NumberFoil]:
        return lend_numbers(questions, _MOST_PER_NUMBER)


class _Small(CountingMaker):
    def _is_caption(self, number: int) -> bool:
        return number in _SMALL

    def _foils(self, questions: Iterable[CountedQuestion]) -> Iterator[NumberFoil]:
        return lend_numbers(questions)


class _Adversarial(CountingMaker):
    def _is_caption(self, number: int) -> bool:
        return number not in _SMALL

    def _foils(self, questions: Iterable[CountedQuestion]) -> Iterator[NumberFoil]:
        return foil_with_numbers(questions, _SMALL, self._is_caption)


BALANCED = CountingMaker("counting-balanced", 1000)
SMALL = _Small("counting-small", 1000)
ADVERSARIAL = _Adversarial("counting-adversarial", 756)
