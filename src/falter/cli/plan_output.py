"""What a run will call and what that takes, shown before it starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from falter.cli.output import note
from falter.tables import format_count

if TYPE_CHECKING:
    from falter.engine import CostEstimate, Plan

__all__ = ["format_seconds", "show_plan"]


def show_plan(plan: Plan) -> None:
    """Show a plan on standard error."""
    limited = "" if plan.limit is None else f" (limited to {plan.limit})"
    repeated = "" if plan.repeat == 1 else f", each called {format_count(plan.repeat, 'times')}"
    note(f"{plan.model} on {plan.suite}: {format_count(plan.items, 'distinct items')}{repeated}")
    if plan.probes:
        note(
            f"  {format_count(plan.probes, 'probes')}{limited}, {format_count(plan.rows, 'rows')}, "
            f"{format_count(plan.images, 'images')}"
        )
    unknown = "; cost unknown" if plan.served and plan.estimate is None else ""
    note(
        f"  pending {plan.to_ask:,}, done {plan.answered:,}, unsupported {plan.unsupported:,}; "
        f"batches of {plan.batch_size}{unknown}"
    )
    if plan.estimate is not None:
        for line in _format_estimate(plan.estimate, served=plan.served):
            note(f"  {line}")
    for line in plan.notes:
        note(f"  {line}")


def _format_estimate(estimate: CostEstimate, *, served: bool) -> Iterator[str]:
    if estimate.cached:
        yield f"in the cache: {estimate.cached:,} of these; to call: {format_count(estimate.requests, 'requests')}"
    written = f", at most {estimate.output_tokens:,} written" if estimate.output_tokens else ""
    yield (
        f"about {format_count(estimate.input_tokens, 'tokens')} read{written}; "
        f"{format_count(estimate.images, 'images')} sent"
    )
    yield (
        f"texts: {format_count(estimate.input_tokens - (estimate.image_tokens or 0), 'tokens')} ({estimate.counted_by})"
    )
    if estimate.image_tokens is not None:
        yield f"images: {format_count(estimate.image_tokens, 'tokens')} ({estimate.images_counted_by})"
    elif estimate.images:
        yield f"images: tokens {estimate.images_counted_by or 'not counted: they have a price of their own'}"
    if estimate.seconds is None:
        yield "time unknown: runs with --cache remember how long a model takes"
    else:
        yield f"about {format_seconds(estimate.seconds)}, by {estimate.seconds_from}"
    if estimate.cost is not None:
        yield f"cost at most about {estimate.cost:.2f} {estimate.currency}"
    elif served:
        yield "cost unknown: give --prices"


def format_seconds(seconds: float) -> str:
    """A time in seconds, minutes or hours.

    >>> format_seconds(42.3), format_seconds(75), format_seconds(7300)
    ('42 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
