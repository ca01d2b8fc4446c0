"""GQA's functional programs: queries written as programs, and programs read to queries."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast, get_args

from msgspec.structs import replace

from falter.generation.scene.graph import ObjectDescription, Related, Side
from falter.generation.scene.ontology_protocol import Number
from falter.generation.scene.open_query import AttributeOf, Axis, CommonOf, NameOf, SceneValue, SideOf
from falter.generation.scene.query import (
    And,
    AnyQuery,
    Aspect,
    Choose,
    Comparative,
    Exists,
    HasAttribute,
    IsKind,
    Not,
    OnSide,
    Option,
    Or,
    Query,
    RelationHolds,
    Same,
    SceneIs,
)

Step = dict[str, Any]
"""An operation with its argument and the numbers of the steps it works on."""


def query_to_program(query: Query) -> list[Step]:
    """A query as one of GQA's functional programs; empty where GQA has no operation for it.

    ``not`` is our own: GQA asks no negated questions.
    """
    steps: list[Step] = []
    try:
        _add(query, steps)
    except _Inexpressible:
        return []
    return steps


class _Inexpressible(Exception):
    """GQA has no operation for this."""


def _step(steps: list[Step], operation: str, argument: str, *dependencies: int) -> int:
    steps.append({"operation": operation, "dependencies": list(dependencies), "argument": argument})
    return len(steps) - 1


def _select(description: ObjectDescription, steps: list[Step]) -> int:
    if description.relation is None:
        place = _step(steps, "select", f"{description.kind} (-)")
    else:
        place = _relate(description, description.relation, steps)
    return _filter(description, place, steps)


def _filter(description: ObjectDescription, place: int, steps: list[Step]) -> int:
    for value in description.attributes:
        place = _step(steps, "filter", value, place)
    for value in description.without or ():
        place = _step(steps, "filter", f"not({value})", place)
    if description.side:
        axis = "vposition" if description.side in ("top", "bottom") else "hposition"
        place = _step(steps, f"filter {axis}", description.side, place)
    return place


def _relate(description: ObjectDescription, related: Related, steps: list[Step]) -> int:
    role = "o" if related.inverse else "s"
    target = _select(related.to, steps)
    return _step(steps, "relate", f"{description.kind},{related.name},{role} (-)", target)


def _add(query: Query, steps: list[Step]) -> int:
    match query:
        case Exists(of=description):
            return _step(steps, "exist", "?", _select(description, steps))
        case Not(of=Same(of=of, family=family)):
            return _step(steps, *_compared("different", family), *[_select(one, steps) for one in of])
        case Not(of=inner):
            return _step(steps, "not", "", _add(inner, steps))
        case And(of=parts):
            return _step(steps, "and", "", *[_add(part, steps) for part in parts])
        case Or(of=parts):
            return _step(steps, "or", "", *[_add(part, steps) for part in parts])
        case HasAttribute(of=description, value=value):
            return _step(steps, "verify", value, _select(description, steps))
        case IsKind(of=description, kind=kind):
            return _step(steps, "verify name", kind, _select(description, steps))
        case OnSide(of=description, side=side):
            axis = "vposition" if side in ("top", "bottom") else "hposition"
            return _step(steps, f"verify {axis}", side, _select(description, steps))
        case RelationHolds(of=of, relation=relation, to=to):
            return _holds(of, relation, to, steps)
        case Same(of=of, family=family):
            return _step(steps, *_compared("same", family), *[_select(one, steps) for one in of])
        case Choose(options=options):
            return _choose(options, steps)
    return _add_open(query, steps)


def _choose(options: tuple[Option, ...], steps: list[Step]) -> int:
    answers = "|".join(option.answer for option in options)
    match options[0].when:
        case HasAttribute(of=of):
            return _step(steps, "choose", answers, _select(of, steps))
        case IsKind(of=of):
            return _step(steps, "choose name", answers, _select(of, steps))
        case OnSide(of=of, side=side):
            axis = "vposition" if side in ("top", "bottom") else "hposition"
            return _step(steps, f"choose {axis}", answers, _select(of, steps))
        case SceneIs(aspect=aspect):
            return _step(steps, f"choose {aspect}", answers, _step(steps, "select", "scene"))
        case RelationHolds(of=of, to=to) if of.relation is None:
            # As in GQA, the last step knows the thing by its noun alone.
            relations = "|".join(option.when.relation for option in options if isinstance(option.when, RelationHolds))
            return _step(steps, "choose rel", f"{of.kind},{relations},s (-)", _select(to, steps))
    raise _Inexpressible


def _add_open(query: Query, steps: list[Step]) -> int:
    match query:
        case AttributeOf(of=description, families=families):
            return _step(steps, "query", _GQA_FAMILIES.get(families, families[0]), _select(description, steps))
        case SideOf(of=description, axis=axis):
            asked = "hposition" if axis == "horizontal" else "vposition"
            return _step(steps, "query", asked, _select(description, steps))
        case NameOf(of=description):
            return _step(steps, "query", "name", _select(description, steps))
        case SceneValue(aspect=aspect):
            return _step(steps, "query", aspect, _step(steps, "select", "scene"))
        case SceneIs(aspect=aspect, value=value):
            return _step(steps, f"verify {aspect}", value, _step(steps, "select", "scene"))
    raise _Inexpressible


def _holds(of: ObjectDescription, relation: str, to: ObjectDescription, steps: list[Step]) -> int:
    """Whether a relation holds: one of the two is known by its noun alone, or is related and filtered."""
    if of.relation is not None and to.relation is not None:
        raise _Inexpressible
    (one, role), other = ((of, "s"), to) if of.relation is None else ((to, "o"), of)
    argument = f"{one.kind},{relation},{role} (-)"
    place = _select(other, steps)
    if not one.attributes and not one.without and not one.side:
        return _step(steps, "verify rel", argument, place)
    place = _filter(one, _step(steps, "relate", argument, place), steps)
    return _step(steps, "exist", "?", place)


def _compared(how: str, family: str) -> tuple[str, str]:
    return f"{how} {'type' if family == 'name' else _GQA_FAMILIES.get((family,), family)}", ""


_GQA_FAMILIES: Mapping[tuple[str, ...], str] = {
    ("action", "pose", "sport"): "activity",
    ("sport",): "sportActivity",
    ("mood",): "face expression",
    ("build",): "fatness",
    ("origin",): "race",
}
"""GQA's names of attributes that differ from the ontology's families."""


FAMILIES: Mapping[str, tuple[str, ...]] = {
    "activity": ("action", "pose", "sport"),
    "sportActivity": ("sport",),
    "face expression": ("mood",),
    "fatness": ("build",),
    "race": ("origin",),
    "room": ("place",),
}
"""GQA's names of attributes that differ from the ontology's families."""

_ID = re.compile(r"\s+\((?:-|[\w,]*)\)\s*$")
_NOT = re.compile(r"not\((.*)\)")
_ASPECTS: Mapping[str, Aspect] = {"place": "place", "room": "place", "location": "location", "weather": "weather"}
_AXES: Mapping[str, Axis] = {"hposition": "horizontal", "vposition": "vertical"}
_SIDES = {"to the left of": "left", "to the right of": "right"}
_SCENE = "scene"
_PRONOUNS = {"_": "thing", "this": "thing", "she": "woman", "he": "man"}

Selected = ObjectDescription
Value = Selected | Query


class ProgramError(ValueError):
    """A program that cannot be read; it says at which operation."""


Lexeme = Callable[[str], tuple[str, Number] | None]
"""The kind and the number that a noun stands for; None where the vocabulary lacks it."""


def query_from_program(steps: Sequence[Step], lexeme: Lexeme) -> Query:
    """The query that a program computes; raises :class:`ProgramError` for one that no query expresses.

    Nouns become kinds where the vocabulary has them, and stay as they are elsewhere. What a program selects is
    definite, except what is asked to exist.
    """
    if not steps:
        raise ProgramError("the program is empty")
    reader = _ProgramReader(lexeme)
    values: list[Value] = []
    for number, step in enumerate(steps):
        try:
            operands = [values[place] for place in step["dependencies"] if 0 <= place < number]
            if len(operands) != len(step["dependencies"]):
                raise ProgramError("it depends on a step that does not come before it")
            values.append(reader.read(str(step["operation"]), _ID.sub("", str(step["argument"])).strip(), operands))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ProgramError(f"step {number} ({step.get('operation')}): {error}") from error
    if not isinstance(values[-1], Query):
        raise ProgramError("it asks nothing")
    return values[-1]


class _ProgramReader:
    """Reads one operation after the other."""

    def __init__(self, lexeme: Lexeme) -> None:
        self._lexeme = lexeme

    def read(self, operation: str, argument: str, operands: list[Value]) -> Value:
        name, _, family = operation.partition(" ")
        match name:
            case "select":
                return self._noun(argument)
            case "filter":
                return _filtered(_selected(operands), family, argument)
            case "relate":
                return self._related(_selected(operands), argument)
            case "choose":
                return self._choice(family, argument, operands)
            case "verify" if family == "rel":
                return Exists(replace(self._related(_selected(operands), argument), definite=False))
            case "verify":
                return self._holds(_selected(operands), family, argument)
            case "and" | "or" | "not":
                return _combined(name, tuple(_query(operand) for operand in operands))
        return _asked_of(name, family or argument, tuple(_selected([operand]) for operand in operands))

    def _noun(self, name: str, relation: Related | None = None) -> Selected:
        name = _PRONOUNS.get(name, name)
        kind, number = self._lexeme(name) or (name, "singular")
        return ObjectDescription(kind, (), relation, number, definite=True)

    def _related(self, to: Selected, argument: str) -> Selected:
        noun, relation, role = (part.strip() for part in argument.split(","))
        related = Related(relation, to, inverse=True) if role == "o" else Related(relation, to)
        return self._noun(noun, related)

    def _holds(self, of: Selected, family: str, argument: str) -> AnyQuery:
        value = argument.strip()
        negated = _NOT.fullmatch(value)
        if negated is not None:
            return Not(self._holds(of, family, negated.group(1)))
        if of.kind == _SCENE:
            return SceneIs(_ASPECTS.get(family, "place"), value)
        if family == "name":
            return IsKind(of, self._noun(value).kind)
        if family in _AXES:
            return OnSide(of, _side(value))
        return HasAttribute(of, value)

    def _choice(self, family: str, argument: str, operands: list[Value]) -> Query:
        if not argument:
            first, second = (_selected([operand]) for operand in operands)
            less = family.removeprefix("less ")
            value = positive_degree(less)
            first_more, second_more = Comparative(first, value, second), Comparative(second, value, first)
            if less != family:
                first_more, second_more = second_more, first_more
            return Choose((Option(first.kind, first_more), Option(second.kind, second_more)))
        of = _selected(operands)
        if family == "rel":
            return self._which_relation(of, argument)
        return Choose(tuple(Option(one, self._holds(of, family, one)) for one in argument.split("|")))

    def _which_relation(self, to: Selected, argument: str) -> Query:
        noun, relations, role = argument.split(",")
        options = [
            Option(_SIDES.get(one, one), Exists(replace(self._related(to, f"{noun},{one},{role}"), definite=False)))
            for one in relations.split("|")
        ]
        return Choose(tuple(options))


def _side(word: str) -> Side:
    if word not in get_args(Side):
        raise ProgramError(f"{word!r} is no side of an image")
    return cast("Side", word)


def _selected(operands: Sequence[Value]) -> Selected:
    (operand,) = operands
    if not isinstance(operand, ObjectDescription):
        raise ProgramError("it needs things, and has an answer")
    return operand


def _query(operand: Value) -> Any:
    if not isinstance(operand, Query):
        raise ProgramError("it needs an answer, and has things")
    return operand


def _filtered(of: Selected, family: str, argument: str) -> Selected:
    if family in _AXES:
        return replace(of, side=_side(argument))
    negated = _NOT.fullmatch(argument)
    if negated is not None:
        return replace(of, without=(*(of.without or ()), negated.group(1).strip()))
    return replace(of, attributes=(argument, *of.attributes))


def _combined(name: str, parts: tuple[Any, ...]) -> Query:
    if name == "not":
        (part,) = parts
        return Not(part)
    return And(parts) if name == "and" else Or(parts)


def _asked_of(name: str, argument: str, of: tuple[Selected, ...]) -> Query:
    match name, of:
        case "exist", (one,):
            return Exists(replace(one, definite=False))
        case "query", (one,):
            return _asked(one, argument)
        case "same", _:
            return _same(of, argument)
        case "different", _:
            return Not(_same(of, argument))
        case "common", (first, second):
            return CommonOf(first, second)
    raise ProgramError("no query does this")


def _asked(of: Selected, asked: str) -> Query:
    if of.kind == _SCENE:
        if asked not in _ASPECTS:
            raise ProgramError(f"an image has no {asked}")
        return SceneValue(_ASPECTS[asked])
    if asked == "name":
        return NameOf(of)
    if asked in _AXES:
        return SideOf(of, _AXES[asked])
    return AttributeOf(of, FAMILIES.get(asked, (asked,)))


def _same(of: tuple[Selected, ...], family: str) -> Same:
    return Same(of, "name" if family == "type" else FAMILIES.get(family, (family,))[0])


def positive_degree(comparative: str) -> str:
    """The adjective of a comparative: "younger" is more young."""
    word = comparative.removeprefix("more ").removesuffix("er")
    if word.endswith("i"):
        return f"{word[:-1]}y"
    if len(word) > 2 and word[-1] == word[-2] and word[-1] not in "ls":
        return word[:-1]
    return {"larg": "large"}.get(word, word)
