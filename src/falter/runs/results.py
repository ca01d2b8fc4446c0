"""Result tables of runs: scores, comparisons, overlaps, prompt spreads, image ablations and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from falter.measures.requirements import CheckResult
from falter.measures.results import (
    NO_REPLIES,
    AnsweredPairs,
    Comparison,
    Estimate,
    Group,
    ImageAblation,
    Overlap,
    PromptSpread,
    Score,
    SharedPairs,
)
from falter.runs.check_formats import check_interval, check_value, format_junit, format_markdown
from falter.runs.table_cells import (
    first_of_group,
    format_count,
    format_count_score,
    format_difference,
    format_group,
    format_p_value,
    format_percent,
    interval_cell,
    measure_title,
    name_winner,
    overlap_cell,
    score_cell,
    split_heading,
    text_cells,
    winner_style,
)
from falter.tables import Block, Column, Grid, ResultTable

if TYPE_CHECKING:
    from rich.text import Text

    from falter.measures import Measure

__all__ = [
    "CheckResults",
    "Comparisons",
    "ImageAblations",
    "Overlaps",
    "PromptSpreads",
    "RunName",
    "RunScore",
    "RunScores",
    "Scores",
]


class RunName(msgspec.Struct, frozen=True):
    """A run and what its model is called in tables."""

    run: str
    model: str


class RunScore(msgspec.Struct, frozen=True, kw_only=True):
    """One score of one run: a row of :class:`Scores`."""

    model: str
    run: str
    suite: str
    test: str
    facet: str | None
    facet_value: str | None
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    signature: str
    reason: str | None


class RunScores(msgspec.Struct, frozen=True, kw_only=True):
    """All scores of one run."""

    run: str
    model: str
    complete: bool
    scores: tuple[Score, ...]
    shard: str | None = None
    """Which part of a divided run this is."""
    answered: tuple[AnsweredPairs, ...] = ()
    """By test how many pairs were answered."""
    answer_notes: tuple[str, ...] = ()
    """What is odd about its answers."""

    def notes(self) -> Iterator[str]:
        """What a reader of the scores must know of the run."""
        if self.shard is not None:
            yield f"{self.run} is part {self.shard} of a run; falter merge joins the parts"
        if not self.complete:
            yield f"{self.run} is incomplete; missing replies are excluded"
        yield from note_excluded(self.run, self.answered)
        if self.answer_notes:
            yield f"{self.run}: {'; '.join(self.answer_notes)}"


def note_excluded(run: str, answered: Iterable[AnsweredPairs]) -> Iterator[str]:
    """One line where a run lacks more than 1 % of the answers of a test."""
    lacking = [str(one) for one in answered if one.lacks_answers]
    if lacking:
        yield f"{run} has no answer to more than 1 % of the pairs; they are in no score: {'; '.join(lacking)}"


class ImageAblations(ResultTable[ImageAblation]):
    """What a model's scores retain without its images."""

    noun = "image ablations"

    def __init__(
        self, rows: Iterable[ImageAblation], *, runs: Sequence[RunName] = (), measures: Sequence[Measure] = ()
    ) -> None:
        super().__init__(rows)
        self.runs = tuple(runs)
        """Two runs: with the images, and with another image input."""
        self.measures = tuple(measures)

    def replace_rows(self, rows: Sequence[ImageAblation]) -> ImageAblations:
        return ImageAblations(rows, runs=self.runs, measures=self.measures)

    def json_value(self) -> Any:
        return {"with_image_run": self.runs[0].run if self.runs else None, "scores": self.rows}

    def blocks(self) -> Iterator[Block]:
        yield from image_ablation_blocks([self])


def image_ablation_blocks(tables: Sequence[ImageAblations]) -> Iterator[Block]:
    """The ablations of several models as one table."""
    rows = [(one, table) for table in tables for one in table.rows]
    if not rows:
        return
    yield "Image ablation"
    yield Grid(
        [
            Column("test", text_cells(f"{one.group.suite}:{one.group.test}" for one, _ in rows)),
            Column("model", text_cells(table.runs[1].model for _, table in rows)),
            Column("measure", text_cells(measure_title(one.measure, table.measures) for one, table in rows)),
        ],
        [
            Column("with\nimages", text_cells(format_percent(one.with_image) for one, _ in rows), right=True),
            Column("ablated", text_cells(format_percent(one.ablated) for one, _ in rows), right=True),
            Column("retained", [interval_cell(one.retained, one.low, one.high) for one, _ in rows], right=True),
            Column("n", text_cells(f"{one.n:,}" for one, _ in rows), right=True),
        ],
    )
    yield "Retained: the ablated score over the score with images, over the pairs that both runs include.\n"


