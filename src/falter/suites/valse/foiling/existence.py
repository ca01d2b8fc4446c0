"""Existence: a statement that there are such things against one that there are none.

"How many dogs are on the sofa?", answered with 0, becomes "There are [no dogs] on the sofa." against "There are [dogs]
on the sofa.", answered with 3 the reverse.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from falter.english.rewrites.count_statements import Quantity
from falter.sources import HasQuestions
from falter.suites.valse.foiling.candidate import FoilCandidate
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil
from falter.suites.valse.foiling.counted_questions import CountedQuestion, find_counted_questions
from falter.suites.valse.foiling.funnel import Funnel

__all__ = ["EXISTENCE", "ExistenceMaker", "foil_existence"]

NONE_TO_SOME, SOME_TO_NONE = "none-to-some", "some-to-none"
_NO, _SOME = Quantity(0, "existence"), Quantity(None, "existence")
NOT_NEEDED = "more questions than pairs are wanted, or no other question to balance it"
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
                funnel.reject(NOT_NEEDED if one.caption.id in agreed else DISPUTED, candidate)


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
