"""How much of a LASSO ranking depends on its penalty: the top 21 over a range of lambdas."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from falter.errors import UsageError
from falter.progress import StageCallback, no_stages
from falter.suites.basic_questions.options import RankingOptions
from falter.suites.basic_questions.rankers import TOP
from falter.suites.basic_questions.rankers.embedding_rankers import LassoQuestionRanker
from falter.suites.basic_questions.ranking import load_ranker

__all__ = ["LAMBDAS", "Sweep", "sweep_lambda"]

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
