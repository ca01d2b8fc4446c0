"""Requirements on the values that a full run has: tested while a run asks in random order, or on a run on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from falter.core.errors import UsageError
from falter.data.model import Reply
from falter.data.suite import Suite
from falter.evaluation.measures.catalogue import summaries_for
from falter.evaluation.measures.outcomes import (
    choose_subset,
    replies_from_frame,
    subset_signature,
    suites_in,
    tasks_in,
)
from falter.evaluation.measures.outcomes.coding import Integers
from falter.evaluation.measures.requirements import CheckResult, Requirement, Verdict, facets_required, lack_answers
from falter.evaluation.measures.results import MOST_EXCLUDED, Comparison, Score
from falter.evaluation.measures.scoring import ScoringSettings
from falter.evaluation.measures.statistics import Interval
from falter.evaluation.measures.units import AnsweredUnits, RowSums, SuiteRows
from falter.evaluation.measures.value_gate import ValueGate, ValueVerdict, find_groups
from falter.evaluation.runs.anytime import no_replies
from falter.evaluation.runs.asked import draw_probes, order_at_random, sampled_parts
from falter.evaluation.runs.manifest import UntilSettings
from falter.evaluation.runs.replies import join_own_replies, replies_to_table
from falter.evaluation.runs.scored_items import Limit, find_limit, load_replies, read_scored_items
from falter.evaluation.runs.scoring import signature_parts
from falter.evaluation.runs.store import Run
from falter.evaluation.score_options import PLAIN, ScoreOptions

_AT_ONCE = 20
_SHARE_OF_ASKED = 25
"""A round has at least one in so many of the probes asked before it, so that long runs are not tested too often."""


def refuse_baseline(baseline: Run) -> None:
    """Refuse a baseline that did not ask everything: what the run is compared with must be known."""
    partial = find_limit(baseline) is not None or baseline.shard is not None
    if partial or not baseline.manifest.complete or baseline.sampled() is not None:
        raise UsageError(
            f"the baseline {baseline.folder} has not asked everything: a verdict on the whole suite needs a complete "
            "run to compare with"
        )


class SuiteGate:
    """Requirements on a suite whose probes are asked in random order; says what to ask next."""

    def __init__(
        self,
        suite: Suite,
        requirements: Sequence[Requirement],
        *,
        seed: int,
        alpha: float,
        asked: Sequence[str] = (),
        limit: Limit | None = None,
        baseline: Run | None = None,
        allow_missing: float = MOST_EXCLUDED,
        look_every: int = _AT_ONCE,
        options: ScoreOptions = PLAIN,
    ) -> None:
        relative = [one for one in requirements if one.baseline]
        if relative and baseline is None:
            raise UsageError(f"the requirement {relative[0].text!r} needs a run to compare with; pass --baseline RUN")
        self._path = suite.items_path
        self._look_every = look_every
        self.subset = choose_subset(self._path, options.subset)
        named = {one.measure for one in requirements}
        options = options.replace(
            by=tuple(facets_required(requirements)), measures=tuple(sorted(named)), subset=self.subset
        )
        items, measures = read_scored_items(self._path, options, probes=None, summaries=None)
        self.tasks = tasks_in(items)
        self.rows = SuiteRows(
            items,
            no_replies(),
            measures=[one for one in measures if one.name in named],
            summaries=summaries_for(suites_in(items)),
            options=options,
            where=str(self._path),
        )
        groups = find_groups(self.rows, requirements)
        known: list[RowSums | None] = [None] * len(requirements)
        if baseline is not None and relative:
            refuse_baseline(baseline)
            joined, (replies,) = join_own_replies(self._path, self.rows.items, [load_replies(baseline, items)])
            sums = self.rows.sums(replies, groups, items=joined)
            known = [own if one.baseline else None for one, own in zip(requirements, sums, strict=True)]
            _refuse_gaps(requirements, known, allow_missing, baseline)
        self._number = {probe_id: number for number, probe_id in enumerate(self.rows.probe_ids)}
        drawn = dict.fromkeys((*asked, *order_at_random(self.rows.probe_ids, seed)))
        numbers = [self._number[probe_id] for probe_id in drawn if probe_id in self._number]
        order: Integers = np.array(numbers, dtype=np.int64)
        self.gate = ValueGate(requirements, groups, order, alpha=alpha, baseline=known, allow_missing=allow_missing)
        self.rounds: list[tuple[str, ...]] = []
        """What has been asked so far."""
        self._limit = limit

    @classmethod
    def from_settings(
        cls,
        suite: Suite,
        requirements: Sequence[Requirement],
        settings: UntilSettings,
        *,
        seed: int,
        baseline: Run | None,
    ) -> SuiteGate:
        """As the settings of a run say."""
        return cls(
            suite,
            requirements,
            seed=seed,
            alpha=settings.alpha,
            baseline=baseline,
            allow_missing=settings.allow_missing,
            look_every=settings.look_every,
        )

    def next_round(self) -> Sequence[str]:
        """The probes to ask next; none where every requirement is decided or everything was asked."""
        asked = sum(map(len, self.rounds))
        probes = self.gate.next_probes(max(self._look_every, asked // _SHARE_OF_ASKED))
        return [self.rows.probe_ids[number] for number in probes.tolist()]

    def take(self, asked: Sequence[str], replies: Mapping[str, Reply]) -> None:
        """The replies to all items of a round."""
        chosen = np.zeros(len(self.rows), dtype=bool)
        chosen[[self._number[probe_id] for probe_id in asked]] = True
        ids = self.rows.item_ids(chosen)
        own = {one: replies[one] for one in ids if one in replies}
        if any("@@" in one for one in replies):
            own = dict(replies)
        self.take_table(asked, _as_table(own))

    def take_table(self, asked: Sequence[str], replies: pa.Table, *, test: bool = True) -> None:
        """The same from a table of replies, to more items perhaps; without ``test``, for the values alone."""
        probes = np.array([self._number[one] for one in asked if one in self._number], dtype=np.int64)
        chosen = np.zeros(len(self.rows), dtype=bool)
        chosen[probes] = True
        items, (joined,) = join_own_replies(self._path, self.rows.items, [replies])
        part = None if chosen.all() else chosen
        self.gate.take(probes, self.rows.sums(joined, self.gate.groups, part, items=items), test=test)
        self.rounds.append(tuple(asked))

    def verdict(self, number: int) -> ValueVerdict:
        """Where a requirement stands; what a limit took is a random sample of a test, of several together none."""
        one = self.gate.verdict(number)
        tests = np.unique(self.rows.tests()[self.gate.groups[number].probe])
        if self._limit is None or len(tests) == 1 or one.way == "by value":
            return one
        one = one._replace(interval=Interval(None, None))
        return one._replace(met=None, way="open", after=one.asked) if one.way == "by test" else one

    def result(self, number: int, settings: ScoringSettings) -> CheckResult:
        """The verdict on a requirement, with its reason."""
        return _result(self.gate, number, self.verdict(number), self._limit, settings)

    def summary(self) -> list[dict[str, Any]]:
        """What was decided, for the manifest of the run."""
        found = []
        for number, requirement in enumerate(self.gate.requirements):
            one = self.verdict(number)
            verdict, _ = _judge(requirement, one, self.gate, self._limit)
            found.append(
                {
                    "requirement": requirement.text,
                    "verdict": verdict,
                    "way": one.way,
                    "after": one.after,
                    "asked": one.asked,
                    "units": one.units,
                }
            )
        return found


def _refuse_gaps(
    requirements: Sequence[Requirement], known: Sequence[RowSums | None], allow_missing: float, baseline: Run
) -> None:
    for requirement, own in zip(requirements, known, strict=True):
        if own is None:
            continue
        answered, there = int(own.included.sum()), len(own.included)
        if there - answered > allow_missing * there + 1e-9:
            raise UsageError(
                f"the requirement {requirement.text!r}: the baseline {baseline.folder} answered only {answered:,} of "
                f"{there:,}; a requirement needs {100 - 100 * allow_missing:.4g} % of them"
            )


def _as_table(replies: Mapping[str, Reply]) -> pa.Table:
    frame = pl.from_arrow(replies_to_table(replies[one] for one in sorted(replies)))
    assert isinstance(frame, pl.DataFrame)
    return replies_from_frame(frame)


def check_value(
    run: Run,
    requirements: Sequence[Requirement],
    *,
    baseline: Run | None = None,
    alpha: float = 0.05,
    allow_missing: float = MOST_EXCLUDED,
    options: ScoreOptions = PLAIN,
) -> list[CheckResult]:
    """Check the values that a full run has: exactly where everything was asked, else by tests that hold at any time.

    A run in random order that stopped or was cut off is tested over what it asked, round by round as it did. In any
    other order what was asked so far is no sample, and what is missing counts as not answered. What a limit left out
    was not asked: the probes that it took are a random sample of each test, in the order in which limits take them.
    """
    if run.shard is not None:
        raise UsageError(
            f"{run.folder} is part {run.shard} of a run: values over the whole suite need all parts; join them with "
            "falter merge, or check without --value"
        )
    seed = int(run.manifest.settings.get("seed", 0))
    sampled, limit = run.sampled(), find_limit(run)
    rounds: Sequence[Sequence[str]] = () if sampled is None else sampled.rounds
    if sampled is None and limit is not None:
        rounds = (draw_probes(run.suite(), seed=seed)[: limit.asked],)
    asked = [probe_id for one in rounds for probe_id in one]
    tester = SuiteGate(
        run.suite(),
        requirements,
        seed=seed,
        alpha=alpha,
        asked=asked,
        limit=limit,
        baseline=baseline,
        allow_missing=allow_missing,
        options=options,
    )
    replies = load_replies(run, tester.rows.items)
    if sampled is None and (limit is None or not run.manifest.complete):
        tester.take_table(tester.rows.probe_ids if limit is None else asked, replies, test=False)
    else:
        for one in _split(rounds):
            tester.take_table(one, replies)
    parts = (
        *signature_parts(run.manifest, tester.tasks, run.suite().manifest),
        *(sampled_parts(sampled) if sampled is not None else ()),
        *subset_signature(tester.subset),
        "gate:value",
        f"alpha:{alpha:g}",
    )
    settings = ScoringSettings(options.replace(seed=seed), parts)
    return [tester.result(number, settings) for number in range(len(requirements))]


def _split(rounds: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Rounds as they were; a run that was to ask everything at once is looked at as if it had been asked in rounds."""
    if len(rounds) != 1:
        return list(rounds)
    return [rounds[0][start : start + _AT_ONCE] for start in range(0, len(rounds[0]), _AT_ONCE)]


