"""Intervals over few images: how often they hold the truth, and how wide they are, method by method.

    python benchmarks/intervals.py [--samples 2000] [--images 2,5,10,20,50,100,200] [--json] [--short]

*single*: shares of 0.5 to 1 over images of 1, 5, 20 and unequal numbers of questions, with a correlation within images
of 0 to 1 (beta-binomial; with 1 all answers about an image are alike). *paired*: two models on such images, which
differ on 0 to 100 % of the questions. *no share*: AUROC. "exact" is what scores, gates and comparisons have
(``falter.evaluation.measures.statistics.Shares``); the others are for comparison.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from _short_form import parse_options
from scipy.special import ndtr, ndtri, stdtrit

from falter.evaluation.measures.intervals import choose_interval, leave_out_weights
from falter.evaluation.measures.statistics import Ends, Shares, clopper_pearson
from falter.evaluation.measures.statistics.bootstrap import RocArea, Sample

Floats = npt.NDArray[np.float64]

IMAGES = (2, 5, 10, 20, 50, 100, 200)
TRUTHS = (0.5, 0.75, 0.9, 0.99, 1.0)
CHANGES = (
    (0, 0),
    (0.01, 0),
    (0.1, 0),
    (0.5, 0),
    (0.99, 0),
    (0.02, 0.02),
    (0.1, 0.05),
    (0.25, 0.25),
    (0.5, 0.5),
    (0.85, 0.15),
)
"""By setting the share of questions that only the second and only the first model gets right."""
SIZES = ("1", "5", "20", "1 to 20", "1 to 3, a tenth 20")
CORRELATIONS = (0.0, 0.1, 0.3, 0.6, 1.0)
AREAS = (0.75, 0.9, 0.95, 0.99)
RESAMPLES = 400
_FEW_SAMPLES = 300
"""Of the bootstrap, which takes longest and covers least."""
_Z = 1.959963984540054


class Case(NamedTuple):
    """One setting of the simulation."""

    images: int
    size: str
    correlation: float
    truth: Any


class Outcome(NamedTuple):
    """How often the lower end was above the truth, the upper end below it, and the mean width."""

    above: float
    below: float
    width: float

    @property
    def coverage(self) -> float:
        """How often the interval held the truth."""
        return 1 - self.above - self.below


def draw_sizes(kind: str, samples: int, images: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """How many questions the images have."""
    shape = (samples, images)
    if kind == "1 to 20":
        return np.minimum(rng.geometric(0.25, shape), 20)
    if kind == "1 to 3, a tenth 20":
        return np.where(rng.random(shape) < 0.1, 20, rng.integers(1, 4, shape))
    return np.full(shape, int(kind))


def draw_changes(case: Case, n: npt.NDArray[np.int64], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """How many questions of an image have each of two outcomes, which exclude each other."""
    first, second = case.truth
    rates = np.array([first, second, 1 - first - second])
    if case.correlation == 0:
        own = np.broadcast_to(rates, (*n.shape, 3))
    elif case.correlation == 1:
        own = np.eye(3)[rng.choice(3, p=rates, size=n.shape)]
    else:
        weights = rng.standard_gamma(np.broadcast_to(rates * (1 / case.correlation - 1), (*n.shape, 3)))
        total = weights.sum(axis=-1, keepdims=True)
        own = np.where(total > 0, weights / np.where(total > 0, total, 1), rates)
    gained = rng.binomial(n, np.clip(own[..., 0], 0, 1))
    rest = 1 - own[..., 0]
    lost = rng.binomial(n - gained, np.clip(own[..., 1] / np.where(rest > 1e-12, rest, 1), 0, 1))
    return gained.astype(np.float64), lost.astype(np.float64)


def bootstrap(part: Floats, n: Floats) -> Ends:
    """The percentile bootstrap over images; all samples have the same resamples."""
    images = part.shape[1]
    weights = np.random.default_rng(5).multinomial(images, np.full(images, 1 / images), size=RESAMPLES).astype(float)
    values = (part @ weights.T) / (n @ weights.T)
    low, high = np.quantile(values, [0.025, 0.975], axis=1)
    return Ends(low, high)


def student(part: Floats, n: Floats) -> Ends:
    """The value and the linearized error, with the quantile of Student's t."""
    value, away = _value_and_error(part, n)
    away *= stdtrit(max(part.shape[1] - 1, 1), 0.975)
    return Ends(value - away, value + away)


