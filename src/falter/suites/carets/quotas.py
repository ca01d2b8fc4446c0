"""What keeps a test even: how many pairs each stratum gets, and how much of them a choice, family or template may be.

No choice is correct much more often than guessing among those offered would make it. Where a source has four families
of attributes, none is more than a quarter of a test. Templates come by turns: those that were used less come first, so
that none is used much more than its share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from random import Random
from typing import Literal, NamedTuple

from falter.core.errors import UsageError
from falter.generation.authoring.question_builder import COIN_NOISE, COIN_SLACK, AnswerBalancer
from falter.generation.english import Template


class StratumKey(NamedTuple):
    """A question type in one form."""

    type: str
    form: str


_CHOICE_STRATA = {
    StratumKey("object_choice", "single"): 2500,
    StratumKey("object_choice", "related"): 2500,
    StratumKey("attribute_choice", "single"): 1664,
    StratumKey("attribute_choice", "related"): 2250,
    StratumKey("action_choice", "single"): 248,
    StratumKey("action_choice", "related"): 250,
}
_PAIR_STRATA = {
    StratumKey("conjunctive_verification", "single"): 2500,
    StratumKey("disjunctive_verification", "single"): 2500,
}
_OBJECT_STRATA = {StratumKey("object_verification", "single"): 2500, StratumKey("object_verification", "related"): 2500}

PAPER_SIZES: dict[str, dict[StratumKey, int]] = {
    "rephrase": {**_OBJECT_STRATA, **_PAIR_STRATA, **_CHOICE_STRATA},
    "order": {**_PAIR_STRATA, **_CHOICE_STRATA},
    "negation": {**_OBJECT_STRATA, **_PAIR_STRATA},
    "ontology": {
        StratumKey("ontology_verification", "single"): 6976,
        StratumKey("ontology_verification", "related"): 6976,
    },
    "antonym": {
        StratumKey("antonym_verification", "single"): 2500,
        StratumKey("antonym_verification", "related"): 2500,
    },
    "visual": {
        **dict.fromkeys((*_OBJECT_STRATA, *_PAIR_STRATA), 3000),
        StratumKey("attribute_verification", "single"): 3000,
        StratumKey("attribute_verification", "related"): 3000,
        **_CHOICE_STRATA,
        StratumKey("object_choice", "single"): 1930,
        StratumKey("object_choice", "related"): 1930,
    },
}
"""Table 6 of the paper, with the strata of the released files; how the visual test divides its 8,272 is our guess."""


def stratum_sizes(
    test: str, keys: list[StratumKey], size: int | Literal["paper"] | None
) -> dict[StratumKey, int | None]:
    """Pairs wanted of each sort; None where all that can be made are wanted."""
    if size is None:
        return dict.fromkeys(keys, None)
    if size == "paper":
        if test not in PAPER_SIZES:
            raise UsageError(f"the paper gives no size for the test {test!r}: give a number")
        return {key: PAPER_SIZES[test].get(key._replace(type=key.type.removeprefix("paper_")), 0) for key in keys}
    each, rest = divmod(size, len(keys))
    return {key: each + (place < rest) for place, key in enumerate(keys)}


class TestTally:
    """What the strata of one test have in common, so that rounding does not add up over them."""

    def __init__(self) -> None:
        self.groups: Counter[tuple[str, ...]] = Counter()
        self.places: Counter[tuple[int, int]] = Counter()
        # A word may lean a little in every stratum, and much in all of them together.
        self.balance = AnswerBalancer(COIN_NOISE, COIN_SLACK)
        self._odd = 0

    def next_odd_cell(self) -> int:
        """Which cell of its last group the next stratum of odd size gets: first and last by turns."""
        self._odd += 1
        return 0 if self._odd % 2 else -1


_CHOICE_SLACK, _CHOICES_ALWAYS_BORNE = 0.25, 2.0
"""How far a choice may exceed its share, as a part of the share, and in pairs that are always borne."""


class ChoiceShares:
    """Knows of every choice how often it was correct, and how often it would be by guessing."""

    def __init__(self) -> None:
        self._correct: dict[str, int] = {}
        self._share: dict[str, float] = {}

    def admits(self, answer: str, choices: Sequence[str]) -> bool:
        """Whether a question keeps its answer from being correct much beyond its share."""
        share = self._share.get(answer, 0.0) + 1 / len(choices)
        return self._correct.get(answer, 0) + 1 - share <= _CHOICE_SLACK * share + _CHOICES_ALWAYS_BORNE

    def add(self, answer: str, choices: Sequence[str]) -> None:
        """Count a question that was taken."""
        self._correct[answer] = self._correct.get(answer, 0) + 1
        for choice in choices:
            self._share[choice] = self._share.get(choice, 0.0) + 1 / len(choices)


_MANY_FAMILIES = 4
"""From so many families on, each has at most this part of the pairs."""

_PAIRS_ALWAYS_TAKEN = 2
"""Pairs of one family that are always taken, before there is a share to speak of."""

_FEWEST_IMAGES = 8
_PART_OF_COMMONEST = 20
"""A family counts where at least eight images have it, and a twentieth of those that have the commonest one."""


class FamilyShares:
    """Knows which families a source has to offer, and how many pairs of each were taken."""

    def __init__(self) -> None:
        self._offered: Counter[str] = Counter()
        self._taken: Counter[str] = Counter()

    def offer(self, families: Iterable[str]) -> None:
        """Count an image, in one form of questions, in which questions about these families are possible."""
        self._offered.update(set(families))

    def admits(self, family: str) -> bool:
        """Whether one more pair of a family keeps it within its share."""
        most = max(self._offered.values(), default=0)
        many = sum(count >= max(_FEWEST_IMAGES, most / _PART_OF_COMMONEST) for count in self._offered.values())
        return many < _MANY_FAMILIES or self._taken[family] < max(
            _PAIRS_ALWAYS_TAKEN, (self._taken.total() + 1) // _MANY_FAMILIES
        )

    def add(self, family: str) -> None:
        """Count a pair that was taken."""
        self._taken[family] += 1


_LOOSE_TURNS = 1.5


class TemplateRotation:
    """Knows how often each template was used, and lets those come first that were used less.

    The turns are loose, and do not look at answers. Were each template used as often for yes as for no, whoever knows
    some of the answers would know that the others of the same wording lean the other way.
    """

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def in_turn(self, templates: Sequence[Template], rng: Random) -> list[Template]:
        """The templates, those rather first that were used less."""
        used, draw = self._used, rng.random
        counts = [used.get(one.id, 0) for one in templates]
        # As loose as coin tosses would leave the counts.
        loose = _LOOSE_TURNS * (1 + sqrt(min(counts, default=0)))
        turns = [count + loose * draw() for count in counts]
        return [templates[place] for place in sorted(range(len(turns)), key=turns.__getitem__)]

    def add(self, template: Template) -> None:
        """Count a use."""
        self._used[template.id] = self._used.get(template.id, 0) + 1
