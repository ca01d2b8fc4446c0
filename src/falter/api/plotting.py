"""Plots for papers from runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from falter.api.paths import PathOrStr, RunLike, as_runs
from falter.api.results import find_vqa_rule
from falter.errors import UsageError

if TYPE_CHECKING:
    from falter.reporting.plots import Plot

__all__ = ["plot"]


def plot(
    runs: RunLike | Iterable[RunLike],
    kind: str = "drop",
    *,
    by: str | Sequence[str] = (),
    measure: str | None = None,
    subset: str | None = None,
    vqa_rule: str = "vqa-v2",
    seed: int = 0,
    suite: PathOrStr | None = None,
    progress: Callable[[str], None] | None = None,
) -> list[Plot]:
    """Draw the report's charts for a paper: drop, breakdown, noise, foils or coverage; one or more plots.

    A plot has ``figure``, a matplotlib figure, ``data`` with the values behind it, and ``save(folder)``, which writes
    SVG, PDF, PNG and CSV. ``by`` names the facets of breakdowns, ``measure`` what they show.
    """
    from falter.reporting.collect_data import collect
    from falter.reporting.plot_data import PLOT_KINDS, plot_data
    from falter.reporting.plots import draw_plot

    chosen = next((one for one in PLOT_KINDS if one == kind), None)
    if chosen is None:
        raise UsageError(f"unknown kind of plot {kind!r}; available: {', '.join(PLOT_KINDS)}")
    facets = [by] if isinstance(by, str) else list(by)
    if chosen != "breakdown" and (facets or measure is not None):
        option = "--by" if facets else "--measure"
        raise UsageError(f"{option} is of breakdowns and has no effect on --kind {chosen}; leave it out")
    opened = as_runs(runs, suite)
    data = collect(
        opened,
        failures=0,
        seed=seed,
        subset=subset,
        vqa_rule=find_vqa_rule(vqa_rule, opened),
        only_scores=True,
        progress=progress or (lambda _: None),
    )
    return [draw_plot(one) for one in plot_data(data, chosen, facets=facets, measure=measure)]
