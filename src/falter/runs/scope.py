"""What a run was asked of its suite: all of it, the probes of a limit, or one part of several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from falter.measures.outcomes import choose_subset
from falter.measures.signature import escape_part
from falter.probes import SuiteManifest
from falter.runs.manifest import RunManifest
from falter.runs.scored_items import find_copies
from falter.runs.store import Run
from falter.tables import format_count

__all__ = ["Limit", "copy_notes", "find_limit", "image_notes", "scope_notes", "scope_parts"]

_IMAGE_INPUTS = {
    "none": "without images",
    "blank": "with a gray image in place of each",
    "shuffle": "with the image of another item",
}


class Limit(NamedTuple):
    """How many probes a limited run was to ask, and of how many."""

    asked: int
    probes: int

    def __str__(self) -> str:
        return f"--limit {self.asked} took {self.asked:,} of {format_count(self.probes, 'probes')}"


def find_limit(run: Run) -> Limit | None:
    """The limit of a run; None where it leaves nothing out."""
    limit = run.manifest.settings.get("limit")
    if limit is None:
        return None
    probes = len(run.suite())
    return None if limit >= probes else Limit(limit, probes)


def scope_parts(manifest: RunManifest, suite: SuiteManifest) -> tuple[str, ...]:
    """What signatures say of a run that was not asked the whole suite: ``limit:6-of-40``, ``shard:1/2``."""
    settings = manifest.settings
    limit, shard, probes = settings.get("limit"), settings.get("shard"), suite.counts.get("probes")
    counted = isinstance(probes, int)
    limited = limit is not None and not (counted and limit >= probes)
    return (
        *([f"limit:{limit}-of-{probes}" if counted else f"limit:{limit}"] if limited else []),
        *([] if shard is None else [f"shard:{escape_part(str(shard))}"]),
    )


def scope_notes(run: Run, subset: str | None = None) -> Iterator[str]:
    """What a reader of figures must know of what they are over, a sentence each: what was not asked, and copies."""
    limit = find_limit(run)
    if limit is not None:
        evenly = ", evenly over the tests, so totals weigh tests otherwise than the whole suite does"
        yield (
            f"{run.folder} asked a part of the suite: {limit} (drawn by the seed"
            f"{evenly if len(run.suite().tests()) > 1 else ''}); figures are over these alone"
        )
    if run.shard is not None:
        yield f"{run.folder} is part {run.shard} of a run; falter merge joins the parts"
    yield from copy_notes(run, subset)


def copy_notes(run: Run, subset: str | None = None) -> Iterator[str]:
    """Which of the probes are copies of others, and which items have several golds."""
    suite = run.suite()
    chosen = choose_subset(suite.items_path, subset)
    yield from find_copies(suite.items_path, subset=chosen, probes=run.population()).notes(suite.name)


def image_notes(run: Run, baseline: Run | None = None) -> Iterator[str]:
    """What a gate must say of runs that were not shown the images of the suite."""
    runs = [run] if baseline is None else [run, baseline]
    inputs = [one.manifest.settings.get("image") for one in runs]
    for one, given in zip(runs, inputs, strict=True):
        if given is not None:
            shown = _IMAGE_INPUTS.get(str(given), f"with --image-input {given}")
            yield f"{one.folder} ran {shown} (--image-input {given}): its replies tell nothing about the images"
    if len(set(inputs)) > 1:
        yield "one of the two runs was shown the images and the other was not: the gate compares an image ablation"
