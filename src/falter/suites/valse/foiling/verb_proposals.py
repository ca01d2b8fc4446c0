"""Which verbs a language model finds probable between two nouns: proposals of action replacement."""

from __future__ import annotations

from collections import Counter, defaultdict

from falter.nlp.span_ranking import Gap, SpanRanker
from falter.suites.valse.foiling.situation_sentences import Form, SituationPattern
from falter.suites.valse.foiling.situations import ReadSituation, Situations
from falter.suites.valse.foiling.verb_exclusion import are_exclusive

__all__ = ["VerbProposals"]

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
