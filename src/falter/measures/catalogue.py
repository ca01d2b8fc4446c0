"""The measures and summaries there are: Falter's own, and those of other packages."""

from __future__ import annotations

from collections.abc import Container, Iterable

from falter.bundle import BUNDLES, SuiteBundle, bundle_of
from falter.measures.counting import INVARIANCE, MACRO, MICRO, OVERALL, SENSITIVITY, Summary
from falter.measures.measure import Measure
from falter.measures.outcomes.expressions import ANSWERS, PAIRED, expects
from falter.registry import Registry

__all__ = ["MEASURES", "all_measures", "all_summaries", "find_measure", "measures_for", "summaries_for"]

_OWN = {
    "acc_r": "falter.measures.foils:ACC_R",
    "acc": "falter.measures.accuracy:ACC",
    "precision": "falter.measures.single_questions:PRECISION",
    "recall": "falter.measures.single_questions:RECALL",
    "f1": "falter.measures.single_questions:F1",
    "item_acc": "falter.measures.two_by_two:ITEM_ACC",
    "text_score": "falter.measures.two_by_two:TEXT_SCORE",
    "image_score": "falter.measures.two_by_two:IMAGE_SCORE",
    "group_score": "falter.measures.two_by_two:GROUP_SCORE",
    "question_acc": "falter.measures.two_by_two:QUESTION_ACC",
    "image_acc": "falter.measures.two_by_two:IMAGE_ACC",
    "group_acc": "falter.measures.two_by_two:GROUP_ACC",
    "acc_official": "falter.measures.open_questions:ACC_OFFICIAL",
    "acc_careful": "falter.measures.open_questions:ACC_CAREFUL",
    "p_c": "falter.measures.foils:P_C",
    "p_f": "falter.measures.foils:P_F",
    "min_pc_pf": "falter.measures.foils:MIN_PC_PF",
    "auroc": "falter.measures.foils:AUROC",
    "acc_original": "falter.measures.accuracy:ACC_ORIGINAL",
    "acc_perturbed": "falter.measures.accuracy:ACC_PERTURBED",
    "cons": "falter.measures.consistency:CONS",
    "cons_strict": "falter.measures.consistency:CONS_STRICT",
    "cons_independent": "falter.measures.consistency:CONS_INDEPENDENT",
    "cons_identical": "falter.measures.repeats:CONS_IDENTICAL",
    "acc_expected": "falter.measures.repeats:EXPECTED_ACC",
    "acc_consensus": "falter.measures.repeats:CONSENSUS_ACC",
    "repeat_sd": "falter.measures.repeats:REPEAT_SD",
    "repeat_agreement": "falter.measures.repeats:AGREEMENT",
    "noise_floor": "falter.measures.repeats:NOISE_FLOOR",
    "order_noise": "falter.measures.repeats:ORDER_NOISE",
    "c_acc": "falter.measures.accuracy:C_ACC",
    "set_acc": "falter.measures.accuracy:SET_ACC",
    "set_cons": "falter.measures.consistency:SET_CONS",
    "vqa_accuracy": "falter.measures.accuracy:VQA_ACCURACY",
    "vqa_accuracy_original": "falter.measures.accuracy:VQA_ACCURACY_ORIGINAL",
    "vqa_accuracy_perturbed": "falter.measures.accuracy:VQA_ACCURACY_PERTURBED",
    "rad_forward": "falter.measures.robustness:RAD_FORWARD",
    "rad_backward": "falter.measures.robustness:RAD_BACKWARD",
    "yes_rate": "falter.measures.rates:YES_RATE",
    "no_rate": "falter.measures.rates:NO_RATE",
    "other_rate": "falter.measures.rates:OTHER_RATE",
    "first_choice_rate": "falter.measures.rates:FIRST_CHOICE_RATE",
    "off_list_rate": "falter.measures.rates:OFF_LIST_RATE",
    "position_bias": "falter.measures.foils:POSITION_BIAS",
    "pairs": "falter.measures.counts:PAIRS",
    "questions": "falter.measures.counts:QUESTIONS",
    "sets": "falter.measures.two_by_two:SETS",
    "rules_differ": "falter.measures.open_questions:RULES_DIFFER",
    "ties": "falter.measures.counts:TIES",
    "unparsed": "falter.measures.counts:UNPARSED",
    "truncated": "falter.measures.counts:TRUNCATED",
    "unsupported": "falter.measures.counts:UNSUPPORTED",
    "failed": "falter.measures.counts:FAILED",
    "missing": "falter.measures.counts:MISSING",
}

MEASURES: Registry[Measure] = Registry("measure", "falter.measures", _OWN)

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
    others = [name for name in MEASURES.names() if name not in _OWN]
    own = {measure.name: measure for measure in extra}
    found = {name: MEASURES.get(name) for name in (*_OWN, *others)}
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
