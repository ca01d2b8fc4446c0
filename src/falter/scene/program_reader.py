"""GQA's functional programs as queries."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast, get_args

from msgspec.structs import replace

from falter.scene.description import ObjectDescription, Related, Side
from falter.scene.ontology_protocol import Number
from falter.scene.open_query import AttributeOf, Axis, CommonOf, NameOf, SceneValue, SideOf
from falter.scene.programs import Step
from falter.scene.query import (
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
    Same,
    SceneIs,
)

__all__ = ["ProgramError", "positive_degree", "query_from_program"]

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
