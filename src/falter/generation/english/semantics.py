"""Compiles the ``meaning`` of a template: an expression of queries over slots, such as ``Not(Exists(x))``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any

from msgspec.structs import replace

from falter.generation.scene import (
    And,
    AttributeOf,
    Choose,
    CommonOf,
    Comparative,
    Exists,
    HasAttribute,
    IsKind,
    NameOf,
    ObjectDescription,
    OnSide,
    Option,
    Or,
    Query,
    Related,
    RelationHolds,
    Same,
    SceneIs,
    SceneValue,
    SideOf,
)
from falter.generation.scene import query as query_module
from falter.generation.scene.graph import Side
from falter.generation.scene.query import AnyQuery, Aspect

_THING = ObjectDescription("thing", definite=True)


class MeaningError(ValueError):
    """An expression that is not a query."""


def _choose_kind(of: ObjectDescription, choices: tuple[str, ...]) -> Query:
    return Choose(tuple(Option(kind, IsKind(of, kind)) for kind in choices))


def _choose_attribute(of: ObjectDescription, choices: tuple[str, ...]) -> Query:
    return Choose(tuple(Option(value, HasAttribute(of, value)) for value in choices))


def _has_all(of: ObjectDescription, values: tuple[str, ...]) -> Query:
    parts = tuple(HasAttribute(of, value) for value in values)
    return parts[0] if len(parts) == 1 else And(parts)


def _holds(of: ObjectDescription, relation: str, to: ObjectDescription) -> AnyQuery:
    """A relation to a certain thing, or to some thing of a kind.

    A thing has one relation in a description: "a bag that is on the table" is asked about where there is one such bag.
    """
    if to.definite or to.relation is not None:
        return RelationHolds(of, relation, replace(to, definite=True))
    return Exists(replace(to, relation=Related(relation, of, inverse=True)))


def _choose_relation(of: ObjectDescription, relations: tuple[str, ...], to: ObjectDescription) -> Query:
    return Choose(tuple(Option(_SIDE_OF.get(one, one), _holds(of, one, to)) for one in relations))


_SIDE_OF = {"to the left of": "left", "to the right of": "right"}


def _choose_side(of: ObjectDescription, sides: tuple[Side, ...]) -> Query:
    return Choose(tuple(Option(side, OnSide(of, side)) for side in sides))


def _scene_is(aspect: Aspect, value: str) -> SceneIs:
    """What is said of the whole image: indoors and outdoors are its location, other attributes its weather."""
    if aspect != "place":
        aspect = "location" if value in ("indoors", "outdoors") else "weather"
    return SceneIs(aspect, value)


def _choose_scene(aspect: Aspect, values: tuple[str, ...]) -> Query:
    return Choose(tuple(Option(value, _scene_is(aspect, value)) for value in values))


def _more(of: ObjectDescription, to: ObjectDescription, degree: str) -> Comparative:
    """The first is more so than the second; "less healthy" turns them round."""
    less = degree.removeprefix("less ")
    return Comparative(to, less, of) if less != degree else Comparative(of, degree, to)


def _choose_more(of: ObjectDescription, to: ObjectDescription, degree: str) -> Query:
    return Choose((Option(of.kind, _more(of, to, degree)), Option(to.kind, _more(to, of, degree))))


def _is_this(described: ObjectDescription) -> Query:
    """Whether what the image shows is such a thing: it has the attributes, or is of the kind."""
    if described.attributes:
        return _has_all(replace(described, attributes=(), definite=True), described.attributes)
    return IsKind(_THING, described.kind)


def _is_a(of: ObjectDescription, described: ObjectDescription) -> Query:
    """Whether something is of a kind, and has the attributes that are said of it."""
    of = replace(of, definite=True)
    is_kind = IsKind(of, described.kind)
    values = tuple(HasAttribute(of, value) for value in described.attributes)
    return And((is_kind, *values)) if values else is_kind


def _object_of(of: ObjectDescription, relation: str, what: ObjectDescription = _THING) -> ObjectDescription:
    """What a relation of something leads to."""
    return replace(what, relation=Related(relation, replace(of, definite=True), inverse=True), definite=True)


def _part_of(part: ObjectDescription, of: ObjectDescription) -> ObjectDescription:
    """What belongs to something: its ears."""
    return replace(part, relation=Related("of", replace(of, definite=True)))


def _on_the_side_of(first: ObjectDescription, second: ObjectDescription) -> ObjectDescription:
    """The first of two things; a part of the image that comes last is where both are: "cars or buses on the left"."""
    return replace(first, side=second.side) if second.side and not first.side else first


def _both(first: ObjectDescription, second: ObjectDescription) -> Query:
    """One and the other."""
    return And((Exists(_on_the_side_of(first, second)), Exists(second)))


def _either(first: ObjectDescription, second: ObjectDescription) -> Query:
    """One or the other; what is said of one of two nouns only holds of both ("a white mouse or laptop")."""
    first = _on_the_side_of(first, second)
    if not second.attributes and not second.without:
        second = replace(second, attributes=first.attributes, without=first.without)
    elif not first.attributes and not first.without and second.relation is None:
        first = replace(first, attributes=second.attributes, without=second.without)
    return Or((Exists(first), Exists(second)))


def _related_alike(first: ObjectDescription, second: ObjectDescription) -> ObjectDescription:
    """The first of two things; a relation that comes last is of both: "forks or spoons on the tray"."""
    related = second.relation
    # "of" may join the words of one name: "ketchup bottles or mustard containers".
    return first if related is None or related.name == "of" or first.relation else replace(first, relation=related)


def _both_related(first: ObjectDescription, second: ObjectDescription) -> Query:
    """One and the other, related alike."""
    return _both(_related_alike(first, second), second)


def _either_related(first: ObjectDescription, second: ObjectDescription) -> Query:
    """One or the other, related alike."""
    return _either(_related_alike(first, second), second)


FORMS: dict[str, Callable[..., Query | ObjectDescription]] = {
    **{
        name: form
        for name in query_module.__all__
        if isinstance(form := getattr(query_module, name), type) and issubclass(form, Query)
    },
    "And": lambda *parts: query_module.And(parts),
    "Or": lambda *parts: query_module.Or(parts),
    "ChooseKind": _choose_kind,
    "ChooseAttribute": _choose_attribute,
    "ChooseRelation": _choose_relation,
    "ChooseSide": _choose_side,
    "ChooseScene": _choose_scene,
    "HasAll": _has_all,
    "Holds": _holds,
    "Either": _either,
    "EitherRelated": _either_related,
    "BothRelated": _both_related,
    "Both": _both,
    "Some": lambda of: replace(of, definite=False),
    "More": _more,
    "ChooseMore": _choose_more,
    "CommonOf": CommonOf,
    "SameOf": lambda *of_and_family: Same(of_and_family[:-1], of_and_family[-1]),
    "ObjectOf": _object_of,
    "PartOf": _part_of,
    "IsA": _is_a,
    "IsThis": _is_this,
    "AttributeOf": lambda of, *families: AttributeOf(of, families),
    "NameOf": NameOf,
    "SideOf": SideOf,
    "SceneIs": _scene_is,
    "SceneValue": SceneValue,
}
"""The functions that a meaning may call."""


@lru_cache(maxsize=1024)
def parse_meaning(text: str) -> ast.expr:
    """The expression in a meaning."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise MeaningError(f"{text!r} is not a meaning: {error.msg}") from error


