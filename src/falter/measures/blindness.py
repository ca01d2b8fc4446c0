"""How much of a score needs no picture: a run with the picture taken away, beside the same run with it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from falter.measures.marks import marks_of
from falter.measures.score import Group
from falter.measures.side_by_side import MEASURED, runs_side_by_side
from falter.measures.signature import signature
from falter.measures.statistics import Interval, percentile_interval
from falter.measures.vqa_accuracy import Rule
from falter.runs import Run

__all__ = ["Blindness", "blind_pairs", "blindness"]


class Blindness(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of a run and of the same run without its pictures, over the pairs that both have kept.

    ``share`` is the blind score over the normal one, ``low`` and ``high`` its 95 % interval (paired bootstrap over
    images): 1 means that the pictures add nothing. It is None where the normal score is 0. ``difference`` is the
    normal score less the blind one.
    """

    measure: str
    group: Group
    image: str
    """What was shown instead of the picture: none, blank, shuffle."""
    normal: float
    blind: float
    share: float | None
    low: float | None = None
    high: float | None = None
    difference: float = 0.0
    difference_low: float | None = None
    difference_high: float | None = None
    n: int = 0
    signature: str = ""


def blind_pairs(runs: Sequence[Run]) -> list[tuple[int, int]]:
    """Places of runs of one model and suite, the first with its pictures and the second without."""
    found = []
    for place, blind in enumerate(runs):
        if blind.manifest.settings.get("image") is None:
            continue
        for other, normal in enumerate(runs):
            if normal.manifest.settings.get("image") is None and _key(normal) == _key(blind):
                found.append((other, place))
                break
    return found


def _key(run: Run) -> tuple[object, ...]:
    settings = run.manifest.settings
    limit = settings.get("limit")
    # The seed draws swaps, too: it tells limited runs apart only where a limit is drawn by it.
    drawn = None if limit is None else settings.get("seed")
    return run.manifest.model.fingerprint, run.manifest.suite.fingerprint, limit, drawn


def blindness(
    normal: Run,
    blind: Run,
    *,
    measures: Sequence[str] = MEASURED,
    seed: int = 0,
    draws: int = 1000,
    rule: Rule = "vqa-v2",
    subset: str | None = None,
) -> list[Blindness]:
    """How much of the score of a run is reached without its pictures, for every test."""
    together = runs_side_by_side([normal, blind], rule=rule, subset=subset)
    image = str(blind.manifest.settings.get("image"))
    tasks = {str(task) for task in np.unique(together.pairs[0].cells.task)}
    extra = (*marks_of(blind.manifest, tasks), *together.marks, "over:the-run-with-pictures", "pairs:kept-by-both")
    found = []
    for one in together.compare(measures, seed=seed, draws=draws):
        with_pictures, without = (float(value) for value in one.values)
        share, difference = Interval(None, None), Interval(None, None)
        if one.drawn is not None:
            ratio = np.full(len(one.drawn), np.nan)
            share = percentile_interval(
                np.divide(one.drawn[:, 1], one.drawn[:, 0], out=ratio, where=one.drawn[:, 0] > 0)
            )
            difference = percentile_interval(one.drawn[:, 0] - one.drawn[:, 1])
        found.append(
            Blindness(
                measure=one.measure,
                group=one.group,
                image=image,
                normal=with_pictures,
                blind=without,
                share=without / with_pictures if with_pictures else None,
                low=share.low if with_pictures else None,
                high=share.high if with_pictures else None,
                difference=with_pictures - without,
                difference_low=difference.low,
                difference_high=difference.high,
                n=one.n,
                signature=signature(one.group, n=one.n, seed=seed, rule=rule, draws=draws, extra=extra),
            )
        )
    return found
