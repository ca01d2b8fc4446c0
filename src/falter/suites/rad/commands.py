"""``falter rad predict-accuracy``: how well RAD predicts accuracy on augmentations that were not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from falter.cli.options import AsJson, SuiteFolder, with_struct_options
from falter.cli.output import note, out, print_json, print_table, progress
from falter.core.errors import UsageError
from falter.core.tables import PIPE_WIDTH, format_count
from falter.evaluation.score_options import ScoreOptions

if TYPE_CHECKING:
    from falter.evaluation.runs import Run
    from falter.suites.rad.prediction import AccuracyPrediction, CorrectPairs, FeatureMode

_TITLES = {
    "all": "Accuracy(D), RAD(D, D'), RAD(D', D)",
    "accuracy": "Accuracy(D)",
    "rad_forward": "RAD(D, D')",
    "rad_backward": "RAD(D', D)",
}

_MOST_NAMED = 5


def _predict_accuracy_command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders of run folders, of several models.")],
    *,
    features: Annotated[
        str,
        typer.Option(
            "--features",
            metavar="pooled|mean",
            help="The other tests are one set of pairs, or their figures are averaged.",
        ),
    ] = "pooled",
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="Predict this test; may be repeated. Default: the paper's four that there are."),
    ] = None,
    instances: Annotated[
        str,
        typer.Option(
            "--instances", metavar="model|folder", help="Runs of one model, or in one folder, belong together."
        ),
    ] = "model",
    suite: SuiteFolder = None,
    json: AsJson = False,
    options: Mapping[str, Any],
) -> None:
    """Predict each test's accuracy on variants from accuracy and RAD on the other tests, by linear regression.

    Every model is one observation. R^2 is the mean over the tests with its standard deviation, in sample and with each
    model left out in turn, with an intercept and without (as the paper writes it).

    Example: falter rad predict-accuracy runs --features mean
    """
    from falter.api.paths import as_runs
    from falter.suites.rad.prediction import find_targets, instances_of, predict_accuracy, runs_of_rad

    mode = _mode(features)
    if instances not in ("model", "folder"):
        raise UsageError(f"--instances {instances!r}: not one of model, folder")
    chosen = ScoreOptions(**options)
    opened, others = runs_of_rad(as_runs(runs, suite))
    if not opened:
        raise UsageError("none of the runs is on a suite of RAD; give runs on suites that falter generate rad made")
    if others:
        note(_format_left_out(others))
    with progress() as bar:
        task = bar.add_task("counting", total=None)
        found = instances_of(opened, chosen, by="folder" if instances == "folder" else "model")
        bar.advance(task)
    targets = find_targets(found, test or ())
    predictions = predict_accuracy(found, targets, mode)
    incomplete = _format_incomplete(found, targets)
    if incomplete:
        note(incomplete)
    published, unshown = _published(mode, targets, chosen)
    if json:
        told = {"instances": sorted(found), "targets": targets, "features": mode, "vqa_rule": chosen.vqa_rule}
        print_json({**told, "predictions": predictions, "published": published})
        return
    for line in unshown:
        note(line)
    out.print(
        f"accuracy on {', '.join(targets)}, each predicted from the others, over "
        f"{format_count(len(found), 'models')}: R^2"
    )
    print_table(_blocks(predictions, published))
    out.print(
        f"Mean and standard deviation over {format_count(len(targets), 'tests')}; the other tests are "
        f"{'one set of pairs' if mode == 'pooled' else 'averaged'}."
        + (
            f" Published: {published['source']}, {published['instances']} instances of {published['model']}."
            if published
            else ""
        )
    )


predict_accuracy_command = with_struct_options(
    _predict_accuracy_command, ScoreOptions, into="options", only=("vqa_rule",)
)


def _format_left_out(others: Sequence[Run]) -> str:
    """Which runs are on other suites, in one line."""
    from falter.suites.rad.prediction import suite_names

    suites = ", ".join(sorted({name for run in others for name in suite_names(run)}))
    return f"left out: {format_count(len(others), 'runs')} on other suites ({suites})"


def _format_incomplete(instances: Mapping[str, Mapping[str, CorrectPairs]], targets: Sequence[str]) -> str:
    """How many pairs of the targets have no two replies, and of which models; "" where all have them."""
    used = {name: [tests[test] for test in targets] for name, tests in instances.items()}
    lacking = {name: sum(one.excluded for one in own) for name, own in used.items()}
    excluded, pairs = sum(lacking.values()), sum(one.pairs for own in used.values() for one in own)
    if not excluded:
        return ""
    most = sorted((name for name, count in lacking.items() if count), key=lambda name: (-lacking[name], name))
    told = [f"{name} {lacking[name]:,}" for name in most[:_MOST_NAMED]]
    told += [f"{len(most) - _MOST_NAMED} more"] if len(most) > _MOST_NAMED else []
    return (
        f"left out: {excluded:,} of {format_count(excluded + pairs, 'pairs')}, since one of their questions has no "
        f"reply ({', '.join(told)})"
    )


def _mode(name: str) -> FeatureMode:
    if name == "pooled":
        return "pooled"
    if name == "mean":
        return "mean"
    raise UsageError(f"--features {name!r}: not one of pooled, mean")


def _published(mode: FeatureMode, targets: Sequence[str], options: ScoreOptions) -> tuple[dict[str, Any], list[str]]:
    """Table 4 of the paper, where it is of the same features and tests; else why it is not shown."""
    from falter.data.suite import SuiteManifest
    from falter.evaluation.reporting.published import published_for
    from falter.evaluation.reporting.published_settings import SuiteFacts, format_unshown

    found = published_for("rad")
    if found is None:
        return {}, []
    asked = {"features": mode, "targets": ", ".join(sorted(targets))}
    facts = SuiteFacts(SuiteManifest(name="rad", parameters=asked), options=options)
    described, unshown = found.describing(facts, ["prediction"])
    tables = described.extra["prediction"]
    shown = {"source": tables[0].source, **tables[0].figures} if tables else {}
    return shown, format_unshown(unshown)


def _blocks(predictions: Sequence[AccuracyPrediction], published: dict[str, Any]) -> list[Any]:
    from rich.text import Text

    from falter.core.tables import Column, Grid

    with_constant, without = ([one for one in predictions if one.intercept is wanted] for wanted in (True, False))

    def column(heading: str, rows: Sequence[AccuracyPrediction], *, left_out: bool) -> Column:
        cells = [
            _spread(*((one.r2_left_out, one.r2_left_out_deviation) if left_out else (one.r2, one.r2_deviation)))
            for one in rows
        ]
        return Column(heading, [Text(cell) for cell in cells], right=True)

    printed = [_spread(*published["values"][one.features]) for one in with_constant] if published else []
    return [
        Grid(
            [Column("features", [Text(_TITLES[one.features]) for one in with_constant])],
            [
                column("in sample", with_constant, left_out=False),
                column("left out", with_constant, left_out=True),
                column("no intercept", without, left_out=False),
                column("no intercept, left out", without, left_out=True),
                *([Column("published", [Text(cell) for cell in printed], right=True)] if printed else []),
            ],
            most=PIPE_WIDTH,
        )
    ]


def _spread(value: float | None, deviation: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if deviation is None else f"{value:.3f} ± {deviation:.3f}"
