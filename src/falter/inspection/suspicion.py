"""What predicts a wrong label without asking anyone: the audit, and text-only baselines that expect another answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from falter.english import Grammar
from falter.inspection.audit import findings
from falter.inspection.blind_sample import CHOICES, YES_NO, is_pair, question_kind
from falter.inspection.conditional_logit import split_images
from falter.inspection.ngram_baselines import NgramQuestion, ngram_scores, offer_choices, offer_yes_no
from falter.probes import Item, Suite
from falter.sources import Source

__all__ = ["Suspicion", "suspect_labels"]

_FOLDS = 3
_FEWEST = 30


class Suspicion(NamedTuple):
    """Of one probe, from 0 to 1: whether the audit disagrees, and how far a text-only baseline expects otherwise."""

    audit: float
    blind: float


def suspect_labels(suite: Suite, source: Source | None, grammar: Grammar | None) -> dict[str, Suspicion]:
    """By probe what predicts that its labels are wrong; the audit where ``grammar`` is given, blind baselines always.

    A prediction need not be good: an estimate that uses it is right whatever it is worth.
    """
    audited: dict[str, float] = {}
    if grammar is not None:
        for one in findings(suite.probes(), source, grammar):
            audited[one.probe_id] = max(audited.get(one.probe_id, 0.0), float(one.verdict == "disagrees"))
    blind = _expect_otherwise(suite)
    return {
        probe.probe_id: Suspicion(audited.get(probe.probe_id, 0.0), blind.get(probe.probe_id, 0.0))
        for probe in suite.probes()
    }


def _expect_otherwise(suite: Suite) -> Mapping[str, float]:
    """By probe the mean over its items of how sure the n-gram baseline is of an answer that is not the label."""
    asked: dict[tuple[str, str], list[Item]] = {}
    for probe in suite.probes():
        if is_pair(probe):
            continue
        for item in probe.items:
            kind = question_kind("original", item.task, item.expects, item.gold, item.choices)
            if kind in (YES_NO, CHOICES):
                asked.setdefault((item.test, kind), []).append(item)
    doubts: dict[str, list[float]] = {}
    for (_, kind), items in sorted(asked.items()):
        groups = [item.image_id or item.probe_id for item in items]
        if len(items) < _FEWEST or len(set(groups)) < _FOLDS or len({item.gold for item in items}) < 2:
            continue
        if kind == YES_NO:
            options = offer_yes_no([item.text for item in items], [item.gold == "yes" for item in items])
        else:
            questions = [
                NgramQuestion(item.text, tuple(item.choices or ()), list(item.choices or ()).index(item.gold or ""))
                for item in items
            ]
            options = offer_choices(questions)
        scores = ngram_scores(options, split_images(groups, _FOLDS))
        exponents = np.exp(scores - np.repeat(np.maximum.reduceat(scores, options.starts), options.sizes))
        shares = exponents / np.repeat(np.add.reduceat(exponents, options.starts), options.sizes)
        for item, share in zip(items, shares[options.starts + options.gold], strict=True):
            doubts.setdefault(item.probe_id, []).append(1 - float(share))
    return {probe_id: float(np.mean(found)) for probe_id, found in doubts.items()}
