"""How far common sense gets on a test: which answer is the usual one, by counts of other images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from falter.cooccurrence import load_table
from falter.english import default_grammar
from falter.inspection.claims import ClaimReader, Claims
from falter.inspection.common_sense import FEATURES, CommonSense, ImageKinds
from falter.inspection.conditional_logit import Flags, Floats, Ints, OfferedOptions, cross_fit_few, fit_few, wilson
from falter.sources import HasScenes

__all__ = ["CommonSenseBaseline", "CommonSenseCheck", "SensedQuestion", "area"]

_FEWEST = 50
_USUAL = ("frequency", "usual_attribute", "usual_relation")


class CommonSenseCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What the common-sense baseline reaches on one test."""

    knows: Literal["words", "words and scenes"]
    """Whether it got the words alone, or also the other objects that the scene graph of the image has."""
    known: int
    """Questions that claim something that can be counted."""
    accuracy: float
    low: float
    high: float
    auc: float | None = None
    """Of yes/no questions, the area under the curve of its score."""
    areas: dict[str, float] = msgspec.field(default_factory=dict)
    """Of yes/no questions, the area of each count by itself, with nothing learned."""
    most_usual: float | None = None
    """Of choices, and of captions and foils, the accuracy of taking the most usual one, with nothing learned."""


class SensedQuestion(NamedTuple):
    """The claims of each option (of a yes/no question: of yes), which is correct, and the image."""

    claims: Sequence[Claims]
    gold: int
    image_id: str | None


