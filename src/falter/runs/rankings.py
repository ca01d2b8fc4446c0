"""Rankings of the runs of one suite, with the runs that the data cannot order."""

from __future__ import annotations

from collections.abc import Sequence

from falter.measures import VqaRule
from falter.measures.ranking import ModelRanking, rank_paired
from falter.runs.scoring import pair_runs
from falter.runs.store import Run

__all__ = ["rank_runs", "runs_by_suite"]


def rank_runs(
    runs: Sequence[Run],
    *,
    measures: Sequence[str] | None = None,
    seed: int = 0,
    vqa_rule: VqaRule = "vqa-v2",
    subset: str | None = None,
) -> list[ModelRanking]:
    """Rank two or more runs of one suite by every headline measure, in every test and summary.

    ``measures`` names others. Runs are numbered as they were given.
    """
    return rank_paired(pair_runs(runs, measures=measures, seed=seed, vqa_rule=vqa_rule, subset=subset))


def runs_by_suite(runs: Sequence[Run]) -> list[list[int]]:
    """The numbers of the runs of each suite that can be ranked, by fingerprint, in the order given.

    A run that asked a part in random order has no place among others: it has other pairs, and other intervals. Where
    two or more runs asked more, one that asked a part would leave little to rank by; and control runs, whose models
    did not get their images, are no competitors.
    """
    found: dict[str, list[int]] = {}
    for number, run in enumerate(runs):
        if run.sampled() is None:
            found.setdefault(run.manifest.suite.fingerprint, []).append(number)
    return [_competing(runs, numbers) for numbers in found.values()]


def _competing(runs: Sequence[Run], numbers: list[int]) -> list[int]:
    seeing = [number for number in numbers if runs[number].manifest.settings.get("image") is None] or numbers
    most = max(runs[number].manifest.asked for number in seeing)
    whole = [number for number in seeing if runs[number].manifest.asked == most]
    return whole if len(whole) > 1 else seeing
