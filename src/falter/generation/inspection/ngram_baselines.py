"""Text-only baselines: n-grams under a conditional logit, and how far they get on a suite."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from falter.core.optional_packages import import_package, one_thread

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


_WORD = re.compile(r"[a-z0-9']+")
_LONGEST = 3
_PENALTY = 1 / 0.3
_LEAST = 2
_MOST_WORDS = 150
_BIAS = 3.0
"""The value of a feature that every affirmation has, so large that its weight is hardly penalized."""


class NgramQuestion(NamedTuple):
    """A question and its options; those of a yes/no question are yes and no."""

    text: str
    options: tuple[str, ...]
    gold: int


def ngram_scores(options: OfferedOptions, fold_of: Ints) -> Floats:
    """The score of every option by a regression over n-grams, learned from the images of the other folds."""
    return cross_fit(options, fold_of, penalty=_PENALTY, least=_LEAST)


def offer_yes_no(texts: Sequence[str], affirmed: Sequence[bool]) -> OfferedOptions:
    """Yes with the n-grams of the text, and no with nothing."""
    from scipy.sparse import csr_array, hstack, vstack

    counted = ngram_matrix(texts)
    bias = np.full((len(texts), 1), _BIAS)
    yes = hstack([counted, csr_array(bias)]).tocsr()
    no = csr_array(yes.shape)
    order = np.arange(2 * len(texts)).reshape(2, -1).T.ravel()
    return OfferedOptions(
        vstack([yes, no]).tocsr()[order],
        np.full(len(texts), 2, dtype=np.int64),
        np.where(np.asarray(affirmed, dtype=bool), 0, 1).astype(np.int64),
    )


def offer_choices(questions: Sequence[NgramQuestion]) -> OfferedOptions:
    """Every option with its own words, each n-gram of the question, each other option, and its position."""
    from scipy.sparse import csr_array

    vocabulary: dict[str, int] = {}
    names: dict[str, int] = {}
    read = []
    for question in questions:
        said = {vocabulary.setdefault(ngram, len(vocabulary)) for ngram in _ngrams(question.text)}
        # A name that no text can hold tells an option apart from a word of the question.
        offered = [vocabulary.setdefault(f"\n{option.lower()}", len(vocabulary)) for option in question.options]
        read.append((said, offered, [names.setdefault(option.lower(), len(names)) for option in question.options]))
    width = len(vocabulary) + 1
    keys: list[int] = []
    sizes: list[int] = []
    positions = len(names) * width
    for said, offered, options in read:
        for position, option in enumerate(options):
            beside = [*said, *offered, width - 1]
            keys += [option * width + one for one in beside]
            keys.append(positions + 64 * min(len(options), 63) + min(position, 63))
            sizes.append(len(beside) + 1)
    _, columns = np.unique(np.array(keys, dtype=np.int64), return_inverse=True)
    shape = (len(sizes), int(columns.max(initial=-1)) + 1)
    ends = np.concatenate(([0], np.cumsum(sizes)))
    return OfferedOptions(
        csr_array((np.ones(len(columns)), columns, ends), shape=shape),
        np.array([len(question.options) for question in questions], dtype=np.int64),
        np.array([question.gold for question in questions], dtype=np.int64),
    )


def ngram_matrix(texts: Sequence[str]) -> Any:
    """A row per text, a column per n-gram: 1 where the text has it."""
    from scipy.sparse import csr_array

    vocabulary: dict[str, int] = {}
    columns: list[int] = []
    ends = [0]
    for text in texts:
        columns += sorted({vocabulary.setdefault(ngram, len(vocabulary)) for ngram in _ngrams(text)})
        ends.append(len(columns))
    return csr_array((np.ones(len(columns)), columns, ends), shape=(len(texts), len(vocabulary)))


def count_correct_by_boosting(texts: Sequence[str], affirmed: Sequence[bool], fold_of: Ints) -> int:
    """Yes/no questions that boosted trees answer correctly; they find combinations of words."""
    ensemble = import_package("sklearn.ensemble", "a text-only baseline")

    counted, gold, correct = ngram_matrix(texts), np.asarray(affirmed, dtype=bool), 0
    for fold in np.unique(fold_of):
        learned, checked = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        frequency = np.asarray(counted[learned].sum(axis=0)).ravel()
        commonest = np.sort(np.argsort(-frequency, kind="stable")[:_MOST_WORDS])
        trees = ensemble.HistGradientBoostingClassifier(max_iter=60, early_stopping=False, random_state=0)
        # OpenMP was loaded with the trees: a limit that was set before does not bind it.
        with one_thread():
            trees.fit(counted[learned][:, commonest].toarray().astype(np.uint8), gold[learned])
            guesses = trees.predict(counted[checked][:, commonest].toarray().astype(np.uint8))
        correct += int((guesses == gold[checked]).sum())
    return correct


def count_correct_open(texts: Sequence[str], golds: Sequence[str], fold_of: Ints) -> int:
    """Questions without choices that a regression over all answers answers correctly."""
    linear_model = import_package("sklearn.linear_model", "a text-only baseline")

    counted, gold, correct = ngram_matrix(texts), np.array(golds), 0
    for fold in np.unique(fold_of):
        learned, checked = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        seen = np.asarray(counted[learned].sum(axis=0)).ravel() >= _LEAST
        if len(set(gold[learned])) > 1:
            with warnings.catch_warnings():
                # Many answers, some given once, and not the last digits: a few hundred steps will do.
                warnings.simplefilter("ignore")
                regression = linear_model.LogisticRegression(C=1 / _PENALTY, max_iter=200)
                regression.fit(counted[learned][:, seen], gold[learned])
            correct += int((regression.predict(counted[checked][:, seen]) == gold[checked]).sum())
    return correct


def _ngrams(text: str) -> Iterable[str]:
    words = _WORD.findall(text.lower())
    return (
        " ".join(words[start : start + length])
        for length in range(1, _LONGEST + 1)
        for start in range(len(words) - length + 1)
    )
