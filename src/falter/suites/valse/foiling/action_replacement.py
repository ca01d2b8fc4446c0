"""Action replacement: another verb of the source between the same two nouns.

"A man [pushes] a cart." against "A man [pulls] a cart.". The other verb is an antonym, or at least no synonym, hypernym
or hyponym by WordNet; the source has it with such nouns, and it cannot be true at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from falter.nlp import WordNet
from falter.sources import HasSituations
from falter.suites.valse.foiling.candidate import FoilCandidate
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil
from falter.suites.valse.foiling.funnel import Funnel
from falter.suites.valse.foiling.lending import lend
from falter.suites.valse.foiling.situation_sentences import SituationPattern
from falter.suites.valse.foiling.situations import ReadSituation, Situations, verb_list

__all__ = ["ACTION_REPLACEMENT", "ActionReplacementMaker", "are_exclusive", "replace_action"]

NOT_NEEDED = "more situations than pairs are wanted, or no other verb to balance it"


@lru_cache(maxsize=65536)
def are_exclusive(wordnet: WordNet, verb: str, other: str) -> bool:
    """Whether a verb is a foil of another."""
    if any(verb in group and other in group for group in verb_list("together")):
        return _is_antonym(wordnet, verb, other)
    return wordnet.relation(verb, other) in ("antonym", "disjoint")


def _is_antonym(wordnet: WordNet, verb: str, other: str) -> bool:
    return wordnet.relation(verb, other) == "antonym"


def replace_action(situation: ReadSituation, pattern: SituationPattern) -> FoilCandidate:
    """The sentence of a situation against the same two nouns with another verb."""
    caption, foil = (one.write(situation.agent.noun, situation.other.noun) for one in (situation.pattern, pattern))
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
        funnel.propose(len(situations.read))

        def may_lend(one: ReadSituation, other: ReadSituation) -> bool:
            return are_exclusive(situations.wordnet, one.pattern.verb, other.pattern.verb) and all(
                situations.can_fill(first.agent, situations.agents[second.pattern.verb])
                and first.other.synset in situations.others[second.pattern.verb]
                for first, second in ((one, other), (other, one))
            )

        made: set[str] = set()
        lent = lend(situations.read, lambda one: one.pattern.verb, lambda one: one.other.noun, may_lend)
        for one, other in lent:
            if context.size is not None and len(made) >= context.size:
                break
            candidate = replace_action(one, other.pattern)
            made.add(one.caption.id)
            funnel.keep(candidate)
            yield MadeFoil(one.caption, candidate)
        for one in situations.read:
            if one.caption.id not in made:
                funnel.reject(NOT_NEEDED, replace_action(one, one.pattern))


ACTION_REPLACEMENT = ActionReplacementMaker()
