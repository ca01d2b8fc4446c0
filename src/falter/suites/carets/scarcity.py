"""Why a test stays thin: what the objects of the images lack, counted for the strata that few images give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from falter.suites.carets.questions import QuestionType, SceneInputs
from falter.suites.carets.questions.candidates import Cells
from falter.suites.carets.sizes import StratumKey
from falter.suites.carets.stratum import StratumSampler

__all__ = ["MOST_IMAGES", "CauseCounts", "causes_in", "is_thin"]

MOST_IMAGES = 1000
"""Causes are counted over so many images at the most."""


def is_thin(stratum: StratumSampler, images: int) -> bool:
    """Whether a stratum has less than was wanted or, without a size, pairs from less than half of the images."""
    return not stratum.full if stratum.wanted is not None else 2 * stratum.num_images < images


class CauseCounts:
    """The causes met in each stratum, counted once for each of the first images."""

    def __init__(self) -> None:
        self._met: dict[StratumKey, dict[str, int]] = {}
        self._places: dict[StratumKey, set[int]] = {}

    def add(self, place: int, key: StratumKey, causes: Counter[str]) -> None:
        """Count what was met in the image at a place, unless it was counted before."""
        places = self._places.setdefault(key, set())
        if place < MOST_IMAGES and place not in places:
            places.add(place)
            met = self._met.setdefault(key, {})
            for cause, times in causes.items():
                met[cause] = met.get(cause, 0) + times

    def not_counted(
        self, thin: Mapping[str, Sequence[StratumKey]], images: int
    ) -> Iterator[tuple[int, list[StratumKey]]]:
        """The places of images that were not searched for some of the strata, with these."""
        keys = sorted({key for wanted in thin.values() for key in wanted})
        for place in range(min(images, MOST_IMAGES)):
            missing = [key for key in keys if place not in self._places.get(key, ())]
            if missing:
                yield place, missing

    def by_test(self, thin: Mapping[str, Sequence[StratumKey]]) -> dict[str, dict[str, dict[str, int]]]:
        """By test and question type the causes why its strata are thin, each with how often it was met."""
        return {test: _told(wanted, self._met) for test, wanted in thin.items()}


def causes_in(inputs: SceneInputs, form: str, question: QuestionType, cells: Cells) -> Counter[str]:
    """Why one image gave no more: what the question type counted or, where it counts nothing, the answers lacking."""
    if inputs.causes:
        return inputs.causes
    # Types that ask whether something is there look at images, not at objects.
    lacking = [cell for group in question.balance_groups for cell in group if not cells.get(cell)]
    if not lacking:
        return inputs.causes
    sure = [answer for answer in ("yes", "no") if not inputs.things(form, answer)]
    where = " in a relation to something named uniquely" if form == "related" else ""
    what = {
        "yes": f"have nothing that is surely there{where}",
        "no": f"have nothing that surely is not there{where}",
    }
    return Counter([f"images {what[sure[0]] if sure else 'lack one of the answers'}"])


def _told(keys: Sequence[StratumKey], met: Mapping[StratumKey, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    causes: dict[str, Counter[str]] = {}
    for key in keys:
        known = causes.setdefault(key.type, Counter())
        for cause, count in met.get(key, {}).items():
            # The two forms of a type meet the same objects: they are counted once, by the form that lacks more.
            known[cause] = max(known[cause], count)
    return {name: dict(known.most_common()) for name, known in causes.items() if known}
