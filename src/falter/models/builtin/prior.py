"""Gives the most frequent training answer for the question's first words: a text-only baseline."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from falter.models.builtin.training_data import (
    allowed_answers,
    draw_examples,
    hash_examples,
    learned_fingerprint,
    learner,
    split_words,
)
from falter.models.capabilities import Capabilities
from falter.models.request import Request
from falter.runs.reply import Reply
from falter.sources import Source

__all__ = ["PRIOR", "Prior"]

_LONGEST = 3
_ENOUGH = 5
_MOST_EXAMPLES = 500_000


class Prior:
    """Groups questions by their first three words, or two or one where too few training questions share them."""

    name = "prior"
    capabilities = Capabilities(batch_size=1024)

    def __init__(self, source: Source) -> None:
        examples = draw_examples(source, most=_MOST_EXAMPLES)
        self._counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for example in examples:
            words = split_words(example.text)
            for length in range(_LONGEST + 1):
                if length <= len(words):
                    self._counts[tuple(words[:length])][example.answer] += 1
        self.trained_images = frozenset(example.image_id for example in examples)
        self.fingerprint = learned_fingerprint("builtin:prior", hash_examples(examples))

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return [Reply(item_id=request.item_id, answer=self._answer(request)) for request in batch]

    def _answer(self, request: Request) -> str:
        words = split_words(request.text)
        allowed = allowed_answers(request.choices)
        for length in range(min(_LONGEST, len(words)), -1, -1):
            counts = self._counts.get(tuple(words[:length]), Counter())
            fitting = counts if allowed is None else {form: counts[form] for form in allowed if form in counts}
            if sum(fitting.values()) >= (_ENOUGH if length else 1):
                best = min(fitting, key=lambda form: (-fitting[form], form))
                return best if allowed is None else allowed[best]
        return min(request.choices) if request.choices else "yes"


PRIOR = learner(Prior, summary="the most frequent answer to questions that begin alike")
