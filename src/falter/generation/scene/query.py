"""The query algebra: questions whose correct answers follow from a scene, and the descriptions in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from falter.generation.scene.graph import ObjectDescription, Side
from falter.generation.scene.ontology_protocol import TruthValue, conjunction, disjunction, negate
from falter.generation.scene.scene import CountRange, Scene

__all__ = [
    "And",
    "Aspect",
    "Choose",
    "Comparative",
    "Count",
    "CountIs",
    "CountsCompare",
    "Exists",
    "HasAttribute",
    "IsKind",
    "Not",
    "OnSide",
    "Option",
    "Or",
    "Query",
    "RelationHolds",
    "Same",
    "SceneIs",
    "descriptions_of",
]

Aspect = Literal["place", "weather", "location"]
"""What is asked of the whole image; its location is indoors or outdoors."""


class Query(msgspec.Struct, frozen=True, gc=False, tag_field="query", tag=str.lower):
    """A question about a scene. ``evaluate`` is three-valued; ``answer`` gives it in words, or None for unknown."""

    def evaluate(self, scene: Scene) -> TruthValue:  # noqa: ARG002 - the subclasses use it
        """True, false, or None where the annotation cannot tell."""
        raise TypeError(f"{type(self).__name__} is not a yes/no question")

    def answer(self, scene: Scene) -> str | None:
        """The correct answer: yes, no, a number or a choice; None where the annotation cannot tell."""
        value = self.evaluate(scene)
        return None if value is None else ("yes" if value else "no")

    def describe(self) -> str:
        """A compact form, for people who inspect a suite."""
        raise TypeError(f"{type(self).__name__} has no description")


class Exists(Query, frozen=True, gc=False):
    """There is such a thing (in the plural: there are at least two)."""

    of: ObjectDescription

    def evaluate(self, scene: Scene) -> TruthValue:
        return scene.exists(self.of)

    def describe(self) -> str:
        return (
            f"there is {self.of.describe()}" if self.of.number != "plural" else f"there are {self.of.describe()} (2+)"
        )


class Not(Query, frozen=True, gc=False):
    """The opposite of another query."""

    of: AnyQuery

    def evaluate(self, scene: Scene) -> TruthValue:
        return negate(self.of.evaluate(scene))

    def describe(self) -> str:
        return f"not ({self.of.describe()})"


class And(Query, frozen=True, gc=False):
    """All of them."""

    of: tuple[AnyQuery, ...]

    def evaluate(self, scene: Scene) -> TruthValue:
        return conjunction(part.evaluate(scene) for part in self.of)

    def describe(self) -> str:
        return " and ".join(f"({part.describe()})" for part in self.of)


class Or(Query, frozen=True, gc=False):
    """At least one of them."""

    of: tuple[AnyQuery, ...]

    def evaluate(self, scene: Scene) -> TruthValue:
        return disjunction(part.evaluate(scene) for part in self.of)

    def describe(self) -> str:
        return " or ".join(f"({part.describe()})" for part in self.of)


class HasAttribute(Query, frozen=True, gc=False):
    """The thing (or every thing of the group) that the description picks out has an attribute."""

    of: ObjectDescription
    value: str

    def evaluate(self, scene: Scene) -> TruthValue:
        things = scene.resolve(self.of)
        if things is None:
            return None
        verdicts = {
            scene.ontology.has_attribute(thing.attributes, self.value, scene.graph.complete) for thing in things
        }
        return verdicts.pop() if len(verdicts) == 1 else None

    def describe(self) -> str:
        return f"{self.of.describe()} is {self.value}"


class IsKind(Query, frozen=True, gc=False):
    """The thing that the description picks out is of a kind."""

    of: ObjectDescription
    kind: str

    def evaluate(self, scene: Scene) -> TruthValue:
        things = scene.resolve(self.of)
        if things is None:
            return None
        verdicts = {scene.is_of_kind(thing, self.kind) for thing in things}
        return verdicts.pop() if len(verdicts) == 1 else None

    def describe(self) -> str:
        return f"{self.of.describe()} is a {self.kind}"


class RelationHolds(Query, frozen=True, gc=False):
    """A relation holds between the things that two descriptions pick out."""

    of: ObjectDescription
    relation: str
    to: ObjectDescription

    def evaluate(self, scene: Scene) -> TruthValue:
        firsts, seconds = scene.resolve(self.of), scene.resolve(self.to)
        if firsts is None or seconds is None:
            return None
        if len(firsts) == 1 == len(seconds):
            return scene.holds(firsts[0], self.relation, seconds[0])
        verdicts = {scene.holds(first, self.relation, second) for first in firsts for second in seconds}
        return verdicts.pop() if len(verdicts) == 1 else None

    def describe(self) -> str:
        return f"{self.of.describe()} is {self.relation} {self.to.describe()}"


class OnSide(Query, frozen=True, gc=False):
    """The thing that the description picks out is on that side of the image."""

    of: ObjectDescription
    side: Side

    def evaluate(self, scene: Scene) -> TruthValue:
        things = scene.resolve(self.of)
        if things is None:
            return None
        verdicts = {scene.on_side(thing, self.side) for thing in things}
        return verdicts.pop() if len(verdicts) == 1 else None

    def describe(self) -> str:
        return f"{self.of.describe()} is on the {self.side} side"


class Count(Query, frozen=True, gc=False):
    """How many such things there are."""

    of: ObjectDescription

    def answer(self, scene: Scene) -> str | None:
        if not scene.presuppositions_hold(self.of):
            return None
        least, most = scene.count(self.of)
        return str(least) if least == most else None

    def describe(self) -> str:
        return f"how many: {self.of.describe()}"


class CountIs(Query, frozen=True, gc=False):
    """There are exactly, at least or at most so many such things."""

    of: ObjectDescription
    number: int
    how: Literal["exactly", "at least", "at most"] = "exactly"

    def evaluate(self, scene: Scene) -> TruthValue:
        if not scene.presuppositions_hold(self.of):
            return None
        least, most = scene.count(self.of)
        enough: TruthValue = (
            True if least >= self.number else (False if most is not None and most < self.number else None)
        )
        few: TruthValue = False if least > self.number else (True if most is not None and most <= self.number else None)
        if self.how == "at least":
            return enough
        return few if self.how == "at most" else conjunction((enough, few))

    def describe(self) -> str:
        return f"{self.how} {self.number}: {self.of.describe()}"


class CountsCompare(Query, frozen=True, gc=False):
    """There are more, fewer or as many of the first things as of the second."""

    of: ObjectDescription
    how: Literal["more", "fewer", "as many"]
    to: ObjectDescription

    def evaluate(self, scene: Scene) -> TruthValue:
        if not (scene.presuppositions_hold(self.of) and scene.presuppositions_hold(self.to)):
            return None
        first, second = scene.count(self.of), scene.count(self.to)
        more, fewer = _exceeds(first, second), _exceeds(second, first)
        if self.how == "as many":
            return conjunction((negate(more), negate(fewer)))
        return more if self.how == "more" else fewer

    def describe(self) -> str:
        return f"{self.how}: {self.of.describe()} than {self.to.describe()}"


def _exceeds(first: CountRange, second: CountRange) -> TruthValue:
    """Whether the first number is larger than the second, whatever they are within their ranges."""
    if second.most is not None and first.least > second.most:
        return True
    return False if first.most is not None and first.most <= second.least else None


class Option(msgspec.Struct, frozen=True, gc=False):
    """One choice, and the query that makes it the right one."""

    answer: str
    when: AnyQuery


class Choose(Query, frozen=True, gc=False):
    """Which one of several choices is right; settled only when one is and all others are not."""

    options: tuple[Option, ...]

    def answer(self, scene: Scene) -> str | None:
        verdicts = [(option.answer, option.when.evaluate(scene)) for option in self.options]
        right = [answer for answer, verdict in verdicts if verdict]
        return right[0] if len(right) == 1 and all(verdict is not None for _, verdict in verdicts) else None

    def describe(self) -> str:
        return " / ".join(f"{option.answer}: {option.when.describe()}" for option in self.options)


class Same(Query, frozen=True, gc=False):
    """All that the descriptions pick out have the same value of a family; ``name``: they are of the same kind."""

    of: tuple[ObjectDescription, ...]
    family: str

    def evaluate(self, scene: Scene) -> TruthValue:
        found = [scene.resolve(one) for one in self.of]
        things = [thing for group in found if group is not None for thing in group]
        if None in found or len(things) < 2:
            return None
        if self.family == "name":
            values = {scene.ontology.kind_for_name(thing.name) for thing in things}
        else:
            values = {scene.ontology.only_value(thing.attributes, (self.family,)) for thing in things}
        return None if None in values else len(values) == 1

    def describe(self) -> str:
        return f"same {self.family}: {', '.join(one.describe() for one in self.of)}"


class Comparative(Query, frozen=True, gc=False):
    """The first is more so than the second ("younger"): settled where one has the value and the other its opposite."""

    of: ObjectDescription
    value: str
    to: ObjectDescription

    def evaluate(self, scene: Scene) -> TruthValue:
        opposites = scene.ontology.opposites(self.value)
        more = HasAttribute(self.of, self.value).evaluate(scene)
        less = HasAttribute(self.to, self.value).evaluate(scene)
        if more and any(HasAttribute(self.to, other).evaluate(scene) for other in opposites):
            return True
        if less and any(HasAttribute(self.of, other).evaluate(scene) for other in opposites):
            return False
        return None

    def describe(self) -> str:
        return f"{self.of.describe()} is more {self.value} than {self.to.describe()}"


class SceneIs(Query, frozen=True, gc=False):
    """The whole image is of a place ("kitchen") or has a weather ("cloudy")."""

    aspect: Aspect
    value: str

    def evaluate(self, scene: Scene) -> TruthValue:
        annotated = scene.aspect(self.aspect)
        if annotated is None:
            return None
        match self.aspect:
            case "weather":
                return scene.ontology.has_attribute((annotated,), self.value, ())
            case "location":
                return annotated == self.value
            case "place":
                # One image may be called a park and a field.
                return True if annotated == self.value else None

    def describe(self) -> str:
        return f"the {self.aspect} is {self.value}"


AnyQuery = (
    Exists
    | Not
    | And
    | Or
    | HasAttribute
    | IsKind
    | RelationHolds
    | OnSide
    | Count
    | CountIs
    | CountsCompare
    | Choose
    | Same
    | Comparative
    | SceneIs
)


def descriptions_of(query: Query) -> Iterator[ObjectDescription]:
    """Every description in a query, whatever its form, each followed by what it is related to."""
    yield from _within(query)


def _within(part: object) -> Iterator[ObjectDescription]:
    if isinstance(part, ObjectDescription):
        yield part
    if isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            yield from _within(getattr(part, name))
    elif isinstance(part, tuple):
        for one in part:
            yield from _within(one)
