"""What a blind check found on one test."""

from __future__ import annotations

import msgspec

from falter.generation.inspection.blind_sample import FOILS
from falter.generation.inspection.common_sense import CommonSenseCheck

__all__ = ["FLAG", "BlindCheck", "ScorerCheck"]

FLAG = 0.6
"""Captions and foils that a text-only baseline tells apart more often than this are flagged."""


class ScorerCheck(msgspec.Struct, frozen=True, kw_only=True):
    """How often one scorer of texts prefers a caption to its foil, equal scores counting half."""

    accuracy: float
    low: float
    high: float
    mean_gap: float | None = None
    """The mean of the caption's score less the foil's; None where the scorer is learned from the pairs."""
    gap_quartiles: tuple[float, float, float] | None = None
    """A quarter, half and three quarters of the gaps are at most so large."""


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
    scorers: dict[str, ScorerCheck] = msgspec.field(default_factory=dict)
    """Of captions and foils, what length alone and each language model reach."""
    flagged: bool = False
    """Whether captions and foils are told apart without the image, by more than 60 % of the pairs."""
    solved_by: str = ""
    """The baseline that tells most of them apart, where they are flagged."""
    one_way: bool = False
    """Whether captions and foils differ in words that never change the other way, so that nothing can be balanced."""

    @property
    def over_pairs(self) -> bool:
        """Whether captions were ranked against foils, rather than questions answered."""
        return self.questions == FOILS
