"""Choosing among the offered options: a conditional logit, never trained on the image that it is checked on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["OfferedOptions", "cross_fit", "cross_fit_few", "fit_few", "split_images"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_ITERATIONS = 200


class OfferedOptions(NamedTuple):
    """The options of all questions, a row each, those of a question in a row; at least two per question."""

    features: Any
    """A SciPy matrix in CSR form, or an array: one row per option."""
    sizes: Ints
    """By question how many options it has."""
    gold: Ints
    """By question the position of the correct one."""

    @property
    def starts(self) -> Ints:
        """The row of each question's first option."""
        return np.concatenate(([0], np.cumsum(self.sizes)[:-1])).astype(np.int64)

    def take(self, questions: Ints) -> OfferedOptions:
        """Some of the questions."""
        rows = _ranges(self.starts[questions], self.sizes[questions])
        return OfferedOptions(self.features[rows], self.sizes[questions], self.gold[questions])

    def credit(self, scores: Floats) -> Floats:
        """By question 1 where the correct option has the highest score; ties share it."""
        starts = self.starts
        best = np.maximum.reduceat(scores, starts)
        is_best = scores == np.repeat(best, self.sizes)
        ties = np.add.reduceat(is_best.astype(np.float64), starts)
        shares: Floats = is_best[starts + self.gold] / ties
        return shares

    @property
    def chance(self) -> float:
        """The mean of one over the number of options: what guessing among those offered gives."""
        return float((1 / self.sizes).mean())


def split_images(images: Sequence[str], folds: int) -> Ints:
    """By question its fold: all questions about an image are in one, and folds are about equally large."""
    filled = [0] * folds
    fold_by_image: dict[str, int] = {}
    for image, number in sorted(Counter(images).items(), key=lambda one: (-one[1], one[0])):
        fold_by_image[image] = fold = filled.index(min(filled))
        filled[fold] += number
    return np.array([fold_by_image[image] for image in images], dtype=np.int64)


def cross_fit(options: OfferedOptions, fold_of: Ints, *, penalty: float, least: int = 0) -> Floats:
    """The score of every option by weights learned from the other folds.

    Features of fewer than ``least`` options of those learned from are ignored.
    """
    scores = np.zeros(int(options.sizes.sum()))
    starts = options.starts
    for fold in np.unique(fold_of):
        learned, checked = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        known = options.take(learned)
        if least:
            seen = np.asarray((known.features != 0).sum(axis=0)).ravel() >= least
            weights = np.zeros(len(seen))
            weights[seen] = fit(known._replace(features=known.features[:, seen]), penalty)
        else:
            weights = fit(known, penalty)
        rows = _ranges(starts[checked], options.sizes[checked])
        scores[rows] = options.features[rows] @ weights
    return scores


def cross_fit_few(options: OfferedOptions, fold_of: Ints) -> Floats:
    """The same for a few standardized features of which a larger value should speak for an option."""
    scores = np.zeros(int(options.sizes.sum()))
    starts = options.starts
    for fold in np.unique(fold_of):
        learned, checked = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        weights = fit_few(options.take(learned))
        rows = _ranges(starts[checked], options.sizes[checked])
        scores[rows] = options.features[rows] @ weights
    return scores


def fit_few(options: OfferedOptions) -> Floats:
    """Weights of a few standardized features of which a larger value should speak for an option.

    They begin with two standard errors of such a weight, which counts as much as what is learned: where there is
    nothing to learn, what the questions hold by accident does not decide the sign.
    """
    n = len(options.sizes)
    return fit(options, n / 4, center=4 / sqrt(n))


def fit(options: OfferedOptions, penalty: float, center: float = 0.0) -> Floats:
    """Weights under which the correct options are most likely, less half the penalty times their squared distance."""
    from scipy.optimize import minimize

    starts, sizes = options.starts, options.sizes
    gold, features = starts + options.gold, options.features
    transposed = features.T if isinstance(features, np.ndarray) else features.T.tocsr()

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = features @ weights
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        likely = np.exp(scores)
        total = np.add.reduceat(likely, starts)
        likely /= np.repeat(total, sizes)
        likely[gold] -= 1
        value = float((np.log(total) - scores[gold]).sum() + penalty / 2 * ((weights - center) ** 2).sum())
        return value, transposed @ likely + penalty * (weights - center)

    start = np.full(features.shape[1], center)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ITERATIONS})
    weights: Floats = found.x
    return weights


def _ranges(starts: Ints, sizes: Ints) -> Ints:
    """All rows of blocks of rows."""
    ends = np.cumsum(sizes)
    rows: Ints = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - sizes), sizes)
    return rows
