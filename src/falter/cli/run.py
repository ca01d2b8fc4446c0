"""``falter run`` and ``merge``: run models on a suite, and make one run of its parts.

Replies are written as they come, and an interrupted run resumes.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from falter import ModelOptions
from falter.cli.command_groups import PluginDirs
from falter.cli.options import ImageDir, option_rules, with_struct_options
from falter.cli.output import note, out, print_json, print_result, progress, show_plan
from falter.core.errors import FalterError, UsageError
from falter.core.progress import ProgressCallback, ProgressDisplay, StatusCallback, no_progress
from falter.core.tables import format_count

if TYPE_CHECKING:
    from falter.data.usage import Usage
    from falter.evaluation.engine import Plan
    from falter.evaluation.runs import Run


_NAMES_SHOWN = 3


def add_run(app: typer.Typer) -> None:
    """Add the command."""

    @option_rules(
        needs={
            "--seed": ("--limit", "--image-input shuffle", "--random-order", "--until", "--helpers"),
            **dict.fromkeys(("--baseline", "--alpha", "--look-every", "--allow-missing"), "--until"),
        }
    )
    def run(
        suite: Annotated[Path, typer.Argument(metavar="SUITE", help="A suite folder.")],
        *,
        model: Annotated[
            list[str],
            typer.Option(
                "--model", metavar="SPEC", help="A model, e.g. builtin:blind or file:answers.jsonl; may be repeated."
            ),
        ],
        out_folder: Annotated[
            Path | None,
            typer.Option(
                "--out",
                metavar="DIR",
                help="The run's folder; with several models, each run gets a folder in it. Default: runs/MODEL-SUITE.",
            ),
        ] = None,
        scenes: Annotated[
            str | None,
            typer.Option(
                "--scenes", metavar="SOURCE", help="Scene graphs of the images, for builtin:oracle and noisy-oracle."
            ),
        ] = None,
        train: Annotated[
            str | None,
            typer.Option("--train", metavar="SOURCE", help="Questions to train on, for prior, blind and bow-image."),
        ] = None,
        image_dir: ImageDir = None,
        plugin_dir: PluginDirs = None,
        limit: Annotated[
            int | None,
            typer.Option(
                "--limit",
                metavar="PROBES",
                help="Number of whole probes, drawn evenly over the tests; can be raised in place. Default: all.",
            ),
        ] = None,
        batch_size: Annotated[
            int | None,
            typer.Option("--batch-size", metavar="N", help="Items per batch. Default: what the model declares."),
        ] = None,
        seed: Annotated[
            int, typer.Option("--seed", metavar="S", help="Random seed of --limit and of --image-input shuffle.")
        ] = 0,
        repeat: Annotated[
            int,
            typer.Option("--repeat", metavar="K", help="Call the model K times per item, to measure repeatability."),
        ] = 1,
        image_input: Annotated[
            Literal["none", "blank", "shuffle"] | None,
            typer.Option("--image-input", help="Image ablation: no image, a gray image, or the image of another item."),
        ] = None,
        prompts: Annotated[
            str | None,
            typer.Option(
                "--prompts", metavar="A,B,...", help="Run under several prompts, each in a folder of its own."
            ),
        ] = None,
        cache: Annotated[
            Path | None, typer.Option("--cache", metavar="DIR", help="Store replies here, and reuse stored ones.")
        ] = None,
        shard: Annotated[
            str | None,
            typer.Option("--shard", metavar="I/N", help="Run one of N parts of the items; falter merge joins them."),
        ] = None,
        random_order: Annotated[
            bool,
            typer.Option(
                "--random-order",
                help="Ask probes in an order drawn by the seed: a run cut off has intervals for the whole suite.",
            ),
        ] = False,
        until: Annotated[
            list[str] | None,
            typer.Option(
                "--until",
                metavar="REQUIREMENT",
                help="Ask in random order until it is decided whether a full run meets this requirement of falter "
                "check, or those of a YAML file; may be repeated.",
            ),
        ] = None,
        baseline: Annotated[
            Path | None,
            typer.Option("--baseline", metavar="RUN", help="The run that --until ...>=baseline-2% refers to."),
        ] = None,
        alpha: Annotated[
            str,
            typer.Option(
                "--alpha", metavar="SHARE", help="How probably any verdict of --until may differ from the full run's."
            ),
        ] = "5%",
        look_every: Annotated[
            int, typer.Option("--look-every", metavar="PROBES", help="Probes between two tests of --until, at least.")
        ] = 20,
        allow_missing: Annotated[
            str | None,
            typer.Option(
                "--allow-missing",
                metavar="SHARE",
                help="Share of the pairs asked by --until that may lack an answer. Default: 1%.",
            ),
        ] = None,
        helpers: Annotated[
            list[Path] | None,
            typer.Option(
                "--helpers",
                metavar="RUNS",
                help="Complete runs of other models on the suite, or a folder of them: with --limit or a budget, asks "
                "a random sample and estimates the scores over the whole suite; may be repeated.",
            ),
        ] = None,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="Show what would be called and what it costs; call nothing.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
        options: dict[str, Any],
    ) -> None:
        """Run one or more models on a suite. Repeat the command to resume an interrupted run.

        Items that have a reply are not asked again, except those that failed with a transient error. Exit 1: a run is
        incomplete, or over 1 % of its items failed, or a requirement of --until is not met or undecided.

        Example: falter run suite --model builtin:always-yes --out runs/always-yes
        """
        from falter.api.model_jobs import model_jobs, prepare_run, refuse_unused
        from falter.api.running import BudgetExceededError, load_run, open_cache, run_folders, shortfall

        setup = prepare_run(
            suite,
            limit=limit,
            seed=seed,
            repeat=repeat,
            image_input=image_input,
            scenes=scenes,
            train=train,
            options=options,
            shard=shard,
            plugins=plugin_dir or (),
            image_dir=image_dir,
            random_order=random_order,
            until=until or (),
            has_controls=bool(helpers),
            baseline=baseline,
            alpha=alpha,
            look_every=look_every,
            allow_missing=allow_missing,
        )
        several = [] if prompts is None else _split_prompts(prompts)
        jobs = model_jobs(model, setup, prompts=several, notify=note)
        refuse_unused(jobs, batch_size=batch_size, cache=cache)
        folders = run_folders(out_folder, [job.name for job in jobs], suite=setup.suite.name)
        results: list[dict[str, Any]] = []
        spent: list[Path] = []
        lacking: list[Path] = []
        unmet: list[Path] = []
        with ExitStack() as stack:
            kept = None
            if cache is not None and _may_open(cache, dry_run):
                kept = stack.enter_context(open_cache(cache))
            for folder in folders:
                # Each is let go of before the next prompt's is loaded: weights may not fit twice.
                job = jobs.pop(0)
                if dry_run:
                    plan = job.plan(folder, batch_size=batch_size, cache=kept)
                    show_plan(plan)
                    results.append({"model": plan.model, "out": str(folder), "plan": plan})
                    continue
                try:
                    with progress() as display:
                        done = job.run(folder, batch_size=batch_size, cache=kept, observer=_Observer(display))
                except BudgetExceededError as end:
                    if len(folders) == 1 and not until and not helpers:
                        raise
                    # The others may have something left, or cost nothing.
                    note(f"  {end}")
                    spent.append(folder)
                    done = load_run(folder)
                results.append(_result(done, quiet=as_json))
                more, passed = _judge(done, bool(until), baseline, helpers or [], quiet=as_json)
                results[-1] |= more
                unmet += [] if passed else [folder]
                short = "" if folder in spent else shortfall(done)
                if short:
                    note(f"  {short}")
                    lacking.append(folder)
        if as_json:
            print_json(results)
        elif not dry_run:
            _show_scores([one for one in folders if one not in (*lacking, *spent)], scored=not (until or helpers))
        if len(spent) > 1 or (spent and not until and not helpers):
            raise BudgetExceededError(
                f"the budget was spent before {len(spent)} of {format_count(len(folders), 'runs')} were complete "
                f"({', '.join(map(str, spent))}); repeat the command with a budget for the rest to resume"
            )
        if lacking or unmet or spent:
            raise typer.Exit(1)

    app.command()(with_struct_options(run, ModelOptions, into="options"))


_MOST_SCORED = 200_000
"""Scores of larger suites take long: then only the command for them is shown."""


def _show_scores(folders: Sequence[Path], *, scored: bool) -> None:
    """The scores of complete runs, if they are wanted, and what one may do next."""
    if not folders:
        return
    from falter.api.paths import find_runs
    from falter.api.results import score
    from falter.api.running import load_run

    runs = [load_run(folder) for folder in folders]
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


def _judge(
    done: Run, until: bool, baseline: Path | None, helpers: list[Path], *, quiet: bool
) -> tuple[dict[str, Any], bool]:
    """What a run has decided, or tells of the whole suite with stored runs; and whether it meets what is required."""
    from falter.api.results import check, estimate

    if until:
        verdicts = check(done, baseline=baseline, value=True)
        if not quiet:
            print_result(verdicts)
        return {"verdicts": verdicts.rows}, verdicts.passed
    if not helpers:
        return {}, True
    estimates = estimate(done, helpers)
    if not quiet:
        print_result(estimates)
    return {"estimates": estimates.json_value()}, True


def _split_prompts(given: str) -> list[str]:
    names = [name.strip() for name in given.split(",") if name.strip()]
    if len(names) < 2:
        raise UsageError(f"--prompts takes two or more, such as standard,plain, not {given!r}")
    return names


def _may_open(cache: Path, dry_run: bool) -> bool:
    """A dry run looks into a cache that is there, and makes none."""
    return not dry_run or (cache / "replies.sqlite").is_file()


class _Observer:
    """Shows the plan, then the rate and the time left."""

    def __init__(self, display: ProgressDisplay) -> None:
        self._display = display
        self._progress: ProgressCallback = no_progress
        self._status: StatusCallback = str

    def on_usage(self, usage: Usage) -> None:
        self._status = usage.format_trouble

    def on_plan(self, plan: Plan) -> None:
        show_plan(plan)
        self._progress = self._display.start_stage(plan.model, plan.to_ask + plan.unsupported, self._status)

    def on_replies(self, count: int) -> None:
        self._progress(count)


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
        note(f"  the server replied under another name than asked for: {named}; --model-name exact refuses that")
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
