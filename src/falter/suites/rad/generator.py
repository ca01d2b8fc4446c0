"""Making RAD's pairs: a question as people asked it, and a yes/no question about one of its answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

from falter.authoring.balance import COIN_NOISE, AnswerBalancer, Weighted, for_answer
from falter.authoring.generator import GenerateContext, GenerateOptions
from falter.probes import Probe
from falter.sources import HasQuestions, Source
from falter.sources.protocol import Question, require_questions
from falter.sources.question_checks import text_problem
from falter.suites.rad.answer_pool import AnswerPool, head_noun
from falter.suites.rad.augmentation import Augmentation, ReadQuestion
from falter.suites.rad.color import ColorAugmentation
from falter.suites.rad.how_many import HowManyAugmentation
from falter.suites.rad.items import Asked, make_probe
from falter.suites.rad.options import RadOptions
from falter.suites.rad.same_answer import may_be_same
from falter.suites.rad.what_kind import WhatKindAugmentation

__all__ = ["RAD", "TESTS", "Rad", "augmentations"]

TESTS = ("color", "how-many", "what-kind")
_FEWEST_VOTES = 3
_DRAWN = 8
_MAX_LEAN = 3.0
"""How far a word may lean beyond what as many coin tosses would give, before a question with it is given up."""


def augmentations(options: RadOptions) -> dict[str, Augmentation]:
    """The augmentations by name."""
    how_many = HowManyAugmentation(exactly=options.exactly)
    return {one.name: one for one in (ColorAugmentation(), how_many, WhatKindAugmentation())}


class _Candidate(NamedTuple):
    """A question that an augmentation has read, with a trusted answer that can be asked for."""

    place: int
    question: Question
    read: ReadQuestion
    answer: str


class Rad:
    """Pairs of an open question and a yes/no question about its answer, or about another one."""

    requires: tuple[type, ...] = (HasQuestions,)

    def tests(self) -> Sequence[str]:
        return TESTS

    def probes(self, source: Source, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:
        wanted = options.suite_options
        own = wanted if isinstance(wanted, RadOptions) else RadOptions()
        known = augmentations(own)
        reading = [known[name] for name in options.tests or TESTS]
        found = self._read(source, reading, own, context)
        for augmentation in reading:
            maker = _PairMaker(augmentation, found[augmentation.name], options, own, context)
            yield from maker.probes()

    def _read(
        self, source: Source, reading: Sequence[Augmentation], options: RadOptions, context: GenerateContext
    ) -> dict[str, list[_Candidate]]:
        found: dict[str, list[_Candidate]] = {one.name: [] for one in reading}
        totals: Counter[str] = Counter()
        for place, question in enumerate(require_questions(source).questions()):
            totals["questions"] += 1
            problem = text_problem(question.text)
            if problem is not None:
                context.rejected[problem] += 1
                continue
            for augmentation in reading:
                read = augmentation.read(question.text)
                if read is None:
                    if augmentation.has_form(question.text):
                        context.rejected[f"{augmentation.name}: the question cannot be rewritten"] += 1
                    continue
                totals[augmentation.name] += 1
                answer, why = _trusted_answer(augmentation, question, read, options)
                if answer is None:
                    context.rejected[f"{augmentation.name}: {why}"] += 1
                else:
                    found[augmentation.name].append(_Candidate(place, question, read, answer))
                break
        if context.manifest is not None:
            context.manifest.counts["coverage"] = dict(totals)
        return found


def _trusted_answer(
    augmentation: Augmentation, question: Question, read: ReadQuestion, options: RadOptions
) -> tuple[str | None, str]:
    """The answer of a question that can be asked for, or None and why there is none."""
    answer = question.answer
    if answer is None:
        return None, "the question has no answer"
    if not augmentation.is_answer(answer):
        return None, "the answer is of another sort"
    if options.labels == "strict" and question.answers is not None:
        votes = sum(other.lower() == answer.lower() for other in question.answers)
        if votes < min(_FEWEST_VOTES, len(question.answers)):
            return None, f"the answer has fewer than {_FEWEST_VOTES} votes"
    if read.write(answer) is None:
        return None, "the answer cannot be asked for in good English"
    return answer, ""


class _PairMaker:
    """Makes the pairs of one augmentation."""

    def __init__(
        self,
        augmentation: Augmentation,
        candidates: list[_Candidate],
        options: GenerateOptions,
        own: RadOptions,
        context: GenerateContext,
    ) -> None:
        self._augmentation = augmentation
        self._candidates = candidates
        self._pool = AnswerPool((one.read.subject, one.answer.lower()) for one in candidates)
        self._options = options
        self._own = own
        self._context = context
        self._balance = AnswerBalancer(COIN_NOISE)

    def probes(self) -> Iterator[Probe]:
        """The pairs, in the order of the source."""
        name, seed = self._augmentation.name, self._options.seed
        order = list(range(len(self._candidates)))
        Random(f"{seed}|{name}").shuffle(order)
        size = self._options.size if isinstance(self._options.size, int) else len(order)
        taken: dict[int, Asked] = {}
        for index in order:
            if len(taken) == size:
                break
            candidate = self._candidates[index]
            asked = self._choose(candidate, Random(f"{seed}|{name}|{candidate.question.id}"))
            if asked is not None:
                taken[index] = asked
        for index in sorted(taken):
            question = self._candidates[index].question
            image = self._context.image(question.image_id)
            if image is not None:
                answer = self._candidates[index].answer
                yield make_probe(self._augmentation.name, question, image, taken[index], answer, self._own.labels)

    def _choose(self, candidate: _Candidate, rng: Random) -> Asked | None:
        """Yes or no by a coin, where both can be asked; with matched draws, what keeps words from telling."""
        rejected, name = self._context.rejected, self._augmentation.name
        wrong = list(islice(self._wrong(candidate, rng), _DRAWN if self._own.draw == "matched" else 1))
        right = candidate.read.write(candidate.answer)
        if right is None or not wrong:
            rejected[f"{name}: only yes could be asked"] += 1
            return None
        yes = Asked(right, candidate.answer, "yes")
        coin = rng.random() < 0.5
        if self._own.draw == "frequency":
            return yes if coin else wrong[0]
        asked = [yes, *wrong] if coin else [*wrong, yes]
        features = [self._features(candidate, one) for one in asked]
        changes = [self._balance.bias_change(one) for one in features]
        # Evening out every lean would tell as well: whoever knows some answers knows that the others lean back.
        best = min(range(len(asked)), key=lambda place: (max(0.0, changes[place]), place))
        if changes[best] > _MAX_LEAN:
            rejected[f"{name}: the words would tell the answer"] += 1
            return None
        self._balance.add(features[best])
        return asked[best]

    def _features(self, candidate: _Candidate, asked: Asked) -> Weighted:
        head, answer = head_noun(candidate.read.subject), asked.answer.lower()
        words = (f"head:{head}", f"answer:{answer}", f"answer:{answer} {head}")
        return for_answer(asked.gold, words)

    def _wrong(self, candidate: _Candidate, rng: Random) -> Iterator[Asked]:
        """Questions about answers that are not right, in a drawn order."""
        question = candidate.question
        said = {candidate.answer, *(question.answers or ())}
        matched = self._own.draw == "matched"
        drawn = self._pool.draw_for(candidate.read.subject, rng) if matched else self._pool.draw(rng)
        for answer in drawn:
            same = (
                may_be_same(answer, said)
                if self._own.labels == "strict"
                else answer.lower() == candidate.answer.lower()
            )
            text = None if same else candidate.read.write(answer)
            if text is not None:
                yield Asked(text, answer, "no")


RAD = Rad()
