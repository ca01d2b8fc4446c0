"""Which things people call by a wider word: a bus a vehicle, hardly a boat, and nothing an accessory."""

from __future__ import annotations

from falter.cooccurrence import ImageCounts
from falter.english import Ontology
from falter.suites.carets.questions.alternatives import way_of

__all__ = ["WiderWords"]

_SAID, _SAID_SHARE, _FEW_BELOW, _SAID_BY_ALL = 40, 0.2, 3, 150
"""How often people say a wider word, in images and as a share of the kinds below it, of more than a few kinds."""


class WiderWords:
    """The wider words that people say, by what they say of images; each is worked out once."""

    def __init__(self, ontology: Ontology, counts: ImageCounts) -> None:
        self._ontology = ontology
        self._counts = counts
        self._said: dict[str, bool] = {}

    def is_said(self, wider: str) -> bool:
        """Whether people call things by a wider word: an animal, a vehicle, a fruit, but hardly an accessory.

        They do where the word is said much, or much for all the kinds below it, or of two or three kinds.
        """
        known = self._said.get(wider)
        if known is None:
            counts = self._counts.kinds
            below = [kind for kind in self._ontology.descendants[wider] if counts[kind]]
            said, of_kinds = counts[wider], sum(counts[kind] for kind in below)
            known = self._said[wider] = said >= _SAID_BY_ALL or (
                said >= _SAID and (said >= _SAID_SHARE * of_kinds or len(below) <= _FEW_BELOW)
            )
        return known

    def is_said_of(self, kind: str, wider: str) -> bool:
        """Whether people call things of a kind by a wider word.

        They think of roads at "vehicle": they say it in 6.6 % of the images with cars, buses, trucks or motorcycles,
        and in 2.0 % of those with boats, trains or airplanes.
        """
        return way_of(kind, self._ontology) == way_of(wider, self._ontology) and self.is_said(wider)