def _judge(requirement: Requirement, one: ValueVerdict, gate: ValueGate, limit: Limit | None) -> tuple[Verdict, str]:
    """The verdict and its reason in words."""
    group = gate.group(requirement)
    units = f"{one.units:,} {group.noun}s"
    lacking = one.asked - one.answered
    if not requirement_counts_excluded(requirement) and lacking > gate.allow_missing * one.asked + 1e-9:
        answered = AnsweredUnits(group.measure.grain, one.asked, one.answered)
        return "too few answers", lack_answers(requirement, answered, (), gate.allow_missing)
    if one.value is None:
        return "too few answers", "nothing was measured: no unit that counts was answered"
    if one.met is None:
        why = "more must be asked" if limit is None else f"{limit}, and the others were not asked"
        return "undecided", f"undecided after {one.asked:,} of {units}: {why}"
    verdict: Verdict = "met" if one.met else "not met"
    if one.way == "by value":
        is_ = "is" if one.met else "is not"
        what = "the difference to the baseline" if requirement.baseline else "the value"
        return verdict, f"{what} over all {units} {is_} {requirement.operator} {requirement.bound:g}: {one.value:.4g}"
    after = f"{verdict} after {one.after:,} of {units}"
    if one.way == "for certain":
        return verdict, f"{after}: the others cannot change it"
    share = f"{100 * gate.alpha:.4g} %"
    if len(gate.requirements) == 1:
        return verdict, f"{after}; the full run would say otherwise with probability under {share}"
    return verdict, f"{after}; the full run would say otherwise of any requirement with probability under {share}"


