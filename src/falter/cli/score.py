"""``falter score``: the scores of runs, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from falter.cli.conditions import conditions_of, print_conditions
from falter.cli.output import note, out, print_json, progress
from falter.cli.run_paths import runs_in
from falter.cli.scoring_options import AsJson, IntervalSeed, RuleName, SubsetName, SuiteFolder
from falter.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from falter.measures import Group, Measure, Score, VqaRule

__all__ = ["names_of_runs", "register", "rule_of"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def score(
        runs: list[Path] = typer.Argument(help="Run folders, or folders that hold run folders."),
        *,
        by: list[str] = typer.Option([], "--by", metavar="FACET", help="Break the scores down by a facet; may repeat."),
        suite: SuiteFolder = None,
        subset: SubsetName = None,
        rule: RuleName = "vqa-v2",
        seed: IntervalSeed = 0,
        json: AsJson = False,
    ) -> None:
        """Show what runs score on every test, with 95 % intervals over images.

        Runs of one model with and without its pictures, or under several prompts, are also set beside each other.

        Example: falter score runs/oracle runs/always-yes --by form
        """
        from falter.runs import open_run
        from falter.runs.scoring import score_run

        chosen = rule_of(rule)
        opened = [open_run(folder, suite_folder=suite) for folder in runs_in(runs)]
        for run in opened:
            if run.shard is not None:
                note(f"{run.folder} is part {run.shard} of a run; falter merge joins the parts")
        results = []
        with progress() as bar:
            task = bar.add_task("scoring", total=len(opened))
            for run in opened:
                results.append(score_run(run, by=by, seed=seed, vqa_rule=chosen, subset=subset))
                bar.advance(task)
        conditions = conditions_of(opened, seed=seed, vqa_rule=chosen, subset=subset)
        names = names_of_runs([(run.manifest.model.name, run.folder) for run in opened])
        if json:
            print_json(
                [
                    {"run": str(run.folder), "model": name, "complete": run.manifest.complete, "scores": scores}
                    | ({} if run.shard is None else {"shard": str(run.shard)})
                    | conditions.told(place, opened)
                    for place, (run, name, scores) in enumerate(zip(opened, names, results, strict=True))
                ]
            )
            return
        print_scores(names, results, seed)
        print_conditions(conditions, names)


def rule_of(name: str) -> VqaRule:
    """The rule of that name."""
    from falter.measures.outcomes import VQA_RULES

    for rule in VQA_RULES:
        if rule == name:
            return rule
    raise UsageError(f"unknown rule {name!r}: there are {', '.join(VQA_RULES)}")


def names_of_runs(runs: Sequence[tuple[str, Path]]) -> list[str]:
    """The models' names; where two are alike, the folder is added."""
    names = [name for name, _ in runs]
    return [name if names.count(name) == 1 else f"{name} ({folder.name})" for name, folder in runs]


def print_scores(
    names: Sequence[str], results: Sequence[Sequence[Score]], seed: int, only: Sequence[str] | None = None
) -> None:
    """One table of whole tests, and one for each facet; ``only`` some measures, where given."""
    if only is not None:
        results = [[score for score in scores if score.measure in only] for scores in results]
    facets = dict.fromkeys(score.group.facet for scores in results for score in scores)
    if not facets:
        out.print("There is no pair to score.")
        return
    for facet in facets:
        if facet is not None:
            out.print(f"By {facet}")
        _print_facet(names, results, facet)
    out.print(f"Percent, with the 95 % interval over images (1,000 draws, seed {seed}). --json adds the signatures.")
    for name, scores in zip(names, results, strict=True):
        _print_reasons(name, scores)


def _print_reasons(name: str, scores: Sequence[Score]) -> None:
    """Which measures a model has nowhere a value of, and why, where more than a lack of replies is the reason."""
    from falter.measures.results import NO_REPLIES

    measured = {score.measure for score in scores if score.value is not None}
    titles = {measure.name: measure.title for measure in _measures_in([scores]) if measure.requires}
    unsaid: dict[str, dict[str, None]] = {}
    for score in scores:
        if score.reason and score.measure in titles and score.measure not in measured and score.reason != NO_REPLIES:
            unsaid.setdefault(score.reason, {})[titles[score.measure]] = None
    for reason, measures in unsaid.items():
        out.print(f"{name} has no {', '.join(measures)}: {reason}.")


def _print_facet(names: Sequence[str], results: Sequence[Sequence[Score]], facet: str | None) -> None:
    from falter.cli.tables import Column, print_columns
    from falter.measures.counting import MACRO, MICRO

    found = {
        (name, score.group, score.measure): score
        for name, scores in zip(names, results, strict=True)
        for score in scores
        if score.group.facet == facet
    }
    groups = sorted({group for _, group, _ in found}, key=lambda group: (group.test in (MICRO, MACRO), group))
    rows = [(group, name) for group in groups for name in names]

    def scores_of(measure: str) -> list[Score | None]:
        return [found.get((name, group, measure)) for group, name in rows]

    keys = [Column("test", _once(rows, lambda group: f"{group.suite}:{group.test}"))]
    if facet is not None:
        keys.append(Column(facet, _once(rows, lambda group: group.value or "")))
    keys.append(Column("model", _texts(name for _, name in rows)))
    measures = _measures_in(results)
    values = [
        Column(count.title, _texts(_number(score) for score in scores_of(count.name)), right=True)
        for count in measures
        if count.scale == "count"
        and (count.name == "pairs" or any(score is not None and score.value for score in scores_of(count.name)))
    ]
    values += [
        Column(_in_two_lines(measure.title), [_percent(score) for score in scores_of(measure.name)], right=True)
        for measure in measures
        if measure.scale != "count"
        and any(score is not None and score.value is not None for score in scores_of(measure.name))
    ]
    print_columns(keys, values, sections=frozenset(range(0, len(rows), len(names))))


def _measures_in(results: Sequence[Sequence[Score]]) -> list[Measure]:
    """The measures that some scores are of, in the order of the tables."""
    from falter.measures import measures_for

    names = {score.measure for scores in results for score in scores}
    suites = sorted({score.group.suite for scores in results for score in scores})
    return [measure for measure in measures_for(suites) if measure.name in names]


def _once(rows: Sequence[tuple[Group, str]], tell: Callable[[Group], str]) -> list[Text]:
    """What names a group stands in its first row only."""
    told = [tell(group) if not number or rows[number - 1][0] != group else "" for number, (group, _) in enumerate(rows)]
    return _texts(told)


def _in_two_lines(title: str) -> str:
    return title.replace(" ", "\n", 1)


def _texts(cells: Iterable[str]) -> list[Text]:
    from rich.text import Text

    return [Text(cell) for cell in cells]


def _number(score: Score | None) -> str:
    return "" if score is None or score.value is None else f"{int(score.value):,}"


def _percent(score: Score | None) -> Text:
    from rich.text import Text

    if score is None or score.value is None:
        return Text("–", style="dim")
    text = Text(f"{100 * score.value:.1f}")
    if score.low is not None and score.high is not None:
        text.append(f"\n{_end(score.low)}–{_end(score.high)}", style="dim")
    return text


def _end(value: float) -> str:
    return f"{100 * value:.1f}" if 0 < abs(value) < 1 else f"{100 * value:.0f}"
