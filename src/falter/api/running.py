"""Running models on suites, from Python and from the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falter.api.model_jobs import ModelJob, ModelLike, model_jobs, prepare_run, refuse_unused
from falter.api.paths import PathOrStr, RunLike, SourceLike, SuiteLike, all_runs, as_run, find_runs
from falter.core.progress import ProgressCallback, ProgressDisplay, StatusCallback, no_progress
from falter.core.tables import format_count
from falter.data.model import BudgetExceededError

if TYPE_CHECKING:
    from falter.data.model_options import ModelOptions
    from falter.data.usage import Usage
    from falter.evaluation.engine import Plan, ReplyCache, RunObserver
    from falter.evaluation.runs import Run

__all__ = [
    "BudgetExceededError",
    "dry_run",
    "load_run",
    "load_runs",
    "merge",
    "open_cache",
    "run",
    "run_all",
    "run_folders",
    "shortfall",
]

MOST_FAILED = 0.01
"""Where a larger share of a run's items than this failed, a command that made it exits with 1."""


def load_run(path: PathOrStr, *, suite: PathOrStr | None = None) -> Run:
    """Open a run, complete or not: a folder that ``run`` wrote. ``suite`` is where its suite is, if it has moved."""
    return as_run(path, suite)


def load_runs(folder: PathOrStr, *, suite: PathOrStr | None = None) -> list[Run]:
    """Open every run in a folder, in the order of their names."""
    return [as_run(path, suite) for path in all_runs(Path(folder))]


def run(
    suite: SuiteLike,
    model: ModelLike,
    *,
    out: PathOrStr | None = None,
    name: str | None = None,
    version: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    repeat: int = 1,
    image_input: str | None = None,
    prompt: str | None = None,
    batch_size: int | None = None,
    cache: PathOrStr | None = None,
    scenes: SourceLike | None = None,
    train: SourceLike | None = None,
    options: ModelOptions | Mapping[str, Any] | None = None,
    shard: str | None = None,
    plugins: Sequence[PathOrStr] = (),
    image_dir: PathOrStr | None = None,
    random_order: bool = False,
    until: PathOrStr | Sequence[PathOrStr] = (),
    baseline: RunLike | None = None,
    alpha: float | str = 0.05,
    look_every: int = 20,
    allow_missing: float | str | None = None,
    progress: bool | RunObserver | None = None,
) -> Run:
    """Run a model on a suite and give the run; an interrupted run resumes.

    ``model`` is a spec (``"builtin:blind"``, ``"hf:..."``), a model, or any function from a list of requests to texts
    or replies. A function is told apart from others by ``name`` and ``version``: another function in the same folder
    is refused. ``out`` is by default ``runs/MODEL-SUITE``. ``image_input`` is none, blank or shuffle; ``options`` are
    the :class:`~falter.data.model_options.ModelOptions` or a dictionary of them. Images are read from the suite's
    folder and from ``image_dir``, nowhere else.

    With ``until``, requirements such as ``"carets.negation.c_acc>=60%"``, probes are asked in random order until all
    are decided: every ``look_every`` probes each is tested, and with probability ``alpha`` at most any verdict differs
    from that of a full run. ``falter.check(run, value=True)`` tells the verdicts. ``random_order`` alone asks
    everything, in an order drawn by the seed, so that a run that is cut off has intervals for the whole suite.
    """
    setup = prepare_run(
        suite,
        limit=limit,
        seed=seed,
        repeat=repeat,
        image_input=image_input,
        prompt=prompt,
        scenes=scenes,
        train=train,
        options=options,
        shard=shard,
        plugins=plugins,
        image_dir=image_dir,
        random_order=random_order,
        until=until,
        baseline=baseline,
        alpha=alpha,
        look_every=look_every,
        allow_missing=allow_missing,
    )
    (job,) = model_jobs([model], setup, name=name, version=version)
    refuse_unused([job], batch_size=batch_size, cache=cache)
    folder = Path(out) if out is not None else Path("runs") / f"{_slug(job.name)}-{_slug(setup.suite.name)}"
    with ExitStack() as stack:
        kept = None if cache is None else stack.enter_context(open_cache(Path(cache)))
        return job.run(folder, batch_size=batch_size, cache=kept, observer=_observer(progress, stack))


def run_all(
    suite: SuiteLike,
    models: Iterable[ModelLike],
    *,
    out: PathOrStr,
    prompts: Sequence[str | None] = (None,),
    image_inputs: Sequence[str | None] = (None,),
    batch_size: int | None = None,
    cache: PathOrStr | None = None,
    progress: bool | RunObserver | None = None,
    **settings: Any,
) -> list[Run]:
    """Run every model under every prompt and image input, each in a folder of its own below ``out``.

    ``settings`` are those of :func:`run`: limit, seed, repeat, scenes, train, options, shard, plugins.
    """
    several = [*models]
    jobs: list[ModelJob] = []
    for image_input in image_inputs:
        setup = prepare_run(suite, image_input=image_input, **settings)
        jobs += model_jobs(several, setup, prompts=[one for one in prompts if one is not None])
    refuse_unused(jobs, batch_size=batch_size, cache=cache)
    named = [job.name if len(image_inputs) == 1 else job.run_name for job in jobs]
    folders = run_folders(Path(out), named)
    done: list[Run] = []
    with ExitStack() as stack:
        kept = None if cache is None else stack.enter_context(open_cache(Path(cache)))
        observer = _observer(progress, stack)
        for folder in folders:
            # Each is let go of before the next is loaded: weights may not fit twice.
            job = jobs.pop(0)
            done.append(job.run(folder, batch_size=batch_size, cache=kept, observer=observer))
    return done


def dry_run(
    suite: SuiteLike,
    model: ModelLike,
    *,
    out: PathOrStr | None = None,
    name: str | None = None,
    version: str | None = None,
    batch_size: int | None = None,
    cache: PathOrStr | None = None,
    **settings: Any,
) -> Plan:
    """What :func:`run` would call, and what that takes; nothing is called."""
    setup = prepare_run(suite, **settings)
    (job,) = model_jobs([model], setup, name=name, version=version)
    folder = Path(out) if out is not None else Path("runs") / f"{_slug(job.name)}-{_slug(setup.suite.name)}"
    with ExitStack() as stack:
        known = cache is not None and (Path(cache) / "replies.sqlite").is_file()
        kept = stack.enter_context(open_cache(Path(cache))) if known and cache is not None else None
        return job.plan(folder, batch_size=batch_size, cache=kept)


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
