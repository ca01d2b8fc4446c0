"""Model instances from runs: what each model did on every test, whatever the number of runs that it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from falter.errors import UsageError
from falter.files import open_parquet
from falter.measures.accuracy import ACC_ORIGINAL, ACC_PERTURBED
from falter.measures.counts import FAILED, MISSING, PAIRS, UNSUPPORTED, count_answered
from falter.measures.outcomes import VqaRule
from falter.measures.robustness import RAD_FORWARD
from falter.probes.schema import ITEM_SCHEMA
from falter.runs import Run
from falter.runs.scoring import score_run
from falter.suites.rad.prediction import CorrectPairs

__all__ = ["PAPER_TARGETS", "InstancesBy", "count_pairs", "find_targets", "instances_of", "runs_of_rad", "suite_names"]

InstancesBy = Literal["model", "folder"]

PAPER_TARGETS = ("color", "how-many", "what-kind", "rephrasings")
_COUNTED = (ACC_ORIGINAL, ACC_PERTURBED, RAD_FORWARD, PAIRS, FAILED, MISSING, UNSUPPORTED)


def runs_of_rad(runs: Sequence[Run]) -> tuple[list[Run], list[Run]]:
    """The runs on suites of RAD, generated or imported, and the others, whose tests may have the same names."""
    named = [(run, suite_names(run)) for run in runs]
    return [run for run, names in named if "rad" in names], [run for run, names in named if "rad" not in names]


def suite_names(run: Run) -> list[str]:
    """The values of the column ``suite`` of what a run was asked."""
    table = open_parquet(run.suite().items_path, ITEM_SCHEMA).read(["suite"])
    return sorted(table["suite"].unique().to_pylist())


def instances_of(
    runs: Sequence[Run], *, by: InstancesBy = "model", vqa_rule: VqaRule = "vqa-v2"
) -> dict[str, dict[str, CorrectPairs]]:
    """By instance and test the counts; runs of one model are one instance, or runs in one folder."""
    found: dict[str, dict[str, CorrectPairs]] = {}
    fingerprints: dict[str, set[str]] = {}
    for run in runs:
        fingerprints.setdefault(run.manifest.model.name, set()).add(run.manifest.model.fingerprint)
    for run in runs:
        model = run.manifest.model
        # The name alone, where all runs that have it are of one model.
        name = model.name if len(fingerprints[model.name]) == 1 else f"{model.name} [{model.fingerprint}]"
        if by == "folder":
            name = str(run.folder.parent)
        own = found.setdefault(name, {})
        for test, counts in count_pairs(run, vqa_rule).items():
            if test in own:
                raise UsageError(
                    f"{name} has two runs with the test {test!r}; give one of them, or --instances "
                    f"{'folder' if by == 'model' else 'model'}"
                )
            own[test] = counts
    return found


def count_pairs(run: Run, vqa_rule: VqaRule = "vqa-v2") -> dict[str, CorrectPairs]:
    """By test the pairs of a run that were answered, how many are correct, and how many lack a reply."""
    scores = score_run(run, n_resamples=0, vqa_rule=vqa_rule, measures=_COUNTED, summaries=())
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for score in scores:
        if score.group.facet is None:
            found.setdefault(score.group.test, {})[score.measure] = (score.value or 0.0, score.n)
    excluded = {one.group.test: one.excluded for one in count_answered(scores) if one.group.facet is None}
    counts = {}
    for test, told in found.items():
        correct = {name: round(value * n) for name, (value, n) in told.items()}
        if ACC_ORIGINAL.name in told:
            counts[test] = CorrectPairs(
                told[ACC_ORIGINAL.name][1],
                correct[ACC_ORIGINAL.name],
                correct[ACC_PERTURBED.name],
                correct[RAD_FORWARD.name],
                excluded.get(test, 0),
            )
    return counts


def find_targets(instances: dict[str, dict[str, CorrectPairs]], named: Sequence[str] = ()) -> list[str]:
    """The tests to predict: those that are named, else the paper's that all instances have, else all that they have."""
    if named:
        return list(dict.fromkeys(named))
    had = Counter(test for tests in instances.values() for test in tests)
    shared = [test for test, number in had.items() if number == len(instances)]
    of_paper = [test for test in PAPER_TARGETS if test in shared]
    return of_paper if len(of_paper) > 1 else sorted(shared)