def requirement_counts_excluded(requirement: Requirement) -> bool:
    """Whether a requirement is about replies that failed itself."""
    return requirement.measure in ("failed", "unsupported")


def _result(
    gate: ValueGate, number: int, one: ValueVerdict, limit: Limit | None, settings: ScoringSettings
) -> CheckResult:
    requirement = gate.requirements[number]
    verdict, reason = _judge(requirement, one, gate, limit)
    measure = gate.groups[number].measure
    signature = settings.sign(requirement.group, one.n, measure.signature_parts)
    low, high = one.interval
    comparison = None
    if requirement.baseline:
        comparison = Comparison(
            measure=requirement.measure,
            group=requirement.group,
            first=one.first,
            second=one.second,
            difference=one.value,
            low=low,
            high=high,
            n=one.n,
            signature=signature,
        )
    score = Score(
        measure=requirement.measure,
        group=requirement.group,
        value=one.second if requirement.baseline else one.value,
        low=None if requirement.baseline else low,
        high=None if requirement.baseline else high,
        n=one.n,
        signature=signature,
    )
    return CheckResult(
        requirement=requirement,
        score=score,
        interval_end=None,
        passed=verdict == "met",
        reason=reason,
        verdict=verdict,
        units=one.units,
        answered=one.answered,
        comparison=comparison,
        gate="value",
        asked=one.asked,
        after=one.after,
    )
