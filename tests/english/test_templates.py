"""Templates write a sentence and read it back, whatever the slots."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.english import Phrases, Template, TemplateError, english
from falter.scene import Count, CountIs, Exists, HasAttribute, Not, Related, Selection

BOOK = english()
ONTOLOGY = BOOK.ontology
PHRASES = BOOK.phrases


def template(text: str, means: str = "Exists(x)", phrases: Phrases = PHRASES) -> Template:
    return Template(id="test", type="test", text=text, means=means, phrases=phrases)


def numbers_of(kind: str) -> list[str]:
    number = ONTOLOGY.kinds[kind].number
    return ["singular", "plural"] if number == "count" else [number]


@st.composite
def phrases(draw: st.DrawFn, *, depth: int = 0, definite: bool = False) -> Selection:
    """Any description of the vocabulary that makes sense; related when depth is above zero."""
    kind = draw(st.sampled_from(sorted(ONTOLOGY.kinds)))
    suited = sorted(value for value in ONTOLOGY.family_of if ONTOLOGY.suits(value, kind))
    attributes = draw(st.lists(st.sampled_from(suited), max_size=2, unique=True)) if suited else []
    relation = None
    if depth > 0:
        name = draw(st.sampled_from(sorted(ONTOLOGY.relations)))
        relation = Related(name, draw(phrases(depth=depth - 1, definite=draw(st.booleans()))))
    number: Any = draw(st.sampled_from(numbers_of(kind)))
    return Selection(kind, tuple(attributes), relation, number, definite)


@pytest.mark.parametrize("one", BOOK.templates, ids=lambda one: one.id)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_is_written_is_read_back(one: Template, data: st.DataObject) -> None:
    slots = {"x": data.draw(phrases(depth=1 if one.form == "related" else 0))}
    text = one.render(slots)
    readings = one.match(text)
    assert slots in [reading.slots for reading in readings], text
    for reading in readings:
        assert one.render(reading.slots) == text
    assert one.meaning(slots) in BOOK.read(text)


@settings(max_examples=200, deadline=None)
@given(phrases(depth=2), st.sampled_from(["a", "any", "no", ""]))
def test_phrases_with_a_relation_in_a_relation_are_read_back(selection: Selection, determiner: Any) -> None:
    text = PHRASES.write(selection, determiner)
    assert selection in PHRASES.read(text, determiner)


def test_ids_are_unique_and_texts_differ() -> None:
    ids = [one.id for one in BOOK.templates]
    texts = [one.text for one in BOOK.templates]
    assert len(set(ids)) == len(ids)
    assert len(set(texts)) == len(texts)


def test_every_template_has_a_negated_twin_with_the_opposite_meaning() -> None:
    plain = [one for one in BOOK.templates if one.polarity == "plain"]
    assert len(plain) >= 50
    for one in plain:
        twin = BOOK.negation_of(one)
        assert twin is not None
        slots = {
            "x": Selection(
                "dog", (), Related("on", Selection("sofa", definite=True)) if one.form == "related" else None
            )
        }
        assert one.render(slots) != twin.render(slots)
        assert twin.meaning(slots) == Not(one.meaning(slots))
        assert BOOK.negation_of(twin) is None


@pytest.mark.parametrize("one", [one for one in BOOK.templates if one.polarity == "plain"], ids=lambda one: one.id)
def test_every_example_is_read_by_its_template(one: Template) -> None:
    assert one.example
    (reading,) = one.match(one.example)
    assert one.render(reading.slots) == one.example
    assert len(BOOK.read(one.example)) == 1


@pytest.mark.parametrize(
    ("text", "slots", "written"),
    [
        ("{is x} there {any x}?", {"x": Selection("apple", ("red",))}, "Is there a red apple?"),
        ("{is x} there {any x}?", {"x": Selection("apple")}, "Is there an apple?"),
        ("{is x} there {any x}?", {"x": Selection("person", number="plural")}, "Are there any people?"),
        ("{is x} there {any x}?", {"x": Selection("water", number="mass")}, "Is there any water?"),
        ("{is x} there {any x}?", {"x": Selection("pants", number="plural")}, "Are there any pants?"),
        ("It shows {a x}.", {"x": Selection("water", number="mass")}, "It shows water."),
        ("It shows {a x}.", {"x": Selection("dog", number="plural")}, "It shows dogs."),
        ("{is x} {the x} here?", {"x": Selection("dog", definite=True)}, "Is the dog here?"),
        ("{does x} {the x} move?", {"x": Selection("dog", number="plural", definite=True)}, "Do the dogs move?"),
        ("{was x} {the x} here?", {"x": Selection("hair", number="mass", definite=True)}, "Was the hair here?"),
        (
            "{has x} {the x} moved?",
            {"x": Selection("child", number="plural", definite=True)},
            "Have the children moved?",
        ),
        ("How many {bare x} are there?", {"x": Selection("bus", number="plural")}, "How many buses are there?"),
        (
            "{is x} there {no x that}?",
            {"x": Selection("cup", (), Related("on", Selection("table", definite=True)), "plural")},
            "Are there no cups that are on the table?",
        ),
        (
            "{is x} there {any x related}?",
            {"x": Selection("man", (), Related("wearing", Selection("glasses", number="plural")))},
            "Is there a man wearing glasses?",
        ),
    ],
)
def test_directives(text: str, slots: dict[str, Any], written: str) -> None:
    one = template(text, "Count(x)")
    assert one.render(slots) == written
    assert slots in [reading.slots for reading in one.match(written)]


def test_values_numbers_and_choices() -> None:
    one = template("Is {the x} {value p}?", "HasAttribute(x, p)")
    box = Selection("box", definite=True)
    assert [reading.meaning for reading in one.match("Is the box red?")] == [HasAttribute(box, "red")]
    assert one.match("Is the box quick?") == []
    many = template("Are there {number n} {bare x}?", "CountIs(x, n)")
    dogs = Selection("dog", number="plural")
    assert [reading.meaning for reading in many.match("Are there twelve dogs?")] == [CountIs(dogs, 12)]
    which = template("Is {the x} {choices c}?", "Exists(x)")
    slots = {"x": box, "c": ("wood", "metal", "glass")}
    assert which.render(slots) == "Is the box wood, metal, or glass?"
    assert slots in [reading.slots for reading in which.match("Is the box wood, metal, or glass?")]


@pytest.mark.parametrize(
    "text",
    [
        *("", "?", "Is there", "Is there a?", "Is there a unicorn?", "Is there an dog?", "Is there a apple?"),
        *("Are there a dog?", "Is there any dogs?", "Is there a dog", "Is there a dog ?", "Is there  a dog?"),
        *("Is there a dog on?", "Is there a dog on the?", "Is there a dog on the picture?", "is there a red?"),
        *("Does the picture show a dog that are on the sofa?", "Is there a dog a dog?", "\x00", "Is there no?"),
    ],
)
def test_what_is_no_question_of_ours_is_not_read(text: str) -> None:
    assert BOOK.read(text) == ()


@given(st.text(max_size=40))
def test_any_text_can_be_tried(text: str) -> None:
    BOOK.read(text)
    BOOK.read(f"Is there a {text}?")


@pytest.mark.parametrize("part", ["red ", "dog near the ", "a dog in the picture ", "that is on "])
def test_endless_texts_are_not_read(part: str) -> None:
    assert BOOK.read(f"Is there a {part * 5000}dog?") == ()


def test_other_names_are_read_and_never_written() -> None:
    assert BOOK.read("Is there a bike?") == BOOK.read("Is there a bicycle?") == (Exists(Selection("bicycle")),)
    assert BOOK.read("Do you see any kids in the picture?") == (Exists(Selection("child", number="plural")),)
    (meaning,) = BOOK.read("Is there a couch near the tv?")
    assert meaning == Exists(Selection("sofa", (), Related("near", Selection("television", definite=True))))
    assert BOOK.read("Is there a street sign?") == (Exists(Selection("street sign")),)
    assert template("It is {a x}.").render({"x": Selection("bicycle")}) == "It is a bicycle."


def test_reading_does_not_mind_capitals() -> None:
    assert BOOK.read("IS THERE A DOG?") == BOOK.read("is there a dog?") == (Exists(Selection("dog")),)


def test_a_text_with_two_meanings_gives_both() -> None:
    found = BOOK.read("Do you see no sheep?")
    assert len(found) == 2
    assert {meaning.describe() for meaning in found} == {"not (there is sheep)", "not (there are sheep (2+))"}


@pytest.mark.parametrize(
    ("text", "means", "message"),
    [
        ("Is {some x} here?", "Exists(x)", "{some x} is not a directive"),
        ("Is {x} here?", "Exists(x)", "{x} is not a directive"),
        ("Is {any x near} here?", "Exists(x)", "{any x near} is not a directive"),
        ("Is {value x that} here?", "Exists(x)", "{value x that} is not a directive"),
        ("Is {is x}{any x} here?", "Exists(x)", "two directives need a word or a space"),
        ("Is {any x} here?", "Exsts(x)", "cannot understand 'Exsts(x)'"),
        ("Is {any x} here?", "Exists(y)", "cannot understand 'y'"),
        ("Is {any x} here?", "Exists(x", "is not a meaning"),
        ("Is {any x} here?", "Exists(x, x, x)", "is not a meaning"),
        ("Is {any x} here?", "x", "is not a query"),
        ("Is {any x} here?", "Option('a', Exists(x))", "cannot understand"),
        ("Is {any x} here?", "__import__('os')", "cannot understand"),
        ("{is x} it here?", "Exists(x)", "never written"),
        ("", "Exists(x)", "has no text"),
    ],
)
def test_wrong_templates_say_what_is_wrong(text: str, means: str, message: str) -> None:
    with pytest.raises(TemplateError) as caught:
        template(text, means).check()
    assert message in str(caught.value)
    assert "test" in str(caught.value)


def test_slots_that_do_not_fit_say_so() -> None:
    one = template("Is {any x} here?")
    with pytest.raises(TemplateError, match="needs the slot 'x'"):
        one.render({})
    with pytest.raises(TemplateError, match="does not fit"):
        one.render({"x": 3})
    with pytest.raises(ValueError, match="cannot be written plain"):
        one.render({"x": Selection("dog", (), Related("on", Selection("sofa")))})


def test_counts_are_read_too() -> None:
    one = template("How many {bare x} are there?", "Count(x)")
    assert [reading.meaning for reading in one.match("How many dogs are there?")] == [
        Count(Selection("dog", number="plural"))
    ]
