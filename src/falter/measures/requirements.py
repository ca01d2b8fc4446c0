"""Requirements on scores, for a gate: ``carets.negation.c_acc[type=object]>=0.6``."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from typing import Literal, cast

import msgspec

from falter.errors import UsageError
from falter.measures.catalogue import find_measure
from falter.measures.results import Group, Score

__all__ = ["CheckResult", "Requirement", "check_requirement", "facets_required", "parse_requirement"]

Operator = Literal[">=", ">", "<=", "<"]

_COMPARE = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
_FORM = re.compile(
    r"\s*(?P<path>[^<>=\[\]]+?)\s*"
    r"(?:\[(?P<facet>[^=\]]+)=(?P<value>[^\]]*)\])?\s*"
    r"(?P<operator>>=|<=|>|<)\s*"
    r"(?P<bound>\d+(?:\.\d*)?|\.\d+)\s*(?P<percent>%?)\s*"
)
_GRAMMAR = "write suite.test.measure>=0.6 or suite.test.measure[facet=value]<=5%, with >=, >, <= or <"


class Requirement(msgspec.Struct, frozen=True):
    """What a score must reach or must not exceed."""

    text: str
    group: Group
    measure: str
    operator: Operator
    bound: float


class CheckResult(msgspec.Struct, frozen=True):
    """A requirement and the score it is about: ``interval_end`` is the end of the interval that decides."""

    requirement: Requirement
    score: Score
    interval_end: float | None
    passed: bool
    reason: str


def parse_requirement(text: str) -> Requirement:
    """Read a requirement; the suite's name ends at the first dot, the measure's begins after the last.

    >>> found = parse_requirement("carets.negation.c_acc >= 60%")
    >>> found.group.test, found.measure, found.operator, found.bound
    ('negation', 'c_acc', '>=', 0.6)
    """
    form = _FORM.fullmatch(text)
    if form is None:
        raise UsageError(f"the requirement {text!r} cannot be read: {_GRAMMAR}")
    suite, _, rest = form["path"].partition(".")
    test, _, measure = rest.rpartition(".")
    if not (suite and test and measure):
        raise UsageError(f"the requirement {text!r} does not name a suite, a test and a measure: {_GRAMMAR}")
    bound = float(form["bound"]) / (100 if form["percent"] else 1)
    group = Group(suite, test, form["facet"] and form["facet"].strip(), form["value"])
    return Requirement(text.strip(), group, measure, cast(Operator, form["operator"]), bound)


def facets_required(requirements: Sequence[Requirement]) -> list[str]:
    """The facets that scores must be broken down by."""
    return sorted({one.group.facet for one in requirements if one.group.facet is not None})


def check_requirement(requirement: Requirement, scores: Sequence[Score]) -> CheckResult:
    """Check a requirement: a floor against the lower end of the score's interval, a ceiling against the upper end.

    A count has no interval and is checked as it is.
    """
    score = _named(requirement, scores)
    floor = requirement.operator.startswith(">")
    measure = find_measure(requirement.measure)
    if measure is not None and measure.scale == "count":
        end, what = score.value, "the count"
    else:
        end, what = (score.low, "the lower end") if floor else (score.high, "the upper end")
    if score.value is None:
        return CheckResult(
            requirement, score, None, False, f"nothing was measured: {score.reason or 'no pair was answered'}"
        )
    if end is None:
        return CheckResult(requirement, score, None, False, "there is no interval: all pairs are of one image")
    passed = _COMPARE[requirement.operator](end, requirement.bound)
    relation = requirement.operator if passed else f"not {requirement.operator}"
    return CheckResult(requirement, score, end, passed, f"{what} {end:.4g} is {relation} {requirement.bound:g}")


def _named(requirement: Requirement, scores: Sequence[Score]) -> Score:
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
