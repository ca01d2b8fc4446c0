"""The measures and summaries there are: Falter's own, and those of other packages."""

from __future__ import annotations

from collections.abc import Container, Iterable

from falter.core.bundle import BUNDLES, SuiteBundle, bundle_of
from falter.core.registry import Registry
from falter.data.items import INVARIANCE, OVERALL, SENSITIVITY
from falter.evaluation.measures.counting import MACRO, MICRO, Summary
from falter.evaluation.measures.measure import Measure
from falter.evaluation.measures.outcomes.expressions import ANSWERS, PAIRED, expects

MEASURES: Registry[Measure] = Registry("measure", "falter.measures")

_COUNTS = ("pairs", "failed", "missing", "unsupported")
_RELATION = ("cons", "cons_strict", "cons_independent", "c_acc", *_COUNTS)
_STAYS, _CHANGES = (ANSWERS & PAIRED & expects(one) for one in ("same", "different"))
_SUMMARIES = (
    Summary(name=MICRO, how="pooled"),
    Summary(name=MACRO, how="mean"),
    Summary(name=OVERALL, how="pooled", where=ANSWERS, measures=("acc", *_COUNTS)),
    Summary(name=INVARIANCE, how="pooled", where=_STAYS, measures=_RELATION, always=True),
    Summary(name=SENSITIVITY, how="pooled", where=_CHANGES, measures=_RELATION, always=True),
)
"""CONS of pairs whose answers must stay and of pairs whose answers must change are never one figure: a model that gives
one answer to everything is fully consistent by the first and not at all by the second."""


def all_measures(extra: Iterable[Measure] = (), requested: Container[str] = ()) -> list[Measure]:
    """All measures: Falter's own in the order of the tables, those of other packages by name, then ``extra``.

    Measures that are scored on request alone are among them where ``requested`` or ``extra`` has them.
    """
    others = [name for name in MEASURES.names() if name not in MEASURES.own]
    own = {measure.name: measure for measure in extra}
    found = {name: MEASURES.get(name) for name in (*MEASURES.own, *others)}
    asked_for = {name: one for name, one in found.items() if not one.on_request or name in own or name in requested}
    return list((asked_for | own).values())


def all_summaries(extra: Iterable[Summary] = ()) -> list[Summary]:
    """How tests are summarized: captions and foils by micro- and macro-average, questions by ACC overall and by CONS
    and C-ACC of pairs that expect the same and of pairs that expect different answers; then ``extra``.

    One of the same name as an earlier one takes its place.
    """
    own = {one.name: one for one in extra}
    # A bundle whose own summary takes all tests together needs no second one.
    usual = {one.name: one for one in _SUMMARIES if one.name != OVERALL or MICRO not in own}
    return list((usual | own).values())


def measures_for(suites: Iterable[str], requested: Container[str] = ()) -> list[Measure]:
    """The measures of some suites, by the values of the column ``suite``: all, and those of their bundles.

    ``requested`` are names of measures that are scored on request alone.
    """
    own = (measure for bundle in _bundles_of(suites) for measure in bundle.get("measures"))
    return all_measures(own, requested)


def summaries_for(suites: Iterable[str]) -> list[Summary]:
    """How the tests of some suites are summarized."""
    return all_summaries(summary for bundle in _bundles_of(suites) for summary in bundle.get("summaries"))


def _bundles_of(suites: Iterable[str]) -> list[SuiteBundle]:
    return [bundle for suite in dict.fromkeys(suites) if (bundle := bundle_of(suite)) is not None]


def find_measure(name: str) -> Measure | None:
    """The measure of a name, whether it belongs to every suite or to a bundle; None where there is none."""
    if name in MEASURES:
        return MEASURES.get(name)
    of_bundles = (measure for bundle in BUNDLES.available() for measure in bundle.get("measures"))
    return next((measure for measure in of_bundles if measure.name == name), None)
