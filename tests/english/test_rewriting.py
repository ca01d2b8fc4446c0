"""The words for one thing are replaced where they stand; determiners and verbs follow."""

from __future__ import annotations

import pytest

from falter.generation.authoring.perturbing import Change, QuestionRewriter, described_slots, with_description
from falter.generation.english.question_reader import question_reader
from falter.generation.scene import ObjectDescription

REWRITER = QuestionRewriter(question_reader())


def rewritten(question: str, old: str, new: ObjectDescription) -> str | None:
    parse = REWRITER.reader.read(question)
    assert parse is not None
    place = next(one for one in described_slots(parse) if one.description.kind == old)
    bare = new.attributes == () and new.relation is None
    filled = ObjectDescription(
        new.kind,
        place.description.attributes if bare else new.attributes,
        place.description.relation if bare else new.relation,
        new.number,
        place.description.definite,
    )
    change = Change("object", with_description(parse, place, filled), place.description, filled, place.slot)
    return REWRITER.write(question, parse, change)


def one(kind: str) -> ObjectDescription:
    return ObjectDescription(kind)


def several(kind: str) -> ObjectDescription:
    return ObjectDescription(kind, number="plural")


def some(kind: str) -> ObjectDescription:
    return ObjectDescription(kind, number="mass")


@pytest.mark.parametrize(
    ("question", "old", "new", "expected"),
    [
        ("Is there a fence near the puddle?", "fence", one("elephant"), "Is there an elephant near the puddle?"),
        ("Is there a fence near the boy?", "fence", several("man"), "Are there any men near the boy?"),
        ("Are there any cats near the boat?", "cat", one("bush"), "Is there a bush near the boat?"),
        ("Are there any cats near the boat?", "cat", some("water"), "Is there any water near the boat?"),
        ("Is there any fence near the boy?", "fence", one("umbrella"), "Is there any umbrella near the boy?"),
        ("Is there a fence near the boy?", "boy", one("girl"), "Is there a fence near the girl?"),
        ("On which side is the dishwasher?", "dishwasher", several("plate"), "On which side are the plates?"),
        ("The bag is of what color?", "bag", several("pants"), "The pants are of what color?"),
        ("What color do you think the coat is?", "coat", several("shoe"), "What color do you think the shoes are?"),
        ("What color does the fence have?", "fence", several("tree"), "What color do the trees have?"),
        ("What is the color of these shoes?", "shoe", one("hat"), "What is the color of this hat?"),
        ("Do you see either a white mouse or laptop?", "laptop", one("cup"), "Do you see either a white mouse or cup?"),
        ("Do you see a dog or a cat there?", "cat", several("glasses"), "Do you see a dog or glasses there?"),
        ("Is the man wearing pants?", "pants", one("apron"), "Is the man wearing an apron?"),
        ("What's the color of the cup?", "cup", one("oven"), "What is the color of the oven?"),
    ],
)  # fmt: skip
def test_determiners_and_verbs_follow_the_new_noun(
    question: str, old: str, new: ObjectDescription, expected: str
) -> None:
    assert rewritten(question, old, new) == expected


def test_a_thing_with_a_clause_is_replaced_as_a_whole() -> None:
    question = "The bat the batter is holding has what color?"
    parse = REWRITER.reader.read(question)
    assert parse is not None
    (place,) = [found for found in described_slots(parse) if found.depth == 0]
    helmet = ObjectDescription("helmet", definite=True)
    change = Change("object", with_description(parse, place, helmet), place.description, helmet, place.slot)
    assert REWRITER.write(question, parse, change) == "The helmet has what color?"


def test_a_noun_that_stands_twice_is_not_replaced() -> None:
    assert rewritten("Is there a man to the left of the man?", "man", one("dog")) is None


def test_a_relation_turns_in_the_words_of_the_question() -> None:
    for question, expected in (
        ("Is the boy to the right of the man?", "Is the boy to the left of the man?"),
        ("Is the boy on the right side of the man?", "Is the boy on the left side of the man?"),
    ):
        parse = REWRITER.reader.read(question)
        assert parse is not None
        change = Change("relation", parse.change(r="to the left of"), "to the right of", "to the left of", "r")
        assert REWRITER.write(question, parse, change) == expected
