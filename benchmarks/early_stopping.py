"""Gates that may stop early: replayed on the replies of real models, and on simulated sets.

    python benchmarks/early_stopping.py [--part replay|simulate|speed] [--orders 20] [--json] [--short]

*replay*: every ordered pair of models, "not worse by more than 0, 1, 2 and 5 points", alpha 5 % and 1 %: the share of
verdicts that differ from those of the full run, and the share of calls, counted to the end of the round in which the
verdict was reached. *simulate*: sets at their bounds, of which every wrong verdict at any time counts. *speed*: a
test of 100 requirements. Estimates with stored runs are in stored_runs.py.

Replies are read from ../shared/data (gqa-replies, valse-scores) beside the checkout, or from --data.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from _short_form import DATA, parse_options

from falter.evaluation.measures.planning import round_ends
from falter.evaluation.measures.sequential import Gate, SetTest, UnitBounds

MARGINS = (0.0, 0.01, 0.02, 0.05)
ALPHAS = (0.05, 0.01)
LOOK_EVERY = 20

Floats = npt.NDArray[np.float64]


def read_gqa_replies(folder: Path) -> dict[str, Floats]:
    """One set: by model and question whether it is answered correctly."""
    with (folder / "gqa_predictions_even_images.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name.startswith("label_")]
    return {"gqa-replies": np.array([[1.0 - float(row[name]) for row in rows] for name in names])}


def read_valse_scores(folder: Path) -> dict[str, Floats]:
    """By instrument: by model and pair whether the caption scores above its foil."""
    found: dict[str, list[dict[int, float]]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        scores: dict[tuple[str, int], dict[str, float]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            scores.setdefault((one["instrument"], one["id"]), {})[one["type"]] = one["score"]
        own: dict[str, dict[int, float]] = {}
        for (instrument, number), both in scores.items():
            own.setdefault(instrument, {})[number] = float(both["caption"] > both["foil"])
        for instrument, values in own.items():
            found.setdefault(instrument, []).append(values)
    return {
        name: np.array([[values[number] for number in sorted(models[0])] for values in models])
        for name, models in sorted(found.items())
    }


def replay_order(correct: Floats, alpha: float, seed: int) -> Iterator[dict[str, Any]]:
    """All ordered pairs of models and margins in one order."""
    models, units = correct.shape
    order = np.random.default_rng(seed).permutation(units)
    known = correct[:, order]
    cases = [(old, new, m) for old in range(models) for new in range(models) if old != new for m in MARGINS]
    tests = [SetTest(UnitBounds.differences(np.ones(units), known[old]), -margin) for old, _, margin in cases]
    gate = Gate(tests, alpha, shared=False)
    ends = np.array([0, *round_ends(units)])
    for start, stop in pairwise(ends.tolist()):
        part = [known[new, start:stop] - known[old, start:stop] for old, new, _ in cases]
        gate.take(part, [np.ones(stop - start)] * len(cases))
        if not gate.open.any():
            break
    for number, (old, new, margin) in enumerate(cases):
        distance = known[new].mean() - known[old].mean() + margin
        truth = distance >= -1e-9
        decided = not gate.open[number]
        after = int(gate.after[number]) if decided else units
        yield {
            "wrong": bool(decided and bool(gate.met[number]) != truth),
            "share": float(ends[np.searchsorted(ends, after)]) / units,
            "margin": abs(float(distance)),
        }


def replay(orders: int, data: Path, models: int | None = None) -> dict[str, Any]:
    """The figures by data set and alpha."""
    found: dict[str, Any] = {}
    sources = {"gqa-replies": read_gqa_replies, "valse-scores": read_valse_scores}
    for source, read in sources.items():
        if not (data / source).is_dir():
            print(f"{data / source} is not there; it is passed over", file=sys.stderr)
            continue
        sets = read(data / source)
        for alpha in ALPHAS:
            pooled: list[dict[str, Any]] = []
            by_set: dict[str, Any] = {}
            for name, correct in sets.items():
                own = [one for order in range(orders) for one in replay_order(correct[:models], alpha, order)]
                by_set[f"{name} ({correct.shape[1]:,} units)"] = sum_up(own)
                pooled += own
            found[f"{source}, alpha {alpha:g}"] = {**sum_up(pooled), **({"sets": by_set} if len(sets) > 1 else {})}
    return found


def sum_up(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Shares of wrong verdicts and of calls, also where the true margin is 5 points or more, or under 2."""
    far = [one["share"] for one in cases if one["margin"] >= 0.05 - 1e-9]
    near = [one["share"] for one in cases if one["margin"] < 0.02 - 1e-9]
    return {
        "verdicts": len(cases),
        "wrong": round(float(np.mean([one["wrong"] for one in cases])), 5),
        "calls": round(float(np.mean([one["share"] for one in cases])), 4),
        "calls, 5 points or more": round(float(np.mean(far)), 4) if far else None,
        "calls, under 2 points": round(float(np.mean(near)), 4) if near else None,
    }


