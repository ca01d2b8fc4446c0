"""Statements: every question that can be made says each of its choices in good English, and no two alike."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.core.bundle import BUNDLES
from falter.core.errors import InputError
from falter.data.sources import open_source
from falter.data.suite import Suite, open_suite
from falter.generation.authoring.generator import generate
from falter.generation.authoring.options import GenerateOptions
from falter.generation.english import default_grammar
from falter.generation.english.statements import Statements, negate_query, statements
from falter.generation.english.words import article, join_list
from falter.generation.scene import (
    And,
    Choose,
    CountIs,
    Exists,
    HasAttribute,
    IsKind,
    Not,
    ObjectDescription,
    OnSide,
    Or,
    Query,
    Related,
    RelationHolds,
    Scene,
    query_from_json,
)
from falter.world.compose import compose
from falter.world.write_questions import gqa_graph

GRAMMAR = default_grammar()
SAY = statements()


@pytest.mark.parametrize(
    ("question", "choices", "said"),
    [
        ("Is there a red car?", ("yes", "no"), {"yes": "There is a red car.", "no": "There is no red car."}),
        ("Is there no red car?", ("yes", "no"), {"yes": "There is no red car.", "no": "There is a red car."}),
        ("Are there any dogs?", ("No", "Yes"), {"No": "There are no dogs.", "Yes": "There are dogs."}),
        (
            "Do you see an umbrella near the bench?",
            None,
            {"yes": "There is an umbrella near the bench.", "no": "There is no umbrella near the bench."},
        ),
        (
            "What color is the car, red or blue?",
            ("red", "blue"),
            {"red": "The car is red.", "blue": "The car is blue."},
        ),
        ("What color is the car?", ("red", "blue"), {"red": "The car is red.", "blue": "The car is blue."}),
        (
            "What is the small animal?",
            ("an owl", "cat"),
            {"an owl": "The small animal is an owl.", "cat": "The small animal is a cat."},
        ),
        ("Are the pants blue ?", None, {"yes": "The pants are blue.", "no": "The pants are not blue."}),
        (
            "What material is the table, wood or metal?",
            None,
            {"wood": "The table is made of wood.", "metal": "The table is made of metal."},
        ),
        (
            "What flavor is the donut, chocolate or vanilla",
            None,
            {"chocolate": "The flavor of the donut is chocolate.", "vanilla": "The flavor of the donut is vanilla."},
        ),
        (
            "What is the woman doing, walking or running?",
            ("running", "walking"),
            {"running": "The woman is running.", "walking": "The woman is walking."},
        ),
        (
            "Is there both a dog and a red ball?",
            None,
            {"yes": "There is both a dog and a red ball.", "no": "There is either no dog or no red ball."},
        ),
        (
            "Is there either a dog or an owl?",
            None,
            {"yes": "There is either a dog or an owl.", "no": "There is no dog and no owl."},
        ),
    ],
)
def test_questions_become_statements(question: str, choices: tuple[str, ...] | None, said: dict[str, str]) -> None:
    assert SAY.for_question(question, choices) == said


@pytest.mark.parametrize(
    ("question", "choices"),
    [
        ("Why is the sky blue?", ("yes", "no")),
        ("What is this?", None),
        ("Is there a red car?", ("red", "blue")),
        ("What color is the car, red or blue?", ("red", "green")),
        ("What color is the car?", None),
        ("What color is the car?", ("red",)),
        ("Which caption describes the picture?", ("A dog.", "A cat.")),
        ("", None),
        ("?", ("yes", "no")),
        ("A: Is it red?\nIs there a red car?", ("yes", "no")),
    ],
)
def test_what_no_template_reads_has_no_statement(question: str, choices: tuple[str, ...] | None) -> None:
    assert SAY.for_question(question, choices) is None


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (CountIs(ObjectDescription("dog"), 1), "There is one dog."),
        (CountIs(ObjectDescription("dog"), 4), "There are four dogs."),
        (CountIs(ObjectDescription("dog"), 0), "There are no dogs."),
        (Not(CountIs(ObjectDescription("dog"), 2)), "There are not two dogs."),
        (CountIs(ObjectDescription("dog", number="plural"), 1, "at least"), "There is at least one dog."),
        (Not(CountIs(ObjectDescription("dog"), 3, "at least")), "There are fewer than three dogs."),
        (CountIs(ObjectDescription("person"), 5, "at most"), "There are at most five people."),
        (OnSide(ObjectDescription("cup", definite=True), "left"), "The cup is on the left side of the picture."),
        (Not(OnSide(ObjectDescription("cup"), "right")), "The cup is not on the right side of the picture."),
        (RelationHolds(ObjectDescription("cup"), "on", ObjectDescription("table")), "The cup is on the table."),
        (IsKind(ObjectDescription("animal", number="plural"), "goose"), "The animals are geese."),
        (HasAttribute(ObjectDescription("sign"), "street"), "The sign is a street sign."),
        (And((Exists(ObjectDescription("dog")),)), None),
        (Choose(()), None),
    ],
)
def test_meanings_that_no_question_has_yet(query: Query, said: str | None) -> None:
    assert SAY.render(query) == said


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[Suite, str]:
    """Questions of all types over some scenes of the embedded world."""
    folder = tmp_path_factory.mktemp("world")
    scenes = [compose(3, index) for index in range(24)]
    graphs = {scene.image_id: gqa_graph(scene.graph) for scene in scenes}
    (folder / "val_sceneGraphs.json").write_text(json.dumps(graphs))
    options = GenerateOptions(images="none", tests=("rephrase", "negation", "antonym", "order"))
    generate(BUNDLES.get("carets"), open_source(f"gqa:{folder}"), folder / "suite", options)
    return open_suite(folder / "suite"), f"gqa:{folder}"


@pytest.mark.bundle("carets")
def test_every_question_of_the_world_says_its_choices(suite: tuple[Suite, str]) -> None:
    made, source = suite
    scenes = open_source(source)
    ontology = GRAMMAR.ontology
    types = set()
    for item in made.items():
        assert item.choices is not None
        assert item.meaning is not None
        assert item.image_id is not None
        said = SAY.for_question(item.text, item.choices)
        assert said is not None, item.text
        assert list(said) == list(item.choices)
        assert len(set(said.values())) == len(said), (item.text, said)
        for statement in said.values():
            assert_good_english(statement)
        # The right choice's statement is that of a query which the scene affirms; the others' are denied.
        meaning = query_from_json(item.meaning)
        scene = Scene(scenes.scene(item.image_id), ontology)
        for choice, statement in said.items():
            query = _query_of(meaning, choice)
            assert SAY.render(query) == statement
            assert query.answer(scene) == ("yes" if choice == item.gold else "no"), (item.text, statement)
        types.add(item.facets["type"])
    assert len(types) == 7, types


def _query_of(meaning: Query, choice: str) -> Query:
    if isinstance(meaning, Choose):
        return next(option.when for option in meaning.options if option.answer == choice)
    return meaning if choice == "yes" else negate_query(meaning)


def assert_good_english(statement: str) -> None:
    """What can be checked of a sentence without knowing how it was made."""
    assert re.fullmatch(r"[A-Z][^?{}]*[^ .]\.", statement), statement
    words = statement[:-1].lower().replace(",", "").split(" ")
    assert "" not in words, statement
    assert "any" not in words, statement
    for first, second in pairwise(words):
        assert first != second, statement
        if first in ("a", "an"):
            assert article(second) == first, statement
    # A plural takes "are", and nothing is said to be "the a" or "a no".
    assert not re.search(r"\b(?:a|an|the|no) (?:a|an|the|no|is|are)\b", " ".join(words)), statement


KINDS = sorted(
    kind for kind, record in GRAMMAR.ontology.kinds.items() if record.number == "count" and record.parent_names
)
VALUES = sorted(value for family in GRAMMAR.ontology.families.values() for value in family.values)
RELATIONS = sorted(GRAMMAR.ontology.relations)
things = st.builds(
    ObjectDescription,
    st.sampled_from(KINDS),
    st.lists(st.sampled_from(VALUES), max_size=2, unique=True).map(tuple),
    st.none() | st.builds(Related, st.sampled_from(RELATIONS), st.builds(ObjectDescription, st.sampled_from(KINDS))),
    st.sampled_from(("singular", "plural")),
    st.booleans(),
)
single = st.one_of(
    st.builds(Exists, things),
    st.builds(HasAttribute, things, st.sampled_from(VALUES)),
    st.builds(IsKind, things, st.sampled_from(KINDS)),
    st.builds(RelationHolds, things, st.sampled_from(RELATIONS), things),
    st.builds(OnSide, things, st.sampled_from(("left", "right"))),
    st.builds(CountIs, things, st.integers(0, 30), st.sampled_from(("exactly", "at least", "at most"))),
)
pairs = st.tuples(st.builds(Exists, things), st.builds(Exists, things))
queries = single | st.builds(And, pairs) | st.builds(Or, pairs)


@given(queries)
def test_a_statement_and_its_negation_agree_in_number_and_differ(query: Query) -> None:
    said, denied = SAY.render(query), SAY.render(negate_query(query))
    assert said is not None
    assert denied is not None
    assert said != denied
    assert negate_query(negate_query(query)) == query
    for statement in (said, denied):
        assert statement[0].isupper()
        assert statement.endswith(".")
        assert "  " not in statement
    if isinstance(query, Exists):
        assert said.startswith("There are " if query.of.number == "plural" else "There is ")
        assert (f"There {'are' if query.of.number == 'plural' else 'is'} no ") in denied
    if isinstance(query, HasAttribute | IsKind | OnSide | RelationHolds):
        noun = GRAMMAR.phrases.render(query.of, "the")
        verb = "are" if query.of.number == "plural" else "is"
        assert noun in said.lower()
        assert f" {verb} " in said or said.startswith("The ")


@given(st.text(max_size=60), st.none() | st.lists(st.text(max_size=8), max_size=4).map(tuple))
def test_no_text_is_too_odd_to_be_asked(text: str, choices: tuple[str, ...] | None) -> None:
    said = SAY.for_question(text, choices)
    assert said is None or len(said) > 1


@given(st.sampled_from(KINDS), st.lists(st.sampled_from(KINDS), min_size=2, max_size=4, unique=True))
def test_choices_that_the_question_does_not_name(kind: str, choices: list[str]) -> None:
    named = SAY.for_question(f"What is the {kind}, {join_list([f'{article(one)} {one}' for one in choices])}?", choices)
    bare = SAY.for_question(f"What is the {kind}?", choices)
    assert bare == named


class TestFiles:
    """Lines of the user's own come first, and mistakes are told."""

    def test_a_line_of_ones_own(self, tmp_path: Path) -> None:
        (tmp_path / "statements.yaml").write_text('- {means: Exists(x), says: "A photo of {a x}."}\n')
        own = statements(tmp_path)
        assert own.render(Exists(ObjectDescription("dog"))) == "A photo of a dog."
        assert own.render(Not(Exists(ObjectDescription("dog")))) == "There is no dog."
        assert own.fingerprint != SAY.fingerprint

    @pytest.mark.parametrize(
        "text",
        ["- {means: Exists(x)}", "- {means: 'Exists(', says: 'A.'}", "- {means: Open(x), says: 'A.'}", "no list", "[["],
    )
    def test_a_broken_file(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "statements.yaml").write_text(text)
        with pytest.raises(InputError, match=r"statements\.yaml"):
            Statements(GRAMMAR, [tmp_path])
