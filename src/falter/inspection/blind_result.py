"""What a blind check found on one test."""

from __future__ import annotations

import msgspec

from falter.inspection.blind_sample import FOILS
from falter.inspection.common_sense_check import CommonSenseCheck

__all__ = ["BlindCheck"]


class BlindCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy of the better of two text-only baselines over n-grams on one test, beside chance and common sense.

    Of captions and foils, ``items`` counts pairs, and ``majority`` is a coin's half.
    """

    test: str
    questions: str
    baseline: str
    items: int
    accuracy: float
    low: float
    high: float
    majority: float
    """What always giving the commonest answer gives."""
    baselines: dict[str, float]
    sampled_from: int
    """How many items the test has; more than ``items`` where a sample of them was drawn."""
    seed: int = 0
    """Draws the sample."""
    chance: float | None = None
    """What guessing among the offered options gives: the mean of one over their number. None without options."""
    common_sense: CommonSenseCheck | None = None
    common_sense_reason: str = ""
    """Why the common-sense baseline was not run."""

    @property
    def over_pairs(self) -> bool:
        """Whether captions were ranked against foils, rather than questions answered."""
        return self.questions == FOILS
