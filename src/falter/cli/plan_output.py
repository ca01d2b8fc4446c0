"""What a run will ask and take, told before it asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from falter.cli.output import note

if TYPE_CHECKING:
    from falter.engine import CostEstimate, Plan

__all__ = ["show_plan", "told_seconds"]


def show_plan(plan: Plan) -> None:
    """Tell a plan."""
    limited = "" if plan.limit is None else f" (limited to {plan.limit})"
    repeated = "" if plan.repeat == 1 else f", each asked {plan.repeat} times"
    note(f"{plan.model} on {plan.suite}: {plan.items} distinct items{repeated}")
    if plan.probes:
        note(f"  {plan.probes} probes{limited}, {plan.rows} rows, {plan.images} images")
    unknown = "; cost unknown" if plan.served and plan.estimate is None else ""
    note(
        f"  pending {plan.to_ask}, done {plan.answered}, unsupported {plan.unsupported}; "
        f"batches of {plan.batch_size}{unknown}"
    )
    if plan.estimate is not None:
        for line in _told(plan.estimate, served=plan.served):
            note(f"  {line}")
    for line in plan.notes:
        note(f"  {line}")


def _told(estimate: CostEstimate, *, served: bool) -> Iterator[str]:
    if estimate.cached:
        yield f"{estimate.cached} of these are in the cache: {estimate.requests} requests are left"
    written = f", at most {estimate.output_tokens} written" if estimate.output_tokens else ""
    yield f"about {estimate.input_tokens} tokens read ({estimate.counted_by}){written}; {estimate.images} pictures sent"
    if estimate.seconds is None:
        yield "time unknown: runs with --cache remember how long a model takes"
    else:
        yield f"about {told_seconds(estimate.seconds)}, by {estimate.seconds_from}"
    if estimate.cost is not None:
        yield f"cost at most about {estimate.cost:.2f} {estimate.currency}"
    elif served:
        yield "cost unknown: give --prices"


def told_seconds(seconds: float) -> str:
    """A time as people say it.

    >>> told_seconds(42.3), told_seconds(75), told_seconds(7300)
    ('42 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