class CommonSenseBaseline:
    """Weighs a few counts: how usual what is claimed is, by itself, together and, with scenes, in the image."""

    def __init__(self, scenes: HasScenes | None = None) -> None:
        ontology = default_grammar().ontology
        self.reader = ClaimReader(ontology)
        self._sense = CommonSense(load_table().check, ontology)
        self._kinds = None if scenes is None else ImageKinds(scenes, ontology)

    def check_yes_no(self, questions: Sequence[SensedQuestion], fold_of: Ints) -> CommonSenseCheck | str:
        """The accuracy over yes/no questions, or why there is none; gold 0 is yes."""
        if (problem := _find_problem(questions)) is not None:
            return problem
        raw, seen = self._features(questions)
        sign = np.array([-1.0 if one.claims[0].denied else 1.0 for one in questions])
        forms = sorted({one.claims[0].form for one in questions})
        form_of = np.array([forms.index(one.claims[0].form) for one in questions])
        affirmed = np.array([one.gold == 0 for one in questions])
        scaled = np.zeros_like(raw)
        for form in range(len(forms)):
            scaled[form_of == form] = _standardize(raw[form_of == form])
        scores = _cross_fit_yes_no(scaled * sign[:, None], affirmed, fold_of, form_of)
        correct = np.where(scores == 0, 0.5, (scores > 0) == affirmed)
        share = wilson(float(correct.sum()), len(questions))
        return CommonSenseCheck(
            knows="words and scenes" if seen else "words",
            known=sum(bool(one.claims[0]) for one in questions),
            accuracy=share.value,
            low=share.low,
            high=share.high,
            auc=area(scores, affirmed),
            areas=_find_areas(raw * sign[:, None], affirmed, [one.claims[0] for one in questions]),
        )

    def check_options(self, questions: Sequence[SensedQuestion], fold_of: Ints) -> CommonSenseCheck | str:
        """The accuracy over questions with choices, or over captions and foils; or why there is none."""
        if (problem := _find_problem(questions)) is not None:
            return problem
        raw, seen = self._features(questions)
        sizes = np.array([len(one.claims) for one in questions], dtype=np.int64)
        gold = np.array([one.gold for one in questions], dtype=np.int64)
        options = OfferedOptions(_standardize(raw), sizes, gold)
        scores = cross_fit_few(options, fold_of)
        share = wilson(float(options.credit(scores).sum()), len(questions))
        usual = raw[:, [FEATURES.index(name) for name in _USUAL]].sum(axis=1)
        return CommonSenseCheck(
            knows="words and scenes" if seen else "words",
            known=sum(any(one.claims) for one in questions),
            accuracy=share.value,
            low=share.low,
            high=share.high,
            most_usual=float(options.credit(usual).mean()),
        )

    def usual_gaps(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """By pair of texts how much more usual it is what the first one claims; 0 where that is not counted."""
        asked = [SensedQuestion(self.reader.of_texts(pair), 0, None) for pair in pairs]
        usual = self._features(asked)[0][:, [FEATURES.index(name) for name in _USUAL]].sum(axis=1).reshape(-1, 2)
        gaps = usual[:, 0] - usual[:, 1]
        return np.where(np.isnan(gaps), 0.0, gaps)

    def _features(self, questions: Sequence[SensedQuestion]) -> tuple[Floats, bool]:
        """A row for each claim, and whether a scene graph was used."""
        rows, seen = [], False
        for one in questions:
            kinds = None if self._kinds is None or one.image_id is None else self._kinds.get(one.image_id)
            beside = () if kinds is None else self._sense.others(one.claims, kinds)
            seen = seen or bool(beside)
            rows += [self._sense.score(claims, beside) for claims in one.claims]
        return np.array(rows), seen


def _cross_fit_yes_no(features: Floats, affirmed: Flags, fold_of: Ints, form_of: Ints) -> Floats:
    """By question how far its score is above the threshold of its form; both are learned from the other folds.

    The threshold is such that as many of the questions learned from are answered yes as have that answer.
    """
    found = np.zeros(len(features))
    rows = np.zeros((2 * len(features), features.shape[1]))
    rows[::2] = features
    gold = np.where(affirmed, 0, 1).astype(np.int64)
    options = OfferedOptions(rows, np.full(len(features), 2, dtype=np.int64), gold)
    for fold in np.unique(fold_of):
        scores = features @ fit_few(options.take(np.flatnonzero(fold_of != fold)))
        for form in np.unique(form_of[fold_of == fold]):
            learned, checked = (form_of == form) & (fold_of != fold), (form_of == form) & (fold_of == fold)
            threshold = np.quantile(scores[learned], 1 - affirmed[learned].mean()) if learned.any() else 0.0
            found[checked] = scores[checked] - threshold
    return found


def area(scores: Floats, positive: Flags) -> float | None:
    """The share of pairs of a positive and a negative in which the positive has the higher score; ties are half.

    >>> area(np.array([3.0, 1.0, 2.0]), np.array([True, False, True]))
    1.0
    """
    above, below = scores[positive], np.sort(scores[~positive])
    if not len(above) or not len(below):
        return None
    ranks = np.searchsorted(below, above, "left") + np.searchsorted(below, above, "right")
    return float(ranks.mean() / 2 / len(below))


def _find_problem(questions: Sequence[SensedQuestion]) -> str | None:
    known = sum(any(one.claims) for one in questions)
    if known >= min(_FEWEST, len(questions)):
        return None
    return f"only {known} of {len(questions)} name something that the counts of co-occurrence have"


def _standardize(features: Floats) -> Floats:
    """Features with mean 0 and variance 1; what is not known is the mean."""
    known = ~np.isnan(features)
    filled = np.where(known, features, 0.0)
    number = np.maximum(known.sum(axis=0), 1)
    apart = np.where(known, filled - filled.sum(axis=0) / number, 0.0)
    spread = np.sqrt((apart**2).sum(axis=0) / number)
    return apart / np.where(spread > 0, spread, 1.0)


def _find_areas(features: Floats, affirmed: Flags, claims: Sequence[Claims]) -> dict[str, float]:
    """The area of each count over the questions that it applies to."""
    applies = {
        "frequency": [bool(one.kinds) for one in claims],
        "together": [len(one.kinds) + len(one.given) > 1 and bool(one.kinds) for one in claims],
        "attribute": [bool(one.attributes) for one in claims],
        "relation": [bool(one.relations) for one in claims],
        "image": ~np.isnan(features[:, FEATURES.index("image")]),
    }
    found = {}
    for name, which in applies.items():
        chosen = np.array(which)
        one = area(features[chosen, FEATURES.index(name)], affirmed[chosen]) if chosen.sum() >= _FEWEST else None
        if one is not None:
            found[name] = one
    return found
