"""Statements about numbers are read, written back, and agree with another number."""

from __future__ import annotations

import pytest

from falter.generation.english.rewrites.count_statements import Quantity, read_count_question, read_count_statement


@pytest.mark.parametrize(
    ("question", "number", "statement"),
    [
        ("How many dogs are there on the sofa?", 3, "There are exactly 3 dogs on the sofa."),
        ("How many people are in this picture?", 1, "There is exactly 1 person in this picture."),
        ("how many sheep can you see", 1, "There is exactly 1 sheep."),
        ("How many slices of pizza are shown?", 1, "There is exactly 1 slice of pizza shown."),
        ("How many traffic lights are red?", 0, "Exactly 0 traffic lights are red."),
        ("How many lights are red?", 1, "Exactly 1 light is red."),
        ("How many buttons does the shirt have?", 4, "The shirt has exactly 4 buttons."),
        ("How many bears is she touching?", 2, "She is touching exactly 2 bears."),
    ],
)
def test_a_question_with_its_answer_is_a_statement(question: str, number: int, statement: str) -> None:
    read = read_count_question(question, number)
    assert read is not None
    assert read.write() == statement
    back = read_count_statement(statement)
    assert back is not None
    assert (back.quantity.number, back.noun.head) == (number, read.noun.head)


@pytest.mark.parametrize(
    "question", ["What color is it?", "How many?", "How many more?", "", "How many rice is there?"]
)
def test_what_is_no_question_for_a_number_is_not_read(question: str) -> None:
    assert read_count_question(question, 2) is None


@pytest.mark.parametrize(
    ("statement", "noun", "number", "place"),
    [
        ("There are exactly 4 propellers on the plane.", "propeller", 4, "on the plane"),
        ("There are exactly 7 traffic lights red.", "light", 7, "red"),
        ("There is exactly 1 umbrella open.", "umbrella", 1, "open"),
        ("There are no people in the photo.", "person", 0, "in the photo"),
        ("There are animals shown", "animal", None, "shown"),
        ("There is a hand.", "hand", None, ""),
        ("Exactly 4 cars can be seen.", "car", 4, "be seen"),
        ("two bananas are green.", "banana", 2, "green"),
        ("No trucks can be seen.", "truck", 0, "be seen"),
    ],
)
def test_a_statement_is_read_and_written_back(statement: str, noun: str, number: int | None, place: str) -> None:
    read = read_count_statement(statement)
    assert read is not None
    assert (read.noun.head, read.quantity.number, read.place) == (noun, number, place)
    assert read.write() == statement


@pytest.mark.parametrize(
    "statement",
    [
        "There are exactly 2 man.",
        "There is exactly 2 men.",
        "A dog sleeps.",
        "There are exactly 5.",
        "",
        "There are of it.",
    ],
)
def test_what_does_not_agree_is_not_read(statement: str) -> None:
    assert read_count_statement(statement) is None


@pytest.mark.parametrize(
    ("statement", "number", "changed"),
    [
        ("There are exactly 3 people who are sitting.", 1, "There is exactly 1 person who is sitting."),
        ("Exactly 1 woman is smiling.", 2, "Exactly 2 women are smiling."),
        ("There is exactly 1 slice of cake.", 0, "There are exactly 0 slices of cake."),
        ("Exactly 2 men have hats.", 1, "Exactly 1 man has hats."),
        ("There are exactly 3 people who sit.", 1, None),
    ],
)
def test_another_number_agrees(statement: str, number: int, changed: str | None) -> None:
    read = read_count_statement(statement)
    assert read is not None
    other = read.change(Quantity(number))
    assert (None if other is None else other.write()) == changed


def test_existence_in_both_numbers() -> None:
    read = read_count_question("How many owls are in the tree?", 0)
    assert read is not None
    said = [
        changed.write()
        for singular in (True, False)
        for number in (0, None)
        if (changed := read.change(Quantity(number, "existence"), singular=singular)) is not None
    ]
    assert said == [
        "There is no owl in the tree.",
        "There is an owl in the tree.",
        "There are no owls in the tree.",
        "There are owls in the tree.",
    ]