class PromptSpreads(ResultTable[PromptSpread]):
    """How far the scores of one model vary over several prompts."""

    noun = "prompt spreads"

    def __init__(
        self, rows: Iterable[PromptSpread], *, runs: Sequence[RunName] = (), measures: Sequence[Measure] = ()
    ) -> None:
        super().__init__(rows)
        self.runs = tuple(runs)
        self.measures = tuple(measures)

    def replace_rows(self, rows: Sequence[PromptSpread]) -> PromptSpreads:
        return PromptSpreads(rows, runs=self.runs, measures=self.measures)

    def json_value(self) -> Any:
        return {"runs": [one.run for one in self.runs], "spread": self.rows}

    def blocks(self) -> Iterator[Block]:
        rows = self.rows
        if not rows:
            return

        def column(heading: str, estimates: Iterable[Estimate | None]) -> Column:
            empty = Estimate(None)
            cells = [interval_cell(one.value, one.low, one.high) for one in (each or empty for each in estimates)]
            return Column(heading, cells, right=True)

        yield f"Over {len(self.runs)} prompts: {', '.join(one.model for one in self.runs)}"
        values = [
            column("worst", (one.worst for one in rows)),
            Column("worst\nprompt", text_cells(one.worst_prompt for one in rows)),
            column("best", (one.best for one in rows)),
            column("range", (one.range for one in rows)),
            column("sd", (one.sd for one in rows)),
        ]
        if any(one.all_prompts is not None for one in rows):
            values.append(column("correct under\nall prompts", (one.all_prompts for one in rows)))
        yield Grid(
            [
                Column("test", text_cells(f"{one.group.suite}:{one.group.test}" for one in rows)),
                Column("measure", text_cells(measure_title(one.measure, self.measures) for one in rows)),
            ],
            values,
        )


class Scores(ResultTable[RunScore]):
    """The scores of one or more runs, with their image ablations and prompt spreads where there are any."""

    noun = "scores"

    def __init__(
        self,
        rows: Iterable[RunScore],
        *,
        runs: Sequence[RunScores] = (),
        measures: Sequence[Measure] = (),
        ablations: Sequence[ImageAblations] = (),
        spreads: Sequence[PromptSpreads] = (),
        seed: int = 0,
    ) -> None:
        super().__init__(rows)
        self.runs = tuple(runs)
        self.measures = tuple(measures)
        self.ablations = tuple(ablations)
        self.spreads = tuple(spreads)
        self.seed = seed

    @classmethod
    def from_runs(cls, runs: Sequence[RunScores], **settings: Any) -> Scores:
        """The table of the scores of several runs."""
        return cls((_run_score(run, score) for run in runs for score in run.scores), runs=runs, **settings)

    def replace_rows(self, rows: Sequence[RunScore]) -> Scores:
        return Scores(rows, runs=self.runs, measures=self.measures, seed=self.seed)

    def json_value(self) -> Any:
        """One record per run; an ablation is with the ablated run, prompts are with the first of their runs."""
        records: list[dict[str, Any]] = []
        for run in self.runs:
            record: dict[str, Any] = msgspec.structs.asdict(run)
            if run.shard is None:
                del record["shard"]
            if not run.answer_notes:
                del record["answer_notes"]
            for ablation in self.ablations:
                if ablation.runs[1].run == run.run:
                    record["image_ablation"] = ablation.json_value()
            for spread in self.spreads:
                if spread.runs[0].run == run.run:
                    record["prompts"] = spread.json_value()
            records.append(record)
        return records

    def blocks(self) -> Iterator[Block]:
        facets = dict.fromkeys(row.facet for row in self.rows)
        if not facets:
            yield "There is nothing to score."
            return
        for facet in facets:
            if facet is not None:
                yield f"By {facet}"
            yield self._grid(facet)
        yield f"Percent, with 95 % intervals over images (1,000 resamples, seed {self.seed}). --json adds signatures."
        yield from (note for run in self.runs for note in run.notes())
        yield from self._reasons()
        yield from image_ablation_blocks(self.ablations)
        for spread in self.spreads:
            yield from spread.blocks()

    def _grid(self, facet: str | None) -> Grid:
        from falter.measures.counting import MACRO, MICRO

        models = list(dict.fromkeys(row.model for row in self.rows))
        found = {(row.model, _group(row), row.measure): row for row in self.rows if row.facet == facet}
        groups = sorted({group for _, group, _ in found}, key=lambda group: (group.test in (MICRO, MACRO), group))
        rows = [(group, model) for group in groups for model in models]

        def column(measure: str) -> list[RunScore | None]:
            return [found.get((model, group, measure)) for group, model in rows]

        keys = [Column("test", first_of_group(rows, lambda group: f"{group.suite}:{group.test}"))]
        if facet is not None:
            keys.append(Column(facet, first_of_group(rows, lambda group: group.value or "")))
        keys.append(Column("model", text_cells(model for _, model in rows)))
        values = [
            Column(count.title, text_cells(format_count_score(one) for one in column(count.name)), right=True)
            for count in self.measures
            if count.scale == "count"
            and any(one is not None and (one.value or count.name == "pairs") for one in column(count.name))
        ]
        values += [
            Column(split_heading(measure.title), [score_cell(one, measure) for one in column(measure.name)], right=True)
            for measure in self.measures
            if measure.scale != "count"
            and any(one is not None and one.value is not None for one in column(measure.name))
        ]
        return Grid(keys, values, frozenset(range(0, len(rows), len(models))))

    def _reasons(self) -> Iterator[str]:
        """Which measures a model has no value of anywhere, and why, where the reason is more than a lack of replies."""
        titles = {measure.name: measure.title for measure in self.measures if measure.requires}
        measured = {(row.model, row.measure) for row in self.rows if row.value is not None}
        lacking: dict[tuple[str, str], dict[str, None]] = {}
        for row in self.rows:
            explained = row.reason and row.reason != NO_REPLIES and row.measure in titles
            if explained and (row.model, row.measure) not in measured:
                lacking.setdefault((row.model, str(row.reason)), {})[titles[row.measure]] = None
        for (model, reason), measures in lacking.items():
            yield f"{model} has no {', '.join(measures)}: {reason}."


