"""Actions: another verb between the same two nouns (action replacement), or both nouns inverted (actant swap).

"A man [pushes] a cart." against "A man [pulls] a cart.". A language model proposes the verb among those that the
source has with such nouns. It is an antonym, or at least no synonym, hypernym or hyponym by WordNet, and cannot be true
at the same time.

"[A man] shouts at [a woman]." against "[A woman] shouts at [a man].": the foil is written again, from inverted
fillers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache

from falter.generation.nlp import WordNet
from falter.generation.nlp.span_ranking import Gap, SpanRanker
from falter.generation.sources import HasSituations
from falter.suites.valse.foiling.balance import lend
from falter.suites.valse.foiling.candidates import FoilCandidate, Funnel, Skipped
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil
from falter.suites.valse.foiling.situations import (
    Form,
    ReadSituation,
    Realiser,
    SituationPattern,
    Situations,
    verb_list,
)


@lru_cache(maxsize=65536)
def are_exclusive(wordnet: WordNet, verb: str, other: str) -> bool:
    """Whether a verb is a foil of another; of those that may be true at the same time, only antonyms are."""
    relation = wordnet.relation(verb, other)
    together = any(verb in group and other in group for group in verb_list("together"))
    return relation == "antonym" or (relation == "disjoint" and not together)


_MOST_RANKED = 20
"""Verbs of a place that the language model gets to rank: those that the source has most often with the noun."""
_BEST = 10
"""Proposals of a place, the paper's top k."""
_MOST_LOSS = 12.0
"""Nats by which a foil may be less probable than its caption."""


class VerbProposals:
    """Ranks the verbs of a source in the place of another; each place is ranked once."""

    def __init__(self, situations: Situations, ranker: SpanRanker) -> None:
        self._situations, self._ranker = situations, ranker
        self._found: dict[tuple[str, str, str, Form], dict[str, float]] = {}
        self._verbs: dict[str, Counter[str]] = defaultdict(Counter)
        for one in situations.read:
            self._verbs[one.other.synset][one.pattern.verb] += 1

    def may_replace(self, situation: ReadSituation, form: Form, pattern: SituationPattern) -> bool:
        """Whether a verb is among the ten best for the place of another, and probable enough there."""
        key = (situation.agent.noun, situation.pattern.verb, situation.other.noun, form)
        if key not in self._found:
            self._found[key] = self._rank(situation, form)
        return pattern.verb in self._found[key]

    def _rank(self, situation: ReadSituation, form: Form) -> dict[str, float]:
        own = situation.pattern
        fitting = [
            self._situations.patterns[verb]
            for verb, _ in sorted(self._verbs[situation.other.synset].items(), key=lambda one: (-one[1], one[0]))
            if verb != own.verb
            and form in self._situations.patterns[verb].forms
            and are_exclusive(self._situations.wordnet, own.verb, verb)
            and self._situations.can_fill(situation.agent, self._situations.agents[verb])
        ][:_MOST_RANKED]
        if not fitting:
            return {}
        written = own.write(situation.agent.noun, situation.other.noun, form)
        gap = Gap(written.text[: written.verb[0]], written.text[written.verb[1] :])
        words = []
        for pattern in (own, *fitting):
            sentence = pattern.write(situation.agent.noun, situation.other.noun, form)
            words.append(sentence.text[slice(*sentence.verb)])
        least, *scores = self._ranker.score(gap, words)
        proposed = [
            (score, pattern.verb)
            for score, pattern, is_proposed in zip(scores, fitting, self._ranker.proposes(gap, words[1:]), strict=True)
            if is_proposed and score >= least - _MOST_LOSS
        ]
        return {verb: score for score, verb in sorted(proposed, key=lambda one: (-one[0], one[1]))[:_BEST]}


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
