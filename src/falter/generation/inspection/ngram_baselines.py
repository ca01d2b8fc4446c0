"""What n-grams of one to three words tell of the answers: the words of the question, and the options offered."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from falter.core.optional_packages import import_package, one_thread
from falter.generation.inspection.conditional_logit import Floats, Ints, OfferedOptions, cross_fit

__all__ = [
    "NgramQuestion",
    "count_correct_by_boosting",
    "count_correct_open",
    "ngram_scores",
    "offer_choices",
    "offer_yes_no",
]

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
