"""Running models on suites, from Python and from the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, Unpack, overload, runtime_checkable

from falter.api.model_jobs import ModelJob, ModelLike, model_jobs, prepare_run, refuse_unused
from falter.api.paths import PathOrStr, RunLike, SourceLike, SuiteLike, as_run, as_suite, find_runs
from falter.core.errors import UsageError
from falter.core.progress import ProgressCallback, ProgressDisplay, StatusCallback, no_progress
from falter.core.tables import format_count
from falter.data.model import BudgetExceededError
from falter.data.run_options import RunOptions

if TYPE_CHECKING:
    from falter.data.model_options import ModelOptions
    from falter.data.usage import Usage
    from falter.evaluation.engine import Plan, ReplyCache, RunObserver
    from falter.evaluation.runs import Run

__all__ = [
    "BudgetExceededError",
    "RunEndObserver",
    "RunKeywords",
    "RunsKeywords",
    "SharedKeywords",
    "merge",
    "open_cache",
    "run",
    "run_folders",
    "shortfall",
]

MOST_FAILED = 0.01
"""Where a larger share of a run's items than this failed, a command that made it exits with 1."""


class SharedKeywords(TypedDict, total=False):
    """The keywords of :func:`run` that are the same for one run and for several, as :class:`RunOptions` has them."""

    out: PathOrStr | None
    limit: int | None
    seed: int
    batch_size: int | None
    cache: PathOrStr | None
    scenes: SourceLike | None
    train: SourceLike | None
    image_dir: PathOrStr | None
    shard: str | None
    repeat: int
    random_order: bool
    until: PathOrStr | Sequence[PathOrStr]
    baseline: RunLike | None
    alpha: float | str
    look_every: int
    allow_missing: float | str | None
    helpers: Sequence[RunLike]
    options: ModelOptions | Mapping[str, Any] | None
    plugins: Sequence[PathOrStr]
    name: str | None
    version: str | None


class RunKeywords(SharedKeywords, total=False):
    """The keywords of :func:`run` for one run."""

    prompt: str | None
    image_input: str | None


class RunsKeywords(SharedKeywords, total=False):
    """The keywords of :func:`run` for several runs."""

    prompt: str | Sequence[str] | None
    image_input: str | Sequence[str | None] | None


@overload
def run(  # type: ignore[overload-overlap] # the first that fits is meant: one of everything
    suite: SuiteLike,
    model: ModelLike,
    *,
    dry_run: Literal[False] = False,
    progress: bool | RunObserver | None = None,
    **options: Unpack[RunKeywords],
) -> Run: ...
@overload
def run(  # type: ignore[overload-overlap] # the first that fits is meant: one of everything
    suite: SuiteLike,
    model: ModelLike,
    *,
    dry_run: Literal[True],
    **options: Unpack[RunKeywords],
) -> Plan: ...
@overload
def run(
    suite: SuiteLike,
    model: ModelLike | Sequence[ModelLike],
    *,
    dry_run: Literal[False] = False,
    progress: bool | RunObserver | None = None,
    **options: Unpack[RunsKeywords],
) -> list[Run]: ...
@overload
def run(
    suite: SuiteLike,
    model: ModelLike | Sequence[ModelLike],
    *,
    dry_run: Literal[True],
    **options: Unpack[RunsKeywords],
) -> list[Plan]: ...
def run(
    suite: SuiteLike,
    model: ModelLike | Sequence[ModelLike],
    *,
    dry_run: bool = False,
    progress: bool | RunObserver | None = None,
    **options: Unpack[RunsKeywords],
) -> Run | list[Run] | Plan | list[Plan]:
    """Run a model on a suite and give the run; an interrupted run resumes.

    ``model`` is a spec (``"builtin:blind"``, ``"hf:..."``), a model, or any function from a list of requests to texts
    or replies. A function is told apart from others by ``name`` and ``version``: another function in the same folder
    is refused. With a list of models, prompts or image inputs (none, blank, shuffle, or None for the image itself),
    every model is run under each of them, in a folder of its own below ``out``, and the runs are a list. With
    ``dry_run``, nothing is called, and there is a plan in the place of every run: what would be called, and what that
    takes. Images are read from the suite's folder and from ``image_dir``, nowhere else.

    With ``until``, requirements such as ``"carets.negation.c_acc>=60%"``, probes are asked in random order until all
    are decided: every ``look_every`` probes each is tested, and with probability ``alpha`` at most any verdict differs
    from that of a full run. ``falter.check(run, value=True)`` tells the verdicts. ``random_order`` alone asks
    everything, in an order drawn by the seed, so that a run that is cut off has intervals for the whole suite.
    """
    given = RunOptions(**options)
    several = any(isinstance(one, list | tuple) for one in (model, given.prompt, given.image_input))
    jobs = _plan_jobs(suite, model, given)
    refuse_unused([job for _, job in jobs], batch_size=given.batch_size, cache=given.cache)
    with ExitStack() as stack:
        kept = None
        if given.cache is not None and _may_open(Path(given.cache), dry_run):
            kept = stack.enter_context(open_cache(Path(given.cache)))
        if dry_run:
            plans = [job.plan(folder, batch_size=given.batch_size, cache=kept) for folder, job in _take(jobs)]
            return plans if several else plans[0]
        observer = _observer(progress, stack)
        runs = _run_jobs(jobs, batch_size=given.batch_size, cache=kept, observer=observer)
        return runs if several else runs[0]


