"""Templates write a sentence and read it back, whatever the slots."""

from __future__ import annotations

import re
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.data.word_forms import pluralize
from falter.generation.english import NounPhrases, Template, TemplateError, default_grammar
from falter.generation.english.words import IMAGE_WORDS
from falter.generation.scene import (
    And,
    Choose,
    Count,
    CountIs,
    Exists,
    HasAttribute,
    Not,
    ObjectDescription,
    Option,
    Or,
    Related,
)

GRAMMAR = default_grammar()
ONTOLOGY = GRAMMAR.ontology
PHRASES = GRAMMAR.phrases


def template(text: str, means: str = "Exists(x)", phrases: NounPhrases = PHRASES) -> Template:
    return Template(id="test", type="test", text=text, means=means, phrases=phrases)


def numbers_of(kind: str) -> list[str]:
    number = ONTOLOGY.kinds[kind].number
    return ["singular", "plural"] if number == "count" else [number]


KINDS = sorted(ONTOLOGY.kinds)
RELATIONS = sorted(ONTOLOGY.relations)
VALUES = sorted(ONTOLOGY.family_by_value)
COUNTED = sorted(kind for kind, record in ONTOLOGY.kinds.items() if record.number == "count")
FAMILIES = sorted(name for name, family in ONTOLOGY.families.items() if len(family.values) > 1)
LABELLED = [name for name in FAMILIES if ONTOLOGY.families[name].label is not None]
ASKED = [name for name in LABELLED if ONTOLOGY.families[name].label_what]


@cache
def suited(kind: str) -> list[str]:
    families = [name for name in ONTOLOGY.families if ONTOLOGY.family_applies_to(name, kind)]
    return sorted({value for name in families for value in ONTOLOGY.families[name].values})


@st.composite
def phrases(draw: st.DrawFn, *, depth: int = 0, definite: bool = False) -> ObjectDescription:
    """Any description of the vocabulary that makes sense; related when depth is above zero."""
    kind = draw(st.sampled_from(KINDS))
    fitting = suited(kind)
    attributes = draw(st.lists(st.sampled_from(fitting), max_size=2, unique=True)) if fitting else []
    relation = None
    if depth > 0:
        name = draw(st.sampled_from(RELATIONS))
        relation = Related(name, draw(phrases(depth=depth - 1, definite=draw(st.booleans()))))
    number: Any = draw(st.sampled_from(numbers_of(kind)))
    return ObjectDescription(kind, tuple(attributes), relation, number, definite)


PLACEHOLDER = re.compile(r"\{(\w+) (\w+)(?: (?:related|that|clause))?\}")


def written_as(one: Template) -> dict[str, set[str]]:
    """The placeholders of each slot."""
    found: dict[str, set[str]] = {}
    for word, slot in PLACEHOLDER.findall(one.text):
        found.setdefault(slot, set()).add(word)
    return found


@st.composite
def slots_for(draw: st.DrawFn, one: Template) -> dict[str, Any]:
    """Slots that a template can say: what its placeholders ask for, and choices of one family."""
    words = written_as(one)
    labelled = any(of & {"family", "attribute", "quality"} for of in words.values())
    asked = any("attribute" in of for of in words.values())
    of_materials = any("materials" in of for of in words.values())
    family = draw(st.sampled_from(ASKED if asked else LABELLED if labelled else FAMILIES))
    family = "material" if of_materials else family
    family = "action" if any("actions" in of for of in words.values()) else family
    family = "pose" if any("positions" in of for of in words.values()) else family
    slots: dict[str, Any] = {}
    for slot, of in words.items():
        if of & {"value", "adjective"}:
            slots[slot] = draw(st.sampled_from(VALUES))
        elif of & {"choices", "adjectives", "states", "materials", "actions", "positions"}:
            values = st.sampled_from(ONTOLOGY.families[family].values)
            slots[slot] = tuple(draw(st.lists(values, min_size=2, max_size=3, unique=True)))
        elif "kinds" in of:
            slots[slot] = tuple(draw(st.lists(st.sampled_from(COUNTED), min_size=2, max_size=3, unique=True)))
        elif of & {"family", "attribute", "quality"}:
            slots[slot] = family
        else:
            slots[slot] = draw(
                phrases(
                    depth=1 if one.form == "related" else 0, definite=bool(of & {"the", "object", "which", "kindof"})
                )
            )
    return slots


