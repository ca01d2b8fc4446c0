"""Accuracy on augmentations that were not seen, predicted from accuracy and RAD on others (Section 4, Appendix E).

A model instance is what one model did on every test, whatever the number of runs that it took.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Literal

import msgspec
import numpy as np

from falter.core.errors import UsageError
from falter.core.files import open_parquet
from falter.data.suite import ITEM_SCHEMA
from falter.evaluation.measures.counts import FAILED, MISSING, PAIRS, UNSUPPORTED, count_answered
from falter.evaluation.measures.pair_measures import ACC_ORIGINAL, ACC_PERTURBED, RAD_FORWARD
from falter.evaluation.measures.statistics.regression import fit_linear
from falter.evaluation.runs import Run
from falter.evaluation.runs.scoring import score_run
from falter.evaluation.score_options import PLAIN, ScoreOptions

FeatureMode = Literal["pooled", "mean"]

FEATURE_SETS: dict[str, tuple[str, ...]] = {
    "all": ("accuracy", "rad_forward", "rad_backward"),
    "accuracy": ("accuracy",),
    "rad_forward": ("rad_forward",),
    "rad_backward": ("rad_backward",),
}
"""The regressions of Table 4, by name the features that they use."""

_SPARE = 2
"""Instances beyond the coefficients of the largest regression: fewer fit anything."""


class CorrectPairs(msgspec.Struct, frozen=True):
    """What one model instance did on one test: pairs, and how many have the original, the variant and both correct."""

    pairs: int
    original: int
    variant: int
    both: int
    excluded: int = 0
    """Further pairs, of which a question has no reply."""

    def __add__(self, other: CorrectPairs) -> CorrectPairs:
        return CorrectPairs(
            self.pairs + other.pairs,
            self.original + other.original,
            self.variant + other.variant,
            self.both + other.both,
            self.excluded + other.excluded,
        )


class TargetFit(msgspec.Struct, frozen=True, kw_only=True):
    """One regression for one target."""

    target: str
    features: str
    intercept: bool
    coefficients: dict[str, float]
    constant: float | None
    r2: float | None
    r2_left_out: float | None


class AccuracyPrediction(msgspec.Struct, frozen=True, kw_only=True):
    """One regression over all targets: means and standard deviations (n - 1) of R^2."""

    features: str
    intercept: bool
    targets: int
    r2: float | None
    r2_deviation: float | None
    r2_left_out: float | None
    r2_left_out_deviation: float | None
    fits: tuple[TargetFit, ...]


def predict_accuracy(
    instances: Mapping[str, Mapping[str, CorrectPairs]], targets: Sequence[str], mode: FeatureMode = "pooled"
) -> list[AccuracyPrediction]:
    """The regressions of Table 4, with and without an intercept, averaged over the targets.

    ``instances`` has the counts of each model instance by test. Each target in turn is predicted from the other
    targets, which are one set of pairs (``pooled``), or whose figures are averaged (``mean``).
    """
    _check(instances, targets)
    names = sorted(instances)
    found = []
    for intercept in (True, False):
        for features, used in FEATURE_SETS.items():
            fits = [
                _fit([instances[name] for name in names], names, target, targets, features, used, mode, intercept)
                for target in targets
            ]
            r2, left_out = (_spread([getattr(one, what) for one in fits]) for what in ("r2", "r2_left_out"))
            found.append(
                AccuracyPrediction(
                    features=features,
                    intercept=intercept,
                    targets=len(targets),
                    r2=r2[0],
                    r2_deviation=r2[1],
                    r2_left_out=left_out[0],
                    r2_left_out_deviation=left_out[1],
                    fits=tuple(fits),
                )
            )
    return found


def _check(instances: Mapping[str, Mapping[str, CorrectPairs]], targets: Sequence[str]) -> None:
    if len(targets) < 2:
        raise UsageError(
            f"predicting accuracy needs two tests or more, and there is {', '.join(targets) or 'none'} that all "
            "models answered; run them on further tests"
        )
    fewest = len(FEATURE_SETS["all"]) + 1 + _SPARE
    if len(instances) < fewest:
        raise UsageError(
            f"predicting accuracy needs runs of {fewest} models or more, and there are {len(instances)}; the paper has "
            "45, trained on different data"
        )
    for name, tests in instances.items():
        for target in targets:
            if target not in tests or not tests[target].pairs:
                raise UsageError(f"{name} has no answered pairs of the test {target!r}; run it on that test too")


def _fit(
    counts: Sequence[Mapping[str, CorrectPairs]],
    names: Sequence[str],
    target: str,
    targets: Sequence[str],
    features: str,
    used: Sequence[str],
    mode: FeatureMode,
    intercept: bool,
) -> TargetFit:
    others = [test for test in targets if test != target]
    known = [_features([tests[one] for one in others], name, mode) for tests, name in zip(counts, names, strict=True)]
    x = np.array([[one[feature] for feature in used] for one in known])
    fit = fit_linear(x, [tests[target].variant / tests[target].pairs for tests in counts], intercept=intercept)
    return TargetFit(
        target=target,
        features=features,
        intercept=intercept,
        coefficients=dict(zip(used, fit.coefficients, strict=True)),
        constant=fit.intercept,
        r2=fit.r2,
        r2_left_out=fit.r2_left_out,
    )


def _features(sets: Sequence[CorrectPairs], name: str, mode: FeatureMode) -> dict[str, float]:
    if mode == "pooled":
        whole = sets[0]
        for one in sets[1:]:
            whole += one
        return _features_of(whole, name, mode)
    each = [_features_of(one, name, mode) for one in sets]
    return {feature: fmean(one[feature] for one in each) for feature in each[0]}


def _features_of(one: CorrectPairs, name: str, mode: FeatureMode) -> dict[str, float]:
    if not one.original or not one.variant:
        raise UsageError(
            f"{name} answers no {'variant' if one.original else 'original'} of "
            f"{'the other tests' if mode == 'pooled' else 'another test'} correctly, so that RAD has no value; "
            f"leave its run out{'' if mode == 'pooled' else ', or pass --features pooled'}"
        )
    return {
        "accuracy": one.original / one.pairs,
        "rad_forward": one.both / one.original,
        "rad_backward": one.both / one.variant,
    }


def _spread(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not known:
        return None, None
    return fmean(known), stdev(known) if len(known) > 1 else None


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
    runs: Sequence[Run], options: ScoreOptions = PLAIN, *, by: InstancesBy = "model"
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
        for test, counts in count_pairs(run, options).items():
            if test in own:
                raise UsageError(
                    f"{name} has two runs with the test {test!r}; give one of them, or --instances "
                    f"{'folder' if by == 'model' else 'model'}"
                )
            own[test] = counts
    return found


def count_pairs(run: Run, options: ScoreOptions = PLAIN) -> dict[str, CorrectPairs]:
    """By test the pairs of a run that were answered, how many are correct, and how many lack a reply."""
    scores = score_run(run, options.replace(n_resamples=0), measures=_COUNTED, summaries=())
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
