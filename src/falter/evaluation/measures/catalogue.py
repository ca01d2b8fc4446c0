"""The measures and summaries there are: Falter's own, and those of other packages."""

from __future__ import annotations

from collections.abc import Container, Iterable

from falter.core.bundle import BUNDLES, SuiteBundle, bundle_of
from falter.core.registry import Registry
from falter.evaluation.measures.counting import INVARIANCE, MACRO, MICRO, OVERALL, SENSITIVITY, Summary
from falter.evaluation.measures.measure import Measure
from falter.evaluation.measures.outcomes.expressions import ANSWERS, PAIRED, expects

__all__ = ["MEASURES", "all_measures", "all_summaries", "find_measure", "measures_for", "summaries_for"]

_OWN = {
    "acc_r": "falter.evaluation.measures.caption_measures:ACC_R",
    "acc": "falter.evaluation.measures.pair_measures:ACC",
    "precision": "falter.evaluation.measures.single_measures:PRECISION",
    "recall": "falter.evaluation.measures.single_measures:RECALL",
    "f1": "falter.evaluation.measures.single_measures:F1",
    "item_acc": "falter.evaluation.measures.caption_measures:ITEM_ACC",
    "text_score": "falter.evaluation.measures.caption_measures:TEXT_SCORE",
    "image_score": "falter.evaluation.measures.caption_measures:IMAGE_SCORE",
    "group_score": "falter.evaluation.measures.caption_measures:GROUP_SCORE",
    "question_acc": "falter.evaluation.measures.caption_measures:QUESTION_ACC",
    "image_acc": "falter.evaluation.measures.caption_measures:IMAGE_ACC",
    "group_acc": "falter.evaluation.measures.caption_measures:GROUP_ACC",
    "acc_official": "falter.evaluation.measures.single_measures:ACC_OFFICIAL",
    "acc_careful": "falter.evaluation.measures.single_measures:ACC_CAREFUL",
    "p_c": "falter.evaluation.measures.caption_measures:P_C",
    "p_f": "falter.evaluation.measures.caption_measures:P_F",
    "min_pc_pf": "falter.evaluation.measures.caption_measures:MIN_PC_PF",
    "auroc": "falter.evaluation.measures.caption_measures:AUROC",
    "acc_original": "falter.evaluation.measures.pair_measures:ACC_ORIGINAL",
    "acc_perturbed": "falter.evaluation.measures.pair_measures:ACC_PERTURBED",
    "cons": "falter.evaluation.measures.pair_measures:CONS",
    "cons_strict": "falter.evaluation.measures.pair_measures:CONS_STRICT",
    "cons_independent": "falter.evaluation.measures.pair_measures:CONS_INDEPENDENT",
    "cons_identical": "falter.evaluation.measures.repeats:CONS_IDENTICAL",
    "acc_expected": "falter.evaluation.measures.repeats:EXPECTED_ACC",
    "acc_consensus": "falter.evaluation.measures.repeats:CONSENSUS_ACC",
    "repeat_sd": "falter.evaluation.measures.repeats:REPEAT_SD",
    "repeat_agreement": "falter.evaluation.measures.repeats:AGREEMENT",
    "noise_floor": "falter.evaluation.measures.repeats:NOISE_FLOOR",
    "order_noise": "falter.evaluation.measures.repeats:ORDER_NOISE",
    "c_acc": "falter.evaluation.measures.pair_measures:C_ACC",
    "set_acc": "falter.evaluation.measures.pair_measures:SET_ACC",
    "set_cons": "falter.evaluation.measures.pair_measures:SET_CONS",
    "vqa_accuracy": "falter.evaluation.measures.pair_measures:VQA_ACCURACY",
    "vqa_accuracy_original": "falter.evaluation.measures.pair_measures:VQA_ACCURACY_ORIGINAL",
    "vqa_accuracy_perturbed": "falter.evaluation.measures.pair_measures:VQA_ACCURACY_PERTURBED",
    "rad_forward": "falter.evaluation.measures.pair_measures:RAD_FORWARD",
    "rad_backward": "falter.evaluation.measures.pair_measures:RAD_BACKWARD",
    "yes_rate": "falter.evaluation.measures.single_measures:YES_RATE",
    "no_rate": "falter.evaluation.measures.single_measures:NO_RATE",
    "other_rate": "falter.evaluation.measures.single_measures:OTHER_RATE",
    "first_choice_rate": "falter.evaluation.measures.single_measures:FIRST_CHOICE_RATE",
    "off_list_rate": "falter.evaluation.measures.single_measures:OFF_LIST_RATE",
    "position_bias": "falter.evaluation.measures.caption_measures:POSITION_BIAS",
    "pairs": "falter.evaluation.measures.counts:PAIRS",
    "questions": "falter.evaluation.measures.counts:QUESTIONS",
    "sets": "falter.evaluation.measures.caption_measures:SETS",
    "rules_differ": "falter.evaluation.measures.single_measures:RULES_DIFFER",
    "ties": "falter.evaluation.measures.counts:TIES",
    "unparsed": "falter.evaluation.measures.counts:UNPARSED",
    "truncated": "falter.evaluation.measures.counts:TRUNCATED",
    "unsupported": "falter.evaluation.measures.counts:UNSUPPORTED",
    "failed": "falter.evaluation.measures.counts:FAILED",
    "missing": "falter.evaluation.measures.counts:MISSING",
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
