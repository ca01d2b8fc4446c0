"""How far people agree and how often they are right, by test and by person, with intervals over questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import msgspec
import numpy as np

from falter.apps.people.judgements import Method, PersonJudgement, aggregate, share_right
from falter.data.agreement import Agreement, cohen_kappa, count_categories, fleiss_kappa, krippendorff_alpha, wilson


class TestAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """One test, or all of them: how far people agree, and how often they are right together."""

    __test__ = False

    test: str
    questions: int
    answers: int
    alpha: float | None
    alpha_low: float | None = None
    alpha_high: float | None = None
    fleiss: float | None = None
    """Fleiss' kappa over the questions with the commonest number of answers."""
    cohen: float | None = None
    """The mean of Cohen's kappa over all two people who share ten questions or more."""
    accuracy: float | None = None
    """The share of questions on which people together give the expected answer; no majority is wrong."""
    accuracy_low: float | None = None
    accuracy_high: float | None = None
    originals: float | None = None
    """The same over originals, and over variants."""
    variants: float | None = None
    majorities: dict[str, int] = {}
    """What most people say, and of how many questions; ``no majority`` among them."""


class PersonAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """One person: right answers, controls, agreement with the others, time and bias."""

    annotator: str
    answers: int
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    controls: int
    controls_right: int
    others: float | None
    """The share of answers that equal the majority of the others, over questions where they have one."""
    others_low: float | None
    others_high: float | None
    seconds: float | None
    commonest: str
    commonest_share: float
    first_share: float | None
    """Where sides were drawn, how often the first text was chosen among first and second: half without a bias."""


class StudyAgreement(NamedTuple):
    """Tests, the last of which is all of them; and people."""

    tests: list[TestAgreement]
    people: list[PersonAgreement]


def measure_agreement(
    judgements: Sequence[PersonJudgement], controls: Sequence[PersonJudgement] = (), *, method: Method = "majority"
) -> StudyAgreement:
    """Agreement by test and person. Categories are the options as the page worded them."""
    names = sorted({one.question.test for one in judgements})
    tests = [_test(name, [one for one in judgements if one.question.test == name], method) for name in names]
    if len(names) != 1:
        tests.append(_test("all", judgements, method))
    people = sorted({one.annotator for one in judgements})
    return StudyAgreement(tests, [_person(name, judgements, controls) for name in people])


def _test(name: str, judgements: Sequence[PersonJudgement], method: Method) -> TestAgreement:
    counted = count_categories((one.question.question_id, one.shown) for one in judgements)
    alpha = krippendorff_alpha(counted.counts) or Agreement(float("nan"), None, None, 0)
    found = list(aggregate(judgements, method).values())
    right = [one.is_right for one in found if one.question.expected is not None]
    share = wilson(sum(right), len(right)) if right else None
    sides = {
        part: share_right([one for one in found if one.question.second is None and bool(one.question.variant) == part])
        for part in (False, True)
    }
    return TestAgreement(
        test=name,
        questions=len(counted.items),
        answers=len(judgements),
        alpha=None if np.isnan(alpha.value) else alpha.value,
        alpha_low=alpha.low,
        alpha_high=alpha.high,
        fleiss=_fleiss(counted.counts),
        cohen=_mean_cohen(judgements),
        accuracy=None if share is None else share.value,
        accuracy_low=None if share is None else share.low,
        accuracy_high=None if share is None else share.high,
        originals=sides[False],
        variants=sides[True],
        majorities=dict(Counter(one.answer or "no majority" for one in found).most_common()),
    )


def _fleiss(counts: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float | None:
    if not counts.size:
        return None
    sums = counts.sum(1)
    values, numbers = np.unique(sums[sums > 1], return_counts=True)
    if not len(values):
        return None
    found = fleiss_kappa(counts[sums == values[np.argmax(numbers)]])
    return None if found is None else found.value


def _mean_cohen(judgements: Sequence[PersonJudgement], least: int = 10) -> float | None:
    by_person: dict[str, dict[str, str]] = {}
    for one in judgements:
        by_person.setdefault(one.annotator, {})[one.question.question_id] = one.shown
    found = []
    for first, second in combinations(sorted(by_person), 2):
        shared = sorted(by_person[first].keys() & by_person[second].keys())
        if len(shared) >= least:
            kappa = cohen_kappa([by_person[first][one] for one in shared], [by_person[second][one] for one in shared])
            found += [] if kappa is None else [kappa.value]
    return float(np.mean(found)) if found else None


def _person(name: str, judgements: Sequence[PersonJudgement], controls: Sequence[PersonJudgement]) -> PersonAgreement:
    own = [one for one in judgements if one.annotator == name]
    known = [one.confirms for one in controls if one.annotator == name]
    right = [bool(one.confirms) for one in own if one.question.expected is not None]
    accuracy = wilson(sum(right), len(right)) if right else None
    others = aggregate([one for one in judgements if one.annotator != name])
    same = [
        one.answer == others[one.question.question_id].answer
        for one in own
        if one.question.question_id in others and others[one.question.question_id].answer is not None
    ]
    agreeing = wilson(sum(same), len(same)) if same else None
    said = Counter(one.answer for one in own)
    commonest, number = min(said.items(), key=lambda one: (-one[1], one[0]))
    sides = [one.shown == "first" for one in own if one.shown in ("first", "second")]
    times = [one.seconds for one in own if one.seconds is not None]
    return PersonAgreement(
        annotator=name,
        answers=len(own),
        accuracy=None if accuracy is None else accuracy.value,
        accuracy_low=None if accuracy is None else accuracy.low,
        accuracy_high=None if accuracy is None else accuracy.high,
        controls=len(known),
        controls_right=sum(bool(one) for one in known),
        others=None if agreeing is None else agreeing.value,
        others_low=None if agreeing is None else agreeing.low,
        others_high=None if agreeing is None else agreeing.high,
        seconds=float(np.median(times)) if times else None,
        commonest=commonest,
        commonest_share=number / len(own),
        first_share=sum(sides) / len(sides) if sides else None,
    )
