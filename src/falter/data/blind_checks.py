"""What a blind check is over and what it found: how far text alone gets on the tests of a suite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from falter.core.registry import Registry
from falter.data.images import Source
from falter.data.items import YES_NO, Probe
from falter.data.suite import Suite

FOILS = "captions and foils"
POLAR = "yes/no"
CHOICES = "choices"
OPEN = "open"
"""Questions that offer no choices, or whose answer is none of them."""

FLAG = 0.6
"""Captions and foils that a text-only baseline tells apart more often than this are flagged."""


def question_kind(
    role: str, task: str, expects: str, gold: str | None, choices: Sequence[str] | None = None
) -> str | None:
    """What a question is checked as; None: it is not, since its answer follows from its original's."""
    if task == "match" and expects == "prefer":
        return FOILS
    if (role != "original" and expects != "each") or gold is None:
        return None
    if gold in YES_NO:
        return POLAR
    return CHOICES if choices is not None and len(choices) > 1 and gold in choices else OPEN


def is_pair(probe: Probe) -> bool:
    """Whether a probe is a caption with its foils."""
    item = probe.original
    return question_kind(item.role, item.task, item.expects, item.gold, item.choices) == FOILS


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


class BlindResults(NamedTuple):
    """What was checked, and of what there was too little."""

    checks: list[BlindCheck]
    unchecked: dict[tuple[str, str], int]
    """By test and kind of question the number of questions, where these or their images or answers are too few."""


class BlindChecker(Protocol):
    """Runs text-only baselines on a suite, never trained on the same image."""

    def __call__(
        self,
        suite: Suite,
        *,
        most: int | None,
        seed: int,
        scenes: Source | None,
        scorers: Sequence[Any],
        quick: bool,
    ) -> BlindResults:
        """Check a sample of so many questions of each test, which the seed draws.

        ``scenes`` are those of the images, and ``scorers`` further scorers of captions and foils. With ``quick``, what
        takes long is left out.
        """
        ...


BLIND_CHECKERS: Registry[BlindChecker] = Registry("blind check", "falter.blind_checks")
"""The checks that a report runs."""
