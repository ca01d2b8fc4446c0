"""Estimates from a sample and stored runs, against plain sampling: error and coverage of 95 % intervals.

    python benchmarks/stored_runs.py [--repetitions 2000] [--json] [--short]

Each model is left out in turn and estimated from samples of 50, 100, 200 and 400 units with the others' replies as
controls: *gqa-replies* and *valse-scores* under ../shared/data beside the checkout (or --data), and made-up sets. Then
with controls that are worth nothing: shuffled replies, one shuffled run, coins, and models that are always right.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from _short_form import DATA, parse_options
from early_stopping import read_gqa_replies, read_valse_scores

from falter.evaluation.measures.sequential import Controls, controlled_estimates

SIZES = (50, 100, 200, 400)
AT_ONCE = 250

Floats = npt.NDArray[np.float64]
Change = Callable[[np.random.Generator, Floats], Floats]

KINDS: dict[str, Change] = {
    "stored": lambda _, others: others,
    "turned": lambda _, others: 1 - others,
    "shuffled": lambda rng, others: rng.permuted(others, axis=1),
    "one shuffled": lambda rng, others: rng.permuted(others[:1], axis=1),
    "coins": lambda rng, others: (rng.random(others.shape) < rng.uniform(0.05, 0.95, (len(others), 1))).astype(float),
    "always right": lambda _, others: np.ones(others.shape),
}


def made_up(seed: int = 0) -> dict[str, Floats]:
    """Eight models on 1,500 units that are hard for all in common: weakly or strongly, with few or many errors."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, common in (("alike", 2.5), ("weakly alike", 0.7), ("unlike", 0.0)):
        for rate, ease in (("half right", 0.0), ("nearly all right", 2.8 + 1.2 * common)):
            hard = rng.normal(0, common, 1500)
            shift = rng.normal(ease, 0.3, (8, 1))
            found[f"made up: {name}, {rate}"] = (shift + hard + rng.logistic(0, 1.0, (8, 1500)) > 0).astype(float)
    return found


def measure(correct: Floats, kind: str, n: int, repetitions: int) -> list[dict[str, float]]:
    """By model the error against plain sampling with its own standard error, and coverage."""
    found = []
    units = correct.shape[1]
    for model in range(len(correct)):
        rng = np.random.default_rng([model, n, list(KINDS).index(kind)])
        others = KINDS[kind](rng, np.delete(correct, model, axis=0))
        known = Controls.from_runs(others.T, np.zeros((units, 0)))
        truth = float(correct[model].mean())
        parts = []
        for _ in range(0, repetitions, AT_ONCE):
            together = min(AT_ONCE, repetitions)
            asked = np.argpartition(rng.random((together, units)), n, axis=1)[:, :n].astype(np.int64)
            one = controlled_estimates(correct[model][asked], np.ones(asked.shape), asked, known)
            held = (one.low - 1e-12 <= truth) & (truth <= one.high + 1e-12)
            plain = (one.plain_low - 1e-12 <= truth) & (truth <= one.plain_high + 1e-12)
            parts.append(np.stack([(one.value - truth) ** 2, (one.plain - truth) ** 2, held, plain, one.gain]))
        own, without, held, plain, gain = np.concatenate(parts, axis=1)
        ratio = own.mean() / without.mean()
        noise = float(np.std(own - ratio * without) / np.sqrt(len(own)) / without.mean() / 2 / np.sqrt(ratio))
        found.append(
            {
                "error to plain": float(np.sqrt(ratio)),
                "standard error": noise,
                "coverage": float(held.mean()),
                "coverage of plain": float(plain.mean()),
                "gain": float(gain.mean()),
            }
        )
    return found


def sum_up(models: list[dict[str, float]]) -> dict[str, float]:
    """The means over models, and the worst of them."""
    figures: dict[str, list[float]] = {name: [one[name] for one in models] for name in models[0]}
    return {
        "error to plain": round(float(np.mean(figures["error to plain"])), 4),
        "worst model": round(max(figures["error to plain"]), 4),
        "standard error": round(max(figures["standard error"]), 4),
        "coverage": round(float(np.mean(figures["coverage"])), 4),
        "least of a model": round(min(figures["coverage"]), 4),
        "coverage of plain": round(float(np.mean(figures["coverage of plain"])), 4),
        "gain": round(float(np.mean(figures["gain"])), 2),
    }


def controls(repetitions: int, data: Path, kinds: Sequence[str]) -> Iterator[tuple[str, dict[str, float]]]:
    """By set, kind of stored runs and number of calls, and over all numbers of calls."""
    sets: dict[str, Floats] = {}
    for source, read in (("gqa-replies", read_gqa_replies), ("valse-scores", read_valse_scores)):
        if (data / source).is_dir():
            sets |= read(data / source)
        else:
            print(f"{data / source} is not there; it is passed over", file=sys.stderr)
    for name, correct in (sets | made_up()).items():
        for kind in kinds:
            sizes = [n for n in SIZES if n <= correct.shape[1] / 2]
            if name != "gqa-replies" and kind != "stored":
                sizes = sizes[:1]  # where useless controls do most harm
            by_size = [measure(correct, kind, n, repetitions) for n in sizes]
            for n, one in zip(sizes, by_size, strict=True):
                yield f"{name}, {kind}, {n} calls", sum_up(one)
            if len(sizes) > 1:
                means = [
                    {key: float(np.mean([one[model][key] for one in by_size])) for key in by_size[0][model]}
                    for model in range(len(correct))
                ]
                yield f"{name}, {kind}, all", sum_up(means)


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--repetitions", type=int, default=2000)
    arguments.add_argument("--kind", choices=tuple(KINDS), action="append")
    arguments.add_argument("--data", type=Path, default=DATA)
    arguments.add_argument("--json", action="store_true")
    options = parse_options(arguments, given, repetitions=3, kind=["stored", "coins"], data=Path("none"))
    found = controls(options.repetitions, options.data, options.kind or tuple(KINDS))
    if options.json:
        print(json.dumps(dict(found), indent=2))
        return
    for name, values in found:
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in values.items()), flush=True)


if __name__ == "__main__":
    main()