def _plan_jobs(
    suite: SuiteLike, model: ModelLike | Sequence[ModelLike], given: RunOptions
) -> list[tuple[Path, ModelJob]]:
    """Every model under every prompt and image input, each with the folder of its run."""
    opened = as_suite(suite)
    models: list[ModelLike] = _as_list(model)
    image_inputs = _as_list(given.image_input)
    if not models or not image_inputs:
        raise UsageError("no model was given" if not models else "no image input was given; None is the image itself")
    prompts = [] if given.prompt is None else _as_list(given.prompt)
    jobs: list[ModelJob] = []
    for image_input in image_inputs:
        setup = prepare_run(opened, given, image_input)
        jobs += model_jobs(models, setup, prompts=prompts, name=given.name, version=given.version)
    names = [job.name if len(image_inputs) == 1 else job.run_name for job in jobs]
    folders = run_folders(None if given.out is None else Path(given.out), names, suite=opened.name)
    return list(zip(folders, jobs, strict=True))


def _as_list(given: Any) -> list[Any]:
    return [*given] if isinstance(given, list | tuple) else [given]


def _take(jobs: list[tuple[Path, ModelJob]]) -> Iterator[tuple[Path, ModelJob]]:
    """One job after the other; each is let go of before the next is loaded: weights may not fit twice."""
    while jobs:
        yield jobs.pop(0)


def _run_jobs(
    jobs: list[tuple[Path, ModelJob]],
    *,
    batch_size: int | None,
    cache: ReplyCache | None,
    observer: RunObserver | None,
) -> list[Run]:
    """Run one model after the other; where the budget of one is spent, the others may have something left."""
    runs: list[Run] = []
    spent: dict[Path, BudgetExceededError] = {}
    for folder, job in _take(jobs):
        try:
            runs.append(job.run(folder, batch_size=batch_size, cache=cache, observer=observer))
        except BudgetExceededError as error:
            spent[folder] = error
            runs.append(as_run(folder))
        if isinstance(observer, RunEndObserver):
            observer.on_run(runs[-1], spent.get(folder))
    if len(runs) == 1 and spent:
        raise next(iter(spent.values()))
    if spent:
        raise BudgetExceededError(
            f"the budget was spent before {len(spent)} of {format_count(len(runs), 'runs')} were complete "
            f"({', '.join(map(str, spent))}); repeat the command with a budget for the rest to resume"
        )
    return runs


@runtime_checkable
class RunEndObserver(Protocol):
    """An observer that is also given every run when it ends."""

    def on_run(self, run: Run, budget_end: BudgetExceededError | None) -> None:
        """Called after each run, also one whose budget was spent."""
        ...


def _may_open(cache: Path, dry_run: bool) -> bool:
    """A dry run looks into a cache that is there, and makes none."""
    return not dry_run or (cache / "replies.sqlite").is_file()


