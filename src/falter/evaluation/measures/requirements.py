"""Requirements on scores, for a gate: ``carets.negation.c_acc[type=object]>=60%``.

A file of requirements is a YAML list of them, with the baseline and what may be missing."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, cast

import msgspec

from falter.core.bundle import BUNDLES
from falter.core.errors import InputError, UsageError
from falter.core.files import read_yaml
from falter.evaluation.measures.catalogue import MEASURES, all_measures, find_measure
from falter.evaluation.measures.counts import FAILED, MISSING, PAIRS, UNSUPPORTED, count_answered
from falter.evaluation.measures.intervals import IntervalKind
from falter.evaluation.measures.measure import Measure
from falter.evaluation.measures.results import MOST_EXCLUDED, NO_REPLIES, Comparison, Group, Score
from falter.evaluation.measures.units import AnsweredUnits

Operator = Literal[">=", ">", "<=", "<"]
Verdict = Literal["met", "not met", "undecided", "too few answers"]

_COMPARE = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
_FORM = re.compile(
    r"(?P<path>[^<>=\[\]]+)"
    r"(?:\[(?P<facet>[^=\]]+)=(?P<value>[^\]]*)\]\s*)?"
    r"(?P<operator>>=|<=|>|<)"
    r"(?P<bound>[^<>=]*)"
)
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_BOUND = re.compile(
    rf"(?P<number>[+-]?{_NUMBER})\s*(?P<percent>%?)"
    rf"|(?P<baseline>baseline)\s*(?:(?P<sign>[+-])\s*(?P<offset>{_NUMBER})\s*(?P<points>%?))?"
)
_LONGEST = 32
"""Characters of a bound: more than any measured value has."""
_GRAMMAR = "write suite.test.measure>=60% or suite.test.measure[facet=value]<=baseline+2%, with >=, >, <= or <"
_COUNT_EXCLUDED = frozenset(one.name for one in (PAIRS, FAILED, MISSING, UNSUPPORTED))
"""Counts that are about pairs without an answer themselves."""


class Requirement(msgspec.Struct, frozen=True):
    """What a score must reach or must not exceed."""

    text: str
    group: Group
    measure: str
    operator: Operator
    bound: float
    """With ``baseline``, how far the score may be from the baseline's."""
    baseline: bool = False

    @property
    def is_floor(self) -> bool:
        """Whether a low score fails it."""
        return self.operator.startswith(">")

    def holds(self, value: float) -> bool:
        """Whether a value meets it."""
        return bool(_COMPARE[self.operator](value, self.bound))


class CheckResult(msgspec.Struct, frozen=True):
    """A requirement and the score it is about: ``interval_end`` is the end of the interval that decides.

    ``verdict`` is ``undecided`` where the interval holds the bound. ``units`` counts the pairs, items or sets that the
    measure is about, and ``answered`` those that were answered, by the baseline too where there is one; ``comparison``
    is the baseline (first) and the run (second) over those that both answered.
    """

    requirement: Requirement
    score: Score
    interval_end: float | None
    passed: bool
    reason: str
    verdict: Verdict
    units: int | None = None
    answered: int | None = None
    comparison: Comparison | None = None
    gate: Literal["interval", "value"] = "interval"
    """Whether the end of the interval was judged, or the value that a full run has."""
    asked: int | None = None
    """Of the units, those that a run which stopped early has asked."""
    after: int | None = None
    """After how many units its verdict was reached."""


