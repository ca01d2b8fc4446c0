"""A long ranking in shards on disk: finished shards are not solved again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from falter.errors import InputError, UsageError
from falter.files import atomic_file, read_archive, read_json, write_atomically
from falter.lasso.pool import row_blocks
from falter.lasso.ranker import LassoRanker
from falter.lasso.results import Ranking

__all__ = ["rank_in_shards", "ranked_shards"]

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
