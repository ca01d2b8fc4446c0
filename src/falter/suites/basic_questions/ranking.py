"""Ranking main questions against a pool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from falter.authoring.generator import Stage
from falter.nlp.encoders import VectorCache, load_encoder
from falter.nlp.encoders.protocol import Tick
from falter.parallel import executor_for
from falter.suites.basic_questions.dataset import Basic
from falter.suites.basic_questions.rankers import TOP, Ranked, Ranker, RankerSettings, make_ranker
from falter.suites.basic_questions.settings import Settings

__all__ = ["DIGITS", "WITH_VECTORS", "Rankings", "rank_questions", "ranker_of"]

DIGITS = 6
"""Scores are kept to so many digits: beyond, they would tell the machine's arithmetic, not the questions' likeness."""

WITH_VECTORS = ("lasso", "cosine")

_CHUNK = 32


class Rankings(NamedTuple):
    """By text of a main question its basic ones; and how many rankings are not known to be exact."""

    basics: dict[str, tuple[Basic, ...]]
    uncertified: int
    encoder: str | None = None
    """The fingerprint of the encoder whose vectors were compared."""


def ranker_of(name: str, settings: Settings, tick: Tick = lambda _: None) -> Ranker:
    """A ranker as the settings want it."""
    return make_ranker(
        name,
        RankerSettings(
            encoder=load_encoder(settings.encoder) if name in WITH_VECTORS else None,
            lam=settings.lam,
            signed=settings.signed,
            device=settings.solver_device,
            rankings=settings.ranking_cache,
            cache=None if settings.vectors_cache is None else VectorCache(settings.vectors_cache),
            tick=tick,
        ),
    )


def rank_questions(
    texts: Iterable[str],
    pool: Sequence[str],
    name: str,
    settings: Settings,
    *,
    workers: int = 1,
    top: int = TOP,
    stage: Stage | None = None,
) -> tuple[Rankings, str]:
    """The basic questions of every different main question, and the signature of the ranker.

    Rankers that count words share the work among processes; those over vectors have threads of their own.
    """
    queries = list(dict.fromkeys(texts))
    begin = stage or (lambda _name, _total: lambda _: None)
    encoded = begin("encoding", len(pool) + len(queries)) if name in WITH_VECTORS else lambda _: None
    ranker = ranker_of(name, settings, encoded)
    tick = begin(f"ranking by {name}", len(queries))
    found: Iterator[Ranked]
    if name in WITH_VECTORS or workers <= 1:
        ranker.fit(pool)
        found = ranker.rank(queries, top)
    else:
        state = partial(_load_worker, name, settings, pool, top)
        found = executor_for(workers).map(_rank_one, queries, state=state, chunk=_CHUNK)
    basics: dict[str, tuple[Basic, ...]] = {}
    uncertified = 0
    for query, ranked in zip(queries, found, strict=True):
        scores = (round(float(score), DIGITS) for score in ranked.scores)
        basics[query] = tuple(
            Basic(pool[place], score) for place, score in zip(ranked.indices, scores, strict=True) if score != 0
        )
        uncertified += not ranked.certified
        tick(1)
    encoder = getattr(ranker, "encoder", None)
    return Rankings(basics, uncertified, None if encoder is None else encoder.fingerprint), ranker.signature


class _Worker(NamedTuple):
    ranker: Ranker
    top: int


def _load_worker(name: str, settings: Settings, pool: Sequence[str], top: int) -> _Worker:
    ranker = ranker_of(name, settings)
    ranker.fit(pool)
    return _Worker(ranker, top)


def _rank_one(worker: _Worker, query: str) -> Ranked:
    (ranked,) = worker.ranker.rank([query], worker.top)
    return ranked