def alike() -> dict[str, list[Template]]:
    """Templates that take the same slots: of one type, polarity and form, naming a family or not."""
    groups: dict[str, list[Template]] = {}
    for one in GRAMMAR.templates:
        named = " by family" if one.names_family else " of materials" if one.names_materials else ""
        named += "".join(f" of {word}" for word in ("actions", "positions") if f"{{{word} " in one.text)
        groups.setdefault(f"{one.type} {one.polarity} {one.form}{named}", []).append(one)
    return groups


GROUPS = alike()


def names_of(kind: str) -> list[list[str]]:
    """The singular and the plural forms of a kind's names, the first name first."""
    record = ONTOLOGY.kinds[kind]
    first = [kind, ONTOLOGY.plural(kind)]
    return [first] + [[name, pluralize(name) if record.number == "count" else name] for name in record.synonyms]


def kinds_in(value: Any) -> list[str]:
    """The kinds that a slot's value names."""
    if isinstance(value, ObjectDescription):
        return [value.kind, *([] if value.relation is None else kinds_in(value.relation.to))]
    return [kind for kind in value if kind in ONTOLOGY.kinds] if isinstance(value, tuple) else []


def by_other_names(text: str, slots: dict[str, Any]) -> set[str]:
    """A sentence, and the same with other names of the kinds in it; articles aside."""
    found = {re.sub(r"\b[Aa]n ", "a ", text).lower()}
    for kind in (kind for value in slots.values() for kind in kinds_in(value)):
        (singular, plural), *others = names_of(kind)
        for one, many in others:
            found |= {re.sub(rf"\b{singular}\b", one, other) for other in found}
            found |= {re.sub(rf"\b{plural}\b", many, other) for other in found}
    return found


def means_the_image(value: Any) -> bool:
    """Whether a description ends in "the picture": that is the image itself, and no object in it."""
    if not isinstance(value, ObjectDescription) or value.relation is None:
        return False
    target = value.relation.to
    alone = target.definite and not target.attributes and target.relation is None
    return (alone and target.kind in IMAGE_WORDS and target.number != "plural") or means_the_image(target)


def can_say(one: Template, slots: dict[str, Any]) -> bool:
    """Whether the slots can stand where the template puts them, in good English or not."""
    try:
        one.render(slots)
    except (TemplateError, ValueError):
        return False
    return True


@pytest.mark.parametrize("group", GROUPS)
@settings(max_examples=20, deadline=None, derandomize=True)
@given(data=st.data())
def test_what_is_rendered_is_parsed_back(group: str, data: st.DataObject) -> None:
    """A rendered sentence is parsed to its slots; whatever else it is parsed to, it says with the same words.

    It is not where it ends in "the picture", which is the image itself. It may have a second meaning by another name of
    a kind: "about to hit a banana light blue" says it of a banana or of a light. Then it has both, and no question is
    made of it: the builder takes a text that has one meaning, the one it was rendered from.
    """
    templates = GROUPS[group]
    slots = data.draw(slots_for(templates[0]))
    whole = any(map(means_the_image, slots.values()))
    fitting = [one for one in templates if can_say(one, slots)]
    for one in templates:
        assert sorted(slots) == sorted(one.slots), one.id
    for one in fitting:
        text = one.render(slots)
        parses = one.parse(text)
        assert (slots in [parse.slots for parse in parses]) != whole, text
        plain = re.sub(r"\b[Aa]n ", "a ", text).lower()
        for parse in parses:
            assert plain in by_other_names(one.render(parse.slots), parse.slots), (text, parse.slots)
    one = data.draw(st.sampled_from(fitting))
    broken = any(PHRASES.spells_another_name(value) for value in slots.values() if isinstance(value, ObjectDescription))
    meanings = GRAMMAR.parse(one.render(slots))
    assert (one.meaning(slots) in meanings) == (not broken and not whole)
    assert len(set(meanings)) == len(meanings)


def test_another_name_of_a_kind_may_give_a_sentence_a_second_meaning() -> None:
    banana, light = ObjectDescription("banana"), ObjectDescription("light fixture", ("banana",))
    means = {
        HasAttribute(ObjectDescription("accessory", (), Related("about to hit", target), definite=True), color)
        for target, color in ((banana, "light blue"), (light, "blue"))
    }
    meanings = GRAMMAR.parse("Is the accessory that is about to hit a banana light blue?")
    assert len(meanings) == 2
    assert set(meanings) == means


@settings(max_examples=200, deadline=None, derandomize=True)
@given(phrases(depth=2), st.sampled_from(["a", "any", "no", ""]))
def test_phrases_with_a_relation_in_a_relation_are_read_back(description: ObjectDescription, determiner: Any) -> None:
    text = PHRASES.render(description, determiner)
    assert (description in PHRASES.parse(text, determiner)) != means_the_image(description)


