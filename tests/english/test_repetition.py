"""No question says a word twice, and no noun phrase a family of meaning."""

from __future__ import annotations

import pytest

from falter.generation.english import default_grammar
from falter.generation.english.open_slots import SlotValue
from falter.generation.english.repetition import says_twice
from falter.generation.scene import ObjectDescription, Related

GRAMMAR = default_grammar()


def thing(kind: str, *attributes: str, relation: str = "", to: str = "") -> ObjectDescription:
    related = Related(relation, ObjectDescription(to, definite=True)) if relation else None
    return ObjectDescription(kind, attributes, related)


def several(kind: str, relation: str, to: str) -> ObjectDescription:
    return ObjectDescription(kind, (), Related(relation, ObjectDescription(to, definite=True)), "plural")


@pytest.mark.parametrize(
    "slots",
    [
        {"x": thing("surfer", "surfing")},
        {"x": thing("girl", "waving", relation="waving at", to="boy")},
        {"x": thing("horse", "standing", relation="lying on", to="grass")},
        {"x": thing("man", "sitting", relation="walking on", to="road")},
        {"x": thing("skier", "snowboarding")},
        {"x": thing("light fixture", relation="next to", to="light fixture")},
        {"x": thing("dog"), "y": thing("surfer", "surfing")},
        {"x": thing("container", relation="next to", to="bowl"), "c": ("bowl", "vase")},
        {"x": thing("shirt", "long sleeved"), "p": "long"},
    ],
)
def test_what_repeats_itself_is_found(slots: dict[str, SlotValue]) -> None:
    assert says_twice(slots, GRAMMAR.ontology)


@pytest.mark.parametrize(
    "slots",
    [
        {"x": thing("dog", "black"), "y": thing("cat", "black")},
        {"x": thing("batter", relation="holding", to="baseball bat")},
        {"x": thing("baseball player", relation="holding", to="baseball bat")},
        {"x": thing("surfer", relation="on", to="surfboard")},
        {"x": thing("man", "happy", relation="sitting on", to="bench")},
        {"x": thing("shirt"), "c": ("light brown", "dark brown")},
        {"x": thing("cup", "red"), "f": "color", "c": ("small", "large")},
    ],
)
def test_what_both_parts_need_may_be_said(slots: dict[str, SlotValue]) -> None:
    assert not says_twice(slots, GRAMMAR.ontology)


