"""Tables of runs side by side: two runs compared, equal correct answers, spread over prompts, and image ablations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from falter.core.tables import GAP, PIPE_WIDTH, Block, Column, Grid, ResultTable, format_count
from falter.evaluation.measures.results import Comparison, Estimate, ImageAblation, Overlap, PromptSpread, SharedPairs
from falter.evaluation.runs.table_cells import (
    RunName,
    format_difference,
    format_group,
    format_number,
    format_p_value,
    format_percent,
    interval_cell,
    measure_title,
    name_winner,
    note_excluded,
    overlap_cell,
    text_cells,
    winner_style,
)

if TYPE_CHECKING:
    from rich.text import Text

    from falter.evaluation.measures import Measure

_TEST, _MODEL, _BETTER = 15, 9, 11
"""The room for the name of a test, of a model and of the better one, in columns."""


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
        warnings: Sequence[str] = (),
        anytime: str = "",
        scope: Sequence[str] = (),
    ) -> None:
        super().__init__(rows)
        self.anytime = anytime
        """What intervals are of, where they hold at any time."""
        self.runs = tuple(runs)
        self.measures = tuple(measures)
        self.tests = tuple(tests)
        """By test the pairs that both runs answered, and why a test is not compared."""
        self.warnings = tuple(warnings)
        """Differences whose sign turns once every value of a facet, or every test, counts the same."""
        self.scope = tuple(scope)
        """What the runs were not asked, and items that are in the suite several times."""

    def replace_rows(self, rows: Sequence[Comparison]) -> Comparisons:
        return Comparisons(
            rows,
            runs=self.runs,
            measures=self.measures,
            tests=self.tests,
            warnings=self.warnings,
            anytime=self.anytime,
            scope=self.scope,
        )

    def json_value(self) -> Any:
        found = {"first": self.runs[0], "second": self.runs[1], "comparisons": self.rows, "tests": self.tests}
        more = {"warnings": self.warnings, "scope": self.scope}
        return found | {name: lines for name, lines in more.items() if lines}

    def notes(self) -> Iterator[str]:
        """What the comparison is over, and which tests are not part of it."""
        compared = [one for one in self.tests if one.reason is None]
        shared, pairs = (sum(getattr(one, name) for one in self.tests) for name in ("shared", "pairs"))
        tests = (
            f"{len(compared)} of {format_count(len(self.tests), 'tests')}"
            if len(compared) < len(self.tests)
            else "all tests"
        )
        yield f"Compared: {shared:,} of {format_count(pairs, 'pairs')}, those that both runs answered, in {tests}."
        yield from (f"{line}." for line in self.scope)
        skipped = "; ".join(f"{format_group(one.group)}: {one.reason}" for one in self.tests if one.reason)
        if skipped:
            yield f"Not compared: {skipped}."
        for number, run in enumerate(self.runs):
            yield from note_excluded(run.run, [one.runs[number] for one in self.tests])

    def _in_one_sentence(self, names: Sequence[str]) -> Iterator[str]:
        """Whether one is better by the main figure, where the suite has one."""
        from falter.data.items import OVERALL
        from falter.evaluation.measures.counting import MICRO

        totals = [one for one in self.rows if one.group.test in (OVERALL, MICRO) and one.group.facet is None]
        main = next((one for name in ("acc_r", "acc") for one in totals if one.measure == name), None)
        if main is None or main.difference is None:
            return
        title = measure_title(main.measure, self.measures)
        told = f"{title} differs by {format_difference(main)} points"
        if main.better is None:
            yield f"Over all tests, neither is shown to be better: {told}."
        else:
            yield f"Over all tests, {name_winner(names, main)} is better: {told}."

    def blocks(self) -> Iterator[Block]:
        from rich.text import Text

        found = self.rows
        if not found:
            yield "There is nothing to compare."
            yield from self.notes()
            return
        names = [one.model for one in self.runs]

        def column(heading: str, text: Callable[[Comparison], str], *, right: bool = True, wrap: int = 0) -> Column:
            return Column(heading, [Text(text(one)) for one in found], right=right, wrap=wrap)

        places = [format_group(one.group) for one in found]
        begins = frozenset(number for number in range(1, len(found)) if places[number] != places[number - 1])
        yield Grid(
            [
                Column(
                    "test", [Text(place if not n or n in begins else "") for n, place in enumerate(places)], wrap=_TEST
                ),
                column("measure", lambda one: measure_title(one.measure, self.measures), right=False),
            ],
            [
                column(names[0], lambda one: format_percent(one.first), wrap=_MODEL),
                column(names[1], lambda one: format_percent(one.second), wrap=_MODEL),
                column("difference", lambda one: format_difference(one).replace(" [", "\n[", 1)),
                Column(
                    "better",
                    [Text(name_winner(names, one), style=winner_style(one)) for one in found],
                    wrap=_BETTER,
                ),
                column("p\n(Holm)", lambda one: format_p_value(one.p_holm)),
                column("p", lambda one: format_p_value(one.p)),
                column("n", lambda one: f"{one.n:,}"),
                column("only\nfirst", lambda one: format_number(one.only_first)),
                column("only\nsecond", lambda one: format_number(one.only_second)),
            ],
            begins,
            PIPE_WIDTH + GAP,
        )
        yield from map(_fill, self._in_one_sentence(names))
        for number, name in enumerate(names):
            won: dict[str, list[str]] = {}
            for one in found:
                if one.better == ("first", "second")[number]:
                    won.setdefault(format_group(one.group), []).append(measure_title(one.measure, self.measures))
            where = ", ".join(f"{place} ({', '.join(measures)})" for place, measures in won.items())
            yield _fill(f"{name} is better on {where}." if won else f"{name} is nowhere clearly better.")
        yield from (_fill(f"Mind the mix: {line}.") for line in self.warnings)
        yield from map(_fill, self.notes())
        if self.anytime:
            yield _fill(
                f"Difference: second minus first, with its 95 % interval {self.anytime}. Intervals and p "
                "hold however often one looks and whatever makes one stop. p: McNemar's test at any time over the "
                "cases that one run alone got right. Holm's correction is over the whole table. Better: the interval "
                "excludes 0 and p (Holm) is below 0.05."
            )
            return
        yield _fill(
            "Difference: second minus first, with its 95 % interval over images (paired; exact where few, none "
            "where too few). p: McNemar's exact test over the cases that one run alone got right; for ACC these are "
            "distinct questions: one that is in several pairs counts once. Holm's correction is over the whole table, "
            "totals apart. Better: the interval excludes 0 and p (Holm) is below 0.05; by the interval alone where "
            "there is no p."
        )


def _fill(text: str) -> str:
    return fill(text, PIPE_WIDTH, break_on_hyphens=False, break_long_words=False)


_OVERLAP_WIDTH, _OVERLAP_NAME = 80, 18


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
            [
                Column("test", text_cells(tests), wrap=_OVERLAP_NAME),
                Column("model", text_cells(names[model] for _, model in rows), wrap=_OVERLAP_NAME),
            ],
            [
                Column(f"given\n{name}", [cell(row, place) for row in rows], right=True, wrap=_OVERLAP_NAME)
                for place, name in enumerate(names)
            ],
            frozenset(range(0, len(rows), len(names))),
            _OVERLAP_WIDTH,
        )
        yield (
            "Percent of the correct answers of the model at the head of a column that the\n"
            "model of the row gives, too: over single questions, and below over pairs with\n"
            "both answers correct; of captions and foils, over pairs whose caption scores\n"
            "above its foil. --json adds the counts."
        )


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


_ABLATION_NAME = 16
"""Columns of the names of tests and models; longer ones are broken into lines."""


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
            Column("test", text_cells(f"{one.group.suite}:{one.group.test}" for one, _ in rows), wrap=_ABLATION_NAME),
            Column("model", text_cells(table.runs[1].model for _, table in rows), wrap=_ABLATION_NAME),
            Column("measure", text_cells(measure_title(one.measure, table.measures) for one, table in rows)),
        ],
        [
            Column("with\nimages", text_cells(format_percent(one.with_image) for one, _ in rows), right=True),
            Column("ablated", text_cells(format_percent(one.ablated) for one, _ in rows), right=True),
            Column("retained", [interval_cell(one.retained, one.low, one.high) for one, _ in rows], right=True),
            Column("n", text_cells(f"{one.n:,}" for one, _ in rows), right=True),
        ],
    )
    yield ("Retained: the ablated score over the score with images, over the pairs that\nboth runs include.\n")
