"""Every form of query goes to JSON and back, and says in words what it asks."""

from __future__ import annotations

import json
import pickle
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.scene import (
    And,
    Choose,
    Count,
    CountIs,
    Exists,
    HasAttribute,
    IsKind,
    Not,
    ObjectDescription,
    OnSide,
    Option,
    Or,
    Query,
    Related,
    RelationHolds,
    query_from_json,
    query_to_json,
)

words = st.text(min_size=1, max_size=12)
numbers = st.sampled_from(["singular", "plural", "mass"])


def _selections(inner: st.SearchStrategy[ObjectDescription] | None) -> st.SearchStrategy[ObjectDescription]:
    related = st.none() if inner is None else st.one_of(st.none(), st.builds(Related, words, inner))
    return st.builds(ObjectDescription, words, st.lists(words, max_size=3).map(tuple), related, numbers, st.booleans())


selections = _selections(_selections(_selections(None)))
plain: st.SearchStrategy[Any] = st.one_of(
    st.builds(Exists, selections),
    st.builds(HasAttribute, selections, words),
    st.builds(IsKind, selections, words),
    st.builds(RelationHolds, selections, words, selections),
    st.builds(OnSide, selections, st.sampled_from(["left", "right"])),
    st.builds(Count, selections),
    st.builds(CountIs, selections, st.integers(0, 99), st.sampled_from(["exactly", "at least", "at most"])),
)


def _wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.builds(Not, inner),
        some.map(lambda parts: And(tuple(parts))),
        some.map(lambda parts: Or(tuple(parts))),
        st.lists(st.builds(Option, words, inner), min_size=1, max_size=3).map(lambda ones: Choose(tuple(ones))),
    )


queries = st.recursive(plain, _wider, max_leaves=6)


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
    from falter.english import default_grammar
    from falter.scene import Scene, SceneGraph

    scene = Scene(SceneGraph(image_id="1", width=9, height=9, objects={}), default_grammar().ontology)
    with pytest.raises(TypeError, match="Count is not a yes/no question"):
        Not(Count(ObjectDescription("dog"))).evaluate(scene)