def merge(parts: Sequence[RunLike], out: PathOrStr, *, suite: PathOrStr | None = None, overwrite: bool = False) -> Run:
    """Make one run of the parts that ``shard`` made, byte-identical to an undivided one; folders of parts will do."""
    from falter.evaluation.engine import merge_runs

    folders = [
        folder
        for one in parts
        for folder in (find_runs(Path(one)) if isinstance(one, str | PathLike) else [one.folder])
    ]
    return merge_runs(folders, Path(out), suite_folder=None if suite is None else Path(suite), overwrite=overwrite)


def shortfall(run: Run) -> str:
    """Why a run is no basis for scores: it is incomplete, or over 1 % of its items failed; "" where it is one."""
    manifest = run.manifest
    failed, unsupported = (manifest.counts.get(status, 0) for status in ("failed", "unsupported"))
    if not manifest.complete:
        return "the run is incomplete: some items have no reply or failed with transient errors; rerun to retry them"
    if failed > MOST_FAILED * manifest.asked:
        return f"{failed:,} of {format_count(manifest.asked, 'items')} failed, more than 1 %; scores leave them out"
    if unsupported == manifest.asked:
        return (
            f"{manifest.model.name} supports none of the {format_count(manifest.asked, 'items')}; there is nothing to "
            f"score{_unsupported(run)}"
        )
    return ""


_TASKS = {"answer": "answer questions", "match": "match texts with images (captions and foils)"}


def _unsupported(run: Run) -> str:
    """What a model lacks that the suite asks for, and what to do; "" where its tasks are not what it lacks."""
    from falter.core.files import open_parquet
    from falter.data.suite import ITEM_SCHEMA

    model = run.manifest.model
    table = open_parquet(run.suite().items_path, ITEM_SCHEMA).read(["task"])
    lacking = [task for task in table["task"].unique().to_pylist() if task not in model.abilities]
    if not lacking:
        return ": it needs images, and the items have none" if model.needs_image else ""
    wanted = " and ".join(_TASKS[task] for task in sorted(lacking))
    able = " and ".join(_TASKS[task] for task in model.abilities if task in _TASKS)
    return (
        f": the suite needs a model that can {wanted}, and this one can {able} alone; falter list models shows which "
        "models can"
    )


def run_folders(out: Path | None, names: Sequence[str], suite: str = "") -> list[Path]:
    """One model's run is the folder itself; several have a folder each, named after them.

    Without ``out``, runs are in the folder ``runs``, each named after its model and the suite.

    >>> run_folders(Path("runs"), ["blind"]), [path.name for path in run_folders(Path("runs"), ["a b", "a/b"])]
    ([PosixPath('runs')], ['a-b', 'a-b-2'])
    >>> run_folders(None, ["blind"], "carets")
    [PosixPath('runs/blind-carets')]
    """
    if out is not None and len(names) == 1:
        return [out]
    base, ending = (out, "") if out is not None else (Path("runs"), f"-{_slug(suite)}")
    folders: list[Path] = []
    for name in names:
        folder, number = base / f"{_slug(name)}{ending}", 2
        while folder in folders:
            folder = base / f"{_slug(name)}{ending}-{number}"
            number += 1
        folders.append(folder)
    return folders


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:80] or "model"


def open_cache(folder: Path) -> ReplyCache:
    """A cache of replies on disk, to be used in a ``with`` statement."""
    from falter.evaluation.engine import ReplyCache

    return ReplyCache(folder)


def _observer(progress: bool | RunObserver | None, stack: ExitStack) -> RunObserver | None:
    """What is told of the run: nothing, a bar, or the caller's own observer."""
    if progress is None or progress is False:
        return None
    if progress is True:
        from falter.core.progress import show_progress

        return _ShowReplies(stack.enter_context(show_progress()))
    return progress


class _ShowReplies:
    """Shows the replies of a run as they come."""

    def __init__(self, display: ProgressDisplay) -> None:
        self._display = display
        self._advance: ProgressCallback = no_progress
        self._status: StatusCallback = str

    def on_usage(self, usage: Usage) -> None:
        self._status = usage.format_trouble

    def on_plan(self, plan: Plan) -> None:
        self._advance = self._display.start_stage(plan.model, plan.to_ask + plan.unsupported, self._status)

    def on_replies(self, count: int) -> None:
        self._advance(count)