Meaning = Callable[[Mapping[str, Any]], Query]
"""Returns the query for given slots."""


@lru_cache(maxsize=1024)
def compile_meaning(text: str) -> Meaning:
    """What a meaning says of any slots; raises :class:`MeaningError` for an expression that no slots make a query."""
    read = _reader(parse_meaning(text))

    def meaning(slots: Mapping[str, Any]) -> Query:
        try:
            query: Query = read(slots)
        except KeyError as error:
            raise MeaningError(f"cannot understand {error.args[0]!r} in a meaning") from None
        return query

    return meaning


def _reader(node: ast.expr) -> Callable[[Mapping[str, Any]], Any]:
    match node:
        case ast.Name(id=name):
            return itemgetter(name)
        case ast.Constant(value=value) if isinstance(value, str | int):
            return lambda slots: value  # noqa: ARG005
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FORMS:
            form = FORMS[name]
            readers = [_reader(argument) for argument in arguments]
            if len(readers) == 1:
                (only,) = readers
                return lambda slots: form(only(slots))
            if len(readers) == 2:
                first, second = readers
                return lambda slots: form(first(slots), second(slots))
            return lambda slots: form(*[reader(slots) for reader in readers])
    raise MeaningError(f"cannot understand {ast.unparse(node)!r} in a meaning")
