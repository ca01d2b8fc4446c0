"""The measures there are: Falter's own, and those of other packages."""

from __future__ import annotations

from falter.measures.measure import Measure
from falter.registry import Registry

__all__ = ["COUNTS", "MEASURES", "every_measure"]

_OWN = {
    "acc_r": "falter.measures.foils:ACC_R",
    "acc": "falter.measures.consistency:ACC",
    "p_c": "falter.measures.foils:P_C",
    "p_f": "falter.measures.foils:P_F",
    "min_pc_pf": "falter.measures.foils:MIN_PC_PF",
    "auroc": "falter.measures.auroc:AUROC",
    "acc_original": "falter.measures.consistency:ACC_ORIGINAL",
    "acc_perturbed": "falter.measures.consistency:ACC_PERTURBED",
    "cons": "falter.measures.consistency:CONS",
    "cons_strict": "falter.measures.consistency:CONS_STRICT",
    "cons_independent": "falter.measures.consistency:CONS_INDEPENDENT",
    "cons_identical": "falter.measures.noise:CONS_IDENTICAL",
    "noise_floor": "falter.measures.noise:NOISE_FLOOR",
    "order_noise": "falter.measures.noise:ORDER_NOISE",
    "c_acc": "falter.measures.consistency:C_ACC",
    "set_acc": "falter.measures.sets:SET_ACC",
    "set_cons": "falter.measures.sets:SET_CONS",
    "vqa_accuracy": "falter.measures.vqa_accuracy:VQA_ACCURACY",
    "vqa_accuracy_original": "falter.measures.r_score:VQA_ACCURACY_ORIGINAL",
    "vqa_accuracy_perturbed": "falter.measures.r_score:VQA_ACCURACY_PERTURBED",
    "acc_di": "falter.measures.r_score:ACC_DI",
    "r_score": "falter.measures.r_score:R_SCORE",
    "yes_rate": "falter.measures.rates:YES_RATE",
    "no_rate": "falter.measures.rates:NO_RATE",
    "other_rate": "falter.measures.rates:OTHER_RATE",
    "first_choice_rate": "falter.measures.rates:FIRST_CHOICE_RATE",
    "off_list_rate": "falter.measures.rates:OFF_LIST_RATE",
    "position_bias": "falter.measures.position:POSITION_BIAS",
}

MEASURES: Registry[Measure] = Registry("measure", "falter.measures", _OWN)

COUNTS = {
    "pairs": "All pairs of the test, those left out included.",
    "ties": "Kept pairs whose caption and foil score the same; acc_r does not count them as won.",
    "unparsed": "Kept pairs in which a reply could not be read as an answer; it counts as wrong.",
    "unsupported": "Pairs left out because the model cannot be asked one of the questions.",
    "failed": "Pairs left out because no reply to one of the questions could be had.",
    "missing": "Pairs left out because one of the questions has not been asked.",
}
"""Counts that stand beside the measures. A pair left out is in the first of its classes that is listed here."""


def every_measure() -> list[Measure]:
    """All measures: Falter's own in the order of the tables, then others by name."""
    others = [name for name in MEASURES.names() if name not in _OWN]
    return [MEASURES.get(name) for name in (*_OWN, *others)]
