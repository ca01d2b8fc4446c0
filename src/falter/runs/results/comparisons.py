"""The table of two runs compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from falter.line_wrap import PIPE_WIDTH
from falter.measures.results import Comparison, SharedPairs
from falter.runs.results.run_names import RunName, note_excluded
from falter.runs.results.table_cells import (
    format_difference,
    format_group,
    format_number,
    format_p_value,
    format_percent,
    measure_title,
    name_winner,
    winner_style,
)
from falter.tables import GAP, Block, Column, Grid, ResultTable, format_count

if TYPE_CHECKING:
    from falter.measures import Measure


__all__ = ["Comparisons"]

_TEST, _NAME, _BETTER = 15, 9, 11
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
        from falter.measures.counting import MICRO, OVERALL

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
                column(names[0], lambda one: format_percent(one.first), wrap=_NAME),
                column(names[1], lambda one: format_percent(one.second), wrap=_NAME),
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
