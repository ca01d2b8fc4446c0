"""Which strata take from which image, so that a sized suite comes from as many images as it can."""

from __future__ import annotations

from collections.abc import Sequence

from falter.suites.carets.sizes import StratumKey
from falter.suites.carets.stratum import StratumSampler

__all__ = ["ImageShare", "ImageTurns"]

_SPARE = 2
"""An image is looked through for so many strata for each group that it is to give: it may have nothing for some."""


class ImageTurns:
    """One pass of a test over the images of a source.

    Without a size every image gives a group to every stratum that is not full. With one, an image gives as many groups
    as it must for all images together to give what is still wanted, and each stratum takes no more than its share of an
    image. In the first pass the strata take turns from image to image; in later passes all that are not full look at
    every image. Which images these are depends on the test alone, not on what other tests are made; tests that want few
    pairs start at different images (``phase``).
    """

    def __init__(self, strata: Sequence[StratumSampler], images: int, *, number: int, phase: int) -> None:
        self._strata = [one for one in strata if not one.full]
        self._images = max(1, images)
        self._phase = phase
        wanted = [one.groups_wanted for one in self._strata]
        self.sized = all(count is not None for count in wanted)
        self._total = sum(count or 1 for count in wanted)
        self.shares = {
            one.key: -(-(count or 1) // self._images) for one, count in zip(self._strata, wanted, strict=True)
        }
        """Groups that one image may give to a stratum."""
        self._first = number == 0

    def budget(self, place: int) -> int:
        """How many groups the image at a place is to give; where less are wanted than there are images, some give none.

        Images from which nothing came are made up for in later passes, in which every image may give some.
        """
        if not self.sized:
            return len(self._strata)
        if not self._first and self._total < self._images:
            return 1
        before = (place + self._phase) * self._total // self._images
        return (place + self._phase + 1) * self._total // self._images - before

    def keys(self, place: int) -> list[StratumKey]:
        """What to look for in the image at a place; nothing where all whose turn it is are full."""
        return [one.key for one in self._turn(place) if not one.full]

    def strata(self, place: int) -> list[StratumSampler]:
        """Who may take from the image at a place, in order; who has the least of what it wants is first."""
        return sorted(self._turn(place), key=lambda one: one.filled)

    def _turn(self, place: int) -> list[StratumSampler]:
        if not (self.sized and self._strata):
            return self._strata
        count, budget = len(self._strata), self.budget(place)
        looked_at = min(count, budget * _SPARE) if self._first else count
        start = (place + self._phase) * self._total // self._images if self._first else place
        return [self._strata[(start + step) % count] for step in range(looked_at)]


class ImageShare:
    """What one image may still give a test in a pass: in all, and to each stratum."""

    def __init__(self, turns: ImageTurns, place: int) -> None:
        self._left = turns.budget(place)
        self._shares = turns.shares
        self._taken: dict[StratumKey, int] = {}

    @property
    def spent(self) -> bool:
        return self._left <= 0

    def allows(self, stratum: StratumSampler) -> bool:
        """Whether a stratum may take another group."""
        return self._left > 0 and self._taken.get(stratum.key, 0) < self._shares[stratum.key]

    def take(self, stratum: StratumSampler) -> None:
        """Count a group that was taken."""
        self._taken[stratum.key] = self._taken.get(stratum.key, 0) + 1
        self._left -= 1