def korn_graubard(part: Floats, n: Floats) -> Ends:
    """Clopper and Pearson on n over the design effect; an image is a case where nothing varies."""
    value, cases = _plain_cases(part, n)
    return clopper_pearson(value, cases)


def wilson(part: Floats, n: Floats) -> Ends:
    """Wilson's interval on the same number of cases."""
    value, cases = _plain_cases(part, n)
    middle = (value + _Z**2 / 2 / cases) / (1 + _Z**2 / cases)
    away = _Z / (1 + _Z**2 / cases) * np.sqrt(value * (1 - value) / cases + _Z**2 / 4 / cases**2)
    return Ends(middle - away, middle + away)


def image_a_case(part: Floats, n: Floats) -> Ends:
    """Clopper and Pearson with as many cases as there are images of one size."""
    return clopper_pearson(part.sum(axis=1) / n.sum(axis=1), n.sum(axis=1) ** 2 / (n**2).sum(axis=1))


def exact(part: Floats, n: Floats) -> Ends:
    """What scores have."""
    return Shares.from_sums(np.stack([part, n], axis=-1)).exact()


def exact_difference(part: Floats, n: Floats) -> Ends:
    """What differences have."""
    return Shares.from_changes(part[..., None], n[..., None]).exact()


def added_up(part: Floats, n: Floats) -> Ends:
    """Both shares at 97.5 %, their worst ends added up (Bonferroni)."""
    ends = []
    for own in (np.maximum(part, 0), np.maximum(-part, 0)):
        shares = Shares.from_sums(np.stack([own, n], axis=-1))
        ends.append(clopper_pearson(own.sum(axis=1) / n.sum(axis=1), shares._cases()[..., 0], 0.975))
    gain, loss = ends
    return Ends(gain.low - loss.high, gain.high - loss.low)


def _value_and_error(part: Floats, n: Floats) -> tuple[Floats, Floats]:
    value = part.sum(axis=1) / n.sum(axis=1)
    images = part.shape[1]
    squares = ((part - value[:, None] * n) ** 2).sum(axis=1)
    return value, np.sqrt(images / max(images - 1, 1) * squares) / n.sum(axis=1)


def _plain_cases(part: Floats, n: Floats) -> tuple[Floats, Floats]:
    value, error = _value_and_error(part, n)
    images, total = part.shape[1], n.sum(axis=1)
    quantiles = stdtrit(np.maximum(total - 1, 1), 0.975) / stdtrit(max(images - 1, 1), 0.975)
    varies = error > 1e-9
    cases = value * (1 - value) / np.where(varies, error, 1) ** 2 * quantiles**2
    return value, np.minimum(np.where(varies, np.maximum(cases, 1e-3), images), total)


Method = Callable[[Floats, Floats], Ends]
SINGLE: dict[str, Method] = {
    "exact": exact,
    "bootstrap": bootstrap,
    "student": student,
    "korn-graubard": korn_graubard,
    "wilson": wilson,
    "image a case": image_a_case,
}
PAIRED: dict[str, Method] = {
    "exact": exact_difference,
    "bootstrap": bootstrap,
    "student": student,
    "added up": added_up,
}


def simulate(
    case: Case, methods: dict[str, Method], samples: int, *, paired: bool, seed: int = 0
) -> dict[str, Outcome]:
    """Each method on the same samples."""
    key = [seed, case.images, SIZES.index(case.size), int(10 * case.correlation), paired]
    rng = np.random.default_rng([*key, *(int(1000 * one) for one in np.atleast_1d(case.truth))])
    sizes = draw_sizes(case.size, samples, case.images, rng)
    truth = case.truth if paired else (case.truth, 0.0)
    gained, lost = draw_changes(case._replace(truth=truth), sizes, rng)
    n, value = sizes.astype(np.float64), truth[0] - truth[1]
    found = {}
    for name, method in methods.items():
        some = slice(_FEW_SAMPLES if method is bootstrap else None)
        low, high = method((gained - lost)[some], n[some])
        above, below = float((low > value + 1e-9).mean()), float((high < value - 1e-9).mean())
        found[name] = Outcome(above, below, float((high - low).mean()))
    return found


