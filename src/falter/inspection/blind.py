"""Blind checks: how far text-only baselines get on a suite."""

from __future__ import annotations

from typing import NamedTuple

from falter.inspection.blind_foils import BlindCheck, FoilBlindCheck
from falter.inspection.blind_sample import FOILS, draw_sample, question_kind
from falter.probes import Suite

__all__ = ["BLIND_SAMPLE", "BlindCheck", "blind_check"]

BLIND_SAMPLE = 5000
"""How many originals of a test are checked: enough for an interval of about a point on either side."""

_FEWEST = 50
_MOST_ANSWERS = 2
_MOST_WORDS = 150


def blind_check(suite: Suite, *, folds: int = 3, most: int | None = BLIND_SAMPLE, seed: int = 0) -> list[BlindCheck]:
    """How far two text-only baselines over n-grams (one to three words) get, never trained on the same image.

    One is a logistic regression, the other boosts trees, which find combinations of words; the better one counts. A
    suite that a text-only baseline solves measures language priors; a sound one keeps it near the majority's share.
    Only originals are used: a variant's answer follows from its original's. Questions with choices are checked apart
    from yes/no questions. Of captions and foils, the regression learns which is which, and the check is how often it
    ranks a caption above its foil, over the pairs that annotators confirmed.

    Of a test with more than ``most`` originals of a kind a sample is checked, which ``seed`` draws; None checks all.
    """
    from scipy.stats import binomtest

    rows: dict[tuple[str, str], list[_Row]] = {}
    sample = draw_sample(suite, most, seed)
    foils = FoilBlindCheck(folds, most, seed)
    for probe in sample.probes():
        item = probe.original
        questions = question_kind(item.role, item.task, item.expects, item.gold)
        if questions == FOILS:
            foils.add(probe)
        elif questions is not None and item.gold is not None:
            row = _Row(item.text.lower(), item.gold, item.image_id or item.item_id)
            rows.setdefault((item.test, questions), []).append(row)
    checks = []
    for (test, questions), found in sorted(rows.items()):
        golds = [row.gold for row in found]
        if len(found) < _FEWEST or len(set(golds)) < 2 or len({row.group for row in found}) < folds:
            continue
        right = _correct_by_baseline(found, folds)
        best = max(right, key=lambda name: right[name])
        interval = binomtest(right[best], len(found)).proportion_ci(method="wilson")
        checks.append(
            BlindCheck(
                test=test,
                questions=questions,
                baseline=best,
                items=len(found),
                accuracy=right[best] / len(found),
                low=float(interval.low),
                high=float(interval.high),
                majority=max(golds.count(gold) for gold in set(golds)) / len(found),
                baselines={name: count / len(found) for name, count in right.items()},
                sampled_from=sample.totals[test, questions],
                seed=seed,
            )
        )
    return checks + foils.checks(sample.totals)


class _Row(NamedTuple):
    text: str
    gold: str
    group: str


def _correct_by_baseline(rows: list[_Row], folds: int) -> dict[str, int]:
    """Questions that each baseline answers correctly, trained on the images of the other folds."""
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    texts, golds = [row.text for row in rows], np.array([row.gold for row in rows])
    # Trees cost time with every answer: beyond a few, in questions with choices, the regression is alone.
    boosts = len(set(golds)) <= _MOST_ANSWERS
    right = {"regression": 0, **({"boosting": 0} if boosts else {})}
    for learn, check in GroupKFold(folds).split(texts, golds, [row.group for row in rows]):
        counter = CountVectorizer(ngram_range=(1, 3), min_df=2, binary=True, token_pattern=r"[a-z']+")
        known = counter.fit_transform([texts[place] for place in learn])
        new = counter.transform([texts[place] for place in check])
        regression = LogisticRegression(C=0.3, max_iter=200).fit(known, golds[learn])
        right["regression"] += int((regression.predict(new) == golds[check]).sum())
        if boosts:
            commonest = np.sort(np.argsort(-np.asarray(known.sum(axis=0)).ravel(), kind="stable")[:_MOST_WORDS])
            trees = HistGradientBoostingClassifier(max_iter=60, early_stopping=False, random_state=0)
            # Threads wait for one another longer than they work on tables of this size.
            with threadpool_limits(1):
                trees.fit(known[:, commonest].toarray().astype(np.uint8), golds[learn])
                guesses = trees.predict(new[:, commonest].toarray().astype(np.uint8))
            right["boosting"] += int((guesses == golds[check]).sum())
    return right