def parse_requirement(text: str) -> Requirement:
    """Read a requirement; the suite's name ends at the first dot, the measure's begins after the last.

    A measure goes by its id or by its title in tables; CONS is checked as CONS strict.

    >>> found = parse_requirement("carets.negation.C-ACC >= 60%")
    >>> found.group.test, found.measure, found.operator, found.bound
    ('negation', 'c_acc', '>=', 0.6)
    >>> parse_requirement("carets.negation.c_acc>=baseline-2%").bound
    -0.02
    """
    form = _FORM.fullmatch(text)
    if form is None:
        raise UsageError(f"the requirement {_shorten(text)} cannot be read: {_GRAMMAR}")
    suite, _, rest = form["path"].strip().partition(".")
    test, _, name = rest.rpartition(".")
    if not (suite and test and name):
        raise UsageError(f"the requirement {_shorten(text)} does not name a suite, a test and a measure: {_GRAMMAR}")
    measure = _find_by_title(name)
    bound = _parse_bound(text, form["bound"].strip(), measure)
    return Requirement(
        text=text.strip(),
        group=Group(suite, test, form["facet"] and form["facet"].strip(), form["value"]),
        measure=name if measure is None else measure.checked_as or measure.name,
        operator=cast(Operator, form["operator"]),
        bound=bound.value,
        baseline=bound.baseline,
    )


def parse_share(text: str, what: str) -> float:
    """A share such as 0.05 or 5%; ``what`` names it in the error.

    >>> parse_share("5%", "--allow-missing")
    0.05
    """
    found = _BOUND.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if found is not None and found["number"] is not None:
        value = float(found["number"]) / (100 if found["percent"] else 1)
        if 0 <= value <= 1:
            return value
    raise UsageError(f"{what} {_shorten(text)} is not a share from 0 to 1 or a percentage up to 100%; write 0.05 or 5%")


def _shorten(text: str) -> str:
    return repr(text) if len(text) <= 120 else f"{text[:120]!r}..."


def _find_by_title(name: str) -> Measure | None:
    """The measure that goes by a name: its id, or its title in tables, in upper or lower case."""
    exact = find_measure(name)
    if exact is not None:
        return exact
    of_bundles = (measure for bundle in BUNDLES.available() for measure in bundle.get("measures"))
    named = (
        one
        for one in all_measures(of_bundles, MEASURES.names())
        if name.casefold() in (one.title.casefold(), one.name.casefold())
    )
    return next(named, None)


class _Bound(msgspec.Struct, frozen=True):
    value: float
    baseline: bool


def _parse_bound(text: str, written: str, measure: Measure | None) -> _Bound:
    found = _BOUND.fullmatch(written) if len(written) <= _LONGEST else None
    if found is None:
        raise UsageError(
            f"the requirement {_shorten(text)}: the bound {_shorten(written)} is not a number such as 0.6 or 60%, with "
            f"digits 0 to 9 and at most {_LONGEST} characters, or baseline-2%"
        )
    baseline = found["baseline"] is not None
    digits = (f"{found['sign']}{found['offset']}" if found["offset"] else "0") if baseline else found["number"]
    percent = bool(found["points"] if baseline else found["percent"])
    value = float(digits) / (100 if percent else 1)
    if abs(value) == float("inf"):
        raise UsageError(f"the requirement {_shorten(text)}: the bound {written} is not finite; write a number")
    if measure is not None:
        problem = _misfit(measure, value, percent=percent, baseline=baseline)
        if problem:
            raise UsageError(f"the requirement {_shorten(text)}: {problem}")
    return _Bound(value, baseline)


def _misfit(measure: Measure, value: float, *, percent: bool, baseline: bool) -> str:
    """Why a bound cannot be one of a measure, with the remedy."""
    name, scale = measure.name, measure.scale
    if scale == "count" and (percent or baseline or value < 0):
        return f"{name} is a count of pairs; write a number of 0 or above"
    if scale == "number" and percent:
        return f"{name} is not a share; write the bound as a number"
    if scale in ("share", "difference") and abs(value) > 1:
        remedy = f"{value:g}% or {value / 100:g}" if abs(value) <= 100 and not percent else "a value from 0% to 100%"
        offset = "a difference to the baseline" if baseline else f"{name} is a {scale}"
        return f"{offset} of at most 1, and scores print it as a percentage; write {remedy}"
    if scale == "share" and value < 0 and not baseline:
        return f"{name} is a share from 0 to 1; write a bound of 0 or above"
    return ""


def facets_required(requirements: Sequence[Requirement]) -> list[str]:
    """The facets that scores must be broken down by."""
    return sorted({one.group.facet for one in requirements if one.group.facet is not None})


