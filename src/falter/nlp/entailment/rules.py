"""Inference without a model: minimal pairs are compared word by word, by quantifiers, prepositions and WordNet.

Two texts that differ in more than a few words say different things, of which nothing is known: they are neutral. Of
texts that differ in few, each difference is judged, and the strongest judgement counts: a contradiction before neutral,
neutral before entailment.
"""

from __future__ import annotations

from collections.abc import Sequence

from falter.nlp.entailment.differences import Difference, find_differences
from falter.nlp.entailment.lexical_rules import LexicalRules
from falter.nlp.entailment.prepositions import are_compatible, is_prepositional
from falter.nlp.entailment.protocol import InferenceLabel, Judgement, TextPair
from falter.nlp.entailment.quantifiers import compare_quantities, drop_agreement, drop_number

__all__ = ["EntailmentRules"]

_SAME = 0.5
_MOST_DIFFERENCES = 5
_MOST_WORDS = 4
_NEGATIONS = frozenset({"no", "not", "without", "never", "nobody", "nothing", "none", "isn't", "aren't", "doesn't"})
_ORDER: tuple[InferenceLabel, ...] = ("entailment", "neutral", "contradiction")


class EntailmentRules:
    """Rules of our own over WordNet."""

    name = "rules 1"

    def __init__(self) -> None:
        self._lexical = LexicalRules()

    def judge(self, pairs: Sequence[TextPair]) -> list[Judgement]:
        """The judgements, in the order of the pairs."""
        return [self.judge_one(*pair) for pair in pairs]

    def judge_one(self, premise: str, hypothesis: str) -> Judgement:
        """What a hypothesis is to its premise."""
        found = find_differences(premise, hypothesis)
        if not found.differences:
            return Judgement("entailment", "the texts have the same words")
        apart = find_differences(drop_number(premise), drop_number(hypothesis))
        if apart.same < _SAME or len(found.differences) > _MOST_DIFFERENCES:
            return Judgement("neutral", "the texts differ in many words")
        quantities = compare_quantities(premise, hypothesis)
        if quantities is not None:
            return quantities
        judged = [self._judge_difference(one) for one in found.differences]
        return max(judged, key=lambda one: _ORDER.index(one.label))

    def _judge_difference(self, difference: Difference) -> Judgement:
        old, new = drop_agreement(difference.old, difference.new)
        if not old and not new:
            return Judgement("entailment", "agreement alone")
        if _NEGATIONS.intersection(old) != _NEGATIONS.intersection(new):
            return Judgement("contradiction", "one of them is denied")
        if is_prepositional((difference.before,)) and is_prepositional(old + new) and not (old and new):
            # "on" has become "on top of".
            old, new = (difference.before, *old), (difference.before, *new)
        if is_prepositional(old) and is_prepositional(new):
            one, other = " ".join(old), " ".join(new)
            if are_compatible(one, other):
                return Judgement("entailment", f"{one} and {other} may be true of one place")
            return Judgement("contradiction", f"{one} and {other} are different places")
        if not new:
            return Judgement("entailment", "the hypothesis says less")
        if not old or max(len(old), len(new)) > _MOST_WORDS:
            return Judgement("neutral", "the hypothesis says more, or something else")
        return self._lexical.compare(old, new)