class Comparisons(ResultTable[Comparison]):
    """Two runs compared over the pairs that both include."""

    noun = "comparisons"

    def __init__(
        self,
        rows: Iterable[Comparison],
        *,
        runs: Sequence[RunName] = (),
        measures: Sequence[Measure] = (),
        tests: Sequence[SharedPairs] = (),
    ) -> None:
        super().__init__(rows)
        self.runs = tuple(runs)
        self.measures = tuple(measures)
        self.tests = tuple(tests)
        """By test the pairs that both runs answered, and why a test is not compared."""

    def replace_rows(self, rows: Sequence[Comparison]) -> Comparisons:
        return Comparisons(rows, runs=self.runs, measures=self.measures, tests=self.tests)

    def json_value(self) -> Any:
        return {"first": self.runs[0], "second": self.runs[1], "comparisons": self.rows, "tests": self.tests}

    def notes(self) -> Iterator[str]:
        """What the comparison is over, and which tests are not part of it."""
        compared = [one for one in self.tests if one.reason is None]
        shared, pairs = (sum(getattr(one, name) for one in self.tests) for name in ("shared", "pairs"))
        tests = f"{len(compared)} of {len(self.tests)} tests" if len(compared) < len(self.tests) else "all tests"
        yield f"Compared: {shared:,} of {pairs:,} pairs, those that both runs answered, in {tests}."
        skipped = "; ".join(f"{format_group(one.group)}: {one.reason}" for one in self.tests if one.reason)
        if skipped:
            yield f"Not compared: {skipped}."
        for number, run in enumerate(self.runs):
            yield from note_excluded(run.run, [one.runs[number] for one in self.tests])

    def blocks(self) -> Iterator[Block]:
        from rich.text import Text

        found = self.rows
        if not found:
            yield "There is nothing to compare."
            yield from self.notes()
            return
        names = [one.model for one in self.runs]

        def column(heading: str, text: Callable[[Comparison], str], *, right: bool = True) -> Column:
            return Column(heading, [Text(text(one)) for one in found], right=right)

        places = [format_group(one.group) for one in found]
        begins = frozenset(number for number in range(1, len(found)) if places[number] != places[number - 1])
        yield Grid(
            [
                Column("test", [Text(place if not n or n in begins else "") for n, place in enumerate(places)]),
                column("measure", lambda one: measure_title(one.measure, self.measures), right=False),
            ],
            [
                column(names[0], lambda one: format_percent(one.first)),
                column(names[1], lambda one: format_percent(one.second)),
                column("difference", format_difference),
                column("n", lambda one: f"{one.n:,}"),
                column("only\nfirst", lambda one: format_count(one.only_first)),
                column("only\nsecond", lambda one: format_count(one.only_second)),
                column("p", lambda one: format_p_value(one.p)),
                column("p\n(Holm)", lambda one: format_p_value(one.p_holm)),
                Column("better", [Text(name_winner(names, one), style=winner_style(one)) for one in found]),
            ],
            begins,
        )
        for number, name in enumerate(names):
            won: dict[str, list[str]] = {}
            for one in found:
                if one.better == ("first", "second")[number]:
                    won.setdefault(format_group(one.group), []).append(measure_title(one.measure, self.measures))
            where = ", ".join(f"{place} ({', '.join(measures)})" for place, measures in won.items())
            yield f"{name} is better on {where}." if won else f"{name} is nowhere clearly better."
        yield from self.notes()
        yield (
            "Difference: second minus first, with its 95 % interval (paired bootstrap over images). p: McNemar's\n"
            "exact test over the cases that one run alone got right; for ACC these are distinct questions: one that\n"
            "is in several pairs counts once. Holm's correction is over the whole table. Better: the interval\n"
            "excludes 0 and p (Holm) is below 0.05."
        )


