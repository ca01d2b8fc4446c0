"""Runs of one model under other conditions: without the picture, in other words. Found among the runs of a command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from falter.cli.output import out

if TYPE_CHECKING:
    from rich.text import Text

    from falter.measures.blindness import Blindness
    from falter.measures.spread import Estimate, Spread
    from falter.measures.vqa_accuracy import Rule
    from falter.runs import Run

__all__ = ["Conditions", "conditions_of", "print_conditions"]


class _Blind(NamedTuple):
    normal: int
    blind: int
    found: list[Blindness]


class _Prompts(NamedTuple):
    runs: list[int]
    found: list[Spread]


class Conditions(NamedTuple):
    """What is found among some runs, by their places."""

    blind: list[_Blind]
    prompts: list[_Prompts]

    def told(self, place: int, runs: Sequence[Run]) -> dict[str, Any]:
        """What belongs to a run, as JSON: a blind one beside its normal one, prompts with the first of them."""
        told: dict[str, Any] = {}
        for blind in self.blind:
            if blind.blind == place:
                told["needs_no_picture"] = {"beside": str(runs[blind.normal].folder), "scores": blind.found}
        for group in self.prompts:
            if group.runs[0] == place:
                folders = [str(runs[number].folder) for number in group.runs]
                told["prompts"] = {"runs": folders, "spread": group.found}
        return told


def conditions_of(runs: Sequence[Run], *, seed: int, rule: Rule, subset: str | None) -> Conditions:
    """Which runs are of one model under other conditions, and what that does to its scores."""
    from falter.measures.blindness import blind_pairs, blindness
    from falter.measures.spread import prompt_groups, spread

    return Conditions(
        [
            _Blind(normal, blind, blindness(runs[normal], runs[blind], seed=seed, rule=rule, subset=subset))
            for normal, blind in blind_pairs(runs)
        ],
        [
            _Prompts(places, spread([runs[place] for place in places], seed=seed, rule=rule, subset=subset))
            for places in prompt_groups(runs)
        ],
    )


def print_conditions(conditions: Conditions, names: Sequence[str]) -> None:
    """A table of what needs no picture, and one of prompts, where there is something to tell."""
    if any(blind.found for blind in conditions.blind):
        _print_blind(conditions.blind, names)
    for group in conditions.prompts:
        if group.found:
            _print_prompts(group, names)


def _print_blind(blind: Sequence[_Blind], names: Sequence[str]) -> None:
    from falter.cli.tables import Column, print_columns
    from falter.measures import MEASURES

    rows = [(one, names[each.blind]) for each in blind for one in each.found]
    out.print("What needs no picture")
    print_columns(
        [
            Column("test", _texts(f"{one.group.suite}:{one.group.test}" for one, _ in rows)),
            Column("model", _texts(name for _, name in rows)),
            Column("measure", _texts(MEASURES.get(one.measure).title for one, _ in rows)),
        ],
        [
            Column("with\npictures", _texts(_percent(one.normal) for one, _ in rows), right=True),
            Column("without", _texts(_percent(one.blind) for one, _ in rows), right=True),
            Column("share", [_with_interval(one.share, one.low, one.high) for one, _ in rows], right=True),
            Column("n", _texts(f"{one.n:,}" for one, _ in rows), right=True),
        ],
    )
    out.print("The share of a score that is reached without the picture, over the pairs that both runs have kept.\n")


def _print_prompts(group: _Prompts, names: Sequence[str]) -> None:
    from falter.cli.tables import Column, print_columns
    from falter.measures import MEASURES

    rows = group.found

    def column(heading: str, estimates: Iterable[Estimate | None]) -> Column:
        cells = [_with_interval(*((one.value, one.low, one.high) if one else (None, None, None))) for one in estimates]
        return Column(heading, cells, right=True)

    out.print(f"Over {len(group.runs)} prompts: {', '.join(names[place] for place in group.runs)}")
    values = [
        column("worst", (one.worst for one in rows)),
        Column("worst\nprompt", _texts(one.worst_prompt for one in rows)),
        column("best", (one.best for one in rows)),
        column("range", (one.range for one in rows)),
        column("sd", (one.sd for one in rows)),
    ]
    if any(one.every is not None for one in rows):
        values.append(column("right under\nevery prompt", (one.every for one in rows)))
    print_columns(
        [
            Column("test", _texts(f"{one.group.suite}:{one.group.test}" for one in rows)),
            Column("measure", _texts(MEASURES.get(one.measure).title for one in rows)),
        ],
        values,
    )


def _texts(cells: Iterable[str]) -> list[Text]:
    from rich.text import Text

    return [Text(cell) for cell in cells]


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _with_interval(value: float | None, low: float | None, high: float | None) -> Text:
    from rich.text import Text

    if value is None:
        return Text("–", style="dim")
    text = Text(_percent(value))
    if low is not None and high is not None:
        text.append(f"\n{_percent(low)}–{_percent(high)}", style="dim")
    return text