def cases(images: tuple[int, ...], truths: tuple[Any, ...], sizes: tuple[str, ...] = SIZES) -> Iterator[Case]:
    """All settings; questions that are one to an image have no correlation."""
    for number, size, correlation, truth in product(images, sizes, CORRELATIONS, truths):
        if size != "1" or correlation == 0:
            yield Case(number, size, correlation, truth)


def sum_up(found: dict[Case, dict[str, Outcome]], images: tuple[int, ...]) -> list[dict[str, Any]]:
    """By number of images and method the lowest coverage, the highest one-sided misses, and the mean width."""
    rows = []
    for number in images:
        own = {case: one for case, one in found.items() if case.images == number}
        for method in next(iter(own.values())):
            outcomes = {case: one[method] for case, one in own.items()}
            worst = min(outcomes, key=lambda case: outcomes[case].coverage)
            widths = [one.width for one in outcomes.values()]
            rows.append(
                {
                    "images": number,
                    "method": method,
                    "coverage": round(outcomes[worst].coverage, 3),
                    "where": f"{worst.size}, {worst.correlation:g}, {worst.truth}",
                    "one-sided": round(max(max(one.above, one.below) for one in outcomes.values()), 3),
                    "width": round(float(np.mean(widths)), 3),
                }
            )
    return rows


def simulate_areas(images: int, area: float, samples: int, *, seed: int = 0) -> dict[str, float]:
    """How often the interval of an AUROC is given, and how often it misses; and the plain bootstrap's misses."""
    rng = np.random.default_rng([seed, images, int(1000 * area)])
    roc, cluster = RocArea(), np.arange(images)
    weights = rng.multinomial(images, np.full(images, 1 / images), size=RESAMPLES).astype(float)
    left = leave_out_weights(images)
    given = missed = plain = 0
    for _ in range(samples):
        columns = np.stack([rng.normal(size=images) + 2**0.5 * ndtri(area), rng.normal(size=images)], axis=1)
        sample = [Sample(columns, cluster)]
        drawn = roc.resample(sample, [weights])[0]
        low, high = np.quantile(drawn, [0.025, 0.975])
        plain += not low <= area <= high
        found = choose_interval(images, None, drawn, lambda one=sample: roc.resample(one, [left])[0])
        given += found.low is not None
        missed += found.low is not None and not found.low <= area <= found.high
    assert abs(ndtr(ndtri(area)) - area) < 1e-9
    return {"given": given / samples, "missed": missed / samples, "bootstrap missed": plain / samples}


def print_table(rows: list[dict[str, Any]]) -> None:
    """As Markdown, so that it can stand in the documentation."""
    names = list(rows[0])
    print(f"| {' | '.join(names)} |\n|{'---|' * len(names)}")
    for row in rows:
        print(f"| {' | '.join(str(value) for value in row.values())} |")
    print()


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--images", default=",".join(map(str, IMAGES)))
    parser.add_argument("--json", action="store_true")
    options = parse_options(parser, given, samples=40, images="10,20")
    images = tuple(int(number) for number in options.images.split(","))
    samples, sizes = options.samples, ("1", "5") if options.short else SIZES
    found: dict[str, list[dict[str, Any]]] = {}
    for name, methods, truths in (("single", SINGLE, TRUTHS), ("paired", PAIRED, CHANGES)):
        outcomes = {
            case: simulate(case, methods, samples, paired=name == "paired") for case in cases(images, truths, sizes)
        }
        found[name] = sum_up(outcomes, images)
    found["no share"] = [
        {"images": number, "AUROC": area, **simulate_areas(number, area, max(samples // 10, 20))}
        for number, area in product([one for one in images if one >= 20], AREAS)
    ]
    if options.json:
        print(json.dumps(found))
        return
    for name, rows in found.items():
        print(f"## {name}\n")
        print_table(rows)


if __name__ == "__main__":
    main()
