"""``falter check``: a gate for continuous integration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from falter.api.results import ScoreOptions
from falter.cli.options import AsJson, SuiteFolder, option_rules, with_struct_options
from falter.cli.output import print_json, print_result, print_table
from falter.core.errors import UsageError

if TYPE_CHECKING:
    from falter.evaluation.runs.checks import CheckResults


def add_check(app: typer.Typer) -> None:
    """Add the command."""

    @option_rules(needs={"--alpha": "--value"}, idle_with={"--seed": "--value"})
    def check(
        runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, or folders of run folders.")],
        *,
        require: Annotated[
            list[str] | None,
            typer.Option(
                "--require",
                metavar="REQUIREMENT",
                help="Requirement: "
                "suite.test.measure[facet=value] with >=, >, <= or < and a number, a percentage or baseline-2%; "
                "may be repeated. A floor is checked against the lower end of the interval, a ceiling against the "
                "upper end. cons is checked as cons_strict.",
            ),
        ] = None,
        requirements: Annotated[
            Path | None,
            typer.Option("--requirements", metavar="FILE", help="A YAML file with a list of requirements."),
        ] = None,
        baseline: Annotated[
            Path | None,
            typer.Option("--baseline", metavar="RUN", help="The run that requirements such as >=baseline-2% refer to."),
        ] = None,
        value: Annotated[
            bool,
            typer.Option(
                "--value",
                help="Check the value over the whole suite instead of the end of its interval: exactly for a full run, "
                "by tests that hold at any time for a run in random order that asked a part.",
            ),
        ] = False,
        alpha: Annotated[
            str | None,
            typer.Option(
                "--alpha",
                metavar="SHARE",
                help="With --value: how probably any verdict may differ from the full run's. Default: 5%.",
            ),
        ] = None,
        allow_missing: Annotated[
            str | None,
            typer.Option(
                "--allow-missing", metavar="SHARE", help="Share of the pairs that may lack an answer. Default: 1%."
            ),
        ] = None,
        junit: Annotated[
            Path | None, typer.Option("--junit", metavar="FILE", help="Write the results as JUnit XML.")
        ] = None,
        markdown: Annotated[
            Path | None, typer.Option("--markdown", metavar="FILE", help="Write them as Markdown.")
        ] = None,
        suite: SuiteFolder = None,
        json: AsJson = False,
        options: Mapping[str, Any],
    ) -> None:
        """Check runs against requirements.

        Exit 0: all met; 1: one not met, undecided or with too few answers; 2: bad use or input.

        Example: falter check runs/mine --require 'carets.negation.c_acc>=60%' --junit check.xml
        """
        from falter.api.paths import as_runs, refuse_output_file
        from falter.api.results import check, checks_to_junit
        from falter.core.files import write_atomically

        wanted = [*(require or ()), *([requirements] if requirements is not None else ())]
        opened = {str(one.folder): one for one in as_runs(runs, suite)}
        for file in (junit, markdown):
            if file is not None:
                refuse_output_file(file, opened.values(), requirements)
        found: dict[str, CheckResults] = {}
        for folder, run in opened.items():
            with _name_run(folder if len(opened) > 1 else None):
                checked = check(
                    run,
                    wanted,
                    baseline=baseline,
                    allow_missing=allow_missing,
                    suite=suite,
                    value=value,
                    alpha=alpha,
                    **options,
                )
            found[f"{folder}: {checked.model}" if len(opened) > 1 else checked.model] = checked
        if junit is not None:
            write_atomically(junit, checks_to_junit(found))
        if markdown is not None:
            write_atomically(markdown, "\n".join(one.to_markdown_named(name) for name, one in found.items()))
        _show(opened, found, json)
        if not all(one.passed for one in found.values()):
            raise typer.Exit(1)

    app.command()(with_struct_options(check, ScoreOptions, into="options", only=("subset", "vqa_rule", "seed")))


@contextmanager
def _name_run(folder: str | None) -> Iterator[None]:
    """Say of which run bad use is, where there are several; bad input names its file itself."""
    try:
        yield
    except UsageError as error:
        if folder is None:
            raise
        raise UsageError(f"{folder}: {error}") from error


def _show(folders: Iterable[str], found: dict[str, CheckResults], json: bool) -> None:
    """One run as a table or as an object; of several a table under the name of each, or a list of objects."""
    if len(found) == 1:
        for one in found.values():
            print_result(one, json)
    elif json:
        print_json([{"run": run, **one.json_value()} for run, one in zip(folders, found.values(), strict=True)])
    else:
        for name, one in found.items():
            print_table([name, *one.blocks()])