class Drawn(NamedTuple):
    """A set in random order with the requirement on it, and whether the whole set meets it."""

    test: SetTest
    part: Floats
    size: Floats
    met: bool


def simulate(populations: int, alpha: float, seed: int = 0, largest: int = 20_000) -> dict[str, Any]:
    """Sets at their bounds, watched at every unit: the share with a wrong verdict at any time, by what is special."""
    rng = np.random.default_rng(seed)
    wrong: dict[str, list[bool]] = {}
    done = 0
    while done < populations:
        together = min(250, populations - done)
        units = round(20 * (largest / 20) ** rng.random())
        drawn = [draw_set(rng, units, KINDS[number % len(KINDS)]) for number in range(together)]
        gate = Gate([one.test for one in drawn], alpha, shared=False)
        for start in range(0, units, 32):
            now = slice(start, start + 32)
            gate.take([one.part[now] for one in drawn], [one.size[now] for one in drawn])
        for number, one in enumerate(drawn):
            missed = not gate.open[number] and bool(gate.met[number]) != one.met
            wrong.setdefault(KINDS[number % len(KINDS)], []).append(missed)
        done += together
    every = [one for own in wrong.values() for one in own]
    error = float(np.sqrt(alpha * (1 - alpha) / populations))
    return {
        "populations": populations,
        "alpha": alpha,
        "wrong": float(np.mean(every)),
        "at most": alpha + 3 * error,
        **{f"wrong, {kind}": round(float(np.mean(own)), 5) for kind, own in wrong.items()},
    }


KINDS = ("shares", "differences", "drift", "failures", "failures and drift", "several rows")


def draw_set(rng: np.random.Generator, units: int, kind: str) -> Drawn:
    """A set in random order whose bound is met exactly, or missed by one row.

    With *drift*, rates and differences change along the suite, from one sign to the other. With *failures*, up to a
    fifth of the replies fail, more of the hard ones. With *several rows*, a unit has up to four, and some of them fail.
    """
    rate = float(rng.uniform(0.01, 0.99))
    weight = rng.integers(1, 5, units) if kind == "several rows" else np.ones(units, dtype=np.int64)
    rows = np.repeat(np.arange(units), weight)
    along = np.linspace(-1, 1, len(rows)) if "drift" in kind else np.zeros(len(rows))
    slope = float(rng.uniform(-1, 1)) * min(rate, 1 - rate)
    new = rng.random(len(rows)) < rate + slope * along
    same = rng.random(len(rows)) < rng.uniform(0.3, 0.95)
    old = np.where(same, new, rng.random(len(rows)) < rate - slope * along)
    replied = np.ones(len(rows), dtype=bool)
    if "failures" in kind or kind == "several rows":
        replied = rng.random(len(rows)) >= rng.uniform(0, 0.2) * np.where(new, 0.5, 1.5)
        replied[rng.integers(len(rows))] = True
    relative = kind != "shares" and bool(rng.random() < 0.7)
    value = (new.astype(np.float64) - old if relative else new.astype(np.float64)) * replied
    order = rng.permutation(units)
    part, size, known = (
        np.bincount(rows, weights=one, minlength=units)[order] for one in (value, replied, old.astype(np.float64))
    )
    floor, met = bool(rng.random() < 0.5), bool(rng.random() < 0.5)
    away = 0.0 if met else 1.0 / float(size.sum())
    bound = float(part.sum() / size.sum()) + (away if floor else -away)
    weights = weight[order].astype(np.float64)
    bounds = UnitBounds.differences(weights, known) if relative else UnitBounds.shares(weights)
    return Drawn(SetTest(bounds, bound, floor), part, size, met)


