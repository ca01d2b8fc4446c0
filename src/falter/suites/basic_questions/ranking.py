"""Ranks a pool for main questions, and keeps rankings on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from falter.core.errors import InputError, UsageError
from falter.core.executors import Executor, Inline
from falter.core.files import atomic_file, open_parquet, read_json
from falter.core.progress import ProgressCallback, StageCallback, no_progress, no_stages
from falter.generation.nlp.encoders import VectorCache, load_encoder
from falter.suites.basic_questions.options import RankingOptions
from falter.suites.basic_questions.rankers import TOP, Ranked, Ranker, RankerSettings, make_ranker
from falter.suites.basic_questions.rankers.embedding_rankers import LassoQuestionRanker

_ROWS = 8192
_REMEDY = "make it with falter basic-questions rank"

SCHEMA = pa.schema(
    [
        pa.field("image", pa.string()),
        pa.field("question_id", pa.string()),
        pa.field("MQ", pa.string(), nullable=False),
        pa.field("BQs", pa.list_(pa.struct([("BQ", pa.string()), ("score", pa.float64())])), nullable=False),
    ]
)


_CERTIFIED = SCHEMA.append(pa.field("gap", pa.float64())).append(pa.field("certified", pa.bool_()))
"""With the certificates of rankings by an optimisation; files of earlier versions have none."""


class Certificate(NamedTuple):
    """How far a ranking by an optimisation is from exact: its duality gap (None: not finite), and if that is enough."""

    gap: float | None
    certified: bool


class BasicQuestion(msgspec.Struct, frozen=True):
    """One basic question with its score."""

    text: str = msgspec.field(name="BQ")
    score: float


class RankedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A main question and its basic ones, the most alike first."""

    main: str = msgspec.field(name="MQ")
    basics: tuple[BasicQuestion, ...] = msgspec.field(name="BQs")
    image: str | None = None
    question_id: str | None = None
    gap: float | None = None
    certified: bool | None = None
    """None where no optimisation ranked."""

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of the ranking, where it has one."""
        return None if self.certified is None else Certificate(self.gap, self.certified)


def dataset_name(kind: str, ranker: str | None = None) -> str:
    """GBQD or YNBQD, with the ranker after it where there are several."""
    name = "YNBQD" if kind == "yesno" else "GBQD"
    return name if ranker is None else f"{name}-{ranker}"


def write_dataset(folder: Path, name: str, questions: Iterable[RankedQuestion]) -> int:
    """Write ``NAME.parquet`` and ``NAME.json`` side by side, some rows in memory at a time; gives their number."""
    number = 0
    with atomic_file(folder / f"{name}.parquet") as table, atomic_file(folder / f"{name}.json") as text:
        writer = pq.ParquetWriter(table, _CERTIFIED, compression="zstd")
        text.write(b"[")
        rows: list[dict[str, Any]] = []
        for question in questions:
            row = {
                "image": question.image,
                "question_id": question.question_id,
                "MQ": question.main,
                "BQs": [{"BQ": one.text, "score": one.score} for one in question.basics],
                "gap": question.gap,
                "certified": question.certified,
            }
            text.write(b"\n" if number == 0 else b",\n")
            text.write(msgspec.json.encode(row))
            rows.append(row)
            number += 1
            if len(rows) == _ROWS:
                writer.write_table(pa.Table.from_pylist(rows, schema=_CERTIFIED))
                rows.clear()
        writer.write_table(pa.Table.from_pylist(rows, schema=_CERTIFIED))
        writer.close()
        text.write(b"\n]\n")
    return number


def read_dataset(path: Path) -> Iterator[RankedQuestion]:
    """The questions of a ranked data set, Parquet or JSON; scores must not rise."""
    if not path.is_file():
        raise InputError(path, "there is no such ranked data set")
    for number, question in enumerate(_of_json(path) if path.suffix == ".json" else _of_parquet(path)):
        scores = [one.score for one in question.basics]
        if scores != sorted(scores, reverse=True):
            raise InputError(
                path, "has basic questions that are not in the order of their scores", record=f"[{number}]"
            )
        yield question


def _of_json(path: Path) -> Iterator[RankedQuestion]:
    yield from read_json(path, list[RankedQuestion], what="a ranked data set", hint=_REMEDY)


def _of_parquet(path: Path) -> Iterator[RankedQuestion]:
    file = open_parquet(path, SCHEMA, hint=_REMEDY)
    names = [name for name in _CERTIFIED.names if name in file.names]
    try:
        for batch in file.iter_batches(names, batch_size=_ROWS):
            yield from msgspec.convert(batch.to_pylist(), type=list[RankedQuestion])
    except msgspec.ValidationError as error:
        raise InputError(path, f"is not a ranked data set: {error}", hint=_REMEDY) from error


INLINE = Inline()

DIGITS = 6
"""Scores are kept to so many digits: beyond, they would tell the machine's arithmetic, not the questions' likeness."""

_GAP_DIGITS = 10
"""Of a duality gap; a ranking is certified where the gap is below 1e-9 of half the squared length of its vector."""

WITH_VECTORS = ("lasso", "cosine")

_CHUNK = 32


class Rankings(NamedTuple):
    """By text of a main question its basic ones."""

    basics: dict[str, tuple[BasicQuestion, ...]]
    certificates: dict[str, Certificate]
    """By text how far the ranking is from exact; only those of an optimisation."""
    encoder: str | None = None
    """The fingerprint of the encoder whose vectors were compared."""

    @property
    def uncertified(self) -> int:
        """How many rankings are not known to be exact."""
        return sum(not one.certified for one in self.certificates.values())

    def explain_uncertified(self) -> str:
        """How many rankings are not known to be exact, by how much, and what helps."""
        gaps = [one.gap for one in self.certificates.values() if not one.certified]
        known = [gap for gap in gaps if gap is not None]
        reach = f"their duality gap reaches {max(known):.1e}" if known else "their duality gap is not finite"
        return (
            f"{len(gaps)} of {len(self.basics)} rankings are not known to be exact: {reach}. A larger --lambda, or "
            "vectors of another --encoder, certify more; the data set says which rankings these are"
        )


def load_ranker(
    name: str,
    options: RankingOptions,
    progress: ProgressCallback = no_progress,
    ranked: ProgressCallback = no_progress,
) -> Ranker:
    """A ranker as the options want it."""
    return make_ranker(
        name,
        RankerSettings(
            encoder=load_encoder(options.encoder) if name in WITH_VECTORS else None,
            lam=options.lam,
            signed=options.signed,
            device=options.solver_device,
            rankings=options.ranking_cache,
            cache=None if options.vectors_cache is None else VectorCache(options.vectors_cache),
            progress=progress,
            ranked=ranked,
        ),
    )


def rank_questions(
    texts: Iterable[str],
    pool: Sequence[str],
    name: str,
    options: RankingOptions,
    *,
    executor: Executor = INLINE,
    top: int = TOP,
    start_stage: StageCallback = no_stages,
) -> tuple[Rankings, str]:
    """The basic questions of every different main question, and the signature of the ranker.

    Rankers that count words share the work among processes; those over vectors have threads of their own.
    """
    queries = list(dict.fromkeys(texts))
    encoded = start_stage("encoding", len(pool) + len(queries)) if name in WITH_VECTORS else no_progress
    progress = start_stage(f"ranking by {name}", len(queries))
    # The LASSO ranks many queries at once, and tells of each that is done before they all are.
    ranked_at_once, progress = (progress, no_progress) if name == "lasso" else (no_progress, progress)
    ranker = load_ranker(name, options, encoded, ranked_at_once)
    found: Iterator[Ranked]
    if name in WITH_VECTORS:
        ranker.fit(pool)
        found = ranker.rank(queries, top)
    else:
        state = partial(_load_worker, name, options, pool, top)
        found = executor.map(_rank_one, queries, state=state, chunk=_CHUNK)
    basics: dict[str, tuple[BasicQuestion, ...]] = {}
    certificates: dict[str, Certificate] = {}
    for query, ranked in zip(queries, found, strict=True):
        scores = (round(float(score), DIGITS) for score in ranked.scores)
        basics[query] = tuple(
            BasicQuestion(pool[place], score) for place, score in zip(ranked.indices, scores, strict=True) if score != 0
        )
        if ranked.gap is not None:
            gap = round(ranked.gap, _GAP_DIGITS) if isfinite(ranked.gap) else None
            certificates[query] = Certificate(gap, ranked.certified)
        progress(1)
    encoder = getattr(ranker, "encoder", None)
    return Rankings(basics, certificates, None if encoder is None else encoder.fingerprint), ranker.signature


class _Worker(NamedTuple):
    ranker: Ranker
    top: int


def _load_worker(name: str, options: RankingOptions, pool: Sequence[str], top: int) -> _Worker:
    ranker = load_ranker(name, options)
    ranker.fit(pool)
    return _Worker(ranker, top)


def _rank_one(worker: _Worker, query: str) -> Ranked:
    (ranked,) = worker.ranker.rank([query], worker.top)
    return ranked


LAMBDAS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)


class Sweep(msgspec.Struct, frozen=True, kw_only=True):
    """For each two penalties, how many of the top questions they share on average, and how many have a score at all."""

    ranker: str
    questions: int
    pool: int
    top: int
    lambdas: tuple[float, ...]
    shared: tuple[tuple[float, ...], ...]
    nonzero: tuple[float, ...]
    certified: tuple[float, ...]
    """The share of rankings known to be exact, by penalty."""


def sweep_lambda(
    queries: Sequence[str],
    pool: Sequence[str],
    options: RankingOptions,
    lambdas: Sequence[float] = LAMBDAS,
    top: int = TOP,
    start_stage: StageCallback = no_stages,
) -> Sweep:
    """Rank each different query at every penalty, and compare."""
    from falter.lasso import LassoRanker

    queries = list(dict.fromkeys(queries))
    ranker = load_ranker("lasso", options, start_stage("encoding", len(pool) + len(queries)))
    assert isinstance(ranker, LassoQuestionRanker)
    vectors = ranker.fit_vectors(pool)
    asked = ranker.vectors_of(queries)
    if not len(vectors) or not len(asked):
        raise UsageError("a sweep needs questions to rank and a pool to rank")
    solver = LassoRanker(
        nonnegative=not options.signed,
        top=min(top, len(vectors)),
        device=options.solver_device,
        uncertified="keep",
    ).fit(vectors)
    progress = start_stage("ranking by lasso", len(asked))
    path = solver.path(asked, list(lambdas), progress=lambda _: progress(1))
    order = [int(place) for place in np.argsort(path.lambdas)]
    stability = path.stability
    return Sweep(
        ranker=ranker.signature.replace(f"lambda:{options.lam:g}|", ""),
        questions=len(asked),
        pool=len(vectors),
        top=solver.top,
        lambdas=tuple(float(path.lambdas[place]) for place in order),
        shared=tuple(tuple(round(float(stability[one, two]), 4) for two in order) for one in order),
        nonzero=tuple(round(float(path.rankings[place].support.mean()), 4) for place in order),
        certified=tuple(round(float(path.rankings[place].certified.mean()), 6) for place in order),
    )
