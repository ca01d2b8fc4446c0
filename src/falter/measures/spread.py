"""The same model under several prompts: how far its scores lie apart, and what is left in the worst case."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from falter.errors import UsageError
from falter.measures.catalogue import MEASURES
from falter.measures.cells import Cells, Floats
from falter.measures.score import Group
from falter.measures.side_by_side import MEASURED, Beside, SideBySide, runs_side_by_side
from falter.measures.signature import signature
from falter.measures.statistics import Interval, percentile_interval
from falter.measures.vqa_accuracy import Rule
from falter.runs import Run

__all__ = ["Estimate", "Spread", "prompt_groups", "spread"]

_RIGHT: dict[str, Callable[[Cells], npt.NDArray[np.bool_]]] = {
    "c_acc": lambda cells: cells.both_right,
    "acc_r": lambda cells: cells.won,
}
"""Measures that are shares of pairs that are simply right or not, and so can be right under every prompt."""


class Estimate(msgspec.Struct, frozen=True):
    """A value with its 95 % interval (bootstrap over images, drawn alike for all prompts)."""

    value: float
    low: float | None = None
    high: float | None = None


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of a model under several prompts, over the pairs that were kept under all of them.

    ``worst`` and ``best`` are the lowest and the highest score, ``range`` the distance between them, ``sd`` the
    standard deviation over prompts (n - 1). ``every`` is the share of pairs that are right under every prompt, where
    a pair is right or not (C-ACC, acc_r): what can be relied on however the question is put.
    """

    measure: str
    group: Group
    by_prompt: dict[str, float]
    worst_prompt: str
    worst: Estimate
    best: Estimate
    range: Estimate
    sd: Estimate
    every: Estimate | None = None
    n: int = 0
    signature: str = ""


def prompt_groups(runs: Sequence[Run]) -> list[list[int]]:
    """Places of runs that differ in the prompt alone, two or more together."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for place, run in enumerate(runs):
        model, settings = run.manifest.model, run.manifest.settings
        if model.prompt is None or not model.spec:
            continue
        told = tuple((name, repr(settings.get(name))) for name in ("limit", "seed", "image", "extend"))
        groups.setdefault((model.spec, model.rule, run.manifest.suite.fingerprint, told), []).append(place)
    several = [_one_a_prompt(places, runs) for places in groups.values()]
    return [places for places in several if len(places) > 1]


def _one_a_prompt(places: Sequence[int], runs: Sequence[Run]) -> list[int]:
    """The first run of each prompt."""
    by_prompt: dict[str | None, int] = {}
    for place in places:
        by_prompt.setdefault(runs[place].manifest.model.prompt_fingerprint, place)
    return list(by_prompt.values())


def spread(
    runs: Sequence[Run],
    *,
    measures: Sequence[str] = MEASURED,
    seed: int = 0,
    draws: int = 1000,
    rule: Rule = "vqa-v2",
    subset: str | None = None,
) -> list[Spread]:
    """How far the scores of runs under several prompts lie apart, for every test."""
    if len(runs) < 2:
        raise UsageError("a spread is over several prompts: give two or more runs")
    prompts = _labels(runs)
    together = runs_side_by_side(runs, rule=rule, subset=subset)
    extra = (*together.marks, f"prompts:{len(runs)}", "pairs:kept-by-all")
    return [
        _spread(one, prompts, _every(together, one, seed, draws), extra, seed=seed, draws=draws, rule=rule)
        for one in together.compare(measures, seed=seed, draws=draws)
    ]


def _labels(runs: Sequence[Run]) -> list[str]:
    """The names of the prompts; two files of one name are told apart by their words."""
    names = [run.manifest.model.prompt or "?" for run in runs]
    return [
        name if names.count(name) == 1 else run.manifest.model.prompt_fingerprint or run.folder.name
        for name, run in zip(names, runs, strict=True)
    ]


def _spread(
    one: Beside,
    prompts: Sequence[str],
    every: Estimate | None,
    extra: tuple[str, ...],
    *,
    seed: int,
    draws: int,
    rule: Rule,
) -> Spread:
    def estimate(of: Callable[[Floats], Floats]) -> Estimate:
        interval = Interval(None, None) if one.drawn is None else percentile_interval(of(one.drawn))
        return Estimate(float(of(one.values)), interval.low, interval.high)

    return Spread(
        measure=one.measure,
        group=one.group,
        by_prompt=dict(zip(prompts, map(float, one.values), strict=True)),
        worst_prompt=prompts[int(np.argmin(one.values))],
        worst=estimate(lambda values: np.asarray(values.min(axis=-1))),
        best=estimate(lambda values: np.asarray(values.max(axis=-1))),
        range=estimate(lambda values: np.asarray(values.max(axis=-1) - values.min(axis=-1))),
        sd=estimate(lambda values: np.asarray(values.std(axis=-1, ddof=1))),
        every=every,
        n=one.n,
        signature=signature(one.group, n=one.n, seed=seed, rule=rule, draws=draws, extra=extra),
    )


def _every(together: SideBySide, one: Beside, seed: int, draws: int) -> Estimate | None:
    if one.measure not in _RIGHT:
        return None
    right = [_RIGHT[one.measure](pairs.cells)[pairs.cell] for pairs in together.pairs]
    measure = MEASURES.get(one.measure)
    found = together.share(measure, one.group, np.logical_and.reduce(right), seed=seed, draws=draws)
    if found is None:
        return None
    interval = Interval(None, None) if found.drawn is None else percentile_interval(found.drawn[:, 0])
    return Estimate(float(found.values[0]), interval.low, interval.high)
