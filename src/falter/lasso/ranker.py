"""Ranks a pool of vectors for queries by the coefficients of an exactly solved LASSO.

A long ranking is written in shards to disk: finished shards are not solved again.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from falter.core.errors import InputError, UsageError
from falter.core.files import atomic_file, read_archive, read_json, write_atomically
from falter.lasso.cpu_solver import CpuSolver
from falter.lasso.results import (
    LassoPath,
    NotCertifiedError,
    NotCertifiedWarning,
    Ranking,
    Solver,
    count_shared_top,
    empty_ranking,
    largest,
)
from falter.lasso.screening import VectorPool, check_vectors, row_blocks


class LassoRanker:
    """Rank a pool by the coefficients of min 0.5 |Ax - b|^2 + lam |x|_1, with a certificate for every query.

    The pool's vectors are the columns of A, a query is b. Both are used as given, without normalization.
    Solutions are exact: each has a duality gap in float64, and a ranking whose gap is above the tolerance is never
    certified. Of duplicates in the pool, only the one with the lowest index can have a coefficient.

    Parameters
    ----------
    lam
        The penalty, any number above zero, not scaled: scikit-learn's alpha is lam / width.
    nonnegative
        Only coefficients of zero or more, which is well-posed down to small penalties. With both signs and a penalty of
        1e-6 nearly as many columns as the vectors are wide get a coefficient, and it takes far longer.
    top
        Number of columns to keep per query.
    tol
        The gap, relative to half the squared length of the query, up to which a ranking is certified.
    dtype
        What all columns are screened in: "f32", "bf16" (by torch, where it is installed) or "f64", with backend "torch"
        also "f16". Results are the same; the few columns that come close are always computed in float64.
    batch
        Number of queries that share a pass. Default: as many as fit in 256 MB of scores, at most 512.
    device, backend
        On "cpu" the backend is "numba" where it is installed (`pip install 'falter[lasso]'`), else "numpy", which is
        slower. Any other device means the backend "torch" (`pip install 'falter[hf]'`), which also runs on "cpu".
    threads
        Number of threads; does not change the results. Default: one per core.
    uncertified
        What to do about rankings above the tolerance: "warn", "raise" NotCertifiedError, or "keep" silently.

    Examples
    --------
    >>> import numpy as np
    >>> pool = np.eye(4, dtype=np.float32)
    >>> ranking = LassoRanker(lam=0.1, top=3, backend="numpy").fit(pool).rank([[0.8, 0.6, 0.0, -0.5]])
    >>> ranking.indices
    array([[ 0,  1, -1]])
    >>> ranking.scores.round(6)
    array([[0.7, 0.5, 0. ]])
    >>> ranking.certified
    array([ True])
    """

    def __init__(
        self,
        lam: float = 1e-6,
        *,
        nonnegative: bool = True,
        top: int = 21,
        tol: float = 1e-9,
        dtype: Literal["f32", "bf16", "f64", "f16"] = "f32",
        batch: int | None = None,
        device: str = "cpu",
        backend: Literal["auto", "numba", "numpy", "torch"] = "auto",
        threads: int | None = None,
        uncertified: Literal["warn", "raise", "keep"] = "warn",
    ) -> None:
        self.lam = _penalty(lam)
        self.nonnegative = nonnegative
        self.top = top
        self.tol = tol
        self.dtype = dtype
        self.batch = batch
        self.device = device
        self.backend = backend
        self.threads = threads
        self.uncertified = uncertified
        if top < 1 or (batch is not None and batch < 1) or (threads is not None and threads < 1):
            raise UsageError("top, batch and threads must be 1 or more")
        if not tol > 0:
            raise UsageError(f"the tolerance must be above zero, not {tol}")
        if dtype not in ("f32", "bf16", "f64", "f16"):
            raise UsageError(f"no such dtype for screening: {dtype} (f32, bf16, f64, f16)")
        if backend not in ("auto", "numba", "numpy", "torch"):
            raise UsageError(f"no such backend: {backend} (auto, numba, numpy, torch)")
        if uncertified not in ("warn", "raise", "keep"):
            raise UsageError(f"uncertified rankings can be met with warn, raise or keep, not {uncertified}")
        if backend in ("numba", "numpy") and device != "cpu":
            raise UsageError(f"backend {backend} runs on the CPU alone; for {device} take backend torch")
        if dtype == "f16" and not self._on_torch:
            raise UsageError("screening in f16 needs backend torch; on the CPU take bf16")

    @property
    def _on_torch(self) -> bool:
        return self.backend == "torch" or (self.backend == "auto" and self.device != "cpu")

    def fit(self, pool: Any) -> LassoRanker:
        """Set the pool: one vector per row. float32 rows in C order are not copied."""
        self.pool_ = VectorPool.from_vectors(pool, np.float64 if self.dtype == "f64" else np.float32)
        self.n_features_in_ = self.pool_.width
        self._solver: Solver
        if self._on_torch:
            from falter.lasso.torch_solver import TorchSolver

            self._solver = TorchSolver(self.pool_, self.device, self.dtype, self.batch)
        else:
            self._solver = CpuSolver(self.pool_, self.dtype, self.batch, self.threads, self.backend)
        return self

    def rank(self, queries: Any, *, progress: Callable[[int], None] | None = None) -> Ranking:
        """Rank the pool for each query; `progress` is called with the number of queries done."""
        return self.path(queries, [self.lam], progress=progress).rankings[0]

    def path(
        self, queries: Any, lambdas: Sequence[float], *, progress: Callable[[int], None] | None = None
    ) -> LassoPath:
        """Rank the pool for each query at several penalties, each solution continued from the next larger penalty."""
        checked = self._check_queries(queries)
        falling = sorted({_penalty(lam) for lam in lambdas}, reverse=True)
        if not falling:
            raise UsageError("a path needs at least one penalty")
        rankings = [empty_ranking(len(checked), self.top) for _ in falling]
        done = 0
        for one in self._solver.solve(checked, falling, self.nonnegative, self.tol):
            ranking, index = rankings[one.step], one.query_index
            columns, values = largest(one.columns, one.values, self.top)
            ranking.indices[index, : len(columns)] = columns
            ranking.scores[index, : len(values)] = values
            ranking.gap[index] = one.gap
            ranking.certified[index] = one.certified
            ranking.passes[index] = one.passes
            ranking.support[index] = len(one.columns)
            if progress is not None and one.step == len(falling) - 1:
                done += 1
                progress(done)
        for ranking in rankings:
            self._report_uncertified(ranking.gap, ranking.certified)
        order = [falling.index(float(lam)) for lam in lambdas]
        asked = [rankings[i] for i in order]
        return LassoPath(np.array(lambdas, dtype=np.float64), asked, count_shared_top(asked))

    def solve(self, queries: Any) -> Any:
        """All coefficients for each query, as a SciPy sparse array (queries by pool)."""
        from scipy.sparse import csr_array

        checked = self._check_queries(queries)
        found = sorted(
            self._solver.solve(checked, [self.lam], self.nonnegative, self.tol), key=lambda one: one.query_index
        )
        gaps, certified = [one.gap for one in found], [one.certified for one in found]
        self._report_uncertified(np.array(gaps), np.array(certified, np.bool_))
        starts = np.cumsum([0] + [len(one.columns) for one in found])
        columns = np.concatenate([np.empty(0, np.int64), *(one.columns for one in found)])
        values = np.concatenate([np.empty(0), *(one.values for one in found)])
        return csr_array((values, columns, starts), shape=(len(found), self.pool_.size))

    def _check_queries(self, queries: Any) -> NDArray[Any]:
        if not hasattr(self, "pool_"):
            raise UsageError("the ranker has no pool yet: call fit(pool) first")
        narrow = getattr(queries, "dtype", None) == np.float32  # widened a batch at a time
        dtype = np.float32 if narrow else np.float64
        return check_vectors(queries, "the queries", dtype, width=self.pool_.width)

    def _report_uncertified(self, gap: NDArray[np.float64], certified: NDArray[np.bool_]) -> None:
        if certified.all() or self.uncertified == "keep":
            return
        problem = (
            f"{int((~certified).sum())} of {len(certified)} rankings are not certified: "
            f"their gap reaches {float(gap.max()):.1e}, the tolerance is {self.tol:.1e}"
        )
        if self.uncertified == "raise":
            raise NotCertifiedError(problem)
        warnings.warn(problem, NotCertifiedWarning, stacklevel=4)


def _penalty(lam: float) -> float:
    if not (np.isfinite(lam) and lam > 0):
        raise UsageError(f"the penalty must be a number above zero, not {lam}")
    return float(lam)


_RECORD = "ranking.json"
_FORMAT = 1


def rank_in_shards(
    ranker: LassoRanker,
    queries: Any,
    folder: Path,
    *,
    shard: int = 4096,
    progress: Callable[[int], None] | None = None,
) -> Ranking:
    """Rank many queries shard by shard; a shard that is already in the folder is read instead of solved again.

    `queries` may be a memory-mapped array: only one shard of it is read at a time. The folder belongs to one pool
    and one set of parameters; others are rejected.
    """
    parts = list(ranked_shards(ranker, queries, folder, shard=shard, progress=progress))
    if not parts:
        return ranker.rank(np.empty((0, ranker.n_features_in_)))
    return Ranking(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def ranked_shards(
    ranker: LassoRanker,
    queries: Any,
    folder: Path,
    *,
    shard: int = 4096,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Ranking]:
    """The shards of `rank_in_shards` one after another, as each is done."""
    if shard < 1:
        raise UsageError("a shard needs at least one query")
    _claim(ranker, folder, shard)
    for begin in range(0, len(queries), shard):
        some = np.asarray(queries[begin : begin + shard])
        path = folder / f"ranking-{begin // shard:06d}.npz"
        digest = _digest(some)
        part = _read(path, digest)
        if part is None:
            part = ranker.rank(some, progress=None if progress is None else _after(begin, progress))
            with atomic_file(path) as stream:
                np.savez(stream, digest=np.array(digest), **part._asdict())
        elif progress is not None:
            progress(begin + len(some))
        yield part


def _after(begin: int, progress: Callable[[int], None]) -> Callable[[int], None]:
    return lambda done: progress(begin + done)


def _claim(ranker: LassoRanker, folder: Path, shard: int) -> None:
    """Record what the folder's shards belong to, or reject a folder of another pool or other parameters."""
    if not hasattr(ranker, "pool_"):
        raise UsageError("the ranker has no pool yet: call fit(pool) first")
    record = {
        "format": _FORMAT,
        "pool": _digest(ranker.pool_.vectors),
        "lambda": ranker.lam,
        "nonnegative": ranker.nonnegative,
        "top": ranker.top,
        "tolerance": ranker.tol,
        "shard": shard,
    }
    path = folder / _RECORD
    if not path.exists():
        write_atomically(path, json.dumps(record, indent=2) + "\n")
        return
    held = read_json(path, dict[str, Any], what="the record of a ranking", hint="take another folder")
    for key, value in record.items():
        if held.get(key) != value:
            raise InputError(path, f"its rankings are of another {key}", hint="take another folder")


def _digest(vectors: NDArray[Any]) -> str:
    digest = hashlib.sha256(f"{vectors.dtype} {vectors.shape}".encode())
    for _, block in row_blocks(vectors):
        digest.update(np.ascontiguousarray(block).tobytes())
    return digest.hexdigest()


def _read(path: Path, digest: str) -> Ranking | None:
    """A shard as it was written; None if it is not there or of other queries."""
    if not path.exists():
        return None
    held = read_archive(path, ["digest", *Ranking._fields], what="a shard of a ranking", hint="delete it")
    if str(held.pop("digest")) != digest:
        return None
    return Ranking(**held)
