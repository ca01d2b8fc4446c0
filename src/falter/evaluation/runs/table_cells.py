"""Cells of printed result tables: shares in percent with their intervals, counts, p-values, and the names of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from falter.evaluation.measures.results import AnsweredPairs, Comparison, Group, Overlap

if TYPE_CHECKING:
    from rich.text import Text

    from falter.evaluation.measures import Measure
    from falter.evaluation.runs.score_tables import RunScore


def format_group(group: Group) -> str:
    """A group as text: ``suite:test [facet=value]``."""
    return f"{group.suite}:{group.test}" + (f" [{group.facet}={group.value}]" if group.facet is not None else "")


def measure_title(name: str, measures: Sequence[Measure]) -> str:
    """The title of a measure, or its name where it is unknown."""
    return next((measure.title for measure in measures if measure.name == name), name)


def text_cells(cells: Iterable[str]) -> list[Text]:
    """Cells of plain text."""
    from rich.text import Text

    return [Text(cell) for cell in cells]


def first_of_group(rows: Sequence[tuple[Group, str]], text: Callable[[Group], str]) -> list[Text]:
    """The name of a group in its first row only."""
    return text_cells(
        text(group) if not number or rows[number - 1][0] != group else "" for number, (group, _) in enumerate(rows)
    )


def split_heading(title: str) -> str:
    """A heading in two lines, where it has two words."""
    return title.replace(" ", "\n", 1)


def format_count_score(score: RunScore | None) -> str:
    """A count as text; empty where there is none."""
    return "" if score is None or score.value is None else f"{int(score.value):,}"


def score_cell(score: RunScore | None, measure: Measure) -> Text:
    """A value in percent, or as it is where the measure is a plain number, with its interval below it."""
    from rich.text import Text

    if score is None or score.value is None:
        return Text("–", style="dim")
    factor, digits = (1, 2) if measure.scale == "number" else (100, 1)
    text = Text(f"{factor * score.value:.{digits}f}")
    low, high = score.low, score.high
    if low is not None and high is not None:
        ends = (f"{factor * end:.{digits if 0 < abs(end) < 1 else 0}f}" for end in (low, high))
        text.append(f"\n{'–'.join(ends)}", style="dim")
    return text


def format_percent(value: float | None) -> str:
    """A share in percent."""
    return "–" if value is None else f"{100 * value:.1f}"


def interval_cell(value: float | None, low: float | None, high: float | None) -> Text:
    """A share in percent with its interval below it."""
    from rich.text import Text

    if value is None:
        return Text("–", style="dim")
    text = Text(format_percent(value))
    if low is not None and high is not None:
        text.append(f"\n{format_percent(low)}–{format_percent(high)}", style="dim")
    return text


def overlap_cell(over: Sequence[Overlap]) -> Text:
    """An overlap over questions, and below over pairs."""
    from rich.text import Text

    if not over:
        return Text("–", style="dim")
    first, *others = (format_percent(one.value) for one in over)
    text = Text(first)
    for shown in others:
        text.append(f"\n{shown}", style="dim")
    return text


def name_winner(names: Sequence[str], one: Comparison) -> str:
    """Which run is better."""
    return {"first": names[0], "second": names[1], None: "no clear difference"}[one.better]


def winner_style(one: Comparison) -> str:
    """How the name of the better run is printed."""
    return "dim" if one.better is None else "bold"


def format_difference(one: Comparison) -> str:
    """A difference in points with its interval."""
    if one.difference is None:
        return "–"
    text = f"{100 * one.difference:+.1f}"
    return text if one.low is None or one.high is None else f"{text} [{100 * one.low:+.1f}, {100 * one.high:+.1f}]"


def format_number(value: int | None) -> str:
    """A number with separators."""
    return "–" if value is None else f"{value:,}"


def format_p_value(value: float | None) -> str:
    """A p-value."""
    if value is None:
        return "–"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


class RunName(msgspec.Struct, frozen=True):
    """A run and what its model is called in tables."""

    run: str
    model: str


def note_excluded(run: str, answered: Iterable[AnsweredPairs]) -> Iterator[str]:
    """One line where a run lacks more than 1 % of the answers of a test."""
    lacking = [str(one) for one in answered if one.lacks_answers]
    if lacking:
        yield f"{run} has no answer to more than 1 % of the pairs; they are in no score: {'; '.join(lacking)}"
