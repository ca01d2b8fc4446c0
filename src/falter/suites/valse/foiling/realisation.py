"""How a situation is said: the most probable of its forms, where that is grammatical and natural enough.

As the paper's footnote 13 does with GPT-2 and GRUEN, the forms of a sentence ("A man pushes a cart.", "A man is pushing
a cart.") are ranked by a language model. The best one is kept if it is grammatical and not less probable than
:data:`LEAST_NATURAL`.
"""

from __future__ import annotations

from falter.nlp.span_ranking import Gap
from falter.suites.valse.foiling.context import FoilingContext
from falter.suites.valse.foiling.situation_sentences import Form
from falter.suites.valse.foiling.situations import ReadSituation

__all__ = ["LEAST_NATURAL", "Realiser"]

LEAST_NATURAL = -10.6
"""The least mean log-probability of a word, in nats: 99 % of the released captions of actions have more."""
UNGRAMMATICAL = "the sentence is not grammatical enough"
UNNATURAL = "the sentence is not natural enough"


class Realiser:
    """Chooses forms; what was chosen for two nouns and a verb is kept."""

    def __init__(self, context: FoilingContext) -> None:
        self._context = context
        self._chosen: dict[tuple[str, str, str], tuple[Form, str]] = {}

    def choose(self, situation: ReadSituation) -> tuple[Form, str]:
        """The form in which a situation is said, and why it is not said at all, or an empty text."""
        key = (situation.agent.noun, situation.pattern.verb, situation.other.noun)
        if key not in self._chosen:
            self._chosen[key] = self._choose(situation)
        return self._chosen[key]

    def problem(self, situation: ReadSituation) -> str:
        """Why a situation is not said, if that was asked already."""
        key = (situation.agent.noun, situation.pattern.verb, situation.other.noun)
        return self._chosen[key][1] if key in self._chosen else ""

    def _choose(self, situation: ReadSituation) -> tuple[Form, str]:
        pattern = situation.pattern
        texts = {form: pattern.write(situation.agent.noun, situation.other.noun, form).text for form in pattern.forms}
        scores = self._context.sentence_ranker.score(Gap("", ""), list(texts.values()))
        natural = {form: score / len(texts[form].split()) for form, score in zip(texts, scores, strict=True)}
        best = max(texts, key=lambda form: natural[form])
        if natural[best] < LEAST_NATURAL:
            return best, UNNATURAL
        (score,) = self._context.grammaticality_model.score([texts[best]])
        return best, UNGRAMMATICAL if score < self._context.min_grammaticality else ""
