"""One stratum of a test, a question type in one form: takes balanced candidates from image after image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import chain, islice
from typing import TypeVar

from falter.generation.authoring.question_builder import (
    COIN_NOISE,
    COIN_SLACK,
    AnswerBalancer,
    QuestionBuilder,
    Weighted,
)
from falter.generation.english.open_slots import SlotValue
from falter.generation.english.repetition import says_twice
from falter.generation.scene import ObjectDescription, Scene
from falter.suites.carets.perturbations import CaretsTest, HasShares, Pair, PairBuilder
from falter.suites.carets.questions import QuestionType
from falter.suites.carets.questions.draws import LateRandom, Reserved
from falter.suites.carets.questions.protocol import Candidate, Cells, ChoiceCandidate, place_gold
from falter.suites.carets.quotas import ChoiceShares, StratumKey, TestTally

T = TypeVar("T")

_CHOICES = "c"
"""The slot of a question's choices."""

_FEW = 2
"""With so few pairs still wanted, a group is chosen by what the whole test has least of."""

_MOST_REMEMBERED = 500
"""Pairs of a stratum without a size whose arguments are remembered, so that they are not asked twice."""

_MAX_TRIES = 12
"""Candidates that are tried for one place before the image is given up."""


_MAX_BIAS = 15
"""How far the right choice may lean against each wrong one, over all the words around it, before it is passed over."""

_LEAD = 1.04
"""How far a group may be ahead of the one that is due, where that one is kept back by what its choices tell."""

_FEW_AHEAD = 3
"""How many more questions there may be with two choices than with three, where few objects have three."""

_MOST_AGAIN, _MOST_LEVEL_AGAIN = 4.0, 60.0
"""How far the words of a question may lean, in all, that is asked of an image which gave such questions before."""

_MAX_LEAK, _LEAK_NOISE = 2, 1.0
"""How far a feature that would tell yes from no may lean before no more such questions are asked: beyond so many
standard deviations of coin tosses. Most happen to lean one way, so that each would be kept at the limit."""


