"""Accuracy on augmentations that were not seen, predicted from accuracy and RAD on others (Section 4, Appendix E)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Literal

import msgspec
import numpy as np

from falter.errors import UsageError
from falter.measures.statistics.regression import fit_linear

__all__ = ["FEATURE_SETS", "AccuracyPrediction", "CorrectPairs", "FeatureMode", "TargetFit", "predict_accuracy"]

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
