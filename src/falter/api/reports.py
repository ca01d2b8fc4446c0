"""One HTML file from runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from falter.api.paths import PathOrStr, RunLike, SourceLike, as_image_dir, as_runs, as_source, refuse_output_file
from falter.api.results import find_vqa_rule
from falter.errors import UsageError

__all__ = ["WrittenReport", "build_report", "report"]


class WrittenReport(NamedTuple):
    """What was written: the file, the models in it, the failures shown and all there are, and what is worth knowing."""

    path: Path
    models: list[str]
    failures: int
    failed: int
    notes: list[str]
    images_not_shown: dict[str, int]


def report(
    runs: RunLike | Iterable[RunLike],
    out: PathOrStr,
    *,
    title: str | None = None,
    failures: int = 200,
    subset: str | None = None,
    vqa_rule: str = "vqa-v2",
    suite: PathOrStr | None = None,
    image_dir: PathOrStr | None = None,
    scenes: SourceLike | None = None,
    scorers: Sequence[str] = (),
) -> Path:
    """Write one self-contained HTML file: scores, charts, breakdowns and failed pairs; give its path.

    Images are read from the suite's folder and from ``image_dir``, nowhere else. With ``scenes``, the common-sense
    baseline gets the other objects in the image as well as the words. Blind checks rank captions and foils by
    ``scorers`` too, such as ``lm:smollm2`` and ``grammar:rules``. ``vqa_rule`` is as in :func:`falter.score`;
    published figures are shown where they were counted by the same rule.
    """
    return build_report(
        runs,
        out,
        title=title,
        failures=failures,
        subset=subset,
        vqa_rule=vqa_rule,
        suite=suite,
        image_dir=image_dir,
        scenes=scenes,
        scorers=scorers,
    ).path


def build_report(
    runs: RunLike | Iterable[RunLike],
    out: PathOrStr,
    *,
    title: str | None = None,
    failures: int = 200,
    subset: str | None = None,
    vqa_rule: str = "vqa-v2",
    suite: PathOrStr | None = None,
    image_dir: PathOrStr | None = None,
    scenes: SourceLike | None = None,
    scorers: Sequence[str] = (),
    start_stage: Callable[[str, int | None], Callable[[int], None]] = lambda _name, _total: lambda _done: None,
) -> WrittenReport:
    """:func:`report`, telling how far it is and what it wrote."""
    from falter.inspection.text_scorers import load_scorer
    from falter.reporting import MAX_BYTES, MAX_FAILURES, collect, write_report
    from falter.sources import require_scenes, spec_paths

    target = Path(out)
    if target.is_dir():
        raise UsageError(f"{target} is a folder; give the name of a file, such as {target / 'report.html'}")
    opened = as_runs(runs, suite)
    refuse_output_file(target, opened, *(spec_paths(scenes) if isinstance(scenes, str) else ()))
    if image_dir is not None:
        for run in opened:
            run.image_dirs = (as_image_dir(image_dir),)
    scored = start_stage("scoring", len(opened))
    source = as_source(scenes)
    data = collect(
        opened,
        title=title,
        failures=failures,
        subset=subset,
        vqa_rule=find_vqa_rule(vqa_rule, opened),
        scenes=None if source is None else require_scenes(source),
        scorers=[load_scorer(spec) for spec in scorers],
        progress=lambda _name: scored(1),
    )
    drawn = start_stage("images", len(data.images))
    limit = MAX_BYTES * max(failures, MAX_FAILURES) // MAX_FAILURES
    viewer = write_report(data, target, limit=limit, progress=lambda: drawn(1))
    return WrittenReport(
        target,
        [model.name for model in data.models],
        len(viewer.payload["failures"]),
        viewer.failed,
        [*data.warnings, *data.sampled, *data.unranked, *data.odd_answers, *data.notes, *viewer.notes],
        dict(sorted(viewer.image_problems.items())),
    )
