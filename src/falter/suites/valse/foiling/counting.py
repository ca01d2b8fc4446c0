"""Counting: a statement with its number against the same with a wrong one.

"How many dogs are on the sofa?", answered with 3, becomes "There are [exactly 3 dogs] on the sofa." against "There is
[exactly 1 dog] on the sofa.".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from falter.english.rewrites.count_statements import Quantity
from falter.sources import HasQuestions
from falter.suites.valse.foiling.candidate import FoilCandidate
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil
from falter.suites.valse.foiling.counted_questions import CountedQuestion, find_counted_questions
from falter.suites.valse.foiling.funnel import Funnel
from falter.suites.valse.foiling.number_pairs import NumberFoil, foil_with_numbers, lend_numbers

__all__ = ["ADVERSARIAL", "BALANCED", "SMALL", "CountingMaker", "foil_count"]

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
