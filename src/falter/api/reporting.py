"""Runs as one HTML file, as plots for papers, in a viewer on this machine, and in the formats of other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, NamedTuple, Unpack

from falter.api.paths import (
    PathOrStr,
    RunLike,
    SourceLike,
    SuiteLike,
    as_image_dir,
    as_run,
    as_runs,
    as_source,
    as_suite,
    refuse_output_file,
)
from falter.api.results import read_run_options
from falter.core.errors import UsageError
from falter.data.suite import Suite, open_suite
from falter.evaluation.score_options import IntervalOptions, PairOptions, Subset

if TYPE_CHECKING:
    from falter.apps.viewer.application import View
    from falter.evaluation.reporting.plots import Plots
    from falter.evaluation.runs import Run


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
    suite: PathOrStr | None = None,
    image_dir: PathOrStr | None = None,
    scenes: SourceLike | None = None,
    scorers: Sequence[str] = (),
    **options: Unpack[PairOptions],
) -> Path:
    """Write one self-contained HTML file: scores, charts, breakdowns and failed pairs; give its path.

    Images are read from the suite's folder and from ``image_dir``, nowhere else. With ``scenes``, the common-sense
    baseline gets the other objects in the image as well as the words. Blind checks rank captions and foils by
    ``scorers`` too, such as ``lm:smollm2`` and ``grammar:rules``. Options are as in :func:`falter.score`;
    published figures are shown where they were counted by the same rule.
    """
    return build_report(
        runs,
        out,
        title=title,
        failures=failures,
        suite=suite,
        image_dir=image_dir,
        scenes=scenes,
        scorers=scorers,
        **options,
    ).path


def build_report(
    runs: RunLike | Iterable[RunLike],
    out: PathOrStr,
    *,
    title: str | None = None,
    failures: int = 200,
    suite: PathOrStr | None = None,
    image_dir: PathOrStr | None = None,
    scenes: SourceLike | None = None,
    scorers: Sequence[str] = (),
    start_stage: Callable[[str, int | None], Callable[[int], None]] = lambda _name, _total: lambda _done: None,
    **options: Unpack[PairOptions],
) -> WrittenReport:
    """:func:`report`, telling how far it is and what it wrote."""
    from falter.data.sources import spec_paths
    from falter.evaluation.reporting import MAX_BYTES, MAX_FAILURES, collect, write_report
    from falter.generation.inspection.text_scorers import load_scorer
    from falter.generation.sources import require_scenes

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
        read_run_options(options, opened, PairOptions),
        title=title,
        failures=failures,
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


def plot(
    runs: RunLike | Iterable[RunLike],
    kind: str = "drop",
    *,
    by: str | Sequence[str] = (),
    measure: str | None = None,
    suite: PathOrStr | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Unpack[IntervalOptions],
) -> Plots:
    """Draw the report's charts for a paper: drop, breakdown, noise, foils or coverage; one or more plots.

    A plot has ``figure``, a matplotlib figure, ``data`` with the values behind it, and ``save(folder)``, which writes
    SVG, PDF, PNG and CSV. In a notebook plots show themselves. ``by`` names the facets of breakdowns, ``measure`` what
    they show.
    """
    from falter.evaluation.reporting.collect_data import collect_scores
    from falter.evaluation.reporting.plot_data import PLOT_KINDS, plot_data
    from falter.evaluation.reporting.plots import Plots, draw_plot

    chosen = next((one for one in PLOT_KINDS if one == kind), None)
    if chosen is None:
        raise UsageError(f"unknown kind of plot {kind!r}; available: {', '.join(PLOT_KINDS)}")
    facets = [by] if isinstance(by, str) else list(by)
    if chosen != "breakdown" and (facets or measure is not None):
        option = "--by" if facets else "--measure"
        raise UsageError(f"{option} is of breakdowns and has no effect on --kind {chosen}; leave it out")
    opened = as_runs(runs, suite)
    data = collect_scores(
        opened, read_run_options(options, opened, IntervalOptions), progress=progress or (lambda _: None)
    )
    return Plots(draw_plot(one) for one in plot_data(data, chosen, facets=facets, measure=measure))


def view(
    runs: RunLike | Iterable[RunLike],
    *,
    subset: Subset | None = None,
    suite: PathOrStr | None = None,
    image_dir: PathOrStr | None = None,
    port: int = 0,
) -> View:
    """Serve all pairs of some runs on 127.0.0.1, in the background: filters, search, side by side, comments.

    In a notebook the value shows itself in a frame; ``view.url`` opens in a browser, ``view.stop()`` ends it. Runs
    under way are shown as they grow. Images are read from the suite's folder and from ``image_dir``, nowhere else.
    """
    return prepare_view(runs, subset=subset, suite=suite, image_dir=image_dir, port=port, in_frames=True).start()


def prepare_view(
    runs: RunLike | Iterable[RunLike],
    *,
    subset: Subset | None = None,
    suite: PathOrStr | None = None,
    image_dir: PathOrStr | None = None,
    port: int = 0,
    in_frames: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> View:
    """:func:`view`, not serving yet; no page may frame it unless ``in_frames``."""
    from falter.core.optional_packages import require_packages

    require_packages("starlette", "uvicorn", what="the page", extra="view")
    from falter.apps.viewer.application import open_view

    opened = as_runs(runs, suite)
    if image_dir is not None:
        for run in opened:
            run.image_dirs = (as_image_dir(image_dir),)
    return open_view(opened, subset=subset, port=port, in_frames=in_frames, progress=progress)


def export(
    what: SuiteLike | RunLike,
    to: str,
    *,
    out: PathOrStr,
    subset: Literal["all", "valid", "unanimous"] = "all",
    overwrite: bool = False,
) -> dict[str, int]:
    """Write a suite or a run for another program, e.g. ``falter.export("suites/mine", "inspect", out="task")``.

    Suites go to ``hf``, ``inspect``, ``lmms-eval``, ``vlmevalkit`` and ``valse``, runs to ``every-eval-ever``, ``vqa``
    and ``gqa``. Gives by file the number of its entries. ``subset`` leaves out what people rejected.
    """
    from falter.evaluation.exporting.export import export_run, export_suite
    from falter.evaluation.runs import Run

    if isinstance(what, Run) or (not isinstance(what, Suite) and (Path(what) / "run.json").is_file()):
        if subset != "all":
            raise UsageError("a subset is one of a suite; a run is exported whole")
        return export_run(as_run(what), to, Path(out), overwrite=overwrite)
    suite = as_suite(what)
    if subset == "all":
        return export_suite(suite, to, Path(out), overwrite=overwrite)
    with TemporaryDirectory() as folder:
        return export_suite(_confirmed(suite, subset, Path(folder) / "suite"), to, Path(out), overwrite=overwrite)


def _confirmed(suite: Suite, subset: str, folder: Path) -> Suite:
    """The suite without what people rejected."""
    from falter.generation.inspection.debias import SubsampleRecord, write_subsample

    if not any(subset in item.facets for item in suite.items()):
        raise UsageError(f"no probe of {suite.folder} is marked as {subset}: collect votes first")
    write_subsample(
        suite,
        folder,
        lambda probe: probe.original.facets.get(subset, "yes") == "yes",
        SubsampleRecord(suite.manifest.made_by, parameters={"subset": subset}, counts={}),
    )
    return open_suite(folder)


def export_formats() -> list[str]:
    """All formats, of suites and of runs."""
    from falter.evaluation.exporting.export import RUN_FORMATS, suite_formats

    return [*suite_formats(), *RUN_FORMATS.names()]


def import_inspect_log(log: PathOrStr, suite: SuiteLike, *, out: PathOrStr | None = None) -> Run:
    """Make a run of a log that Inspect wrote of an exported suite; pairs and intervals are computed from it."""
    from falter.api.running import run
    from falter.evaluation.models.predictions.rows import model_of_log

    return run(suite, f"file:{Path(log)}#name={model_of_log(Path(log))}", out=out)
