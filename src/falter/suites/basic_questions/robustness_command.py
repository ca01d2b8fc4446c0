"""``falter basic-questions robustness``: accuracy under noise of rising strength, R_score, VQABQ."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from falter.cli.options import AsJson, SuiteFolder, with_struct_options
from falter.cli.output import out, print_json, print_table, progress
from falter.core.errors import UsageError
from falter.evaluation.score_options import ScoreOptions

if TYPE_CHECKING:
    from rich.text import Text

    from falter.evaluation.measures import Estimate
    from falter.suites.basic_questions.robustness import Robustness
    from falter.suites.basic_questions.vqabq import Vqabq

__all__ = ["robustness_command"]


def _robustness_command(
    runs: Annotated[list[Path], typer.Argument(help="Runs on a suite of basic questions, or folders of run folders.")],
    *,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", help="R_score is 1 up to this difference, in percentage points."),
    ] = 0.05,
    max_drop: Annotated[
        float, typer.Option("--max-drop", help="R_score is 0 from this difference on, in percentage points.")
    ] = 20.0,
    test: Annotated[list[str] | None, typer.Option("--test", help="Only this test; may be repeated.")] = None,
    thresholds: Annotated[
        str | None,
        typer.Option("--thresholds", metavar="S1,S2,S3", help="For vqabq, instead of the suite's own."),
    ] = None,
    tune: Annotated[
        float | None,
        typer.Option(
            "--tune-fraction", metavar="SHARE", help="For vqabq: choose thresholds on this share of the images."
        ),
    ] = None,
    suite: SuiteFolder = None,
    json: AsJson = False,
    options: Mapping[str, Any],
) -> None:
    """Show how far accuracy falls as noise grows stronger, with R_score and 95 % intervals over images.

    Example: falter basic-questions robustness runs/prior runs/blind --vqa-rule min3
    """
    from falter.api.paths import as_runs
    from falter.evaluation.runs.score_tables import name_runs
    from falter.suites.basic_questions.robustness import robustness_of_run
    from falter.suites.basic_questions.vqabq import vqabq_of_run

    chosen = ScoreOptions(**options)
    if thresholds is not None and tune is not None:
        raise UsageError("--thresholds and --tune-fraction exclude each other")
    wanted = None if thresholds is None else _three(thresholds)
    opened = as_runs(runs, suite)
    found: list[tuple[list[Robustness], list[Vqabq]]] = []
    with progress() as bar:
        task = bar.add_task("measuring", total=len(opened))
        for run in opened:
            levels = robustness_of_run(run, chosen, t=tolerance, m=max_drop, tests=test)
            gains = vqabq_of_run(run, chosen, thresholds=wanted, tune_share=tune)
            found.append((levels, [one for one in gains if test is None or one.test in test]))
            bar.advance(task)
    names = [one.model for one in name_runs(opened)]
    if test and not any(levels for levels, _ in found):
        raise UsageError(f"no run has a test {' or '.join(test)} in which an answer must stay under noise")
    if json:
        print_json(
            [
                {"run": str(run.folder), "model": name, "robustness": levels, "vqabq": gains}
                for run, name, (levels, gains) in zip(opened, names, found, strict=True)
            ]
        )
        return
    if not any(levels for levels, _ in found):
        out.print("There is no test in which an answer must stay under noise.")
        return
    for name, (levels, gains) in zip(names, found, strict=True):
        for one in levels:
            _print_levels(name, one)
        for gain in gains:
            _print_vqabq(name, gain)
    out.print(
        f"Percent, with the 95 % interval over images (1,000 draws, seed {chosen.seed}).\n"
        "The drop is that of the same questions. --json adds the rest, with more digits."
    )


robustness_command = with_struct_options(_robustness_command, ScoreOptions, into="options", only=("vqa_rule", "seed"))


def _three(text: str) -> tuple[float, float, float]:
    from falter.suites.basic_questions.options import read_thresholds

    value = read_thresholds(text)
    if value == "auto":
        raise UsageError("--thresholds auto is for falter generate: here give three numbers, or --tune-fraction")
    return value


def _print_levels(name: str, found: Robustness) -> None:
    from rich.text import Text

    from falter.core.tables import Column, Grid

    out.print(f"{name} on {found.test}")
    rows: list[tuple[str, dict[str, Estimate], Estimate | None, Estimate | None]] = [
        ("original", found.original, None, None),
        *((one.name or "with noise", one.accuracy, one.drop["all"], one.r_score) for one in found.levels),
    ]
    values = [
        Column(kind.capitalize(), [_percent(row[1][kind]) for row in rows], right=True)
        for kind in (*found.types[1:], found.types[0])
    ]
    values.append(Column("Drop", [_cell(row[2], 100, (1, 0), " to ") for row in rows], right=True))
    values.append(Column("R_score", [_plain(row[3]) for row in rows], right=True))
    print_table([Grid([Column(found.facet or "noise", [Text(row[0]) for row in rows])], values, frozenset({1}))])
    if found.monotonicity.value is not None:
        out.print(f"Kendall's tau of the drop over levels: {_said(found.monotonicity)}")
    out.print("")


def _print_vqabq(name: str, found: Vqabq) -> None:
    out.print(f"{name} on {found.test}: basic questions appended by Algorithm 1")
    how = "tuned on other images" if found.tuned else "as given"
    out.print(f"  thresholds {', '.join(f'{one:g}' for one in found.thresholds)}, {how}")
    total = max(sum(found.appended.values()), 1)
    told = [f"{number}: {count:,} ({100 * count / total:.1f} %)" for number, count in found.appended.items()]
    out.print(f"  appended {', '.join(told)}")
    for kind in found.without:
        before, after = found.without[kind].value or 0.0, found.with_[kind].value or 0.0
        out.print(f"  {kind}: {100 * before:.2f} without, {100 * after:.2f} with")
    out.print(f"  gain {_said(found.gain, 100)} percentage points")
    out.print("")


def _said(value: Estimate, scale: float = 1) -> str:
    if value.value is None:
        return "not measured"
    told = f"{scale * value.value:.2f}"
    if value.low is None or value.high is None:
        return told
    return f"{told} ({scale * value.low:.2f} to {scale * value.high:.2f})"


def _percent(value: Estimate | None) -> Text:
    return _cell(value, 100, (1, 0))


def _plain(value: Estimate | None) -> Text:
    return _cell(value, 1, (2, 2))


def _cell(value: Estimate | None, scale: float, digits: tuple[int, int], between: str = "–") -> Text:
    """A value with its interval below; ``digits`` are those of the value, and of the ends: 80 columns hold seven."""
    from rich.text import Text

    if value is None or value.value is None:
        return Text("–", style="dim")
    text = Text(f"{scale * value.value:.{digits[0]}f}")
    if value.low is not None and value.high is not None:
        low, high = (f"{scale * end:.{digits[1]}f}" for end in (value.low, value.high))
        text.append(f"\n{low}{between}{high}", style="dim")
    return text
