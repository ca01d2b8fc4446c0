"""Planning from pilot runs: how often two models differ and how pairs cluster; and the tables of plans.

The number of pairs is planned from what pilot runs show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from falter.core.errors import UsageError
from falter.core.tables import PIPE_WIDTH, Block, Column, Grid, ResultTable, format_count, wrap_lines
from falter.evaluation.measures import Measure
from falter.evaluation.measures.outcomes.coding import Bools, Floats, Integers
from falter.evaluation.measures.planning import GatePlan, PairedRates, PowerPlan
from falter.evaluation.measures.statistics import clustered_error
from falter.evaluation.runs.scoring import pair_runs
from falter.evaluation.runs.store import Run
from falter.evaluation.runs.table_cells import text_cells
from falter.evaluation.score_options import PLAIN, ScoreOptions

PILOT_RUNS = 2


def independent_disagreement(accuracy: float, detect: float) -> float:
    """How often two models differ whose errors have nothing to do with each other.

    Real models differ less often, since some pairs are hard for all: a plan by this asks for too many pairs rather than
    too few.

    >>> round(independent_disagreement(0.7, 0.02), 3)
    0.412
    """
    other = accuracy + detect if accuracy + detect <= 1 else accuracy - detect
    return accuracy * (1 - other) + other * (1 - accuracy)


def pilot_rates(runs: Sequence[Run], detect: float, options: ScoreOptions = PLAIN) -> PairedRates:
    """The rates of one or two pilot runs over all pairs of their suite.

    Of two runs the disagreement is counted. Of one run it is that of two models whose errors are independent. The
    measure, which the options may name, is a share of pairs; by default C-ACC, acc_r or, of single questions, ACC.
    """
    if not 1 <= len(runs) <= PILOT_RUNS:
        raise UsageError(f"a pilot is one run or two runs of one suite, not {len(runs)}")
    chosen, flags, cluster = _pilot_flags(runs, options)
    first = flags[0].astype(np.float64)
    if len(flags) == PILOT_RUNS:
        values = flags[1].astype(np.float64) - first
        disagreement = float(np.abs(values).mean())
        origin = f"{chosen.title} of two pilot runs, {format_count(len(values), 'pairs')}"
    else:
        values = first
        disagreement = independent_disagreement(float(first.mean()), detect)
        origin = f"{chosen.title} {100 * first.mean():.1f} % of a pilot run, errors independent"
    images = len(np.unique(cluster))
    return PairedRates(
        disagreement=disagreement,
        design_effect=_design_effect(values, cluster),
        pairs_per_image=len(values) / images,
        origin=origin,
    )


def _design_effect(values: Floats, cluster: Integers) -> float:
    """How much larger the variance of a mean is than with one value per cluster; 1 where that cannot be told."""
    code = np.unique(cluster, return_inverse=True)[1].ravel()
    sums = np.bincount(code, weights=values).astype(np.float64)
    error = clustered_error(sums, np.bincount(code).astype(np.float64))
    independent = float(values.var(ddof=1)) / len(values) if len(values) > 1 else 0.0
    return max(1.0, error**2 / independent) if error is not None and independent > 0 else 1.0


def _pilot_flags(runs: Sequence[Run], options: ScoreOptions) -> tuple[Measure, list[Bools], Integers]:
    """A measure of pairs; by run which pairs have it; and the image of each pair. Over all tests that have it."""
    joined = pair_runs(runs, options)
    wanted = sorted(joined.measures, key=lambda one: one.name != "c_acc")
    tests = [group for group in joined.groups() if group.summary is None and group.group.facet is None]
    for measure in wanted:
        found = [
            (flags[1], group.divided[measure.grain].runs[0].rows.cluster[flags[0]])
            for group in tests
            if (flags := group.flags(measure)) is not None and len(flags[0])
        ]
        if found:
            by_run = [np.concatenate(parts) for parts in zip(*(own for own, _ in found), strict=True)]
            return measure, by_run, np.concatenate([cluster for _, cluster in found]).astype(np.int64)
    wanted_name = ", ".join(options.measures) or "a headline measure"
    raise UsageError(
        f"{runs[0].folder} has no pair that was answered and that {wanted_name} calls right or wrong; "
        "choose another --measure, such as c_acc"
    )


class PowerPlans(ResultTable[PowerPlan]):
    """How many pairs a comparison needs, under one or more assumptions on how often two models disagree."""

    noun = "plans"

    def __init__(self, rows: Iterable[PowerPlan]) -> None:
        super().__init__(rows)

    def replace_rows(self, rows: Sequence[PowerPlan]) -> PowerPlans:
        return PowerPlans(rows)

    def json_value(self) -> Any:
        return self.rows

    def blocks(self) -> Iterator[Block]:
        if not self.rows:
            yield "There is nothing to plan."
            return
        first = self.rows[0]
        yield (
            f"Pairs needed to find a difference of {100 * first.detect:g} points with power {first.power:g} "
            f"(two-sided, {100 * first.alpha:g} %)"
        )
        yield Grid(
            [
                Column(
                    "the models disagree on", text_cells(f"{100 * one.rates.disagreement:.1f} %" for one in self.rows)
                )
            ],
            [
                Column("pairs", text_cells(f"{one.pairs:,}" for one in self.rows), right=True),
                Column("images", text_cells(f"{one.images:,}" for one in self.rows), right=True),
                Column("design\neffect", text_cells(f"{one.rates.design_effect:.2f}" for one in self.rows), right=True),
                Column(
                    "pairs per\nimage", text_cells(f"{one.rates.pairs_per_image:.1f}" for one in self.rows), right=True
                ),
            ],
        )
        yield f"Rates: {first.rates.origin}."
        yield (
            "The number is that of McNemar's exact test, times the design effect: pairs of\n"
            "one image tell less than pairs of several. falter compare also corrects for the\n"
            "number of its rows; plan for the row that decides."
        )


class GatePlans(ResultTable[GatePlan]):
    """How many calls a gate that may stop early takes, for one or more true differences."""

    noun = "plans"

    def __init__(self, rows: Iterable[GatePlan]) -> None:
        super().__init__(rows)

    def replace_rows(self, rows: Sequence[GatePlan]) -> GatePlans:
        return GatePlans(rows)

    def json_value(self) -> Any:
        return self.rows

    def blocks(self) -> Iterator[Block]:
        if not self.rows:
            yield "There is nothing to plan."
            return
        first = self.rows[0]
        yield wrap_lines(
            f"Pairs asked by a gate that is met where a model is worse by at most {100 * first.margin:g} points, of "
            f"{format_count(first.pairs, 'pairs')}, alpha {100 * first.alpha:g} %",
            PIPE_WIDTH,
        )

        def column(heading: str, texts: Iterable[str]) -> Column:
            return Column(heading, text_cells(texts), right=True)

        yield Grid(
            [Column("true difference", text_cells(f"{100 * one.difference:+.1f} points" for one in self.rows))],
            [
                column("disagree\non", (f"{100 * one.rates.disagreement:.1f} %" for one in self.rows)),
                column("mean", (f"{one.mean:,.0f}" for one in self.rows)),
                column("share", (f"{100 * one.mean / one.pairs:.0f} %" for one in self.rows)),
                *(
                    column(f"{share} % ask\nat most", (f"{one.calls[place]:,}" for one in self.rows))
                    for place, share in enumerate((10, 50, 90))
                ),
                column("ask all", (f"{100 * one.everything:.0f} %" for one in self.rows)),
                column("say met", (f"{100 * one.met:.0f} %" for one in self.rows)),
            ],
            most=PIPE_WIDTH,
        )
        yield wrap_lines(
            f"Rates: {first.rates.origin}. 200 simulated gates each, tested round by round as by falter run --until.",
            PIPE_WIDTH,
        )