class Overlaps(ResultTable[Overlap]):
    """For every two runs, the share of one's correct answers that the other gives as well."""

    noun = "overlaps"

    def __init__(self, rows: Iterable[Overlap], *, runs: Sequence[RunName] = ()) -> None:
        super().__init__(rows)
        self.runs = tuple(runs)

    def replace_rows(self, rows: Sequence[Overlap]) -> Overlaps:
        return Overlaps(rows, runs=self.runs)

    def json_value(self) -> Any:
        return {"runs": self.runs, "coverage": self.rows}

    def blocks(self) -> Iterator[Block]:

        groups = list(dict.fromkeys(one.group for one in self.rows))
        if not groups:
            yield "The runs have no pair in common that all answered."
            return
        names = [one.model for one in self.runs]
        by_place = {(one.group, one.over, one.run, one.given): one for one in self.rows}

        def cell(row: tuple[int, int], given: int) -> Text:
            over = [by_place.get((groups[row[0]], each, row[1], given)) for each in ("instances", "pairs")]
            return overlap_cell([one for one in over if one is not None])

        rows = [(group, model) for group in range(len(groups)) for model in range(len(names))]
        tests = [f"{groups[group].suite}:{groups[group].test}" if not model else "" for group, model in rows]
        yield Grid(
            [Column("test", text_cells(tests)), Column("model", text_cells(names[model] for _, model in rows))],
            [
                Column(f"given\n{name}", [cell(row, place) for row in rows], right=True)
                for place, name in enumerate(names)
            ],
            frozenset(range(0, len(rows), len(names))),
        )
        yield (
            "Percent of the correct answers of the model at the head of a column that the model of the row gives,\n"
            "too: over single questions, and below over pairs with both answers correct; of captions and foils, over\n"
            "pairs whose caption scores above its foil. --json adds the counts."
        )


_VERDICTS = {"met": "pass", "not met": "FAIL"}


class CheckResults(ResultTable[CheckResult]):
    """Requirements checked against the scores of a run."""

    noun = "requirements"

    def __init__(self, rows: Iterable[CheckResult], *, model: str = "") -> None:
        super().__init__(rows)
        self.model = model

    def replace_rows(self, rows: Sequence[CheckResult]) -> CheckResults:
        return CheckResults(rows, model=self.model)

    @property
    def passed(self) -> bool:
        """Whether every requirement is met."""
        return all(one.passed for one in self.rows)

    def json_value(self) -> Any:
        return {"model": self.model, "passed": self.passed, "verdicts": self.rows}

    def to_junit(self) -> bytes:
        """The results as a JUnit report, one test case per requirement."""
        return format_junit(self.model, self.rows)

    def to_markdown(self) -> str:
        """The results as a Markdown table."""
        return format_markdown(self.model, self.rows)

    def blocks(self) -> Iterator[Block]:
        from rich.text import Text

        verdicts = self.rows
        told = [
            Text(_VERDICTS.get(one.verdict, one.verdict), style="green" if one.passed else "bold red")
            for one in verdicts
        ]
        yield Grid(
            [Column("", told), Column("requirement", text_cells(one.requirement.text for one in verdicts))],
            [
                Column("value", text_cells(check_value(one) for one in verdicts), right=True),
                Column("interval", text_cells(check_interval(one) for one in verdicts)),
                Column("n", text_cells(f"{one.score.n:,}" for one in verdicts), right=True),
                Column("why", text_cells(one.reason for one in verdicts)),
            ],
        )


def _run_score(run: RunScores, score: Score) -> RunScore:
    return RunScore(
        model=run.model,
        run=run.run,
        suite=score.group.suite,
        test=score.group.test,
        facet=score.group.facet,
        facet_value=score.group.value,
        measure=score.measure,
        value=score.value,
        low=score.low,
        high=score.high,
        n=score.n,
        signature=score.signature,
        reason=score.reason,
    )


def _group(row: RunScore) -> Group:
    return Group(row.suite, row.test, row.facet, row.facet_value)
