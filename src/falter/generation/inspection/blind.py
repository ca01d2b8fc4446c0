"""Blind checks: how far text-only baselines get on a suite.

Of captions and foils, the baselines are words, length, common sense and language models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from falter.core.optional_packages import one_thread
from falter.data.agreement import wilson
from falter.data.blind_checks import (
    CHOICES,
    FLAG,
    FOILS,
    POLAR,
    BlindCheck,
    BlindResults,
    CommonSenseCheck,
    ScorerCheck,
    question_kind,
)
from falter.data.items import Item
from falter.data.suite import Suite
from falter.generation.inspection.adversarial_filter import preferred
from falter.generation.inspection.blind_sample import BlindSample, confirmed, draw_sample
from falter.generation.inspection.common_sense import CommonSenseBaseline, SensedQuestion
from falter.generation.inspection.foil_pairs import FoilPair, differ_one_way, rank_by_length, rank_captions
from falter.generation.inspection.ngram_baselines import (
    Floats,
    Ints,
    NgramQuestion,
    count_correct_by_boosting,
    count_correct_open,
    ngram_scores,
    offer_choices,
    offer_yes_no,
    split_images,
)
from falter.generation.inspection.text_scorers import PairScorer
from falter.generation.sources import HasScenes

FEWEST_PAIRS = 50
_COIN = 0.5


def has_enough(pairs: Sequence[FoilPair], folds: int) -> bool:
    """Whether there are pairs and images enough for a check."""
    return len(pairs) >= FEWEST_PAIRS and len({pair.group for pair in pairs}) >= folds


def check_pairs(
    test: str,
    pairs: Sequence[FoilPair],
    sense: CommonSenseBaseline | None,
    gaps: dict[str, Floats],
    *,
    folds: int = 3,
    sampled_from: int | None = None,
    seed: int = 0,
) -> BlindCheck:
    """Check the pairs of one test; ``gaps`` are those of language models, by name, a value per pair."""
    fold_of = split_images([pair.group for pair in pairs], folds)
    common = _check_sense(pairs, sense, fold_of)
    words = wilson(rank_captions(pairs, fold_of), len(pairs))
    length = wilson(rank_by_length(pairs, fold_of), len(pairs))
    scorers = {"length": ScorerCheck(accuracy=length.value, low=length.low, high=length.high)}
    scorers |= {name: _check_gaps(gap) for name, gap in gaps.items()}
    reached = {"n-grams": words.value, **{name: one.accuracy for name, one in scorers.items()}}
    if not isinstance(common, str):
        reached["common sense"] = common.accuracy
    best = max(reached, key=lambda name: reached[name])
    flagged = reached[best] > FLAG
    return BlindCheck(
        test=test,
        questions=FOILS,
        baseline="regression",
        items=len(pairs),
        accuracy=words.value,
        low=words.low,
        high=words.high,
        majority=_COIN,
        baselines={"regression": words.value},
        sampled_from=len(pairs) if sampled_from is None else sampled_from,
        seed=seed,
        chance=_COIN,
        common_sense=None if isinstance(common, str) else common,
        common_sense_reason=common if isinstance(common, str) else "",
        scorers=scorers,
        flagged=flagged,
        solved_by=best if flagged else "",
        one_way=differ_one_way(pairs),
    )


def _check_sense(pairs: Sequence[FoilPair], sense: CommonSenseBaseline | None, fold_of: Ints) -> CommonSenseCheck | str:
    if sense is None:
        return "pairs were chosen by it"
    said = [sense.reader.of_texts((pair.caption, pair.foil)) for pair in pairs]
    asked = [SensedQuestion(claims, 0, pair.group) for claims, pair in zip(said, pairs, strict=True)]
    return sense.check_options(asked, fold_of)


def _check_gaps(gaps: Floats) -> ScorerCheck:
    share = wilson(preferred(gaps) * len(gaps), len(gaps))
    first, middle, last = (float(one) for one in np.quantile(gaps, (0.25, 0.5, 0.75)))
    return ScorerCheck(
        accuracy=share.value,
        low=share.low,
        high=share.high,
        mean_gap=float(np.mean(gaps)),
        gap_quartiles=(first, middle, last),
    )


BLIND_SAMPLE = 5000
"""How many questions of a test are checked: enough for an interval of about a point on either side."""


def blind_check(
    suite: Suite,
    *,
    folds: int = 3,
    most: int | None = BLIND_SAMPLE,
    seed: int = 0,
    scenes: HasScenes | None = None,
    scorers: Sequence[PairScorer] = (),
    quick: bool = False,
) -> list[BlindCheck]:
    """How far text-only baselines get, never trained on the same image.

    Two are over n-grams (one to three words): a regression and, for yes/no questions, boosted trees, which find
    combinations of words; the better one counts. Of questions with choices, the regression chooses among the options
    that are offered. The common-sense baseline weighs how usual it is what is asked about, by counts of other images,
    and with ``scenes`` how usual next to the other objects in the image.

    A suite that a text-only baseline solves measures language priors; a sound one keeps it near chance. Only originals
    are used where a variant's answer follows from its original's, and variants too where each has its own. Questions
    with choices are checked apart from yes/no questions. Of captions and foils, the check is how often a caption is
    ranked above its foil, over the pairs that annotators confirmed: by the regression, by common sense, by length
    alone, and by ``scorers``. A test that one of them solves above 60 % is flagged.

    Of a test with more than ``most`` questions of a kind a sample is checked, which ``seed`` draws; None checks all.
    With ``quick``, trees and questions without choices are skipped.
    """
    found = run_blind_checks(suite, folds=folds, most=most, seed=seed, scenes=scenes, scorers=scorers, quick=quick)
    return found.checks


def run_blind_checks(
    suite: Suite,
    *,
    folds: int = 3,
    most: int | None = BLIND_SAMPLE,
    seed: int = 0,
    scenes: HasScenes | None = None,
    scorers: Sequence[PairScorer] = (),
    quick: bool = False,
) -> BlindResults:
    """:func:`blind_check`, telling what could not be checked."""
    sample = draw_sample(suite, most, seed)
    if max(sample.totals.values(), default=0) < FEWEST_PAIRS:
        return BlindResults([], sample.totals)
    # Loaded before its threads are limited: they wait for one another longer than they work on tables of this size.
    import scipy.optimize  # noqa: F401

    sense = _Lazily(lambda: CommonSenseBaseline(scenes))
    with one_thread():
        return _check_tests(sample, most, seed, sense, folds=folds, scorers=scorers, quick=quick)


def _check_tests(
    sample: BlindSample,
    most: int | None,
    seed: int,
    sense: _Lazily,
    *,
    folds: int,
    scorers: Sequence[PairScorer],
    quick: bool,
) -> BlindResults:
    rows, pairs = _gather(sample, most)
    checks = []
    unchecked: dict[tuple[str, str], int] = {}
    for (test, questions), found in sorted(rows.items()):
        if len(found) < FEWEST_PAIRS or len({row.gold for row in found}) < 2 or not _has_folds(found, folds):
            unchecked[test, questions] = len(found)
            continue
        fold_of = split_images([row.group for row in found], folds)
        if questions == POLAR:
            result = _check_yes_no(found, fold_of, sense.get(), quick=quick)
        elif questions == CHOICES:
            result = _check_choices(found, fold_of, sense.get())
        elif not quick:
            result = _check_open(found, fold_of)
        else:
            continue
        checks.append(_describe(test, questions, found, result, sample, seed))
    for test, foils in sorted(pairs.items()):
        if not has_enough(foils, folds):
            unchecked[test, FOILS] = len(foils)
            continue
        gaps = {scorer.name: scorer.gaps(foils) for scorer in scorers}
        total = sample.totals[test, FOILS]
        checks.append(check_pairs(test, foils, sense.get(), gaps, folds=folds, sampled_from=total, seed=seed))
    return BlindResults(checks, unchecked)


class _Row(NamedTuple):
    text: str
    gold: str
    choices: tuple[str, ...] | None
    meaning: str | None
    image_id: str | None
    group: str

    @classmethod
    def from_item(cls, item: Item, gold: str) -> _Row:
        choices = None if item.choices is None else tuple(item.choices)
        return cls(item.text, gold, choices, item.meaning, item.image_id, item.image_id or item.item_id)


class _Result(NamedTuple):
    correct: Mapping[str, float]
    """By baseline the number of questions that it answers correctly."""
    chance: float | None
    majority: float
    common_sense: CommonSenseCheck | str


class _Lazily:
    """The common-sense baseline, made when it is first needed."""

    def __init__(self, make: Callable[[], CommonSenseBaseline]) -> None:
        self._make = make
        self._made: CommonSenseBaseline | None = None

    def get(self) -> CommonSenseBaseline:
        self._made = self._made or self._make()
        return self._made


def _gather(
    sample: BlindSample, most: int | None
) -> tuple[dict[tuple[str, str], list[_Row]], dict[str, list[FoilPair]]]:
    """What is checked, by test: questions by their kind, and pairs of a caption and a foil."""
    rows: dict[tuple[str, str], list[_Row]] = {}
    pairs: dict[str, list[FoilPair]] = {}
    for probe in sample.probes():
        original = probe.original
        for item in probe.items if original.expects == "each" else (original,):
            questions = question_kind(item.role, item.task, item.expects, item.gold, item.choices)
            if questions == FOILS and confirmed(item.facets):
                kept = pairs.setdefault(item.test, [])
                room = None if most is None else max(most - len(kept), 0)
                group = item.image_id or item.item_id
                kept += [FoilPair(item.text, foil.text, group) for foil in probe.variants[:room]]
            elif questions is not None and questions != FOILS and item.gold is not None:
                rows.setdefault((item.test, questions), []).append(_Row.from_item(item, item.gold))
    return rows, pairs


def _has_folds(found: Sequence[_Row], folds: int) -> bool:
    return len({one.group for one in found}) >= folds


def _check_yes_no(rows: Sequence[_Row], fold_of: Ints, sense: CommonSenseBaseline, *, quick: bool) -> _Result:
    texts, affirmed = [row.text for row in rows], [row.gold == "yes" for row in rows]
    options = offer_yes_no(texts, affirmed)
    correct = {"regression": float(options.credit(ngram_scores(options, fold_of)).sum())}
    if not quick:
        correct["boosting"] = count_correct_by_boosting(texts, affirmed, fold_of)
    asked = [
        SensedQuestion((sense.reader.of_yes_no(row.text, row.meaning),), 0 if row.gold == "yes" else 1, row.image_id)
        for row in rows
    ]
    chance = float(np.mean([1 / len(row.choices or "yn") for row in rows]))
    return _Result(correct, chance, _majority(rows), sense.check_yes_no(asked, fold_of))


def _check_choices(rows: Sequence[_Row], fold_of: Ints, sense: CommonSenseBaseline) -> _Result:
    offered = [row.choices or () for row in rows]
    gold = [choices.index(row.gold) for choices, row in zip(offered, rows, strict=True)]
    options = offer_choices(
        [NgramQuestion(row.text, choices, index) for row, choices, index in zip(rows, offered, gold, strict=True)]
    )
    correct = {"regression": float(options.credit(ngram_scores(options, fold_of)).sum())}
    asked = [
        SensedQuestion(sense.reader.of_options(row.text, choices, row.meaning), index, row.image_id)
        for row, choices, index in zip(rows, offered, gold, strict=True)
    ]
    return _Result(correct, options.chance, _majority(rows), sense.check_options(asked, fold_of))


def _check_open(rows: Sequence[_Row], fold_of: Ints) -> _Result:
    correct = {"regression": count_correct_open([row.text for row in rows], [row.gold for row in rows], fold_of)}
    return _Result(correct, None, _majority(rows), "no choices are offered")


def _majority(rows: Sequence[_Row]) -> float:
    golds = [row.gold for row in rows]
    return max(golds.count(gold) for gold in set(golds)) / len(golds)


def _describe(
    test: str,
    questions: str,
    found: Sequence[_Row],
    result: _Result,
    sample: BlindSample,
    seed: int,
) -> BlindCheck:
    best = max(result.correct, key=lambda name: result.correct[name])
    share = wilson(result.correct[best], len(found))
    common = result.common_sense
    return BlindCheck(
        test=test,
        questions=questions,
        baseline=best,
        items=len(found),
        accuracy=share.value,
        low=share.low,
        high=share.high,
        majority=result.majority,
        baselines={name: count / len(found) for name, count in result.correct.items()},
        sampled_from=sample.totals[test, questions],
        seed=seed,
        chance=result.chance,
        common_sense=None if isinstance(common, str) else common,
        common_sense_reason=common if isinstance(common, str) else "",
    )