def simulate_families(populations: int, alpha: float, requirements: int = 5, seed: int = 1) -> dict[str, Any]:
    """Several requirements, all at their bounds, that share alpha: the share of families with any wrong verdict."""
    rng = np.random.default_rng(seed)
    wrong = 0
    for _ in range(populations):
        units = int(rng.integers(20, 200))
        own = [draw_set(rng, units, KINDS[int(rng.integers(len(KINDS)))]) for _ in range(requirements)]
        gate = Gate([one.test for one in own], alpha)
        for start in range(0, units, 20):
            now = slice(start, start + 20)
            gate.take([one.part[now] for one in own], [one.size[now] for one in own])
        wrong += bool((~gate.open & (gate.met != np.array([one.met for one in own]))).any())
    error = float(np.sqrt(alpha * (1 - alpha) / populations))
    return {"families": populations, "alpha": alpha, "wrong": wrong / populations, "at most": alpha + 3 * error}


def speed(requirements: int = 100, units: int = 1800) -> dict[str, Any]:
    """Milliseconds of processor time of a test after a round."""
    rng = np.random.default_rng(0)
    found = {}
    for size in (1, LOOK_EVERY, 32):
        known = [(rng.random(units) < 0.6).astype(np.float64) for _ in range(requirements)]
        gate = Gate([SetTest(UnitBounds.differences(np.ones(units), one), -0.02) for one in known], 0.01)
        times = []
        for _ in range(20):
            part = [rng.integers(-1, 2, size).astype(np.float64) for _ in range(requirements)]
            began = time.process_time()
            gate.take(part, [np.ones(size)] * requirements)
            times.append(time.process_time() - began)
        found[f"{size} units"] = {
            "least": round(1000 * min(times), 3),
            "median": round(1000 * float(np.median(times)), 3),
        }
    return found


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--part", choices=("replay", "simulate", "speed"), action="append")
    arguments.add_argument("--orders", type=int, default=20)
    arguments.add_argument("--models", type=int, help="only so many of each set (by default all)")
    arguments.add_argument("--populations", type=int, default=20_000)
    arguments.add_argument("--data", type=Path, default=DATA)
    arguments.add_argument("--json", action="store_true")
    options = parse_options(arguments, given, orders=1, populations=60, models=3)
    found: dict[str, Any] = {}
    for part in options.part or ("replay", "simulate", "speed"):
        if part == "replay":
            found[part] = replay(options.orders, options.data, options.models)
        elif part == "simulate":
            found[part] = {
                **{f"alpha {alpha:g}": simulate(options.populations, alpha) for alpha in ALPHAS},
                "five requirements": simulate_families(options.populations // 10, 0.05),
            }
        else:
            found[part] = speed()
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for part, figures in found.items():
        print(f"== {part}")
        for name, values in figures.items():
            own = {key: value for key, value in values.items() if key != "sets"}
            print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in own.items()))
            for one, inner in values.get("sets", {}).items():
                print(f"    {one}: " + ", ".join(f"{key} {value}" for key, value in inner.items()))


if __name__ == "__main__":
    main()