class StratumSampler:
    """Draws the pairs of one sort of question for one test."""

    def __init__(
        self,
        test: CaretsTest,
        question: QuestionType,
        form: str,
        builder: QuestionBuilder,
        wanted: int | None,
        tally: TestTally,
    ) -> None:
        self.key = StratumKey(question.name, form)
        self.wanted = wanted
        self.made = 0
        self.num_images = 0
        """Images that gave pairs, those of later passes counted again."""
        self._tally = tally
        self._odd_cell = tally.next_odd_cell() if self._is_odd(question) else 0
        self._test = test
        # Asking whether it is of a protocol takes long.
        self._shares = test.shares if isinstance(test, HasShares) else None
        self._question = question
        self._poser = builder
        # Where answers are drawn against each other; of choices each has its own features, which nobody shares.
        in_pairs = all(len(group) > 1 for group in question.balance_groups)
        self._balance = AnswerBalancer(COIN_NOISE, COIN_SLACK) if in_pairs else AnswerBalancer()
        self._over_test = tally.balance if in_pairs else None
        self.groups = 0
        """Balance groups taken."""
        self._groups: Counter[tuple[str, ...]] = Counter()
        self._places: Counter[tuple[int, int]] = Counter()
        self._choices = ChoiceShares()
        self._refused = False
        self._used: set[tuple[str, frozenset[object]]] = set()
        self._limit: int | None = None
        self._pairs = PairBuilder(test, question, form, builder)

    @property
    def full(self) -> bool:
        if self._limit is not None:
            return self.groups >= self._limit
        return self.wanted is not None and self.made >= self.wanted

    def continue_up_to(self, groups: int) -> None:
        """Take further groups from images that gave some, up to so many, where no size was given.

        A stratum that has many pairs by then takes no more: what it asked is not remembered.
        """
        self._limit = groups if self.made <= _MOST_REMEMBERED else 0

    @property
    def groups_wanted(self) -> int | None:
        """Balance groups still to be taken; None where all that can be made are wanted."""
        return None if self._left is None else -(-self._left // len(self._question.balance_groups[0]))

    @property
    def filled(self) -> float:
        """How much of what is wanted there is."""
        return 0.0 if self.wanted is None else self.made / self.wanted

    def _is_odd(self, question: QuestionType) -> bool:
        size = len(question.balance_groups[0])
        return self.wanted is not None and size > 1 and self.wanted % size == 1

    def take(self, cells: Cells, scene: Scene, rng: LateRandom, *, strict: bool = False) -> list[Pair]:
        """The pairs of one balance group, all of them from one image; none where it cannot give them.

        The group is one that is due; where no image would give it, the next one may do (``strict`` off).
        """
        if self._shares is not None:
            self._shares.offer(one.facets["class"] for cell in cells.values() for one in cell)
        taken = [] if self.full or not self._has_group(cells) else self._group(cells, scene, rng, strict=strict)
        self.num_images += bool(taken) and self._limit is None
        for candidate, pair in taken:
            self.made += 1
            self._remember(candidate, pair, scene)
        return [pair for _, pair in taken]

    def _has_group(self, cells: Cells) -> bool:
        """Whether an image has candidates for some balance group; most that are asked again have none."""
        return any(all(map(cells.get, self._due(group))) for group in self._question.balance_groups)

    def _due(self, group: tuple[str, ...]) -> tuple[str, ...]:
        """The cells of a group that are wanted: where a single pair is, its first one or its last."""
        return (group[self._odd_cell],) if self._left == 1 and len(group) > 1 else group

    def _group(self, cells: Cells, scene: Scene, rng: LateRandom, *, strict: bool) -> list[tuple[Candidate, Pair]]:
        """All cells of the balance group that is due, or of the next one that this image can give.

        Where a single pair is still wanted, it is the group's first cell or its last, by turns over a test.
        """
        groups = sorted(
            self._question.balance_groups, key=lambda one: self._use(self._groups, self._tally.groups, one, _FEW)
        )
        if strict:
            groups = [one for one in groups if self._groups[one] == self._groups[groups[0]]]
        self._refused = False
        draws: dict[str, _Draw] = {}
        for group in groups:
            ahead = _FEW if self._refused else _FEW_AHEAD if len(group) == 1 else None
            if ahead is not None and self._groups[group] > _LEAD * self._groups[groups[0]] + ahead:
                break
            due = self._due(group)
            if not all(map(cells.get, due)):
                continue
            for cell in due:
                if cell not in draws:
                    draws[cell] = self._draw(cells[cell], scene, rng)
            # Building a question takes longest: none is built for a group that cannot be had.
            if not all(draws[cell].has_some for cell in due):
                continue
            taken: list[tuple[Candidate, Pair]] = []
            for cell in due:
                one = self._build(draws[cell], scene, rng)
                if one is None:
                    break
                taken.append(one)
            if len(taken) == len(due):
                self.groups += 1
                self._groups[group] += 1
                self._tally.groups[group] += 1
                return taken
        return []

    def _draw(self, found: Sequence[Candidate | ChoiceCandidate], scene: Scene, rng: LateRandom) -> _Draw:
        """The candidates of a cell, of which those come first that even out most."""
        candidates = [one.resolve(self._balance) for one in found]
        numbers = rng.reserve(len(candidates))
        # An image that is asked again has mostly nothing left.
        judged = [self._judge(one, scene) for one in candidates] if self._limit is not None else None
        if judged is not None and _Verdict.ADMITTED not in judged:
            self._refused = self._refused or _Verdict.ONE_SIDED in judged
            return _Draw(iter(()), has_some=False)
        admitted = self._admitted(candidates, judged, numbers, scene)
        if self._shares is None and _CHOICES not in candidates[0].slots:
            # Which one comes first matters only where it is built.
            has_some = judged is not None or any(self._judge(one, scene) is _Verdict.ADMITTED for one in candidates)
            return _Draw(admitted, has_some=has_some)
        first = next(admitted, None)
        return _Draw(admitted if first is None else chain((first,), admitted), has_some=first is not None)

    def _admitted(
        self, candidates: Sequence[Candidate], judged: Sequence[_Verdict] | None, numbers: Reserved, scene: Scene
    ) -> Iterator[Candidate]:
        """The candidates that keep the balance, those first that even out most."""
        features = [(one.features, one.balance_keys) for one in candidates]
        for position in self._balance.ranked(features, numbers.numbers(), self._over_test):
            candidate = candidates[position]
            verdict = self._judge(candidate, scene) if judged is None else judged[position]
            self._refused = self._refused or verdict is _Verdict.ONE_SIDED
            if verdict is _Verdict.ADMITTED and not self._has_its_share(candidate):
                yield candidate

    def _judge(self, candidate: Candidate, scene: Scene) -> _Verdict:
        """Whether a candidate may be asked, as far as its family leaves it open."""
        leaking = candidate.leaking_features
        # What takes least comes first.
        if leaking and self._leaks(leaking, 1 if candidate.answer == "yes" else -1):
            return _Verdict.PASSED_OVER
        if self._may_repeat and (scene.graph.image_id, _key(candidate)) in self._used:
            return _Verdict.PASSED_OVER
        if not leaking and self._is_one_sided(candidate):
            return _Verdict.ONE_SIDED
        if says_twice(candidate.slots, self._poser.grammar.ontology):
            return _Verdict.PASSED_OVER
        # Images that are asked again would make the same words lean further.
        again = self._limit is not None and self._tells_again(candidate.features)
        return _Verdict.PASSED_OVER if again else _Verdict.ADMITTED

    def _build(self, draw: _Draw, scene: Scene, rng: LateRandom) -> tuple[Candidate, Pair] | None:
        """The first pair that can be built of a cell; cells that are in several groups are built once."""
        if not draw.is_built:
            draw.is_built = True
            for candidate in islice(draw.candidates, _MAX_TRIES):
                pair = self._pairs.build(candidate, self._place_gold(candidate), scene, rng.drawn())
                if pair is not None:
                    draw.built = candidate, pair
                    break
        return draw.built

    def _tells_again(self, features: Weighted) -> bool:
        """Whether the words of a question, or how usual it is, would tell the answer if its image were asked again."""
        words, levels = self._balance.bias_changes(features)
        return words > _MOST_AGAIN or levels > _MOST_LEVEL_AGAIN

    def _leaks(self, features: Sequence[str], step: int) -> bool:
        """Whether a feature would tell the answer on its own, of this sort of question or in the whole test."""
        wider = self._over_test
        return self._balance.leaks(features, step, _LEAK_NOISE, _MAX_LEAK) or (
            wider is not None and wider.leaks(features, step, _LEAK_NOISE, _MAX_LEAK)
        )

    def _is_one_sided(self, candidate: Candidate) -> bool:
        """Whether the right choice of a question was right too often, by the words around it or by itself."""
        choices = candidate.slots.get(_CHOICES)
        if not isinstance(choices, tuple):
            return False
        too_far = self._balance.bias_change(candidate.features) > _MAX_BIAS * (len(choices) - 1)
        return too_far or not self._choices.admits(candidate.answer, choices)

    def _has_its_share(self, candidate: Candidate) -> bool:
        """Whether enough pairs of the test are about the family of the candidate's value."""
        if self._shares is None or self._shares.admits(candidate.facets["class"]):
            return False
        self._poser.rejected[f"{self._test.name}: more than a quarter would be about one family of attributes"] += 1
        return True

    def _place_gold(self, candidate: Candidate) -> dict[str, SlotValue]:
        choices = candidate.slots.get(_CHOICES)
        return place_gold(candidate, self._next_place(len(choices)) if isinstance(choices, tuple) else 0)

    def _next_place(self, many: int) -> int:
        """The place where the right one of so many choices stood least often, here and in the whole test."""
        return min(range(many), key=lambda place: self._use(self._places, self._tally.places, (many, place), many))

    def _use(self, mine: Counter[T], all_strata: Counter[T], what: T, few: int) -> tuple[int, int]:
        """How often something was used here and in the whole test; the test comes first once few pairs are wanted."""
        use = mine[what], all_strata[what]
        return use[::-1] if self._left is not None and self._left <= few else use

    @property
    def _may_repeat(self) -> bool:
        """Whether an image that gave pairs before may be looked at again."""
        return self.wanted is not None or self._limit is not None

    @property
    def _left(self) -> int | None:
        return None if self.wanted is None else self.wanted - self.made

    def _remember(self, candidate: Candidate, pair: Pair, scene: Scene) -> None:
        self._balance.add(candidate.features, candidate.balance_keys)
        if self._over_test is not None:
            self._over_test.add(candidate.features)
        self._pairs.count_use(pair.original.template)
        if self._shares is not None:
            self._shares.add(candidate.facets["class"])
        choices = pair.original.slots.get("c")
        if isinstance(choices, tuple):
            at = (len(choices), choices.index(pair.original.answer))
            self._places[at] += 1
            self._tally.places[at] += 1
            self._choices.add(pair.original.answer, choices)
        if self._may_repeat or self.made <= _MOST_REMEMBERED:
            self._used.add((scene.graph.image_id, _key(candidate)))


class _Verdict(Enum):
    """What becomes of a candidate."""

    ADMITTED = "admitted"
    PASSED_OVER = "passed over"
    ONE_SIDED = "one-sided"
    """Its right choice was right too often, so that another group may be due."""


class _Draw:
    """The candidates of one cell in the order in which they are tried, and what became of them."""

    def __init__(self, candidates: Iterator[Candidate], *, has_some: bool) -> None:
        self.candidates = candidates
        self.has_some = has_some
        self.is_built = False
        self.built: tuple[Candidate, Pair] | None = None


def _key(candidate: Candidate) -> frozenset[object]:
    """What makes a question another one; of two things their kinds, so that an image is asked for two at most twice."""
    first, second = candidate.slots.get("x"), candidate.slots.get("y")
    if isinstance(first, ObjectDescription) and isinstance(second, ObjectDescription):
        return frozenset((("x", first.kind), ("y", second.kind)))
    return frozenset(candidate.slots.items())