def test_ids_are_unique_and_texts_differ() -> None:
    ids = [one.id for one in GRAMMAR.templates]
    # "Is the dog sleeping or eating?" is among the attributes and among the actions, with one meaning.
    # Negated twins may share a wording.
    texts = [(one.text, one.type) for one in GRAMMAR.templates if one.polarity == "plain"]
    assert len(set(ids)) == len(ids)
    assert len(set(texts)) == len(texts)
    assert len({(one.text, one.means) for one in GRAMMAR.templates}) == len({one.text for one in GRAMMAR.templates})


TYPES = {
    "object_verification": 54,
    "conjunctive_verification": 18,
    "disjunctive_verification": 18,
    "attribute_verification": 25,
    "object_choice": 25,
    "attribute_choice": 39,
    "action_choice": 28,
}
NEGATED = ("object_verification", "conjunctive_verification", "disjunctive_verification")


def test_every_type_has_as_many_templates_as_the_paper() -> None:
    assert {one.type for one in GRAMMAR.templates if not one.type.startswith("retired_")} == set(TYPES)
    for name, least in TYPES.items():
        assert len({one.text for one in GRAMMAR.templates_for(name)}) >= least, name


@pytest.mark.parametrize("name", NEGATED)
def test_every_verification_has_a_negated_twin_with_the_opposite_meaning(name: str) -> None:
    for one in GRAMMAR.templates_for(name):
        twin = GRAMMAR.negated_template(one)
        assert twin is not None
        relation = Related("on", ObjectDescription("sofa", definite=True)) if one.form == "related" else None
        kind = "person" if "{anyone" in one.text else "dog"
        slots = {"x": ObjectDescription(kind, (), relation), "y": ObjectDescription("cup", ("red",))}
        assert one.render(slots) != twin.render(slots)
        there, other = Exists(slots["x"]), Exists(slots["y"])
        expected = {
            "object_verification": (there, Not(there)),
            "conjunctive_verification": (And((there, other)), Or((Not(there), Not(other)))),
            "disjunctive_verification": (Or((there, other)), And((Not(there), Not(other)))),
        }
        assert (one.meaning(slots), twin.meaning(slots)) == expected[name]
        assert GRAMMAR.negated_template(twin) is None


def test_the_other_types_have_no_negated_twin() -> None:
    negated = {one.type.removeprefix("retired_") for one in GRAMMAR.templates if one.polarity == "negated"}
    assert negated == set(NEGATED)


def test_wordings_of_earlier_versions_are_read_and_not_written() -> None:
    (meaning,) = GRAMMAR.parse("Is it right that the image shows a red cup?")
    assert meaning == Exists(ObjectDescription("cup", ("red",)))
    assert not any(one.text.startswith("Is it right that") for name in TYPES for one in GRAMMAR.templates_for(name))


@pytest.mark.parametrize("name", TYPES)
def test_every_example_is_read_by_its_template(name: str) -> None:
    for one in GRAMMAR.templates_for(name):
        assert one.example, one.id
        readings = one.parse(one.example)
        assert readings, one.example
        assert all(one.render(reading.slots) == one.example for reading in readings)
        assert len(GRAMMAR.parse(one.example)) == 1, one.example


def test_choices_must_be_of_the_family_that_is_named() -> None:
    one = GRAMMAR.template("attribute_choice.what")
    assert one.parse("What color is the cup, red or blue?")
    assert one.parse("What color is the cup, red or wood?") == []
    assert one.parse("What material is the cup, red or blue?") == []
    assert one.parse("What color is the cup, red?") == []
    assert one.parse("What color is the cup, red or red?") == []
    (meaning,) = GRAMMAR.parse("What color is the cup, red or blue?")
    cup = ObjectDescription("cup", definite=True)
    assert meaning == Choose((Option("red", HasAttribute(cup, "red")), Option("blue", HasAttribute(cup, "blue"))))


def test_kinds_to_choose_from_take_their_articles() -> None:
    one = GRAMMAR.template("object_choice.is")
    assert one.parse("Is the green fruit an apple or an orange?")
    assert one.parse("Is the green fruit a apple or an orange?") == []
    assert one.parse("Is the green fruit apple or orange?") == []
    assert one.parse("Is the green fruit an apple?") == []


