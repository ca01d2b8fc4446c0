"""Action replacement: another verb of the source between the same two nouns.

"A man [pushes] a cart." against "A man [pulls] a cart.". A language model proposes the verb among those that the
source has with such nouns. It is an antonym, or at least no synonym, hypernym or hyponym by WordNet, and cannot be true
at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator

from falter.sources import HasSituations
from falter.suites.valse.foiling.candidate import FoilCandidate
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil
from falter.suites.valse.foiling.funnel import Funnel
from falter.suites.valse.foiling.lending import lend
from falter.suites.valse.foiling.realisation import Realiser
from falter.suites.valse.foiling.situation_sentences import Form, SituationPattern
from falter.suites.valse.foiling.situations import ReadSituation, Situations
from falter.suites.valse.foiling.verb_exclusion import are_exclusive
from falter.suites.valse.foiling.verb_proposals import VerbProposals

__all__ = ["ACTION_REPLACEMENT", "ActionReplacementMaker", "replace_action"]

NOT_NEEDED = "more situations than pairs are wanted, or no other verb to balance it"


def replace_action(situation: ReadSituation, pattern: SituationPattern, form: Form = "simple") -> FoilCandidate:
    """The sentence of a situation against the same two nouns with another verb."""
    caption, foil = (
        one.write(situation.agent.noun, situation.other.noun, form) for one in (situation.pattern, pattern)
    )
    return FoilCandidate(
        caption=caption.text,
        foil=foil.text,
        caption_spans=(caption.verb,),
        foil_spans=(foil.verb,),
        word=situation.pattern.verb,
        foil_word=pattern.verb,
        facets={"verb": situation.pattern.verb},
    )


class ActionReplacementMaker:
    """Situations lend each other their verbs: captions and foils have every verb equally often."""

    test = "action-replacement"
    piece = "actions"
    paper_size = 779
    requires: tuple[type, ...] = (HasSituations,)

    def make(self, context: FoilingContext, funnel: Funnel) -> Iterator[MadeFoil]:
        situations = Situations(context, funnel)
        realiser, proposals = Realiser(context), VerbProposals(situations, context.span_ranker)
        funnel.propose(len(situations.read))

        def is_proposed(one: ReadSituation, other: ReadSituation) -> bool:
            form, problem = realiser.choose(one)
            return not problem and proposals.may_replace(one, form, other.pattern)

        def may_lend(one: ReadSituation, other: ReadSituation) -> bool:
            # What costs little is asked first.
            both = ((one, other), (other, one))
            return (
                are_exclusive(situations.wordnet, one.pattern.verb, other.pattern.verb)
                and all(first.other.synset in situations.others[second.pattern.verb] for first, second in both)
                and all(
                    situations.can_fill(first.agent, situations.agents[second.pattern.verb]) for first, second in both
                )
                and all(situations.is_likely(second.pattern, first.agent, first.other) for first, second in both)
                and all(is_proposed(first, second) for first, second in both)
            )

        made: set[str] = set()
        lent = lend(situations.read, lambda one: one.pattern.verb, lambda one: one.other.noun, may_lend)
        for one, other in lent:
            if context.size is not None and len(made) >= context.size:
                break
            candidate = replace_action(one, other.pattern, realiser.choose(one)[0])
            made.add(one.caption.id)
            funnel.keep(candidate)
            yield MadeFoil(one.caption, candidate)
        for one in situations.read:
            if one.caption.id not in made:
                funnel.reject(realiser.problem(one) or NOT_NEEDED, replace_action(one, one.pattern))


ACTION_REPLACEMENT = ActionReplacementMaker()
