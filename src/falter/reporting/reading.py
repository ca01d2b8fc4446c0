"""How to read each measure: its short name and one line of meaning."""

from __future__ import annotations

from falter.measures import MEASURES

__all__ = ["ANSWER_COUNTS", "ANSWER_RATES", "HEADLINE", "meaning_of", "name_of"]

HEADLINE = ("acc", "cons", "c_acc")
ANSWER_RATES = ("yes_rate", "no_rate", "first_choice_rate", "off_list_rate")
ANSWER_COUNTS = ("unparsed", "failed", "missing", "unsupported")

NAMES = {
    "acc": "ACC",
    "acc_original": "ACC originals",
    "acc_perturbed": "ACC variants",
    "cons": "CONS",
    "cons_strict": "CONS strict",
    "cons_independent": "CONS by chance",
    "c_acc": "C-ACC",
    "yes_rate": "Says yes",
    "no_rate": "Says no",
    "other_rate": "Says neither",
    "first_choice_rate": "Takes the first choice",
    "off_list_rate": "Off the list",
    "pairs": "Pairs",
    "ties": "Ties",
    "unparsed": "Unparsed",
    "failed": "Failed",
    "missing": "Missing",
    "unsupported": "Unsupported",
}

MEANING = {
    "acc": "Of all questions, originals and variants, the share answered right.",
    "acc_original": "The share of original questions answered right.",
    "acc_perturbed": "The share of variants answered right.",
    "cons": "The share of pairs whose two answers fit together as they must (alike or opposite), right or wrong.",
    "cons_strict": "As CONS, but a pair counts as consistent only when both replies are among the choices.",
    "cons_independent": "The CONS that two independent answers of these accuracies would have.",
    "c_acc": "The share of pairs with both answers right: accuracy that survives the change.",
    "yes_rate": "Of the yes-or-no questions, the share answered yes, whatever is right.",
    "no_rate": "Of the yes-or-no questions, the share answered no, whatever is right.",
    "other_rate": "Of the yes-or-no questions, the share answered clearly, but with neither yes nor no.",
    "first_choice_rate": "Of the questions with choices other than yes and no, the share answered with the first.",
    "off_list_rate": "Of the questions with choices, the share answered clearly, but with none of them.",
    "acc_r": "The share of pairs whose caption scores strictly above its foil. A coin has 50.",
    "p_c": "Of the captions, the share taken for a match (a probability above one half, or yes).",
    "p_f": "Of the foils, the share taken for no match.",
    "min_pc_pf": "The smaller of p_c and p_f: near 0 for a model that says the same to everything.",
    "auroc": "How likely a caption drawn at random scores above a foil drawn at random. A coin has 50.",
    "ties": "Pairs whose caption and foil score the same; they do not count as won.",
    "pairs": "All pairs of the test, those left out included.",
    "unparsed": "Pairs in which a reply could not be read as an answer; it counts as wrong.",
    "failed": "Pairs left out because no reply to one of the questions could be had.",
    "missing": "Pairs left out because one of the questions was not asked.",
    "unsupported": "Pairs left out because the model cannot be asked one of the questions.",
}


def name_of(measure: str) -> str:
    """How a measure is headed: by this page's name for it, or by its own title."""
    if measure in NAMES or measure not in MEASURES:
        return NAMES.get(measure, measure)
    return MEASURES.get(measure).title


def meaning_of(measure: str) -> str:
    """What a measure tells, in a line where this page has one, else in the measure's own words."""
    if measure in MEANING or measure not in MEASURES:
        return MEANING.get(measure, "")
    return MEASURES.get(measure).meaning
