"""How far common sense gets on a test: how usual a claim is by counts of other images, and the usual answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations
from math import log
from typing import NamedTuple

import numpy as np

from falter.data.agreement import wilson
from falter.data.blind_checks import CommonSenseCheck
from falter.generation.cooccurrence import ImageCounts, Plausibility, load_table
from falter.generation.english import Ontology, default_grammar
from falter.generation.inspection.claims import ClaimReader, Claims
from falter.generation.inspection.ngram_baselines import Flags, Floats, Ints, OfferedOptions, cross_fit_few, fit_few
from falter.generation.sources import HasScenes

FEATURES = (
    *("frequency", "rarest", "together", "attribute", "usual_attribute", "relation", "usual_relation"),
    *("image", "least_in_image"),
)
"""Of the kinds that are claimed the mean and the least logarithm of their number of images; the mean lift of two that
are named; of attributes and relations the mean lift and the logarithm of their number; of the kinds the mean and the
least plausibility next to the other objects in the image."""


class ImageKinds:
    """The kinds that the scene graph of an image has; None where there is no scene graph."""

    def __init__(self, source: HasScenes, ontology: Ontology) -> None:
        self._source = source
        self._ontology = ontology
        self._known: dict[str, frozenset[str] | None] = {}

    def get(self, image_id: str) -> frozenset[str] | None:
        """What is annotated, named as the ontology names it."""
        if image_id not in self._known:
            graph = self._source.scene(image_id)
            self._known[image_id] = (
                None
                if graph is None
                else frozenset(
                    lexeme[0]
                    for thing in graph.objects.values()
                    if (lexeme := self._ontology.lexeme(thing.name)) is not None
                )
            )
        return self._known[image_id]


class _Marginals(NamedTuple):
    subjects: Counter[str]
    relations: Counter[str]
    objects: Counter[str]
    all: int


class CommonSense:
    """Scores claims by one set of counts; it never gets an image."""

    def __init__(self, counts: ImageCounts, ontology: Ontology) -> None:
        self._counts = counts
        self._ontology = ontology
        self._plausibility = Plausibility(counts, ontology)

    def score(self, claims: Claims, beside: Sequence[str] = ()) -> Floats:
        """The features of a claim; 0 where it claims nothing of the sort, or nothing is counted.

        What needs other objects is not a number where there are none: in an image that has what is asked about and
        nothing else, 0 would tell that it is there.
        """
        counts, plausibility = self._counts, self._plausibility
        found = np.zeros(len(FEATURES))
        found[7:] = np.nan
        if claims.kinds:
            often = [log(1 + counts.kinds[kind]) for kind in claims.kinds]
            found[0], found[1] = sum(often) / len(often), min(often)
        pairs = [
            *combinations(dict.fromkeys(claims.kinds), 2),
            *((kind, other) for kind in claims.kinds for other in claims.given),
        ]
        if pairs:
            found[2] = sum(plausibility.of_two(*pair) for pair in pairs) / len(pairs)
        if claims.attributes:
            found[3] = _mean(plausibility.of_attribute(*pair) for pair in claims.attributes)
            found[4] = _mean(log(1 + counts.attributes[pair]) for pair in claims.attributes)
        if claims.relations:
            found[5] = _mean(self._lift_of_relation(*triple) for triple in claims.relations)
            found[6] = _mean(log(1 + counts.relations[triple]) for triple in claims.relations)
        if claims.kinds and beside:
            lifts = [plausibility.of_kind(kind, beside) for kind in claims.kinds]
            found[7], found[8] = sum(lifts) / len(lifts), min(lifts)
        return found

    def others(self, options: Sequence[Claims], kinds: frozenset[str]) -> tuple[str, ...]:
        """The kinds in an image that no option names, and that nothing an option names may be."""
        named = sorted({kind for claims in options for kind in claims.named if kind in self._ontology.kinds})
        return tuple(kind for kind in sorted(kinds) if all(self._ontology.are_disjoint(other, kind) for other in named))

    def _lift_of_relation(self, subject: str, relation: str, other: str) -> float:
        """How much more often a relation is said of two kinds than chance would give."""
        said = self._marginals
        expected = said.subjects[subject] * said.relations[relation] * said.objects[other] / max(said.all, 1) ** 2
        return log((self._counts.relations[subject, relation, other] + 1) / (expected + 1))

    @cached_property
    def _marginals(self) -> _Marginals:
        found = _Marginals(Counter(), Counter(), Counter(), sum(self._counts.relations.values()))
        for (subject, relation, other), count in self._counts.relations.items():
            found.subjects[subject] += count
            found.relations[relation] += count
            found.objects[other] += count
        return found


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


_FEWEST = 50
_USUAL = ("frequency", "usual_attribute", "usual_relation")


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
