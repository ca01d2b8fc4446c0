"""Rankings of the runs of one suite, with the runs that the data cannot order."""

from __future__ import annotations

from collections.abc import Sequence

from falter.measures import VqaRule
from falter.measures.ranking import ModelRanking, rank_paired
from falter.runs.scoring import pair_runs
from falter.runs.store import Run

__all__ = ["competing_runs", "rank_runs", "runs_by_suite"]


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
    """The numbers of the runs of each suite that can be ranked, by fingerprint, in the order given."""
    found: dict[str, list[int]] = {}
    for number, run in enumerate(runs):
        found.setdefault(run.manifest.suite.fingerprint, []).append(number)
    competing = ([own[one] for one in competing_runs([runs[number] for number in own])] for own in found.values())
    return [own for own in competing if own]


def competing_runs(runs: Sequence[Run]) -> list[int]:
    """The numbers of the runs of one suite that can be ranked.

    A run that asked a part in random order has no place among others: it has other pairs, and other intervals. Where
    two or more runs asked more, one that asked a part would leave little to rank by; and control runs, whose models
    did not get their images, are no competitors.
    """
    given = [number for number, run in enumerate(runs) if run.sampled() is None]
    seeing = [number for number in given if not runs[number].manifest.is_control] or given
    most = max((runs[number].manifest.asked for number in seeing), default=0)
    whole = [number for number in seeing if runs[number].manifest.asked == most]
    return whole if len(whole) > 1 else seeing
