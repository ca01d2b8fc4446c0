"""Runs of one model under other conditions: without the picture, in other words. Found among the runs of a command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from falter.cli.output import out

if TYPE_CHECKING:
    from rich.text import Text

    from falter.measures import Estimate, ImageAblation, PromptSpread, VqaRule
    from falter.runs import Run

__all__ = ["Conditions", "conditions_of", "print_conditions"]


class _Ablation(NamedTuple):
    with_image: int
    ablated: int
    found: list[ImageAblation]


class _Prompts(NamedTuple):
    runs: list[int]
    found: list[PromptSpread]


class Conditions(NamedTuple):
    """What is found among some runs, by their places."""

    ablations: list[_Ablation]
    prompts: list[_Prompts]

    def told(self, place: int, runs: Sequence[Run]) -> dict[str, Any]:
        """What belongs to a run, as JSON: an ablated one with its run with images, prompts with the first of them."""
        told: dict[str, Any] = {}
        for one in self.ablations:
            if one.ablated == place:
                told["image_ablation"] = {"with_image_run": str(runs[one.with_image].folder), "scores": one.found}
        for group in self.prompts:
            if group.runs[0] == place:
                folders = [str(runs[number].folder) for number in group.runs]
                told["prompts"] = {"runs": folders, "spread": group.found}
        return told


def conditions_of(runs: Sequence[Run], *, seed: int, vqa_rule: VqaRule, subset: str | None) -> Conditions:
    """Which runs are of one model under other conditions, and what that does to its scores."""
    from falter.runs.scoring import ablation_pairs, image_ablation, prompt_groups, prompt_spread

    return Conditions(
        [
            _Ablation(
                with_image,
                ablated,
                image_ablation(runs[with_image], runs[ablated], seed=seed, vqa_rule=vqa_rule, subset=subset),
            )
            for with_image, ablated in ablation_pairs(runs)
        ],
        [
            _Prompts(
                places,
                prompt_spread([runs[place] for place in places], seed=seed, vqa_rule=vqa_rule, subset=subset),
            )
            for places in prompt_groups(runs)
        ],
    )


def print_conditions(conditions: Conditions, names: Sequence[str]) -> None:
    """A table of image ablations, and one of prompts, where there is something to tell."""
    if any(one.found for one in conditions.ablations):
        _print_ablations(conditions.ablations, names)
    for group in conditions.prompts:
        if group.found:
            _print_prompts(group, names)


def _print_ablations(ablations: Sequence[_Ablation], names: Sequence[str]) -> None:
    from falter.cli.tables import Column, print_columns

    rows = [(one, names[each.ablated]) for each in ablations for one in each.found]
    out.print("Image ablation")
    print_columns(
        [
            Column("test", _texts(f"{one.group.suite}:{one.group.test}" for one, _ in rows)),
            Column("model", _texts(name for _, name in rows)),
            Column("measure", _texts(_title(one.measure) for one, _ in rows)),
        ],
        [
            Column("with\nimages", _texts(_percent(one.with_image) for one, _ in rows), right=True),
            Column("without", _texts(_percent(one.ablated) for one, _ in rows), right=True),
            Column("retained", [_with_interval(one.retained, one.low, one.high) for one, _ in rows], right=True),
            Column("n", _texts(f"{one.n:,}" for one, _ in rows), right=True),
        ],
    )
    out.print("The share of a score that is reached without the image, over the pairs that both runs include.\n")


def _print_prompts(group: _Prompts, names: Sequence[str]) -> None:
    from falter.cli.tables import Column, print_columns

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
    if any(one.all_prompts is not None for one in rows):
        values.append(column("correct under\nall prompts", (one.all_prompts for one in rows)))
    print_columns(
        [
            Column("test", _texts(f"{one.group.suite}:{one.group.test}" for one in rows)),
            Column("measure", _texts(_title(one.measure) for one in rows)),
        ],
        values,
    )


def _title(name: str) -> str:
    from falter.measures import find_measure

    measure = find_measure(name)
    return name if measure is None else measure.title


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