def check_requirement(
    requirement: Requirement,
    scores: Sequence[Score],
    *,
    units: Mapping[tuple[Group, str], AnsweredUnits] | None = None,
    comparisons: Sequence[Comparison] = (),
    allow_missing: float = MOST_EXCLUDED,
) -> CheckResult:
    """Check a requirement: a floor against the lower end of the score's interval, a ceiling against the upper end.

    A count has no interval and is checked as it is. Where the requirement names the baseline, the interval is that of
    the paired difference, which ``comparisons`` has. ``units`` says how many units were answered, by default the pairs
    of the test; where more than the share ``allow_missing`` of them lack an answer, the requirement is not met.
    """
    score = find_score(requirement, scores)
    counted = (units or {}).get((requirement.group, requirement.measure))
    answered = counted or _answered_pairs(requirement, scores)
    comparison = _compared(requirement, comparisons) if requirement.baseline else None
    if requirement.baseline and comparison is None and counted is None:
        raise UsageError(
            f"the requirement {requirement.text!r}: {requirement.measure} is not compared between runs; give it a "
            "bound without baseline"
        )
    if requirement.measure not in _COUNT_EXCLUDED and answered.excluded_share > allow_missing + 1e-12:
        verdict: Verdict = "too few answers"
        end, reason = None, lack_answers(requirement, answered, scores, allow_missing)
    elif requirement.baseline:
        verdict, end, reason = _judge_difference(requirement, comparison, answered)
    else:
        verdict, end, reason = _judge_score(requirement, score, answered)
    return CheckResult(
        requirement=requirement,
        score=msgspec.structs.replace(score, signature=f"{score.signature}|gate:interval"),
        interval_end=end,
        passed=verdict == "met",
        reason=reason,
        verdict=verdict,
        units=answered.units,
        answered=answered.answered,
        comparison=comparison,
    )


def _answered_pairs(requirement: Requirement, scores: Sequence[Score]) -> AnsweredUnits:
    for one in count_answered(scores):
        if one.group == requirement.group:
            return AnsweredUnits("pair", one.pairs, one.answered)
    return AnsweredUnits("pair", 0, 0)


def lack_answers(
    requirement: Requirement, answered: AnsweredUnits, scores: Sequence[Score], allow_missing: float
) -> str:
    """Why too few units were answered, in words, and what may be done."""
    both = " by both runs" if requirement.baseline else ""
    counts = next((one for one in count_answered(scores) if one.group == requirement.group), None)
    why = ""
    if counts is not None and counts.excluded:
        each = {"failed": counts.failed, "missing": counts.missing, "unsupported": counts.unsupported}
        why = f" (pairs: {', '.join(f'{number:,} {name}' for name, number in each.items() if number)})"
    return (
        f"only {answered} were answered{both}{why}; a requirement needs {100 - 100 * allow_missing:.4g} % of them: "
        "complete the run, or pass --allow-missing SHARE"
    )


def _nothing_measured(requirement: Requirement, answered: AnsweredUnits, reason: str | None) -> str:
    if answered.answered and reason in (None, NO_REPLIES):
        reason = f"{requirement.measure} counts none of the {answered.answered:,} {answered.grain}s that were answered"
    return f"nothing was measured: {reason or NO_REPLIES}"


def _no_interval(kind: IntervalKind | None, images: int | None = None) -> str:
    """Why nothing is decided, and what may be done."""
    if kind != "none" or images == 1:
        return "undecided: there is no interval, for all pairs are of one image"
    over = "" if images is None else f" ({images:,})"
    return f"undecided: too few images{over}, or too few that make a difference, for an interval; add images"


def _judge_score(requirement: Requirement, score: Score, answered: AnsweredUnits) -> tuple[Verdict, float | None, str]:
    if score.value is None:
        return "too few answers", None, _nothing_measured(requirement, answered, score.reason)
    measure = find_measure(requirement.measure)
    if measure is not None and measure.scale == "count":
        return _judge(requirement, score.value, score.value, "the count")
    if score.low is None or score.high is None:
        return "undecided", None, _no_interval(score.interval, score.images)
    return _judge(requirement, score.low, score.high, "the lower end" if requirement.is_floor else "the upper end")


