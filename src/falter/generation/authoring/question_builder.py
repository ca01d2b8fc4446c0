"""Builds questions from queries, and balances their answers over a suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from math import log2, sqrt

import msgspec

from falter.generation.english import Grammar, Slots, Template
from falter.generation.english.open_slots import SlotValue
from falter.generation.scene import ObjectDescription, Query, Scene

_MOST_READ = 20_000
"""Texts whose meanings are remembered."""


class GroundedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question about a scene whose answer is settled and whose text has one meaning."""

    template: Template
    slots: dict[str, SlotValue]
    text: str
    meaning: Query
    answer: str


class QuestionBuilder:
    """Poses questions about one scene after another, counting what it refuses."""

    def __init__(self, grammar: Grammar, rejected: Counter[str]) -> None:
        self.grammar = grammar
        self.rejected = rejected
        self._read: dict[str, tuple[Query, ...]] = {}

    def build(
        self, template: Template, slots: Slots, scene: Scene, *, wanted: str | None = None
    ) -> GroundedQuestion | None:
        """The question, or None where the scene cannot settle it or the text can be read in another way too.

        A question with another answer than the wanted one is passed over.
        """
        question = self.answer_from_scene(template, slots, scene, wanted=wanted)
        return question if question is not None and self.round_trips(question) else None

    def answer_from_scene(
        self, template: Template, slots: Slots, scene: Scene, *, wanted: str | None = None
    ) -> GroundedQuestion | None:
        """The question with the scene's answer, its text still to be read back; None where that is not settled."""
        meaning = template.meaning(slots)
        answer = meaning.answer(scene)
        if answer is None:
            self.rejected["the annotation cannot settle the answer"] += 1
            return None
        if wanted is not None and answer != wanted:
            return None
        return GroundedQuestion(
            template=template, slots=dict(slots), text=template.render(slots), meaning=meaning, answer=answer
        )

    def round_trips(self, question: GroundedQuestion) -> bool:
        """Whether the text of a question has its meaning, and no other."""
        parses = self._parse(question.text)
        if parses == (question.meaning,):
            return True
        cause = "the text has a second meaning" if len(parses) > 1 else "the text cannot be read back"
        self.rejected[cause] += 1
        return False

    def _parse(self, text: str) -> tuple[Query, ...]:
        """The meanings of a text; the same one is asked of many images, and again in each pass over them."""
        known = self._read.get(text)
        if known is None:
            if len(self._read) >= _MOST_READ:
                self._read.clear()
            known = self._read[text] = self.grammar.parse(text)
        return known


Weighted = tuple[tuple[float, tuple[str, ...]], ...]
"""Steps that a question makes, up for yes and down for no, with the features that it makes them on."""

COIN_NOISE = 1.4
"""Standard deviations of as many coin tosses that a lean may reach before it counts: n-grams then tell nothing."""

COIN_SLACK = 1.0
"""What a lean may reach besides: with it, rare words lean as far as coin tosses do."""

SCALE = "="
"""How the features begin that lean less: steps of a scale, which are too few to be learned by heart."""
LEVEL = "~"
"""What follows in those that say how far a question is off on a scale: they are to even out, without any noise."""
_LESS = 0.35
"""How much of the noise these may have."""

_NOTHING: Mapping[str, float] = {}

_RARELY = 2
"""How much more of a lean is borne for a sort of question that was taken half as often."""


@lru_cache(maxsize=8192)
def features_of(selection: ObjectDescription) -> tuple[str, ...]:
    """What a blind reader sees of a description: its words, and the words next to each other."""
    kind = f"{selection.number}:{selection.kind}"
    form = "single" if selection.relation is None else "related"
    plain = "" if selection.attributes else " plain"
    features = [kind, f"number:{selection.number}", f"{form} {selection.number}", f"{form}{plain}"]
    for value in selection.attributes:
        features += [f"attribute:{value}", f"attribute:{value} {kind}"]
    if not selection.attributes:
        features += ["attribute:none", f"attribute:none {kind}"]
    if selection.relation is not None:
        target = selection.relation.to
        name = selection.relation.name
        features += [f"relation:{name}", f"target:{target.kind}", f"{kind} {name}", f"{name} {target.kind}"]
        features.append(f"{kind} .. {target.kind}")
    return tuple(features)


@lru_cache(maxsize=8192)
def words_that_tell(selection: ObjectDescription) -> tuple[str, ...]:
    """The features of a description that give the answer away alone where they lean: a kind that is never absent."""
    return (f"{selection.number}:{selection.kind}", *words_around_kind(selection))


@lru_cache(maxsize=8192)
def words_around_kind(selection: ObjectDescription) -> tuple[str, ...]:
    """The same without the kind: the attributes, the relation, and what something is related to."""
    told = [f"attribute:{value}" for value in selection.attributes]
    if selection.relation is not None:
        told += [f"relation:{selection.relation.name}", f"target:{selection.relation.to.kind}"]
    return tuple(told)


def is_level(features: tuple[str, ...]) -> bool:
    """Whether features say how far off a question is on a scale, rather than which words it has."""
    return bool(features) and features[0].startswith(SCALE + LEVEL)


def for_answer(answer: str, *features: tuple[str, ...]) -> Weighted:
    """The features of a yes/no question, weighted by its answer."""
    step = 1 if answer == "yes" else -1
    return tuple([(step, some) for some in features])


