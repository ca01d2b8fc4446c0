"""The error rate of a whole suite from few votes, and which probes to ask about next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from falter.apps.people.judgements import Method, PersonJudgement, aggregate
from falter.apps.people.questions import can_ask
from falter.apps.people.study import Form
from falter.core.errors import UsageError
from falter.data.suite import Suite
from falter.data.validation import Suspicion
from falter.evaluation.measures.statistics.regression import LabelledStratum, choose_next, estimate_rate
from falter.evaluation.runs.asked import draw_order


class TestErrors(msgspec.Struct, frozen=True, kw_only=True):
    """The error rate of one test, or of all."""

    __test__ = False

    test: str
    probes: int
    asked: int
    wrong: int
    """Of those that were asked about, not confirmed by most people."""
    rate: float
    low: float
    high: float
    plain_rate: float
    """From the votes alone, without predictions."""
    plain_low: float
    plain_high: float


class SuiteErrors(msgspec.Struct, frozen=True, kw_only=True):
    """The error rate by test and of the whole suite, and the probes to ask about next."""

    tests: list[TestErrors]
    next_probes: list[str]


def label_probes(judgements: Sequence[PersonJudgement], method: Method = "majority") -> dict[str, bool]:
    """By probe that people judged whether something of it was not confirmed; no majority is not confirmed."""
    wrong: dict[str, bool] = {}
    for one in aggregate(judgements, method).values():
        if one.question.expected is not None:
            wrong[one.question.probe_id] = wrong.get(one.question.probe_id, False) or not one.is_right
    return wrong


def estimate_errors(
    suite: Suite,
    form: Form,
    wrong: Mapping[str, bool],
    suspicions: Mapping[str, Suspicion],
    *,
    seed: int = 0,
    next_number: int = 0,
) -> SuiteErrors:
    """Estimate by strata of test and audit; within one, the probes asked about are a random sample of it.

    The next probes come from the strata whose votes shrink the interval of the whole suite most, in the drawn order of
    the sample, so that what was asked stays a random sample.
    """
    strata: dict[tuple[str, bool], list[str]] = {}
    for probe in suite.probes():
        if can_ask(form, probe):
            flagged = suspicions[probe.probe_id].audit > 0
            strata.setdefault((probe.original.test, flagged), []).append(probe.probe_id)
    _merge_unasked(strata, wrong)
    if not strata:
        raise UsageError("nobody has judged a probe of this suite yet")
    names = sorted(strata)
    made = {name: _stratum(strata[name], wrong, suspicions) for name in names}
    tests = [
        _describe(test, [made[name] for name in names if name[0] == test])
        for test in dict.fromkeys(name[0] for name in names)
    ]
    if len(tests) > 1:
        tests.append(_describe("all", list(made.values())))
    whole = estimate_rate(list(made.values()))
    more = choose_next(list(made.values()), next_number, whole.weights)
    chosen: list[str] = []
    for name, number in zip(names, more, strict=True):
        left = [probe_id for probe_id in strata[name] if probe_id not in wrong]
        chosen += draw_order(left, seed)[:number]
    return SuiteErrors(tests=tests, next_probes=sorted(chosen))


def _merge_unasked(strata: dict[tuple[str, bool], list[str]], wrong: Mapping[str, bool]) -> None:
    """A stratum of which nothing was asked joins the other of its test; a test without votes is left out."""
    for test, flagged in sorted(strata):
        probes = strata[test, flagged]
        if any(one in wrong for one in probes):
            continue
        del strata[test, flagged]
        if (test, not flagged) in strata:
            strata[test, not flagged] = [*strata[test, not flagged], *probes]


def _stratum(probes: Sequence[str], wrong: Mapping[str, bool], suspicions: Mapping[str, Suspicion]) -> LabelledStratum:
    everything = np.array([suspicions[one] for one in probes], dtype=np.float64)
    asked = [index for index, one in enumerate(probes) if one in wrong]
    labels = np.array([float(wrong[probes[index]]) for index in asked])
    return LabelledStratum(len(probes), everything.mean(0), labels, everything[asked])


def _describe(test: str, strata: Sequence[LabelledStratum]) -> TestErrors:
    found = estimate_rate(strata)
    return TestErrors(
        test=test,
        probes=found.size,
        asked=found.labelled,
        wrong=int(sum(one.labels.sum() for one in strata)),
        rate=found.value,
        low=found.low,
        high=found.high,
        plain_rate=found.plain_value,
        plain_low=found.plain_low,
        plain_high=found.plain_high,
    )
