"""Rankers over sentence vectors: the exact LASSO of the paper, and plain cosine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from falter.core.errors import UsageError
from falter.core.progress import ProgressCallback, no_progress
from falter.generation.nlp.encoders import Encoder, VectorCache, Vectors, encode_texts
from falter.suites.basic_questions.rankers.registry import TOP, Ranked, best_of

if TYPE_CHECKING:
    from falter.lasso import LassoRanker, Ranking

_QUERIES = 1024
"""Queries ranked together: enough for the matrix product to pay, few enough to bound memory."""

_ENCODED = 16_384
"""Queries encoded together: an encoder sorts them by length, and a cache keeps them in one piece."""

_SCORES = 1 << 26
_SPARE = 64
_SLACK = 1e-4
"""Far more than float32 errs in a sum of a few thousand products of unit vectors."""

_ROWS = 8192


def unit_rows(vectors: Vectors) -> Vectors:
    """Every row of length one; a row of zeros stays."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return np.ascontiguousarray(vectors * scale[:, None], dtype=np.float32)


def cosines(queries: Vectors, pool: Vectors) -> npt.NDArray[np.float64]:
    """The inner products of unit rows in float64, one row a query, rounded to what no order of addition can change."""
    wide = queries.astype(np.float64)
    found = np.empty((len(queries), len(pool)))
    for start in range(0, len(pool), _ROWS):
        found[:, start : start + _ROWS] = wide @ pool[start : start + _ROWS].astype(np.float64).T
    return np.round(found, 9)


class _VectorRanker:
    """What rankers over vectors share: the encoder, the cache and the pool."""

    name = ""

    def __init__(
        self, encoder: Encoder, cache: VectorCache | None = None, progress: ProgressCallback = no_progress
    ) -> None:
        self.encoder = encoder
        self.cache = cache
        self.progress = progress
        self._width: int | None = None

    def vectors_of(self, texts: Sequence[str]) -> Vectors:
        """The unit vectors of texts."""
        vectors = unit_rows(encode_texts(self.encoder, texts, self.cache, self.progress))
        if self._width is not None and len(vectors) and vectors.shape[1] != self._width:
            raise UsageError(
                f"vectors of width {vectors.shape[1]} cannot be compared with a pool of width {self._width}"
            )
        return vectors

    def fit_vectors(self, pool: Sequence[str]) -> Vectors:
        """The pool's vectors, which fix the width."""
        self._width = None
        self.encoder.fit(pool)
        vectors = self.vectors_of(pool)
        self._width = vectors.shape[1] if len(vectors) else None
        return vectors

    def batches(self, queries: Sequence[str], size: int) -> Iterator[Vectors]:
        """The vectors of the queries, some at a time."""
        for start in range(0, len(queries), _ENCODED):
            vectors = self.vectors_of(queries[start : start + _ENCODED])
            yield from (vectors[begin : begin + size] for begin in range(0, len(vectors), size))


class CosineRanker(_VectorRanker):
    """The cosine between two questions' vectors."""

    name = "cosine"

    @property
    def signature(self) -> str:
        return f"{self.name}|encoder:{self.encoder.name}"

    def fit(self, pool: Sequence[str]) -> None:
        self._pool = self.fit_vectors(pool)

    def rank(self, queries: Sequence[str], top: int = TOP) -> Iterator[Ranked]:
        at_once = max(1, min(_QUERIES, _SCORES // max(len(self._pool), 1)))
        for some in self.batches(queries, at_once):
            for query, scores in zip(some, some @ self._pool.T, strict=True):
                yield self._exact(query, scores, top)

    def _exact(self, query: Vectors, scores: Vectors, top: int) -> Ranked:
        """The best by float64 cosines: float32 ones order near equals as the machine happens to add."""
        near = np.arange(len(scores))
        if len(scores) > top + _SPARE:
            least = np.partition(scores, len(scores) - top)[len(scores) - top] - _SLACK
            near = np.flatnonzero(scores >= least)
        exact = np.zeros(len(scores))
        exact[near] = cosines(query[None], self._pool[near])[0]
        return best_of(exact, top)


class LassoQuestionRanker(_VectorRanker):
    """A sparse sum of questions that makes up the main question; what a question adds is its score.

    Non-negative unless ``signed``; see :mod:`falter.lasso` for the solver and its certificate.
    """

    name = "lasso"

    def __init__(
        self,
        encoder: Encoder,
        lam: float = 1e-6,
        *,
        signed: bool = False,
        device: str = "cpu",
        rankings: Path | None = None,
        cache: VectorCache | None = None,
        progress: ProgressCallback = no_progress,
        ranked: ProgressCallback = no_progress,
    ) -> None:
        super().__init__(encoder, cache, progress)
        if not lam > 0:
            raise UsageError(f"--lambda {lam:g} is not above zero")
        self.lam = lam
        self.signed = signed
        self.device = device
        self.rankings = rankings
        self.ranked = ranked

    @property
    def signature(self) -> str:
        form = "signed" if self.signed else "nonnegative"
        return f"{self.name}|lambda:{self.lam:g}|{form}|encoder:{self.encoder.name}"

    def fit(self, pool: Sequence[str]) -> None:
        self._pool = self.fit_vectors(pool)

    def rank(self, queries: Sequence[str], top: int = TOP) -> Iterator[Ranked]:
        if not len(self._pool):
            yield from (Ranked(np.zeros(0, dtype=np.int64), np.zeros(0)) for _ in queries)
            return
        from falter.lasso import LassoRanker

        # What is not certified is counted and told by whoever asked; a warning beside it would say it twice.
        solver = LassoRanker(
            self.lam,
            nonnegative=not self.signed,
            top=min(top, len(self._pool)),
            device=self.device,
            uncertified="keep",
        ).fit(self._pool)
        for found in self._found(solver, queries):
            for indices, scores, certified, gap in zip(
                found.indices, found.scores, found.certified, found.gap, strict=True
            ):
                kept = (indices >= 0) & (scores != 0)
                yield Ranked(
                    np.asarray(indices[kept], dtype=np.int64),
                    np.asarray(scores[kept], dtype=float),
                    bool(certified),
                    float(gap),
                )

    def _found(self, solver: LassoRanker, queries: Sequence[str]) -> Iterator[Ranking]:
        if self.rankings is None:
            yield from (solver.rank(some, progress=self._count()) for some in self.batches(queries, _QUERIES))
            return
        from falter.lasso.ranker import ranked_shards

        yield from ranked_shards(solver, self.vectors_of(queries), self.rankings, progress=self._count())

    def _count(self) -> ProgressCallback:
        """Tell how many more are ranked, from how many are."""
        before = 0

        def count(done: int) -> None:
            nonlocal before
            self.ranked(done - before)
            before = done

        return count
