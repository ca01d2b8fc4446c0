"""Which strata take from which image, so that a sized suite comes from as many images as it can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from falter.suites.carets.sizes import StratumKey
from falter.suites.carets.stratum import StratumSampler

__all__ = ["ImageShare", "ImageTurns"]

_SPARE = 2
"""An image is looked through for so many strata for each group that it is to give: it may have nothing for some."""


class ImageTurns:
    """One pass over the images of a source.

    Without a size every image gives a group to every stratum. With one, an image gives as many groups as it must for
    all images together to give what is still wanted, and each test and each stratum take no more than their share of an
    image. In the first pass the strata take turns from image to image; in later passes all that are not full look at
    every image.
    """

    def __init__(self, strata: Sequence[StratumSampler], images: int, *, number: int) -> None:
        self._strata = [one for one in strata if not one.full]
        self._images = max(1, images)
        wanted = [(one, one.groups_wanted) for one in self._strata]
        self.sized = all(count is not None for _, count in wanted)
        self._total = sum(count or 1 for _, count in wanted)
        tests: Counter[str] = Counter()
        for one, count in wanted:
            tests[one.test_name] += count or 1
        self.shares: dict[tuple[str, ...], int] = {
            one.key_in_suite: -(-(count or 1) // self._images) for one, count in wanted
        }
        """Groups that one image may give to a stratum, and to a test."""
        self.shares |= {(name,): -(-count // self._images) if self.sized else count for name, count in tests.items()}
        self._first = number == 0

    def budget(self, place: int) -> int:
        """How many groups the image at a place is to give."""
        if not self.sized:
            return len(self._strata)
        if self._total < self._images:
            return 1
        return (place + 1) * self._total // self._images - place * self._total // self._images

    def keys(self, place: int) -> list[StratumKey]:
        """What to look for in the image at a place; nothing where all whose turn it is are full."""
        return sorted({one.key for one in self._turn(place) if not one.full})

    def strata(self, place: int) -> list[StratumSampler]:
        """Who may take from the image at a place, in order; who has the least of what it wants is first."""
        return sorted(self._turn(place), key=lambda one: one.filled)

    def _turn(self, place: int) -> list[StratumSampler]:
        if not (self.sized and self._strata):
            return self._strata
        count, budget = len(self._strata), self.budget(place)
        looked_at = min(count, budget * _SPARE) if self._first else count
        start = place * budget
        return [self._strata[(start + step) % count] for step in range(looked_at)]


class ImageShare:
    """What one image may still give in a pass: in all, to each test and to each stratum."""

    def __init__(self, turns: ImageTurns, place: int) -> None:
        self._left = turns.budget(place)
        self._shares = turns.shares
        self._taken: Counter[tuple[str, ...]] = Counter()

    @property
    def spent(self) -> bool:
        return self._left <= 0

    def allows(self, stratum: StratumSampler) -> bool:
        """Whether a stratum may take another group."""
        names = (stratum.key_in_suite, (stratum.test_name,))
        return self._left > 0 and all(self._taken[one] < self._shares[one] for one in names)

    def take(self, stratum: StratumSampler) -> None:
        """Count a group that was taken."""
        self._taken[stratum.key_in_suite] += 1
        self._taken[stratum.test_name,] += 1
        self._left -= 1
