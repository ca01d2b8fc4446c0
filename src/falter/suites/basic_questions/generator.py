"""Generates and audits the suite: questions with basic questions appended as noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple, get_args

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import JsonDecoder
from falter.data.images import Source
from falter.data.items import ImageRef, Item, Probe
from falter.generation.authoring.generator import GenerateContext
from falter.generation.authoring.options import GenerateOptions
from falter.generation.nlp.encoders import VectorCache, encode_texts, load_encoder
from falter.generation.sources import HasQuestions
from falter.generation.sources.protocol import Question
from falter.suites.basic_questions.noise import (
    QUESTIONS_PER_PARTITION,
    ControlQuestions,
    Distractors,
    Noise,
    Variant,
    combine_questions,
    make_probe,
    partitions,
)
from falter.suites.basic_questions.options import BasicQuestionsOptions, NoisePosition, Thresholds, read_thresholds
from falter.suites.basic_questions.pool import RankedPool, choose_main, gather_pool
from falter.suites.basic_questions.rankers.embedding_rankers import unit_rows
from falter.suites.basic_questions.ranking import BasicQuestion, Rankings
from falter.suites.basic_questions.vqabq import MOST, appended, auto_thresholds, count_appended, score_statistics

TESTS = ("noise", "random", "length", "distractors", "vqabq")

_QUERIES = 1024


class BasicQuestions:
    """A main question and the same with basic questions beside it; the answer must stay."""

    requires: tuple[type, ...] = (HasQuestions,)

    def tests(self) -> Sequence[str]:
        return TESTS

    def probes(self, source: Source, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:
        wanted = options.suite_options
        own = wanted if isinstance(wanted, BasicQuestionsOptions) else BasicQuestionsOptions()
        size = options.size if isinstance(options.size, int) else None
        main, wordless = choose_main(source, size, options.seed)
        if wordless:
            context.rejected["the question has no words"] += wordless
        if not main:
            raise UsageError("the source has no questions: give one in VQA's format, e.g. vqa:FOLDER")
        session = _Session(options.seed, own, context, main, _rank(main, source, own, context))
        for test in options.tests or TESTS:
            yield from session.probes(test)


def _rank(
    main: Sequence[Question], source: Source, options: BasicQuestionsOptions, context: GenerateContext
) -> RankedPool:
    if options.ranked_file is not None:
        ranked = RankedPool.from_file(main, options.ranked_file)
    else:
        pool, sources = gather_pool(main, options, source)
        ranked = RankedPool.rank(
            main, pool, options, sources=sources, executor=context.executor, start_stage=context.start_stage
        )
        if context.out_dir is not None:
            ranked.write(context.out_dir, options.pool_type)
    if context.manifest is not None:
        ranked.record(options, context.manifest)
    return ranked


class _Session(NamedTuple):
    """What all tests of one suite share."""

    seed: int
    options: BasicQuestionsOptions
    context: GenerateContext
    main: Sequence[Question]
    ranked: RankedPool

    def probes(self, test: str) -> Iterator[Probe]:
        """The probes of one test; with several rankers, of noise and VQABQ by each."""
        rankings = self.ranked.rankings
        if test == "noise":
            for name, ranking in rankings.items():
                yield from self._with(self._named(test, name), self._noise(ranking))
        elif test == "vqabq":
            for name, ranking in rankings.items():
                yield from self._vqabq(self._named(test, name), ranking)
        elif test == "random":
            yield from self._with(test, self._random())
        elif test == "length":
            yield from self._with(test, self._length())
        else:
            yield from self._with(test, self._distractors())

    def _named(self, test: str, ranker: str) -> str:
        return test if len(self.ranked.rankings) == 1 else f"{test}-{ranker}"

    @property
    def _first(self) -> Rankings:
        return next(iter(self.ranked.rankings.values()))

    def _noise(self, rankings: Rankings) -> Iterator[list[Noise]]:
        for question in self.main:
            yield list(partitions(rankings.basics[question.text]))

    def _random(self) -> Iterator[list[Noise]]:
        pool = ControlQuestions(self.ranked.pool.texts)
        for question in self.main:
            drawn = pool.random(self._rng("random", question), QUESTIONS_PER_PARTITION, self._own(question))
            yield [Noise(drawn, {})] if len(drawn) == QUESTIONS_PER_PARTITION else []

    def _length(self) -> Iterator[list[Noise]]:
        pool = ControlQuestions(self.ranked.pool.texts)
        for question in self.main:
            rng, own = self._rng("length", question), self._own(question)
            wanted = partitions(self._first.basics[question.text])
            drawn = [Noise(pool.as_long_as(noise.basics, rng, own), noise.facets) for noise in wanted]
            yield [noise for noise in drawn if len(noise.basics) == QUESTIONS_PER_PARTITION]

    def _distractors(self) -> Iterator[list[Noise]]:
        encoder = load_encoder(self.options.encoder)
        folder = self.options.vectors_cache
        cache = None if folder is None else VectorCache(folder)
        encoder.fit(self.ranked.pool.texts)
        if self.context.manifest is not None:
            self.context.manifest.parameters["similarity"] = [list(band) for band in self.options.bands()]
            self.context.manifest.parameters["encoder"] = encoder.name
        texts = self.ranked.pool.texts
        encoded = self.context.start_stage("encoding for distractors", len(texts) + len(self.main))
        pool = Distractors(texts, unit_rows(encode_texts(encoder, texts, cache, encoded)))
        for start in range(0, len(self.main), _QUERIES):
            some = self.main[start : start + _QUERIES]
            vectors = unit_rows(encode_texts(encoder, [question.text for question in some], cache, encoded))
            for question, likeness in zip(some, pool.cosines(vectors), strict=True):
                found = []
                rng = self._rng("distractors", question)
                for (low, high), basics in pool.within(likeness, self.options.bands(), rng):
                    if len(basics) == QUESTIONS_PER_PARTITION:
                        found.append(Noise(basics, {"similarity": f"{low:g} to {high:g}"}))
                    else:
                        self.context.rejected[
                            f"distractors: fewer than three questions of a cosine of {low:g} to {high:g}"
                        ] += 1
                yield found

    def _rng(self, test: str, question: Question) -> Random:
        return Random(f"{self.seed}|{test}|{question.id}")

    def _own(self, question: Question) -> frozenset[str]:
        basics = self._first.basics[question.text]
        return frozenset([question.text, *(one.text for one in basics)])

    def _with(self, test: str, noises: Iterator[list[Noise]]) -> Iterator[Probe]:
        for question, noise in zip(self.main, noises, strict=True):
            asked = [
                (combine_questions(question.text, [one.text for one in each.basics], self.options.noise_position), each)
                for each in noise
            ]
            longest = self.options.max_words
            kept = [one for one in asked if longest is None or one[0].words <= longest]
            if len(kept) < len(asked):
                self.context.rejected[f"{test}: a variant has more than {longest} words"] += len(asked) - len(kept)
            if not kept:
                if not asked:
                    self.context.rejected[f"{test}: too few basic questions for a partition"] += 1
                continue
            image = self.context.image(question.image_id)
            if image is not None:
                variants = [Variant(one, each.basics, each.facets) for one, each in kept]
                yield make_probe(test, question, image, variants)

    def _vqabq(self, test: str, rankings: Rankings) -> Iterator[Probe]:
        scores = [[one.score for one in rankings.basics[question.text]] for question in self.main]
        statistics = score_statistics(scores)
        wanted = read_thresholds(self.options.thresholds)
        thresholds = auto_thresholds(statistics) if wanted == "auto" else wanted
        if self.context.manifest is not None:
            self.context.manifest.counts[test] = {
                "scores": msgspec.to_builtins(statistics),
                "thresholds": list(thresholds),
                "appended": {str(number): count for number, count in count_appended(scores, thresholds).items()},
            }
        for question, own in zip(self.main, scores, strict=True):
            if not own:
                self.context.rejected[f"{test}: no basic question"] += 1
                continue
            image = self.context.image(question.image_id)
            if image is not None:
                basics = rankings.basics[question.text][:MOST]
                yield self._vqabq_probe(test, question, image, basics, thresholds)

    def _vqabq_probe(
        self, test: str, question: Question, image: ImageRef, basics: Sequence[BasicQuestion], thresholds: Thresholds
    ) -> Probe:
        chosen = appended([one.score for one in basics], thresholds)
        variants = [
            Variant(
                combine_questions(question.text, [one.text for one in basics[:number]], self.options.noise_position),
                tuple(basics[:number]),
                {"appended": str(number)},
            )
            for number in range(1, len(basics) + 1)
        ]
        told = {"scores": [one.score for one in basics], "thresholds": list(thresholds), "appended": chosen}
        return make_probe(test, question, image, variants, {"algorithm": f"appends {chosen}"}, told)


BASIC_QUESTIONS = BasicQuestions()


class _Extra(msgspec.Struct):
    basic_questions: list[BasicQuestion] = []


_extra = JsonDecoder(_Extra)


def audit(probe: Probe, source: Source | None) -> str:  # noqa: ARG001 - a probe holds all that is needed
    """What is wrong with the variants of a probe, or an empty text."""
    original = probe.original
    for variant in probe.variants:
        if not _is_combined(original, variant):
            return "the text is not the main question with its basic questions"
        if (variant.gold, variant.answers) != (original.gold, original.answers):
            return "the answers are not those of the main question"
    return ""


def _is_combined(original: Item, variant: Item) -> bool:
    try:
        named = _extra.decode(variant.extra or "{}", "items.parquet").basic_questions
    except InputError:
        return False
    basics = [one.text for one in named]
    built = (combine_questions(original.text, basics, position) for position in get_args(NoisePosition))
    return bool(basics) and any((one.text, one.context) == (variant.text, variant.context) for one in built)
