"""Actant swap: the same verb with its two fillers inverted.

"[A man] shouts at [a woman]." against "[A woman] shouts at [a man].": the foil is written again, from inverted fillers.
"""

from __future__ import annotations

from collections.abc import Iterator

from falter.sources import HasSituations
from falter.suites.valse.foiling.candidate import FoilCandidate, Skipped
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil
from falter.suites.valse.foiling.funnel import Funnel
from falter.suites.valse.foiling.lending import lend
from falter.suites.valse.foiling.realisation import Realiser
from falter.suites.valse.foiling.situation_sentences import Form
from falter.suites.valse.foiling.situations import ReadSituation, Situations, verb_list

__all__ = ["ACTANT_SWAP", "ActantSwapMaker", "swap_actants", "swap_problem"]

ENOUGH = "more situations than pairs are wanted"
UNLIKELY = "hardly anybody does that to such a thing the other way round"
IMPLAUSIBLE = "the source has no such filler in the other role"


def swap_problem(situation: ReadSituation, situations: Situations) -> str | None:
    """Why the foil would be as true as the caption, or None."""
    if any(situation.pattern.verb in group for group in verb_list("reciprocal")):
        return "what two do to each other"
    if situations.are_kinds(situation.agent, situation.other):
        return "the fillers are the same, or one is a kind of the other"
    return None


def swap_actants(situation: ReadSituation, form: Form = "simple") -> FoilCandidate:
    """The sentence of a situation against the one with its fillers inverted."""
    caption = situation.pattern.write(situation.agent.noun, situation.other.noun, form)
    foil = situation.pattern.write(situation.other.noun, situation.agent.noun, form)
    return FoilCandidate(
        caption=caption.text,
        foil=foil.text,
        caption_spans=(caption.agent, caption.other),
        foil_spans=(foil.agent, foil.other),
        word=situation.agent.noun,
        foil_word=situation.other.noun,
        facets={"verb": situation.pattern.verb},
    )


class ActantSwapMaker:
    """One pair for each situation whose fillers can change their roles.

    Situations that are each other's foils come first, so that who acts does not tell the caption.
    """

    test = "actant-swap"
    piece = "actions"
    paper_size = 1042
    requires: tuple[type, ...] = (HasSituations,)

    def make(self, context: FoilingContext, funnel: Funnel) -> Iterator[MadeFoil]:
        situations = Situations(context, funnel)
        fitting: list[ReadSituation] = []
        for one in situations.read:
            problem = swap_problem(one, situations)
            if problem is not None:
                funnel.skip(Skipped(problem, one.caption.text))
                continue
            funnel.propose()
            verb = one.pattern.verb
            if not situations.is_likely(one.pattern, one.other, one.agent):
                funnel.reject(UNLIKELY, swap_actants(one))
            elif situations.can_fill(one.other, situations.agents[verb]) and situations.can_fill(
                one.agent, situations.others[verb]
            ):
                fitting.append(one)
            else:
                funnel.reject(IMPLAUSIBLE, swap_actants(one))
        realiser = Realiser(context)
        made = 0
        for one in _balanced_first(fitting):
            if context.size is not None and made >= context.size:
                funnel.reject(ENOUGH, swap_actants(one))
                continue
            form, problem = realiser.choose(one)
            candidate = swap_actants(one, form)
            if problem:
                funnel.reject(problem, candidate)
                continue
            made += 1
            funnel.keep(candidate)
            yield MadeFoil(one.caption, candidate)


def _balanced_first(situations: list[ReadSituation]) -> list[ReadSituation]:
    lent = lend(
        situations,
        word=lambda one: one.agent.noun,
        topic=lambda one: "|".join((one.pattern.verb, *sorted((one.agent.noun, one.other.noun)))),
        may_lend=lambda one, other: one.agent.noun == other.other.noun,
        same_topic_only=True,
    )
    first = {one.caption.id: one for one, _ in lent}
    return [*first.values(), *(one for one in situations if one.caption.id not in first)]


ACTANT_SWAP = ActantSwapMaker()
