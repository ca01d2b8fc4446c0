"""Ontology and template files: what is in them is sound, and what is wrong in them is named."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from falter.core.errors import InputError
from falter.generation.english import default_grammar, load_grammar, load_ontology


def test_antonyms_go_both_ways_and_exclude_each_other() -> None:
    ontology = default_grammar().ontology
    assert ontology.attributes.antonyms("open") == ("closed", "shut")
    for first in ontology.family_by_value:
        for second in ontology.attributes.antonyms(first):
            assert first in ontology.attributes.antonyms(second)
            assert ontology.has_attribute((first,), second, frozenset()) is False
            assert ontology.has_attribute((first, second), second, frozenset()) is None


def test_inverses_and_exclusions_go_both_ways() -> None:
    ontology = default_grammar().ontology
    for name, record in ontology.relations.items():
        inverse = ontology.inverse(name)
        if inverse is not None:
            assert ontology.inverse(inverse) == name
        for other in (*record.excludes, *record.implies):
            assert other != name
        for other in record.excludes:
            assert ontology.relation_holds(name, other) is False
            assert ontology.relation_holds(other, name) is False
        for other in record.implies:
            assert ontology.relation_holds(name, other) is True


def test_every_kind_is_a_thing_and_no_part_of_itself() -> None:
    ontology = default_grammar().ontology
    for kind in ontology.kinds:
        assert ontology.is_a(kind, "thing")
        assert ontology.is_of_kind(kind, "thing") is True
        assert kind not in ontology.kinds[kind].parts


def test_kind_of_agrees_both_ways() -> None:
    ontology = default_grammar().ontology
    rng = Random(0)
    kinds = sorted(ontology.kinds)
    for first in kinds:
        # All pairs are near two million: those that are close to each other, and some at random.
        close = {*ontology.ancestors(first), *ontology.kinds[first].overlaps, *ontology.kinds[first].parts}
        for second in (*sorted(close), *rng.sample(kinds, 40)):
            # A toy may be a car, but what is called a car is no toy.
            if ontology.kinds[first].imitates or ontology.kinds[second].imitates:
                continue
            forth, back = ontology.is_of_kind(first, second), ontology.is_of_kind(second, first)
            assert (forth is False) == (back is False), (first, second)
            if forth and back:
                assert first == second


FILES = [
    ("kinds.yaml", "gizmo: {is: gimmick}\n", "'gizmo'", "unknown kind 'gimmick'"),
    ("kinds.yaml", "gizmo: {is: thing, parts: [knob]}\n", "'gizmo'", "unknown kind 'knob'"),
    ("kinds.yaml", "ovum: {is: hatcher}\nhatcher: {is: ovum}\n", "'ovum'", "kind of itself"),
    ("kinds.yaml", "gizmo: {is: thing, colour: red}\n", "'gizmo'", "colour"),
    ("kinds.yaml", "gizmo: {is: 3}\n", "'gizmo'", "Expected"),
    ("kinds.yaml", "gizmo: thing\n", "'gizmo'", "Expected"),
    ("kinds.yaml", "gizmo: {is: thing, number: many}\n", "'gizmo'", "many"),
    ("kinds.yaml", "dog: {is: vehicle}\n", "'dog'", "defined differently elsewhere"),
    ("kinds.yaml", "- gizmo\n", None, "named records"),
    ("kinds.yaml", "gizmo: {is: [thing\n", None, "not YAML"),
    ("kinds.yaml", "3: {is: thing}\n", "3", "not a name"),
    ("relations.yaml", "on: {class: contact}\n", "True", "not a name"),
    ("relations.yaml", "astride: {class: sideways}\n", "'astride'", "sideways"),
    ("relations.yaml", "astride: {class: spatial, inverse: besides}\n", "'astride'", "unknown relation 'besides'"),
    ("relations.yaml", "astride: {class: spatial, subjects: [gimmick]}\n", "'astride'", "unknown kind 'gimmick'"),
    ("attributes.yaml", "families: {taste: {values: sweet}}\n", None, "Expected"),
    (
        "attributes.yaml",
        "families: {taste: {values: [sweet], applies_to: [gimmick]}}\n",
        "'taste'",
        "unknown kind 'gimmick'",
    ),
    ("attributes.yaml", "antonyms: [[a, b, c]]\n", None, "Expected"),
    ("attributes.yaml", "antonym: []\n", None, "antonym"),
]


@pytest.mark.parametrize(("name", "text", "record", "problem"), FILES)
def test_a_wrong_ontology_file_is_named(tmp_path: Path, name: str, text: str, record: str | None, problem: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        load_ontology([tmp_path])
    assert caught.value.path == str(tmp_path / name)
    assert caught.value.record == record
    assert problem in caught.value.problem
    assert "\n" not in str(caught.value)


HEAD = "type: mine\nmeans: Exists(x)\n"
TEMPLATES = [
    ("type: mine\n", "missing required field"),
    (f"{HEAD}templates: [{{id: a, text: 3}}]\n", "Expected `str`"),
    (f"{HEAD}templates: [{{id: a, text: 'Is {{some x}}?'}}]\n", "not a placeholder"),
    (f"{HEAD}templates: [{{id: a, text: 'Is {{a x}}{{a x}}?'}}]\n", "two placeholders"),
    ("type: mine\nmeans: Is(x)\ntemplates: [{id: a, text: 'Is {a x}?'}]\n", "cannot understand"),
    ("type: mine\nmeans: Exists(y)\ntemplates: [{id: a, text: 'Is {a x}?'}]\n", "cannot understand 'y'"),
    (f"{HEAD}templates: [{{id: a, text: 'Is {{a x}}?', negated: 'No {{a x}}?'}}]\n", "no negated meaning"),
    (f"{HEAD}templates: [{{id: a, text: 'A {{a x}}?'}}, {{id: a, text: 'B {{a x}}?'}}]\n", "id of another template"),
    (f"{HEAD}templates: [{{id: a, text: 'Is {{a x}}?', colour: red}}]\n", "colour"),
    ("just words", "not a file of templates"),
    (": [", "not a file of templates"),
]


@pytest.mark.parametrize(("text", "problem"), TEMPLATES)
def test_a_wrong_template_file_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "templates").mkdir()
    path = tmp_path / "templates" / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_grammar([tmp_path])
    assert caught.value.path == str(path)
    assert problem in str(caught.value)


def test_a_folder_adds_words_and_templates(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "kinds-mine.yaml").write_text(
        "gizmo: {is: device, plural: gizmata, synonyms: [widget], parts: [knob]}\nknob: {is: thing}\n"
    )
    (tmp_path / "attributes.yaml").write_text(
        "families:\n  color: {values: [teal]}\n  taste: {values: [sweet, sour]}\n"
        "antonyms: [[sweet, sour]]\nimplies: {teal: [sweet]}\n"
    )
    (tmp_path / "relations.yaml").write_text("eyeing: {class: action, implies: [looking at]}\n")
    (tmp_path / "templates" / "mine.yaml").write_text(
        f"{HEAD}templates:\n  - {{id: first, text: '{{a x}} can be seen, right?'}}\n"
        "  - {id: two, text: 'Spot {a x related}.'}\n"
    )
    grammar = default_grammar(tmp_path)
    ontology = grammar.ontology
    assert ontology.is_of_kind("widget", "device") is True
    assert "knob" in ontology.possible_parts("gizmo")
    assert ontology.grammatical_number("gizmata") == "plural"
    assert ontology.has_attribute(("red",), "teal", frozenset()) is False
    assert ontology.has_attribute(("teal",), "sweet", frozenset()) is True
    assert ontology.has_attribute(("teal",), "sour", frozenset()) is False
    assert ontology.relation_holds("eyeing", "looking at") is True
    assert len(grammar.parse("Gizmata can be seen, right?")) == 1, "a template may begin with any word"
    assert len(grammar.parse("A teal gizmo can be seen, right?")) == 1
    assert len(grammar.parse("Spot a gizmo eyeing the dog.")) == 1
    assert not default_grammar().ontology.knows("gizmo")
    assert default_grammar(tmp_path) is grammar


def test_relations_that_imply_each_other_do_not_loop(tmp_path: Path) -> None:
    (tmp_path / "relations.yaml").write_text(
        "astride: {class: spatial, implies: [athwart]}\nathwart: {class: spatial, implies: [astride]}\n"
    )
    ontology = load_ontology([tmp_path])
    assert ontology.relation_holds("astride", "athwart") is True
    assert ontology.relation_holds("athwart", "astride") is True