def _judge_difference(
    requirement: Requirement, comparison: Comparison | None, answered: AnsweredUnits
) -> tuple[Verdict, float | None, str]:
    if comparison is None or comparison.difference is None:
        return "too few answers", None, _nothing_measured(requirement, answered, None)
    if comparison.low is None or comparison.high is None:
        return "undecided", None, _no_interval(comparison.interval)
    end = "lower end" if requirement.is_floor else "upper end"
    what = f"the difference to the baseline is {comparison.difference:.4g}, and the {end} of its interval"
    return _judge(requirement, comparison.low, comparison.high, what)


def _judge(requirement: Requirement, low: float, high: float, what: str) -> tuple[Verdict, float, str]:
    end, other = (low, high) if requirement.is_floor else (high, low)
    if requirement.holds(end):
        return "met", end, f"{what} {end:.4g} is {requirement.operator} {requirement.bound:g}"
    reason = f"{what} {end:.4g} is not {requirement.operator} {requirement.bound:g}"
    if requirement.holds(other):
        return "undecided", end, f"undecided: {reason}, but the other end is; more pairs narrow the interval"
    return "not met", end, reason


def _compared(requirement: Requirement, comparisons: Sequence[Comparison]) -> Comparison | None:
    same = (one for one in comparisons if (one.group, one.measure) == (requirement.group, requirement.measure))
    return next(same, None)


def find_score(requirement: Requirement, scores: Sequence[Score]) -> Score:
    """The score that a requirement is about; the error says what there is where there is none."""
    group = requirement.group
    of_test = [score for score in scores if (score.group.suite, score.group.test) == (group.suite, group.test)]
    if not of_test:
        tests = sorted({f"{score.group.suite}.{score.group.test}" for score in scores})
        raise _absent(requirement, f"no test {group.suite}.{group.test}", tests)
    of_facet = [score for score in of_test if score.group.facet == group.facet]
    of_group = [score for score in of_facet if score.group.value == group.value]
    if not of_group:
        values = sorted({score.group.value or "" for score in of_facet})
        raise _absent(requirement, f"no {group.facet}={group.value} in {group.suite}.{group.test}", values)
    for score in of_group:
        if score.measure == requirement.measure:
            return score
    raise _absent(requirement, f"no measure {requirement.measure}", [score.measure for score in of_group])


def _absent(requirement: Requirement, what: str, there: Sequence[str]) -> UsageError:
    return UsageError(f"the requirement {requirement.text!r}: there is {what}; there are {', '.join(there) or 'none'}")


_HINT = "write a list under require:, such as - carets.negation.c_acc >= 60%"


class RequirementFile(msgspec.Struct, frozen=True):
    """The requirements of a file; None where it says nothing of the baseline or of what may be missing."""

    requirements: tuple[Requirement, ...]
    baseline: Path | None = None
    allow_missing: float | None = None


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    require: list[str]
    baseline: str | None = None
    allow_missing: str | float | None = None


def read_requirements(path: Path) -> RequirementFile:
    """Read a file of requirements; the folder of a baseline is relative to it."""
    written = read_yaml(path, _Written, what="a file of requirements", hint=_HINT)
    if not written.require:
        raise InputError(path, "requires nothing", hint=_HINT)
    requirements = []
    for number, text in enumerate(written.require, start=1):
        try:
            requirements.append(parse_requirement(text))
        except UsageError as error:
            raise InputError(path, str(error), record=f"requirement {number}") from None
    allowed = written.allow_missing
    try:
        share = None if allowed is None else parse_share(str(allowed), "allow_missing")
    except UsageError as error:
        raise InputError(path, str(error)) from None
    baseline = None if written.baseline is None else path.parent / written.baseline
    return RequirementFile(tuple(requirements), baseline, share)
