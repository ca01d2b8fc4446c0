"""Making RAD's pairs: a question as people asked it, and another one about one of its answers.

Whether yes or no is right is drawn by a coin, and so are the wrong answers. A yes/no question has its original's
options, with yes and no among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

import msgspec

from falter.data.images import Source
from falter.data.items import YES_NO, ImageRef, Item, Probe
from falter.generation.authoring.generator import GenerateContext
from falter.generation.authoring.options import GenerateOptions
from falter.generation.authoring.question_builder import COIN_NOISE, SCALE, AnswerBalancer, Weighted, for_answer
from falter.generation.sources import HasQuestions
from falter.generation.sources.protocol import Question
from falter.suites.rad.answers import (
    AnswerPool,
    are_disjoint_kinds,
    head_noun,
    may_be_same,
    same_dimension,
    usualness,
)
from falter.suites.rad.augmentations import DEFAULT_TESTS, TESTS, Augmentation, augmentation
from falter.suites.rad.back_translation import BACK_TRANSLATION, back_translated
from falter.suites.rad.candidates import ReadQuestion, ReadQuestions, find_candidates, wanted_pairs
from falter.suites.rad.options import RadOptions


def with_yes_and_no(question: Question) -> tuple[str, ...] | None:
    """The options of a question, with yes and no put in where they are missing; None where it has no options.

    The position of what is put in is drawn by the question's id, so that it does not tell the answer.
    """
    if question.choices is None:
        return None
    offered = list(question.choices)
    rng = Random(f"{question.id}|options")
    for word in YES_NO:
        if word not in offered:
            offered.insert(rng.randrange(len(offered) + 1), word)
    return tuple(offered)


class Asked(NamedTuple):
    """A yes/no question about an answer, or a choice between answers."""

    text: str
    answer: str
    gold: str
    choices: tuple[str, ...] = ()


def make_probe(test: str, candidate: ReadQuestion, image: ImageRef, asked: Asked, number: int, labels: str) -> Probe:
    """The pair, the ``number``-th of its question; ``labels`` is the rule by which the answer is trusted."""
    question, rewrite = candidate.question, candidate.reading.rewrite
    told = {"choices": str(len(asked.choices))} if asked.choices else {"answer": asked.gold}
    facets = {**told, "labels": labels, **_number_direction(asked.answer, candidate.answer)}
    original = Item.make(
        suite="rad",
        test=test,
        probe_id=f"{test}-{question.id}" + (f"-{number + 1}" if number else ""),
        variant=0,
        expects="each",
        image=image,
        text=question.text,
        gold=question.answer,
        answers=question.answers,
        context=question.context,
        choices=question.choices,
        source_id=question.id,
        facets=facets,
    )
    variant = Item.make(
        suite="rad",
        test=test,
        probe_id=original.probe_id,
        variant=1,
        expects="each",
        image=image,
        text=asked.text,
        gold=rewrite.said_as(asked.gold) if asked.choices else asked.gold,
        context=question.context,
        choices=tuple(map(rewrite.said_as, asked.choices)) or with_yes_and_no(question),
        facets=facets,
        extra=msgspec.json.encode({"asked": asked.answer}).decode(),
    )
    return Probe((original, variant))


def _number_direction(asked: str, answer: str) -> dict[str, str]:
    """Of numbers, whether the one asked about is below the right one: "two dogs" are there where three are."""
    if not (asked.isdigit() and answer.isdigit()):
        return {}
    step = int(asked) - int(answer)
    return {"number": "below" if step < 0 else ("above" if step > 0 else "equal")}


_DRAWN = 12
_FEWEST = 2
"""How often an answer in any words must have been given before it is asked for as a wrong one."""
_MAX_LEAN = 3.0
"""How far a word may lean beyond what as many coin tosses would give, before a question with it is given up."""

_EVERY_QUESTION = f"{SCALE}all"
"""What every question has: more wrong answers than right ones can be drawn, and half of the questions must be yes."""


class PairMaker:
    """Makes the pairs of one augmentation."""

    def __init__(
        self, augmentation: Augmentation, found: ReadQuestions, own: RadOptions, context: GenerateContext
    ) -> None:
        self._augmentation = augmentation
        self._candidates = found.candidates
        self._pool = AnswerPool(found.answers())
        self._together = found.together
        self._own = own
        self._context = context
        self._balance = AnswerBalancer(COIN_NOISE)
        self._usual: dict[tuple[str, str, bool], tuple[str, ...]] = {}
        self._before_number = "exactly " if own.exactly else ""

    def probes(self) -> Iterator[Probe]:
        """The pairs, in the order of the source."""
        name, options = self._augmentation.name, self._context.options
        order = list(range(len(self._candidates)))
        Random(f"{options.seed}|{name}").shuffle(order)
        size = wanted_pairs(options.size, self._context.source.name, name)
        taken: dict[int, list[Asked]] = {}
        left = size
        for index in order:
            if left == 0:
                break
            candidate = self._candidates[index]
            rng = Random(f"{options.seed}|{name}|{candidate.question.id}")
            asked = self._choose_several(candidate, rng)[:left]
            if asked:
                taken[index] = asked
                left = None if left is None else left - len(asked)
        for index in sorted(taken):
            candidate = self._candidates[index]
            image = self._context.image(candidate.question.image_id)
            if image is None:
                continue
            for number, one in enumerate(taken[index]):
                yield make_probe(name, candidate, image, one, number, self._own.labels)

    def _choose_several(self, candidate: ReadQuestion, rng: Random) -> list[Asked]:
        """As many different questions as are wanted of a candidate, or as can be asked."""
        found: list[Asked] = []
        choose = self._choose_options if self._augmentation.offers_choice else self._choose
        while len(found) < candidate.pairs:
            asked = choose(candidate, rng, {one.text for one in found})
            if asked is None:
                break
            found.append(asked)
        return found

    def _choose(self, candidate: ReadQuestion, rng: Random, known: set[str]) -> Asked | None:
        """Yes or no by a coin, where both can be asked; with matched draws, what keeps words from telling."""
        name = self._augmentation.name
        wrong = list(islice(self._wrong(candidate, rng, known), _DRAWN if self._own.draw == "matched" else 1))
        text = candidate.reading.write(candidate.answer, self._before_number)
        if text is None or not wrong:
            if not known:
                self._context.rejected[f"{name}: only yes could be asked"] += 1
            return None
        yes = [] if text in known else [Asked(text, candidate.answer, "yes")]
        coin = rng.random() < 0.5
        if self._own.draw == "frequency":
            return yes[0] if coin and yes else wrong[0]
        return self._balanced(candidate, [*yes, *wrong] if coin else [*wrong, *yes])

    def _choose_options(self, candidate: ReadQuestion, rng: Random, known: set[str]) -> Asked | None:
        """The right answer among wrong ones, in a drawn order; what keeps words from telling."""
        others = self._own.num_choices - 1
        wrong = [one.answer for one in islice(self._wrong(candidate, rng, set()), others * _DRAWN)]
        found = []
        for start in range(0, len(wrong) - others + 1, others):
            offered = [candidate.answer.lower(), *wrong[start : start + others]]
            rng.shuffle(offered)
            text = candidate.reading.write_choice(tuple(offered))
            if text is not None and text not in known:
                found.append(Asked(text, candidate.answer, candidate.answer.lower(), tuple(offered)))
        if not found:
            if not known:
                self._context.rejected[f"{self._augmentation.name}: no other answer can be offered"] += 1
            return None
        return self._balanced(candidate, found) if self._own.draw == "matched" else found[0]

    def _balanced(self, candidate: ReadQuestion, asked: list[Asked]) -> Asked | None:
        """The first of what leans least, or None where all would tell the answer."""
        features = [self._features(candidate, one) for one in asked]
        changes = [self._balance.bias_change(one) for one in features]
        # Evening out every lean would tell as well: whoever knows some answers knows that the others lean back.
        best = min(range(len(asked)), key=lambda place: (max(0.0, changes[place]), place))
        if changes[best] > _MAX_LEAN:
            self._context.rejected[f"{self._augmentation.name}: the words would tell the answer"] += 1
            return None
        self._balance.add(features[best])
        return asked[best]

    def _features(self, candidate: ReadQuestion, asked: Asked) -> Weighted:
        head = head_noun(candidate.reading.subject)
        if not asked.choices:
            answer = asked.answer.lower()
            words = f"head:{head}", f"answer:{answer}", f"answer:{answer} {head}", _EVERY_QUESTION
            return for_answer(asked.gold, words, self._usualness(candidate, answer))
        right = tuple(f"answer:{asked.gold}{of}" for of in ("", f" {head}"))
        wrong = tuple(f"answer:{one}{of}" for one in asked.choices if one != asked.gold for of in ("", f" {head}"))
        more = len(asked.choices) - 1
        usual = [(more if one == asked.gold else -1, self._usualness(candidate, one)) for one in asked.choices]
        return (more, right), (-1, wrong), *usual

    def _usualness(self, candidate: ReadQuestion, answer: str) -> tuple[str, ...]:
        given, subject = answer == candidate.answer.lower(), candidate.reading.subject
        key = head_noun(subject), answer, given
        if key not in self._usual:
            self._usual[key] = usualness(self._pool, subject, answer, given=given)
        return self._usual[key]

    def _wrong(self, candidate: ReadQuestion, rng: Random, known: set[str]) -> Iterator[Asked]:
        """Questions about answers that are not right, in a drawn order."""
        subject, same = candidate.reading.subject, self._augmentation.rewrite.same_subject
        matched = self._own.draw == "matched"
        drawn = self._pool.draw_for(subject, rng, same_subject=same) if matched else self._pool.draw(rng)
        said = {one.lower() for one in (candidate.answer, *(candidate.question.answers or ()))}
        for answer in drawn:
            if self._is_wrong(candidate, answer, said):
                text = candidate.reading.write(answer, self._before_number)
                if text is not None and text not in known and self._goes_before(answer, subject, text):
                    yield Asked(text, answer, "no")

    def _goes_before(self, answer: str, subject: str, text: str) -> bool:
        """Whether people say a word before the noun, where it stands there: no camper is a camper building."""
        stands_there = self._augmentation.rewrite.same_subject and text.endswith(f"{answer.lower()} {subject}?")
        paper = self._own.labels == "paper"
        return paper or not stands_there or self._pool.times_given_about(subject, answer) >= _FEWEST

    def _is_wrong(self, candidate: ReadQuestion, answer: str, said: set[str]) -> bool:
        """Whether an answer is not right; ``said`` are the answers of humans, in lower case."""
        if self._own.labels == "paper":
            return answer.lower() != candidate.answer.lower()
        rewrite = self._augmentation.rewrite
        if rewrite.same_subject and (
            self._pool.times_given(answer) < _FEWEST or not same_dimension(answer, candidate.answer)
        ):
            return False
        beside = self._together.get(answer.lower())
        if beside is not None and not are_disjoint_kinds(answer, candidate.answer) and not beside.isdisjoint(said):
            return False
        return rewrite.excludes(candidate.answer, answer) and not may_be_same(answer, said, rewrite.overlapping)


class Rad:
    """Pairs of an open question and one about its answer, or about another one."""

    requires: tuple[type, ...] = (HasQuestions,)

    def tests(self) -> Sequence[str]:
        return (*TESTS, BACK_TRANSLATION)

    def probes(self, source: Source, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:  # noqa: ARG002
        wanted = options.suite_options
        own = wanted if isinstance(wanted, RadOptions) else RadOptions()
        tests = options.tests or DEFAULT_TESTS
        if context.manifest is not None:
            context.manifest.parameters["tests"] = list(tests)
            default = RadOptions()
            # Without these, a suite has the defaults.
            context.manifest.parameters |= {
                name: getattr(own, name)
                for name in ("draw", "exactly", "per_question")
                if getattr(own, name) != getattr(default, name)
            }
        reading = [one for test in tests if (one := augmentation(test)) is not None]
        found = find_candidates(reading, own, context) if reading else {}
        for one in reading:
            yield from PairMaker(one, found[one.name], own, context).probes()
        if BACK_TRANSLATION in tests:
            yield from back_translated(own, context)


RAD = Rad()
