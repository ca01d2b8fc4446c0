"""``falter run`` and ``merge``: run models on a suite, and make one run of its parts.

Replies are written as they come, and an interrupted run resumes.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from falter.api.options import OWN_OPTIONS, RunOptions
from falter.cli.command_groups import PluginDirs
from falter.cli.model_options import ModelKeys, collect_model_options, with_model_options
from falter.cli.options import declared_needs, option_rules, with_struct_options
from falter.cli.output import note, out, print_json, print_result, progress, show_plan
from falter.core.errors import FalterError
from falter.core.progress import ProgressCallback, StatusCallback, no_progress
from falter.core.tables import format_count

if TYPE_CHECKING:
    from falter.data.model import BudgetExceededError
    from falter.data.usage import Usage
    from falter.evaluation.engine import Plan
    from falter.evaluation.runs import Run


_NAMES_SHOWN = 3


def add_run(app: typer.Typer) -> None:
    """Add the command."""

    @option_rules(needs=declared_needs(RunOptions))
    def run_command(
        suite: Annotated[Path, typer.Argument(metavar="SUITE", help="A suite folder.")],
        *,
        model: Annotated[
            list[str],
            typer.Option(
                "--model", metavar="SPEC", help="A model, e.g. builtin:blind or file:answers.jsonl; may be repeated."
            ),
        ],
        plugin_dir: PluginDirs = None,
        model_keys: ModelKeys = None,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="Show what would be called and what it costs; call nothing.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
        options: dict[str, Any],
        model_options: dict[str, Any],
    ) -> None:
        """Run one or more models on a suite. Repeat the command to resume an interrupted run.

        Items that have a reply are not asked again, except those that failed with a transient error. Exit 1: a run is
        incomplete, or over 1 % of its items failed, or a requirement of --until is not met or undecided.

        Example: falter run suite --model builtin:always-yes --out runs/always-yes
        """
        from falter.api.running import BudgetExceededError, run

        options |= {"plugins": plugin_dir or (), "options": collect_model_options(model_keys, model_options)}
        if dry_run:
            _show_plans(run(suite, model, dry_run=True, **options), as_json=as_json)
            return
        several = len(model) * max(1, len(options.get("prompt", ()))) > 1
        judge = _Judge(bool(options.get("until")), options.get("baseline"), options.get("helpers", ()))
        budget_end = None
        with _Presenter(judge, several=several, quiet=as_json) as presenter:
            try:
                run(suite, model, progress=presenter, **options)
            except BudgetExceededError as end:
                if not several and not judge.judges:
                    raise
                budget_end = end
        if as_json:
            print_json(presenter.results)
        else:
            _show_scores(presenter.scorable, scored=not judge.judges)
        if budget_end is not None and (len(presenter.spent) > 1 or not judge.judges):
            raise budget_end
        if not presenter.passed:
            raise typer.Exit(1)

    # Fields that get no option of their own are left out with parameters of that name: --prompt is the run's.
    command = with_model_options(run_command, [name for name in OWN_OPTIONS if name != "prompt"])
    app.command("run")(with_struct_options(command, RunOptions, into="options"))


def _show_plans(plans: Sequence[Plan], *, as_json: bool) -> None:
    for plan in plans:
        show_plan(plan)
    if as_json:
        print_json([{"model": plan.model, "out": plan.out, "plan": plan} for plan in plans])


_MOST_SCORED = 200_000
"""Scores of larger suites take long: then only the command for them is shown."""


def _show_scores(folders: Sequence[Path], *, scored: bool) -> None:
    """The scores of complete runs, if they are wanted, and what one may do next."""
    if not folders:
        return
    from falter.api.paths import as_run, find_runs
    from falter.api.results import score

    runs = [as_run(folder) for folder in folders]
    parent = folders[0].parent
    together = len(folders) > 1 and find_runs(parent) == sorted(folders)
    named = " ".join(shlex.quote(str(folder)) for folder in ([parent] if together else folders))
    if any(run.shard is not None for run in runs):
        out.print(f"Next, when all parts are done: falter merge {named} ... --out DIR")
        return
    if not scored:
        pass
    elif runs[0].suite().item_count <= _MOST_SCORED:
        out.print("")
        try:
            print_result(score(runs))
        except FalterError as error:
            note(f"  no scores: {error}")
    else:
        out.print(f"Scores: falter score {named}")
    out.print(f"Next: falter report {named} --out report.html")


class _Judge:
    """What a run has decided, or tells of the whole suite with stored runs."""

    def __init__(self, until: bool, baseline: Path | None, helpers: Sequence[Path]) -> None:
        self._until = until
        self._baseline = baseline
        self._helpers = [*helpers]

    @property
    def judges(self) -> bool:
        """Whether there is a verdict or an estimate to show in the place of scores."""
        return self._until or bool(self._helpers)

    def judge(self, done: Run, *, quiet: bool) -> tuple[dict[str, Any], bool]:
        """What it says of a run, and whether the run meets what is required."""
        from falter.api.results import check, score

        if self._until:
            verdicts = check(done, baseline=self._baseline, value=True)
            if not quiet:
                print_result(verdicts)
            return {"verdicts": verdicts.rows}, verdicts.passed
        if not self._helpers:
            return {}, True
        (estimates,) = score(done, helpers=self._helpers, n_resamples=0).estimates
        if not quiet:
            print_result(estimates)
        return {"estimates": estimates.json_value()}, True


class _Presenter:
    """Shows of each run the plan, then the rate and the time left, and what came of it when it ends."""

    def __init__(self, judge: _Judge, *, several: bool, quiet: bool) -> None:
        self.results: list[dict[str, Any]] = []
        self.spent: list[Path] = []
        self.scorable: list[Path] = []
        self.passed = True
        self._judge = judge
        self._several = several
        self._quiet = quiet
        self._progress: ProgressCallback = no_progress
        self._status: StatusCallback = str
        self._display = ExitStack()

    def __enter__(self) -> _Presenter:
        return self

    def __exit__(self, *error: object) -> None:
        self._display.close()

    def on_usage(self, usage: Usage) -> None:
        self._status = usage.format_trouble

    def on_plan(self, plan: Plan) -> None:
        show_plan(plan)
        display = self._display.enter_context(progress())
        self._progress = display.start_stage(plan.model, plan.to_ask + plan.unsupported, self._status)

    def on_replies(self, count: int) -> None:
        self._progress(count)

    def on_run(self, run: Run, budget_end: BudgetExceededError | None) -> None:
        self._display.close()
        self._status = str
        if budget_end is not None:
            if not self._several and not self._judge.judges:
                return
            note(f"  {budget_end}")
            self.spent.append(run.folder)
        self._show(run)

    def _show(self, run: Run) -> None:
        from falter.api.running import shortfall

        shown = _result(run, quiet=self._quiet)
        verdicts, passed = self._judge.judge(run, quiet=self._quiet)
        self.results.append(shown | verdicts)
        short = "" if run.folder in self.spent else shortfall(run)
        if short:
            note(f"  {short}")
        is_whole = not short and run.folder not in self.spent
        self.scorable += [run.folder] if is_whole else []
        self.passed = self.passed and passed and is_whole


def _result(done: Run, *, quiet: bool) -> dict[str, Any]:
    manifest = done.manifest
    if not quiet:
        counted = ", ".join(
            f"{manifest.counts[status]:,} {status}" for status in ("ok", "unparsed", "unsupported", "failed")
        )
        out.print(f"{manifest.model.name}: {counted}; {done.folder}")
        if manifest.counts["failed"]:
            note(f"  failed, for example: {_a_failure(done)}")
    usage = done.usage
    if usage is not None and not quiet:
        out.print(f"  {usage}")
    others = manifest.model.replied_as
    if others:
        more = f" and {len(others) - _NAMES_SHOWN} more" if len(others) > _NAMES_SHOWN else ""
        named = ", ".join(others[:_NAMES_SHOWN]) + more
        note(f"  the server replied under another name than asked for: {named}; -M model_name=exact refuses that")
    odd = "; ".join(done.answer_notes())
    if odd:
        note(f"  {odd}")
    return {
        "model": manifest.model.name,
        "out": str(done.folder),
        "complete": manifest.complete,
        "asked": manifest.asked,
        "counts": manifest.counts,
        **({"replied_as": others} if others else {}),
        **({} if usage is None else {"usage": usage}),
    }


def _a_failure(done: Run) -> str:
    """What went wrong most often; where every failure is its own, one of them."""
    errors = done.replies().filter(status="failed")["error"].drop_nulls()
    return str(errors.mode().sort()[0]).removeprefix("transient: ") if len(errors) else "no reason was given"


def add_merge(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("merge")
    def merge_command(
        parts: Annotated[list[Path], typer.Argument(metavar="PART", help="The runs made with --shard, all of them.")],
        out_folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the merged run.")],
        suite: Annotated[
            Path | None, typer.Option("--suite", metavar="DIR", help="The suite. Default: the path recorded in part 1.")
        ] = None,
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Merge the parts of a run that was divided with --shard, as if it had never been divided.

        Exit 1: the run is incomplete, or over 1 % of its items failed.

        Example: falter merge runs/part-1 runs/part-2 --out runs/mine
        """
        from falter.api.running import merge, shortfall

        run = merge(parts, out_folder, suite=suite, overwrite=overwrite)
        manifest = run.manifest
        if as_json:
            print_json(
                {
                    "model": manifest.model.name,
                    "out": str(run.folder),
                    "complete": manifest.complete,
                    "asked": manifest.asked,
                    "counts": manifest.counts,
                }
            )
        else:
            state = "complete" if manifest.complete else "incomplete; rerun the model on it without --shard to resume"
            out.print(f"{manifest.model.name}: {format_count(manifest.asked, 'items')}, {state}; {run.folder}")
        short = shortfall(run)
        if short:
            note(f"  {short}")
            raise typer.Exit(1)
