"""GQA's programs become queries, which scenes answer as GQA did."""

from __future__ import annotations

from typing import Any

import pytest

from falter.generation.english import default_grammar
from falter.generation.scene import (
    And,
    AttributeOf,
    Box,
    Choose,
    Comparative,
    Exists,
    HasAttribute,
    NameOf,
    Not,
    ObjectDescription,
    Option,
    Query,
    Related,
    Relation,
    Same,
    Scene,
    SceneGraph,
    SceneIs,
    SceneObject,
    SceneValue,
    SideOf,
)
from falter.generation.scene.programs import ProgramError, query_from_program, query_to_program

ONTOLOGY = default_grammar().ontology
MAN = ObjectDescription("man", definite=True)
CAR = ObjectDescription("car", definite=True)


def program(text: str) -> list[dict[str, Any]]:
    """The steps of a program as GQA prints it: "select: man (1)->query: name [0]"."""
    steps = []
    for step in text.split("->"):
        operation, _, rest = step.partition(": ")
        argument, _, places = rest.partition(" [")
        dependencies = [int(place) for place in places.rstrip("]").split(",") if place]
        steps.append({"operation": operation, "argument": argument, "dependencies": dependencies})
    return steps


def read(text: str) -> Query:
    return query_from_program(program(text), ONTOLOGY.lexeme)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("select: man (12)->query: name [0]", NameOf(MAN)),
        (
            "select: bikes (3)->exist: ? [0]",
            Exists(ObjectDescription("bike", number="plural")),
        ),
        (
            "select: man (12)->relate: _,holding,o (4) [0]->query: name [1]",
            NameOf(ObjectDescription("thing", (), Related("holding", MAN, inverse=True), definite=True)),
        ),
        (
            "select: car (1)->relate: man,near,s (-) [0]->filter: not(old) [1]->exist: ? [2]",
            Exists(ObjectDescription("man", (), Related("near", CAR), without=("old",))),
        ),
        (
            "select: man (1)->filter hposition: left [0]->query: activity [1]",
            AttributeOf(ObjectDescription("man", definite=True, side="left"), ("action", "pose", "sport")),
        ),
        (
            "select: man (1)->verify color: red [0]->select: man (1)->verify: tall  [2]->and:  [1,3]",
            And((HasAttribute(MAN, "red"), HasAttribute(MAN, "tall"))),
        ),
        (
            "select: car (1)->choose rel: man,to the left of|behind,s (2) [0]",
            Choose(
                (
                    Option("left", Exists(ObjectDescription("man", (), Related("to the left of", CAR)))),
                    Option("behind", Exists(ObjectDescription("man", (), Related("behind", CAR)))),
                )
            ),
        ),
        ("select: man (1)->select: car (2)->same color:  [0,1]", Same((MAN, CAR), "color")),
        ("select: man (1)->select: car (2)->different color:  [0,1]", Not(Same((MAN, CAR), "color"))),
        (
            "select: man (1)->select: car (2)->choose younger:  [0,1]",
            Choose((Option("man", Comparative(MAN, "young", CAR)), Option("car", Comparative(CAR, "young", MAN)))),
        ),
        ("select: scene->verify weather: cloudy [0]", SceneIs("weather", "cloudy")),
        ("select: scene->query: place [0]", SceneValue("place")),
        ("select: car (1)->query: hposition [0]", SideOf(CAR)),
        ("select: gizmo (1)->query: color [0]", AttributeOf(ObjectDescription("gizmo", definite=True), ("color",))),
    ],
)
def test_programs_become_queries(text: str, query: Query) -> None:
    assert read(text) == query


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("select: man (1)", "asks nothing"),
        ("select: man (1)->fly: high [0]", "step 1 .fly.: no query does this"),
        ("exist: ? [3]", "does not come before it"),
        ("select: man (1)->exist: ? [0]->filter: red [1]", "needs things"),
        ("select: man (1)->relate: car [0]->exist: ? [1]", "step 1"),
        ("select: scene->query: color [0]", "has no color"),
    ],
)
def test_what_is_no_program_says_where(text: str, said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        read(text)


def test_a_program_of_no_steps_is_refused() -> None:
    with pytest.raises(ProgramError, match="empty"):
        query_from_program([], ONTOLOGY.lexeme)


def test_programs_that_are_written_are_read() -> None:
    table = ObjectDescription("table", definite=True)
    for query in (
        Exists(ObjectDescription("cup", ("red",), Related("on", table))),
        HasAttribute(table, "red"),
        And((Exists(ObjectDescription("cup")), Not(Exists(ObjectDescription("dog"))))),
        Choose((Option("red", HasAttribute(table, "red")), Option("blue", HasAttribute(table, "blue")))),
    ):
        assert query_from_program(query_to_program(query), ONTOLOGY.lexeme) == query


def _scene() -> Scene:
    objects = [
        SceneObject(
            id="1",
            name="man",
            box=Box(0, 0, 20, 50),
            attributes=("young", "smiling"),
            relations=(Relation("holding", "2"), Relation("near", "3")),
        ),
        SceneObject(id="2", name="cup", box=Box(10, 20, 5, 5), attributes=("red", "small")),
        SceneObject(id="3", name="car", box=Box(60, 0, 30, 50), attributes=("red", "black")),
        SceneObject(id="4", name="lady", box=Box(52, 0, 8, 50), attributes=("old",)),
    ]
    graph = SceneGraph(
        image_id="1",
        width=100,
        height=50,
        objects={one.id: one for one in objects},
        location="indoors",
        weather="cloudy",
        complete=frozenset({"objects", "holding"}),
    )
    return Scene(graph, ONTOLOGY)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("select: man (1)->query: hposition [0]", "left"),
        ("select: cup (2)->query: color [0]", "red"),
        ("select: car (3)->query: color [0]", None),
        ("select: cup (2)->query: name [0]", "cup"),
        ("select: man (1)->relate: cup,holding,o (2) [0]->exist: ? [1]", "yes"),
        ("select: lady (4)->relate: cup,holding,o (2) [0]->query: color [1]", None),
        ("select: man (1)->relate: cup,holding,o (2) [0]->query: size [1]", "small"),
        ("select: person (1)->filter: not(old) [0]->query: name [1]", "man"),
        ("select: person (1)->filter hposition: right [0]->query: name [1]", "lady"),
        ("select: person (1)->filter hposition: top [0]->query: name [1]", None),
        ("select: man (1)->select: lady (4)->choose older:  [0,1]", "woman"),
        ("select: man (1)->select: cup (2)->same color:  [0,1]", None),
        ("select: scene->choose location: indoors|outdoors [0]", "indoors"),
        ("select: scene->verify weather: cloudy [0]", "yes"),
        ("select: scene->verify weather: clear [0]", "no"),
        ("select: scene->query: place [0]", None),
    ],
)
def test_scenes_answer_them(text: str, answer: str | None) -> None:
    assert read(text).answer(_scene()) == answer
