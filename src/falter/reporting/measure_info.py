"""What the report says of a measure: its title, description, scale and direction."""

from __future__ import annotations

from typing import Any

from falter.bundle import BUNDLES
from falter.measures import MEASURES
from falter.reporting.figures import Scale

__all__ = [
    "ANSWER_COUNTS",
    "ANSWER_RATES",
    "higher_is_better",
    "is_headline",
    "measure_description",
    "measure_scale",
    "measure_title",
]

_HEADLINE = ("acc_r", "acc", "min_pc_pf", "auroc", "cons", "c_acc", "set_acc", "vqa_accuracy")
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


_COUNTS = ("pairs", "ties", *ANSWER_COUNTS)


def _find(name: str) -> Any:
    """The measure of a name: Falter's own, one of an installed package, or a bundle's."""
    if name in MEASURES:
        return MEASURES.get(name)
    own = (measure for bundle in BUNDLES.available() for measure in bundle.get("measures"))
    return next((measure for measure in own if measure.name == name), None)


def measure_title(name: str) -> str:
    """How a measure is headed."""
    measure = _find(name)
    return NAMES.get(name, name if measure is None else measure.title)


def measure_description(name: str) -> str:
    """One line on what a measure says."""
    measure = _find(name)
    return MEANING.get(
        name, "" if measure is None else getattr(measure, "description", getattr(measure, "meaning", ""))
    )


def measure_scale(name: str) -> Scale:
    """Whether values are shares, differences of shares, plain numbers or counts."""
    scale: Scale = getattr(_find(name), "scale", "count" if name in _COUNTS else "share")
    return scale


def higher_is_better(name: str) -> bool | None:
    """Which end of a measure is the better one; None where neither is."""
    better: bool | None = getattr(_find(name), "higher_is_better", None if name == "position_bias" else True)
    return better


def is_headline(name: str) -> bool:
    """Whether a measure is in the report's first tables."""
    return bool(getattr(_find(name), "headline", name in _HEADLINE))
