"""Every form of query goes to JSON and back, and says in words what it asks."""

from __future__ import annotations

import json
import pickle
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from falter.generation.scene import (
    And,
    AttributeOf,
    Choose,
    CommonOf,
    Comparative,
    Count,
    CountIs,
    CountsCompare,
    Exists,
    HasAttribute,
    IsKind,
    NameOf,
    Not,
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
    query_from_json,
    query_to_json,
)
from falter.generation.scene.query import descriptions_of

words = st.text(min_size=1, max_size=12)
numbers = st.sampled_from(["singular", "plural", "mass"])


def _selections(inner: st.SearchStrategy[ObjectDescription] | None) -> st.SearchStrategy[ObjectDescription]:
    inverse = st.sampled_from([UNSET, True])
    related = st.none() if inner is None else st.one_of(st.none(), st.builds(Related, words, inner, inverse))
    values = st.lists(words, max_size=3).map(tuple)
    without = st.one_of(st.just(UNSET), st.tuples(words))
    side = st.sampled_from([UNSET, "left", "middle"])
    return st.builds(ObjectDescription, words, values, related, numbers, st.booleans(), without, side)


selections = _selections(_selections(_selections(None)))
plain: st.SearchStrategy[Any] = st.one_of(
    st.builds(Exists, selections),
    st.builds(HasAttribute, selections, words),
    st.builds(IsKind, selections, words),
    st.builds(RelationHolds, selections, words, selections),
    st.builds(OnSide, selections, st.sampled_from(["left", "right"])),
    st.builds(Count, selections),
    st.builds(CountIs, selections, st.integers(0, 99), st.sampled_from(["exactly", "at least", "at most"])),
    st.builds(CountsCompare, selections, st.sampled_from(["more", "fewer", "as many"]), selections),
    st.builds(Same, st.lists(selections, min_size=1, max_size=2).map(tuple), words),
    st.builds(Comparative, selections, words, selections),
    st.builds(SceneIs, st.sampled_from(["place", "weather", "location"]), words),
)
open_ones: st.SearchStrategy[Any] = st.one_of(
    st.builds(AttributeOf, selections, st.tuples(words)),
    st.builds(NameOf, selections),
    st.builds(SideOf, selections, st.sampled_from(["horizontal", "vertical"])),
    st.builds(CommonOf, selections, selections),
    st.builds(SceneValue, st.sampled_from(["place", "weather"])),
)


def _wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.builds(Not, inner),
        some.map(lambda parts: And(tuple(parts))),
        some.map(lambda parts: Or(tuple(parts))),
        st.lists(st.builds(Option, words, inner), min_size=1, max_size=3).map(lambda ones: Choose(tuple(ones))),
    )


queries = st.one_of(st.recursive(plain, _wider, max_leaves=6), open_ones)


@given(queries)
def test_json_round_trip(query: Query) -> None:
    text = query_to_json(query)
    again = query_from_json(text)
    assert again == query
    assert type(again) is type(query)
    assert query_to_json(again) == text
    assert json.loads(text)["query"] == type(query).__name__.lower()


@given(queries)
def test_the_json_does_not_depend_on_the_process_that_made_the_query(query: Query) -> None:
    moved = pickle.loads(pickle.dumps(query))
    assert moved == query
    assert query_to_json(moved) == query_to_json(query)


@given(queries)
def test_every_query_can_be_described(query: Query) -> None:
    assert query.describe().strip()


def test_what_a_description_lacks_is_not_in_its_json() -> None:
    plain_one = ObjectDescription("cup", (), Related("on", ObjectDescription("table")))
    assert "without" not in query_to_json(Exists(plain_one))
    assert "side" not in query_to_json(Exists(plain_one))
    assert "inverse" not in query_to_json(Exists(plain_one))


def test_descriptions_say_what_is_asked() -> None:
    cup = ObjectDescription("cup", ("red",), Related("on", ObjectDescription("table", definite=True)))
    assert Exists(cup).describe() == "there is red cup on the table"
    assert Not(Exists(ObjectDescription("dog", number="plural"))).describe() == "not (there are dog (2+))"
    assert CountIs(ObjectDescription("dog"), 3, "at most").describe() == "at most 3: dog"
    assert RelationHolds(ObjectDescription("cup"), "on", ObjectDescription("table")).describe() == "cup is on table"
    assert OnSide(ObjectDescription("cup", definite=True), "left").describe() == "the cup is on the left side"
    assert Count(cup).describe().startswith("how many: red cup")
    assert "(" in And((Exists(cup), Exists(cup))).describe()


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", '{"query":"fly"}', '{"query":"exists"}', '{"query":"onside","of":{"kind":"a"},"side":"up"}'],
)
def test_what_is_no_query_is_refused(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        query_from_json(text)


def test_a_query_with_no_truth_says_so() -> None:
    from falter.generation.english import default_grammar
    from falter.generation.scene import Scene, SceneGraph

    scene = Scene(SceneGraph(image_id="1", width=9, height=9, objects={}), default_grammar().ontology)
    with pytest.raises(TypeError, match="Count is not a yes/no question"):
        Not(Count(ObjectDescription("dog"))).evaluate(scene)


def test_every_description_of_a_query_is_found() -> None:
    table = ObjectDescription("table", definite=True)
    cup = ObjectDescription("cup", (), Related("on", table))
    dog = ObjectDescription("dog")
    query = And((Not(Exists(cup)), Choose((Option("a", HasAttribute(dog, "red")), Option("b", Exists(table))))))
    assert list(descriptions_of(query)) == [cup, table, dog, table]
    assert list(descriptions_of(Same((dog, cup), "color"))) == [dog, cup, table]
    assert list(descriptions_of(SceneValue("place"))) == []
