"""A pool of questions and its rankings for main questions: what the suite and the command ``rank`` both work with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from falter.errors import UsageError
from falter.files import sha256_of_file
from falter.parallel import Executor
from falter.probes import SuiteManifest
from falter.progress import StageCallback, no_stages
from falter.sources import Source, open_source, require_questions
from falter.sources.protocol import Question
from falter.suites.basic_questions.dataset import (
    Certificate,
    RankedQuestion,
    dataset_name,
    read_dataset,
    write_dataset,
)
from falter.suites.basic_questions.options import (
    PAPER_THRESHOLDS,
    BasicQuestionsOptions,
    PoolType,
    RankingOptions,
    read_thresholds,
)
from falter.suites.basic_questions.pool import QuestionPool, normal_form, read_pool
from falter.suites.basic_questions.rankers import TOP
from falter.suites.basic_questions.ranking import INLINE, Rankings, rank_questions

__all__ = ["RankedPool", "gather_pool"]


def gather_pool(
    main: Sequence[Question], options: RankingOptions, source: Source | None
) -> tuple[QuestionPool, list[Source]]:
    """The pool that the options name, else the questions of the source, without main ones; and the sources named.

    A pool of its own is the same whatever is drawn; within one source what is not drawn is the pool.
    """
    given = [open_source(spec) for spec in options.pool]
    if not given and source is None:
        raise UsageError("there is no pool to rank; pass --pool SOURCE")
    every = require_questions(source).questions() if given and source is not None else iter(main)
    pool = read_pool(
        given or ([] if source is None else [source]),
        kind=options.pool_type,
        without=frozenset(normal_form(question.text) for question in every),
        keep_duplicates=options.keep_duplicates,
    )
    if not len(pool):
        raise UsageError(
            "no question is left for the pool once the main ones are out: give another --pool, or a smaller --size"
        )
    return pool, given


class RankedPool:
    """The pool and, by ranker, the rankings of the main questions."""

    def __init__(
        self,
        main: Sequence[Question],
        pool: QuestionPool,
        rankings: dict[str, Rankings],
        signatures: Sequence[str] = (),
        sources: Sequence[Source] = (),
    ) -> None:
        self.main = main
        self.pool = pool
        self.rankings = rankings
        self.signatures = signatures
        self.sources = sources

    @classmethod
    def rank(
        cls,
        main: Sequence[Question],
        pool: QuestionPool,
        options: RankingOptions,
        *,
        sources: Sequence[Source] = (),
        executor: Executor = INLINE,
        top: int = TOP,
        start_stage: StageCallback = no_stages,
    ) -> RankedPool:
        """Rank the pool for every main question by each ranker of the options."""
        rankings: dict[str, Rankings] = {}
        signatures = []
        for name in options.rankers:
            texts = (question.text for question in main)
            rankings[name], signature = rank_questions(
                texts, pool.texts, name, options, executor=executor, top=top, start_stage=start_stage
            )
            signatures.append(signature)
        return cls(main, pool, rankings, signatures, sources)

    @classmethod
    def from_file(cls, main: Sequence[Question], path: Path) -> RankedPool:
        """The rankings of a ranked data set; all its basic questions are the pool."""
        wanted = {normal_form(question.text) for question in main}
        by_form: dict[str, RankedQuestion] = {}
        texts: dict[str, None] = {}
        for row in read_dataset(path):
            texts |= dict.fromkeys(one.text for one in row.basics)
            form = normal_form(row.main)
            if form in wanted:
                by_form[form] = row
        found = {question.text: by_form.get(normal_form(question.text)) for question in main}
        rankings = Rankings(
            {text: () if row is None else row.basics for text, row in found.items()},
            {text: row.certificate for text, row in found.items() if row is not None and row.certificate is not None},
        )
        return cls(main, QuestionPool(texts=tuple(texts)), {path.stem: rankings})

    @property
    def uncertified(self) -> int:
        """How many rankings are not known to be exact."""
        return sum(one.uncertified for one in self.rankings.values())

    def file_name(self, pool_type: PoolType, ranker: str) -> str:
        """The name of the data set of one ranker; it names the ranker where there are several."""
        return dataset_name(pool_type, ranker if len(self.rankings) > 1 else None)

    def write(self, folder: Path, pool_type: PoolType) -> None:
        """Write the ranked data set of each ranker."""
        for ranker, rankings in self.rankings.items():
            rows = (
                RankedQuestion(
                    main=question.text,
                    basics=rankings.basics[question.text],
                    image=question.image_id or None,
                    question_id=question.id,
                    **_certificate_fields(rankings.certificates.get(question.text)),
                )
                for question in self.main
            )
            write_dataset(folder, self.file_name(pool_type, ranker), rows)

    def record(self, options: BasicQuestionsOptions, manifest: SuiteManifest) -> None:
        """Write down in a suite's manifest what the rankings were made from, and how."""
        if options.ranked_file is not None:
            manifest.parameters |= {
                "ranking": options.ranked_file.name,
                "place": options.noise_position,
                **_longest(options),
                **_thresholds(options),
            }
            file = {"name": options.ranked_file.name, "sha256": sha256_of_file(options.ranked_file)}
            manifest.sources.append({"name": "ranked questions", "files": [file]})
            self._note_uncertified(manifest)
            return
        manifest.sources += [source.describe() for source in self.sources]
        manifest.parameters |= {
            "pool_kind": options.pool_type,
            "keep_duplicates": options.keep_duplicates,
            "rankers": list(self.signatures),
            **_encoder(self.rankings.values()),
            "place": options.noise_position,
            **_longest(options),
            **_thresholds(options),
        }
        manifest.counts["pool"] = {"questions": len(self.pool), "removed": self.pool.removed}
        if "lasso" in self.rankings:
            ranked = self.rankings["lasso"]
            manifest.counts["rankings_certified"] = len(ranked.basics) - ranked.uncertified
        self._note_uncertified(manifest)

    def _note_uncertified(self, manifest: SuiteManifest) -> None:
        if self.uncertified:
            manifest.counts["rankings_not_certified"] = self.uncertified
            manifest.notes += [f"{one.explain_uncertified()}." for one in self.rankings.values() if one.uncertified]


def _certificate_fields(certificate: Certificate | None) -> dict[str, Any]:
    return {} if certificate is None else certificate._asdict()


def _encoder(rankings: Iterable[Rankings]) -> dict[str, str]:
    """What the vectors were made by, to the last weight: a name alone may stand for two files."""
    found = [one.encoder for one in rankings if one.encoder is not None]
    return {"encoder_fingerprint": found[0]} if found else {}


def _thresholds(options: BasicQuestionsOptions) -> dict[str, Any]:
    """Thresholds of Algorithm 1 other than the paper's."""
    return {} if read_thresholds(options.thresholds) == PAPER_THRESHOLDS else {"thresholds": options.thresholds}


def _longest(options: BasicQuestionsOptions) -> dict[str, int]:
    return {} if options.max_words is None else {"max_words": options.max_words}
