"""Judgements of people: studies of a suite, pages to answer on, votes, agreement and human baselines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from falter.api.paths import PathOrStr, SuiteLike, as_suite

if TYPE_CHECKING:
    from falter.people.serve import ServedStudy
    from falter.people.study import Study

__all__ = ["plan_study", "serve_study"]


def plan_study(
    suite: SuiteLike,
    *,
    out: PathOrStr,
    task: PathOrStr = "answer",
    sample: int | None = 100,
    per_item: int = 3,
    seed: int = 0,
    task_length: int = 24,
    controls: int = 4,
    control_suite: SuiteLike | None = None,
    probe_ids: Sequence[str] | None = None,
    overwrite: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> Study:
    """Write a study: tasks for people about a sample of a suite's probes, taken in turn from each test.

    ``task`` is answer, validate, caption-or-foil, pairs or a YAML file of one's own. ``sample`` is the number of probes
    (None: all), ``per_item`` how many people answer each question. Controls come from ``control_suite``, else from the
    suite's surest probes beside the sample. ``probe_ids`` takes the place of the sample.
    """
    from falter.people.plan import plan_study as plan

    return plan(
        as_suite(suite),
        Path(out),
        task=task if isinstance(task, Path) else str(task),
        sample=sample,
        per_item=per_item,
        seed=seed,
        task_length=task_length,
        controls=controls,
        control_suite=None if control_suite is None else as_suite(control_suite),
        probe_ids=probe_ids,
        overwrite=overwrite,
        progress=progress,
    )


@contextmanager
def serve_study(
    study: PathOrStr,
    *,
    annotators: int | Sequence[str] = 0,
    host: str = "127.0.0.1",
    port: int | None = None,
    public_url: str | None = None,
    return_after: float = 3600.0,
) -> Iterator[ServedStudy]:
    """Serve the pages of a study; ``with served.server:`` answers in the background, ``served.server.run()`` here."""
    from falter.serving.packages import require_server_packages

    require_server_packages("people")
    from falter.people.serve import serve_study as serve
    from falter.people.study import open_study

    with serve(
        open_study(Path(study)),
        annotators=annotators,
        host=host,
        port=port,
        public_url=public_url,
        return_after=return_after,
    ) as served:
        yield served