@pytest.mark.parametrize(
    ("template", "slots", "fits"),
    [
        ("attribute_choice.what", {"f": "color", "c": ("cream colored", "black")}, False),
        ("attribute_choice.is", {"f": "color", "c": ("cream colored", "black")}, True),
        ("attribute_choice.describe", {"f": "color", "c": ("cream colored", "black")}, False),
        ("attribute_choice.what", {"f": "pattern", "c": ("patterned", "plain")}, False),
        ("attribute_choice.what", {"f": "length", "c": ("long", "short")}, False),
        ("attribute_choice.is", {"f": "length", "c": ("long", "short")}, True),
        ("attribute_choice.what", {"f": "size", "c": ("large", "small")}, True),
        ("attribute_choice.of", {"f": "size", "c": ("large", "small")}, False),
        ("attribute_choice.made-of", {"f": "material", "c": ("wood", "metal")}, True),
        ("attribute_choice.made-of", {"f": "color", "c": ("red", "white")}, False),
        ("attribute_choice.best-describes", {"f": "opening", "c": ("open", "closed")}, True),
        ("attribute_choice.best-describes", {"f": "color", "c": ("red", "white")}, False),
        ("attribute_choice.of", {"f": "length", "c": ("long", "short")}, False),
        ("attribute_choice.looks", {"f": "power", "c": ("on", "off")}, False),
        ("attribute_verification.looks", {"p": "walking"}, False),
        ("attribute_verification.seems", {"p": "walking"}, True),
        ("object_verification.shows", {"x": thing("picture")}, False),
        ("object_verification.contains", {"x": thing("picture")}, True),
        ("object_verification.related-looking", {"x": thing("man", relation="looking at", to="dog")}, False),
        ("object_verification.anyone-is", {"x": thing("person", relation="near", to="dog")}, True),
        ("object_verification.anyone-is", {"x": thing("man", relation="near", to="dog")}, False),
        ("object_choice.kind-of", {"x": thing("person", "small"), "c": ("boy", "girl")}, False),
        ("object_choice.would-call", {"x": thing("person", "small"), "c": ("boy", "girl")}, False),
        ("object_choice.clause-which", {"x": thing("person", relation="near", to="dog"), "c": ("boy", "girl")}, False),
        ("object_choice.clause-which", {"x": thing("animal", relation="near", to="man"), "c": ("dog", "cat")}, True),
        ("attribute_verification.related-is", {"x": thing("man", relation="near", to="dog"), "p": "standing"}, True),
        ("attribute_verification.related-is", {"x": thing("man", relation="riding", to="dog"), "p": "happy"}, False),
        ("attribute_verification.that-is", {"x": thing("man", relation="riding", to="dog"), "p": "happy"}, True),
        ("action_choice.related-what", {"x": thing("man", relation="helping", to="girl"), "c": ("walking",)}, False),
        ("action_choice.related-seems", {"x": thing("man", relation="helping", to="girl"), "c": ("walking",)}, True),
        ("action_choice.what", {"x": thing("man"), "c": ("sitting", "standing")}, False),
        ("action_choice.what", {"x": thing("man"), "c": ("walking", "running")}, True),
        ("action_choice.position", {"x": thing("man"), "c": ("sitting", "standing")}, True),
        ("action_choice.position", {"x": thing("man"), "c": ("walking", "running")}, False),
        ("object_choice.kind-of-this", {"x": thing("vehicle", "green"), "c": ("car", "truck")}, False),
        ("object_choice.kind-of-this", {"x": thing("vehicle"), "c": ("car", "truck")}, True),
        ("object_verification.clause-true", {"x": several("man", "riding", "bus")}, False),
        ("object_verification.clause-think", {"x": several("man", "riding", "bus")}, True),
        ("object_verification.clause-true", {"x": thing("man", relation="riding", to="bus")}, True),
        ("object_verification.clause-true", {"x": thing("tree", relation="near", to="bus")}, False),
        ("object_verification.anyone-think", {"x": thing("person", relation="near", to="bus")}, True),
    ],
)
def test_a_template_is_used_where_it_says_no_word_again(template: str, slots: dict[str, SlotValue], fits: bool) -> None:
    assert GRAMMAR.template(template).fits({"x": thing("curtain"), **slots}) is fits


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Is there a man who is holding the ball?", "man"),
        ("Is there a man that is holding the ball?", "man"),
        ("Is there a robot that is holding the ball?", "robot"),
        ("Is there a robot which is holding the ball?", "robot"),
        ("Is there anyone holding the ball?", "person"),
        ("Do you see anyone who is holding the ball?", "person"),
        ("Is a man holding the ball?", "man"),
        ("Do you think a man is holding the ball?", "man"),
    ],
)
def test_people_take_who_and_either_pronoun_is_read(text: str, kind: str) -> None:
    (meaning,) = GRAMMAR.parse(text)
    assert meaning.of == ObjectDescription(kind, (), Related("holding", ObjectDescription("ball", definite=True)))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    [
        "Is there a robot who is holding the ball?",
        "Is there a man which is holding the ball?",
        "Is there a men who are holding the ball?",
        "Is there anyone red holding the ball?",
    ],
)
def test_no_pronoun_is_read_for_what_it_cannot_mean(text: str) -> None:
    assert GRAMMAR.parse(text) == ()


@pytest.mark.parametrize(
    ("number", "written"),
    [
        ("singular", "Do you see a woman who is wearing the hat?"),
        ("plural", "Do you see any women who are wearing the hat?"),
    ],
)
def test_people_are_written_with_who(number: str, written: str) -> None:
    one = ObjectDescription("woman", (), Related("wearing", ObjectDescription("hat", definite=True)), number)  # type: ignore[arg-type]
    assert GRAMMAR.template("object_verification.that-see").render({"x": one}) == written