@pytest.mark.parametrize(
    ("text", "slots", "written"),
    [
        ("{is x} there {any x}?", {"x": ObjectDescription("apple", ("red",))}, "Is there a red apple?"),
        ("{is x} there {any x}?", {"x": ObjectDescription("apple")}, "Is there an apple?"),
        ("{is x} there {any x}?", {"x": ObjectDescription("person", number="plural")}, "Are there any people?"),
        ("{is x} there {any x}?", {"x": ObjectDescription("water", number="mass")}, "Is there any water?"),
        ("{is x} there {any x}?", {"x": ObjectDescription("pants", number="plural")}, "Are there any pants?"),
        ("It shows {a x}.", {"x": ObjectDescription("water", number="mass")}, "It shows water."),
        ("It shows {a x}.", {"x": ObjectDescription("dog", number="plural")}, "It shows dogs."),
        ("{is x} {the x} here?", {"x": ObjectDescription("dog", definite=True)}, "Is the dog here?"),
        (
            "{does x} {the x} move?",
            {"x": ObjectDescription("dog", number="plural", definite=True)},
            "Do the dogs move?",
        ),
        ("{was x} {the x} here?", {"x": ObjectDescription("hair", number="mass", definite=True)}, "Was the hair here?"),
        (
            "{has x} {the x} moved?",
            {"x": ObjectDescription("child", number="plural", definite=True)},
            "Have the children moved?",
        ),
        ("How many {bare x} are there?", {"x": ObjectDescription("bus", number="plural")}, "How many buses are there?"),
        (
            "{is x} there {no x that}?",
            {"x": ObjectDescription("cup", (), Related("on", ObjectDescription("table", definite=True)), "plural")},
            "Are there no cups that are on the table?",
        ),
        (
            "{is x} there {any x related}?",
            {"x": ObjectDescription("man", (), Related("wearing", ObjectDescription("glasses", number="plural")))},
            "Is there a man wearing glasses?",
        ),
    ],
)
def test_placeholders(text: str, slots: dict[str, Any], written: str) -> None:
    one = template(text, "Count(x)")
    assert one.render(slots) == written
    assert slots in [reading.slots for reading in one.parse(written)]


def test_values_numbers_and_choices() -> None:
    one = template("Is {the x} {value p}?", "HasAttribute(x, p)")
    box = ObjectDescription("box", definite=True)
    assert [reading.meaning for reading in one.parse("Is the box red?")] == [HasAttribute(box, "red")]
    assert one.parse("Is the box quick?") == []
    many = template("Are there {number n} {bare x}?", "CountIs(x, n)")
    dogs = ObjectDescription("dog", number="plural")
    assert [reading.meaning for reading in many.parse("Are there twelve dogs?")] == [CountIs(dogs, 12)]
    which = template("Is {the x} {choices c}?", "Exists(x)")
    slots = {"x": box, "c": ("wood", "metal", "glass")}
    assert which.render(slots) == "Is the box wood, metal, or glass?"
    assert slots in [reading.slots for reading in which.parse("Is the box wood, metal, or glass?")]


@pytest.mark.parametrize(
    "text",
    [
        *("", "?", "Is there", "Is there a?", "Is there a unicorn?", "Is there an dog?", "Is there a apple?"),
        "Does this photo contain an scarf?",
        *("Are there a dog?", "Is there any dogs?", "Is there a dog", "Is there a dog ?", "Is there  a dog?"),
        *("Is there a dog on?", "Is there a dog on the?", "Is there a dog on the picture?", "is there a red?"),
        *("Does the picture show a dog that are on the sofa?", "Is there a dog a dog?", "\x00", "Is there no?"),
    ],
)
def test_what_is_no_question_of_ours_is_not_read(text: str) -> None:
    assert GRAMMAR.parse(text) == ()


@given(st.text(max_size=40))
def test_any_text_can_be_tried(text: str) -> None:
    GRAMMAR.parse(text)
    GRAMMAR.parse(f"Is there a {text}?")


@pytest.mark.parametrize("part", ["red ", "dog near the ", "a dog in the picture ", "that is on "])
def test_endless_texts_are_not_read(part: str) -> None:
    assert GRAMMAR.parse(f"Is there a {part * 5000}dog?") == ()


def test_other_names_are_read_and_never_written() -> None:
    assert (
        GRAMMAR.parse("Is there a bunny?")
        == GRAMMAR.parse("Is there a rabbit?")
        == (Exists(ObjectDescription("rabbit")),)
    )
    assert GRAMMAR.parse("Do you see any kids in the picture?") == (
        Exists(ObjectDescription("child", number="plural")),
    )
    (meaning,) = GRAMMAR.parse("Is there a couch near the tv?")
    assert meaning == Exists(
        ObjectDescription("sofa", (), Related("near", ObjectDescription("television", definite=True)))
    )
    assert GRAMMAR.parse("Is there a street sign?") == (Exists(ObjectDescription("street sign")),)
    assert template("It is {a x}.").render({"x": ObjectDescription("rabbit")}) == "It is a rabbit."