def _leans(
    features: tuple[str, ...], here: Mapping[str, float], wider: Mapping[str, float]
) -> tuple[float, float] | None:
    """How far features lean here, and among more questions; None where they do not, as few do."""
    own = 0.0 if here.keys().isdisjoint(features) else sum(map(here.get, features, repeat(0.0)))
    further = 0.0 if wider.keys().isdisjoint(features) else sum(map(wider.get, features, repeat(0.0)))
    return (own, further) if own or further else None


class _Count:
    """What was counted of a feature, and how far it may lean."""

    __slots__ = ("lean", "noise", "slack", "steps")

    def __init__(self, noise: float, slack: float) -> None:
        self.lean = self.steps = 0.0
        self.noise = noise
        self.slack = slack


class AnswerBalancer:
    """Knows, feature by feature, how far the questions taken so far lean, and picks against the lean.

    A lean counts by how far it exceeds ``noise`` standard deviations of as many coin tosses, and ``slack`` more of a
    word. A lean kept at zero would tell as well: whoever knows some of the answers knows that the others lean the other
    way. Of rare words, a few coin tosses less or more decide that.
    """

    def __init__(self, noise: float = 0.0, slack: float = 0.0) -> None:
        self._noise = noise
        self._slack = slack
        self._counted: dict[str, _Count] = {}
        self._excess: dict[str, float] = {}
        """Of the features that lean beyond the noise: how far, to yes (positive) or to no."""
        self._taken: dict[str, int] = {}

    def bias(self, features: Sequence[str]) -> float:
        """How far features lean by now, in all: to yes (positive) or to no (negative)."""
        # Few features lean.
        leaning = self._excess
        return 0.0 if leaning.keys().isdisjoint(features) else sum(map(leaning.get, features, repeat(0.0)))

    def leaks(self, features: Iterable[str], step: int, noise: float, most: float) -> bool:
        """Whether a feature leans to an answer (1 yes, -1 no) beyond so many standard deviations of coin tosses.

        It does where it leans ``most`` further, or more.
        """
        counted = self._counted
        for feature in features:
            known = counted.get(feature)
            if known is not None:
                lean = known.lean * step
                if lean >= most and lean - noise * sqrt(known.steps) >= most:
                    return True
        return False

    def biases(self, several: Iterable[Sequence[str]]) -> list[float]:
        """The same of several questions' features."""
        leaning, known, otherwise = self._excess.keys(), self._excess.get, repeat(0.0)
        return [0.0 if leaning.isdisjoint(some) else sum(map(known, some, otherwise)) for some in several]

    def bias_change(self, features: Weighted) -> float:
        """How much a question with these features would add to the lean there is; negative evens it out."""
        leaning, known, otherwise = self._excess.keys(), self._excess.get, repeat(0.0)
        total = 0.0
        for step, some in features:
            if not leaning.isdisjoint(some):
                total += step * sum(map(known, some, otherwise))
        return total

    def bias_changes(self, features: Weighted) -> tuple[float, float]:
        """The same of a question's words, and of how far off it is on scales."""
        leaning, known, otherwise = self._excess.keys(), self._excess.get, repeat(0.0)
        words = levels = 0.0
        for step, some in features:
            if not leaning.isdisjoint(some):
                change = step * sum(map(known, some, otherwise))
                if is_level(some):
                    levels += change
                else:
                    words += change
        return words, levels

    def usage(self, balance_keys: Iterable[str]) -> float:
        """How often such sorts of questions were taken, in doublings."""
        return sum(log2(1 + self._taken.get(sort, 0)) for sort in balance_keys)

    def add(self, features: Weighted, balance_keys: Iterable[str] = ()) -> None:
        """Count a question that was taken."""
        counted, excess = self._counted, self._excess
        for step, some in features:
            weight = step * step
            for feature in some:
                count = counted.get(feature)
                if count is None:
                    count = counted[feature] = self._start(feature)
                count.lean = lean = count.lean + step
                count.steps = steps = count.steps + weight
                beyond = abs(lean) - (count.noise * sqrt(steps) + count.slack)
                if beyond > 0.0:
                    excess[feature] = beyond if lean > 0 else -beyond
                elif feature in excess:
                    del excess[feature]
        for sort in balance_keys:
            self._taken[sort] = self._taken.get(sort, 0) + 1

    def _start(self, feature: str) -> _Count:
        """The count of a feature that comes for the first time."""
        if feature[0] != SCALE:
            return _Count(self._noise, self._slack)
        return _Count(self._noise * _LESS if feature[1] != LEVEL else 0.0, 0.0)

    def ranked(
        self,
        candidates: Sequence[tuple[Weighted, Sequence[str]]],
        numbers: Sequence[float],
        wider: AnswerBalancer | None = None,
    ) -> list[int]:
        """The places of candidates, each with its features and sorts: those that even out most first.

        Ties are decided by ``numbers`` that were drawn, one for each.
        ``wider`` has counted more questions, among which these should be even too.
        """
        if len(candidates) == 1:
            return [0]
        keyed = []
        own, wide = self._excess, _NOTHING if wider is None else wider._excess
        # Candidates share their features: those of one thing serve all questions about it. Few lean at all.
        known: dict[int, tuple[float, float] | None] = {}
        for place, (features, balance_keys) in enumerate(candidates):
            here = beyond = 0.0
            for step, some in features:
                key = id(some)
                if key in known:
                    lean = known[key]
                else:
                    lean = known[key] = _leans(some, own, wide)
                if lean is not None:
                    here += step * lean[0]
                    beyond += step * lean[1]
            usage = _RARELY * self.usage(balance_keys) if balance_keys else 0
            keyed.append((here + usage + beyond, numbers[place], place))
        keyed.sort()
        return [place for _, _, place in keyed]
