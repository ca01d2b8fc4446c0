"""All of VQA on one GPU: 244,302 main questions over a pool of 186,027, as exact LASSO rankings with certificates.

    python benchmarks/lasso_gpu.py [--queries N] [--pool N] [--widths 384 4800] [--dtype f16] [--json FILE] [--short]

First a small problem is solved on the device and on the CPU, and the top 21 compared. Then, for each width, vectors
that behave like sentence vectors are made up on the device (a few words each, drawn by Zipf's law, and some noise; no
two alike), and the whole job is timed: moving the pool to the device, ranking, and bringing the rankings back. Needs
torch with a CUDA device, and numpy; numba makes the comparison on the CPU faster. Without a CUDA device nothing is run.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _short_form import parse_options

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))  # the machine with the GPU need not have Falter installed

from falter.lasso import LassoRanker, Ranking

QUERIES, POOL = 244_302, 186_027
WORDS_A_QUESTION, VOCABULARY, ZIPF, NOISE, COMMON = 3, 1000, 1.1, 0.2, 0.4


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--queries", type=int, default=QUERIES)
    arguments.add_argument("--pool", type=int, default=POOL)
    arguments.add_argument("--widths", type=int, nargs="+", default=[384, 4800])
    arguments.add_argument("--dtype", choices=["f16", "bf16", "f32"], default="f16")
    arguments.add_argument("--device", default="cuda")
    arguments.add_argument("--batch", type=int)
    arguments.add_argument("--json", type=Path, help="also write what is printed here, one object a line")
    options = parse_options(arguments, given, queries=16, pool=600, widths=[32], dtype="f32", device="cpu")
    try:
        import torch
    except ImportError:
        print("no torch: nothing to run")
        return
    if options.device == "cuda" and not torch.cuda.is_available():
        print("no CUDA device: nothing to run")
        return
    tell({"torch": torch.__version__, "device": _name(torch, options.device)}, options.json)
    tell(compare(torch, options), options.json)
    for width in options.widths:
        tell(whole_job(torch, width, options), options.json)


def tell(record: dict[str, Any], path: Path | None) -> None:
    """Print one result, and keep it even if the next one is never reached."""
    line = json.dumps(record)
    print(line, flush=True)
    if path is not None:
        with path.open("a") as stream:
            stream.write(line + "\n")


def sentences(torch: Any, count: int, width: int, seed: int, device: str) -> np.ndarray:
    """Unit vectors of made-up questions: the same words for every seed, other questions."""
    words = torch.Generator(device).manual_seed(width)
    vocabulary = torch.randn(VOCABULARY, width, generator=words, device=device) / width**0.5
    common = torch.randn(width, generator=words, device=device) / width**0.5
    shares = 1.0 / torch.arange(1, VOCABULARY + 1, device=device, dtype=torch.float64) ** ZIPF
    shares = shares / shares.sum()
    weight = (0.3 * torch.log10(1 / shares)).clamp_max(1.0).float()
    bounds = shares.cumsum(0)
    random = torch.Generator(device).manual_seed(seed)
    made = np.empty((count, width), np.float32)
    for begin in range(0, count, 16384):
        size = min(16384, count - begin)
        drawn = torch.rand(size, WORDS_A_QUESTION, generator=random, device=device, dtype=torch.float64)
        chosen = torch.searchsorted(bounds, drawn).clamp_max(VOCABULARY - 1)
        strength = (0.3 + 0.7 * torch.rand(chosen.shape, generator=random, device=device)) * weight[chosen]
        vectors = (strength.unsqueeze(-1) * vocabulary[chosen]).sum(1) + COMMON * common
        vectors += NOISE / width**0.5 * torch.randn(size, width, generator=random, device=device)
        vectors /= vectors.norm(dim=1, keepdim=True)
        made[begin : begin + size] = vectors.cpu().numpy()
    return made


def compare(torch: Any, options: argparse.Namespace) -> dict[str, Any]:
    """The top 21 of a small problem, from the device and from the CPU."""
    sizes = (min(20_000, options.pool), 1), (min(64, options.queries), 2)
    pool, queries = (sentences(torch, size, 384, seed, options.device) for size, seed in sizes)
    on_cpu = LassoRanker().fit(pool).rank(queries)
    there = _ranker(options).fit(pool).rank(queries)
    same = on_cpu.indices == there.indices
    alike = np.abs(on_cpu.scores - there.scores).max()
    excused = _within(on_cpu, 1e-8)
    return {
        "compared": len(queries),
        "same_top_21": bool((same | excused).all()),
        "places_that_differ": int((~same).sum()),
        "largest_difference_of_scores": float(alike),
        "certified": [float(on_cpu.certified.mean()), float(there.certified.mean())],
    }


def _within(ranking: Ranking, tolerance: float) -> np.ndarray:
    """Places whose coefficient is within a tolerance of a neighbor's, and may be swapped with it."""
    near = np.zeros(ranking.scores.shape, bool)
    close = np.abs(np.diff(ranking.scores, axis=1)) <= tolerance
    near[:, 1:] |= close
    near[:, :-1] |= close
    return near


def whole_job(torch: Any, width: int, options: argparse.Namespace) -> dict[str, Any]:
    """Time the job at one width: from vectors in the memory of the CPU to rankings in it."""
    pool = sentences(torch, options.pool, width, 1, options.device)
    queries = sentences(torch, options.queries, width, 2, options.device)
    if options.device == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    began = time.perf_counter()
    ranker = _ranker(options).fit(pool)
    fitted = time.perf_counter()
    ranking = ranker.rank(queries)
    ended = time.perf_counter()
    half = 0.5 * np.einsum("ij,ij->i", queries, queries, dtype=np.float64)
    return {
        "width": width,
        "pool": len(pool),
        "queries": len(queries),
        "dtype": options.dtype,
        "seconds": round(ended - began, 2),
        "seconds_to_fit": round(fitted - began, 2),
        "ms_a_question": round(1e3 * (ended - fitted) / len(queries), 4),
        "certified": float(ranking.certified.mean()),
        "largest_gap": float((ranking.gap / half).max()),
        "passes": float(ranking.passes.mean()),
        "most_passes": int(ranking.passes.max()),
        "coefficients": float(ranking.support.mean()),
        "gpu_gb": round(torch.cuda.max_memory_allocated() / 2**30, 2) if options.device == "cuda" else None,
        "cpu_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def _ranker(options: argparse.Namespace) -> LassoRanker:
    return LassoRanker(
        device=options.device, backend="torch", dtype=options.dtype, batch=options.batch, uncertified="keep"
    )


def _name(torch: Any, device: str) -> str:
    return torch.cuda.get_device_name() if device == "cuda" else device


if __name__ == "__main__":
    main()