def test_a_name_of_several_words_is_not_broken_up() -> None:
    hydrant = Exists(ObjectDescription("fire hydrant", ("red",)))
    assert GRAMMAR.parse("Is there a red fire hydrant?") == (hydrant,)
    assert GRAMMAR.parse("Are there any street signs?") == (Exists(ObjectDescription("street sign", number="plural")),)
    (meaning,) = GRAMMAR.parse("Is there a man near the palm tree?")
    assert meaning == Exists(
        ObjectDescription("man", (), Related("near", ObjectDescription("palm tree", definite=True)))
    )
    signs = ObjectDescription("sign", ("street",), None, "plural")
    one = GRAMMAR.template("object_verification.there")
    assert {"x": signs} in [reading.slots for reading in one.parse("Are there any street signs?")]
    assert PHRASES.spells_another_name(signs)
    assert not PHRASES.spells_another_name(ObjectDescription("sign", ("street", "red")))
    near = Related("near", ObjectDescription("tree", ("green", "palm")))
    assert PHRASES.spells_another_name(ObjectDescription("man", (), near))
    for kind, record in ONTOLOGY.kinds.items():
        if record.number == "count" and record.askable and kind not in ("sheep", "bison", "deer", "moose", "fish"):
            asked = one.render({"x": ObjectDescription(kind)})
            assert GRAMMAR.parse(asked) == (Exists(ObjectDescription(kind)),), asked


def test_reading_does_not_mind_capitals() -> None:
    assert GRAMMAR.parse("IS THERE A DOG?") == GRAMMAR.parse("is there a dog?") == (Exists(ObjectDescription("dog")),)


def test_all_templates_that_may_read_a_text_are_tried() -> None:
    rng = Random(0)
    texts = [GRAMMAR.template(name).example for name in sorted(GRAMMAR.template_ids) if GRAMMAR.template(name).example]
    described = [
        ObjectDescription("dog", ("small",), Related("on", ObjectDescription("street sign", definite=True))),
        ObjectDescription("person", (), Related("to the left of", ObjectDescription("bus"))),
        ObjectDescription("cup", ("red",)),
    ]
    slots = {"x": described[0], "y": described[2], "p": "red", "c": ("red", "blue"), "f": "color", "n": 2}
    for one in GRAMMAR.templates:
        try:
            texts.append(one.render({**slots, "x": described[0 if one.form == "related" else 2]}))
        except (TemplateError, ValueError):
            continue
    assert len(texts) > 300
    for text in rng.sample(texts, 80):
        plain = [parse for one in GRAMMAR.templates for parse in one.parse(text)]
        assert GRAMMAR.parses(text) == plain, text


@given(text=st.sampled_from(KINDS), determiner=st.sampled_from(["", "a", "the", "any", "no"]))
def test_a_noun_phrase_is_tried_wherever_one_may_end(text: str, determiner: Any) -> None:
    for written in (text, pluralize(text), f"small {text}", f"{text} on the table"):
        whole = f"{determiner} {written}".strip()
        if PHRASES.parse(whole, determiner):
            assert PHRASES.may_end(f"{whole}, or so", len(whole))
            assert not PHRASES.beginnings(determiner) or whole.startswith(PHRASES.beginnings(determiner))


def test_a_text_with_two_meanings_gives_both() -> None:
    found = GRAMMAR.parse("Do you see no sheep?")
    assert len(found) == 2
    assert {meaning.describe() for meaning in found} == {"not (there is sheep)", "not (there are sheep (2+))"}


@pytest.mark.parametrize(
    ("text", "means", "message"),
    [
        ("Is {some x} here?", "Exists(x)", "{some x} is not a placeholder"),
        ("Is {x} here?", "Exists(x)", "{x} is not a placeholder"),
        ("Is {any x near} here?", "Exists(x)", "{any x near} is not a placeholder"),
        ("Is {value x that} here?", "Exists(x)", "{value x that} is not a placeholder"),
        ("Is {is x}{any x} here?", "Exists(x)", "two placeholders need a word or a space"),
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
    with pytest.raises(ValueError, match="cannot be written any plain"):
        one.render({"x": ObjectDescription("dog", (), Related("on", ObjectDescription("sofa")))})


def test_counts_are_read_too() -> None:
    one = template("How many {bare x} are there?", "Count(x)")
    assert [reading.meaning for reading in one.parse("How many dogs are there?")] == [
        Count(ObjectDescription("dog", number="plural"))
    ]
