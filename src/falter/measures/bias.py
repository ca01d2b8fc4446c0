"""Blind checks: how far a model gets on a suite without looking at a picture."""

from __future__ import annotations

import msgspec

from falter.probes import Suite

__all__ = ["BlindCheck", "blind_check"]

_FEWEST = 50


class BlindCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Text-only accuracy on one test, beside always giving the commonest answer."""

    test: str
    items: int
    accuracy: float
    low: float
    high: float
    majority: float


def blind_check(suite: Suite, *, folds: int = 5, most: int = 50_000) -> list[BlindCheck]:
    """Words and word sequences (one to three) to answers by logistic regression, never trained on the same picture.

    A suite that a blind reader solves measures language habits; a sound one keeps this near the majority's share.
    Originals alone are used: a variant's answer follows from its original's.
    """
    from scipy.stats import binomtest
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline

    rows: dict[str, list[tuple[str, str, str]]] = {}
    for item in suite.items():
        if item.role == "original" and item.gold is not None and len(rows.setdefault(item.test, [])) < most:
            rows[item.test].append((item.text.lower(), item.gold, item.image_id or item.item_id))
    checks = []
    for test, found in sorted(rows.items()):
        texts, golds, groups = zip(*found, strict=True) if found else ((), (), ())
        if len(found) < _FEWEST or len(set(golds)) < 2 or len(set(groups)) < folds:
            continue
        reader = make_pipeline(
            CountVectorizer(ngram_range=(1, 3), min_df=2, binary=True, token_pattern=r"[a-z']+"),
            LogisticRegression(C=0.3, max_iter=300),
        )
        guesses = cross_val_predict(reader, texts, golds, groups=groups, cv=GroupKFold(folds))
        right = sum(guess == gold for guess, gold in zip(guesses, golds, strict=True))
        interval = binomtest(right, len(found)).proportion_ci(method="wilson")
        checks.append(
            BlindCheck(
                test=test,
                items=len(found),
                accuracy=right / len(found),
                low=float(interval.low),
                high=float(interval.high),
                majority=max(golds.count(gold) for gold in set(golds)) / len(found),
            )
        )
    return checks
