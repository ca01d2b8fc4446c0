"""Questions become yes/no questions in good English, and are read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.english.words import singularize
from falter.suites.rad.answer_pool import head_noun
from falter.suites.rad.generator import augmentations
from falter.suites.rad.options import RadOptions
from falter.suites.rad.same_answer import may_be_same

pytestmark = pytest.mark.bundle("rad")

KNOWN = augmentations(RadOptions())


def written(question: str, answer: str) -> str | None:
    for augmentation in KNOWN.values():
        read = augmentation.read(question)
        if read is not None:
            text = read.write(answer)
            if text is not None:
                assert answer in augmentation.read_back(text, question)
            return text
    return None


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        # Table 6 of the paper.
        ("What color is the cat?", "white", "Is the color of the cat white?"),
        ("What color is the vase?", "red", "Is the color of the vase red?"),
        ("What color is the man's hat?", "red", "Is the color of the man's hat red?"),
        ("How many athletes are on the field?", "5", "Are there five athletes on the field?"),
        ("How many dogs are in the picture?", "2", "Are there two dogs in the picture?"),
        ("How many giraffes are walking around?", "4", "Are there four giraffes walking around?"),
        ("How many cakes are on the table?", "1", "Is there one cake on the table?"),
        ("How many dogs?", "0", "Are there zero dogs?"),
        ("What kind of event is this?", "skiing", "Is this a skiing event?"),
        ("What kind of animal is this?", "elephant", "Is this animal an elephant?"),
        ("What kind of building is this?", "church", "Is this building a church?"),
        ("What kind of floor is this?", "wood", "Is this a wood floor?"),
        # Other ways to ask for a number.
        ("How many ears does the dog have?", "2", "Does the dog have two ears?"),
        ("How many zebras are there in this picture?", "1", "Is there one zebra in this picture?"),
        ("How many people in the photo?", "3", "Are there three people in the photo?"),
        ("How many people are wearing glasses?", "1", "Is there one person wearing glasses?"),
        ("How many trees can be seen?", "7", "Can seven trees be seen?"),
        ("How many birds do you see?", "2", "Do you see two birds?"),
        ("How many tires can you see in this photo?", "0", "Can you see zero tires in this photo?"),
        ("How many horses are white?", "1", "Is one horse white?"),
        ("How many planes have propellers?", "5", "Do five planes have propellers?"),
        ("How many stories is the red brick building?", "2", "Is the red brick building two stories?"),
        ("How many slices of pie appear in this scene?", "1", "Does one slice of pie appear in this scene?"),
        ("How many sheep are there?", "1", "Is there one sheep?"),
        ("How many pieces of cake are there?", "1", "Is there one piece of cake?"),
        ("How many people are here?", "25", "Are there twenty-five people here?"),
        # Nouns that name a kind, words before a noun, and nouns without an article.
        ("What kind of room is this?", "living room", "Is this a living room?"),
        ("What kind of room is this?", "kitchen", "Is this room a kitchen?"),
        ("What breed of dog is this?", "pug", "Is this dog a pug?"),
        ("What kind of food is this?", "chinese", "Is this chinese food?"),
        ("What kind of bike is this?", "bicycle", "Is this bike a bicycle?"),
        ("What kind of bus is this?", "double decker", "Is this a double decker bus?"),
    ],
)
def test_questions_are_rewritten(question: str, answer: str, text: str) -> None:
    assert written(question, answer) == text


@pytest.mark.parametrize(
    "question",
    [
        "How many of the sheep are babies?",
        "How many more dogs than cats?",
        "How many are there?",
        "How many tusk are visible?",
        "How many pounds does the elephant weigh?",
        "What color is it?",
        "What kind of flowers is this?",
        "What is this?",
        "How many",
        "",
    ],
)
def test_what_cannot_be_rewritten_is_not(question: str) -> None:
    assert written(question, "2") is None
    assert written(question, "red") is None


def test_answers_of_another_sort_are_not_asked_for() -> None:
    assert not KNOWN["color"].is_answer("plaid")
    assert not KNOWN["how-many"].is_answer("many")
    assert not KNOWN["what-kind"].is_answer("not sure")
    assert KNOWN["color"].is_answer("black and white")
    assert KNOWN["color"].is_answer("light blue")
    assert written("What kind of food is this?", "vegetables") is None
    assert written("What kind of dog is this?", "animal") is None


def test_exactly() -> None:
    read = augmentations(RadOptions(exactly=True))["how-many"].read("How many dogs are there?")
    assert read is not None
    assert read.write("2") == "Are there exactly two dogs?"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("white", "black and white", True),
        ("gray", "grey", True),
        ("wooden", "wood", True),
        ("couch", "sofa", True),
        ("dog", "animal", True),
        ("light blue", "blue", True),
        ("red", "blue", False),
        ("2", "two", True),
        ("2", "12", False),
        ("dog", "cat", False),
    ],
)
def test_answers_that_may_be_as_right(one: str, other: str, same: bool) -> None:
    assert may_be_same(one, [other]) is same
    assert may_be_same(other, [one]) is same


def test_the_subject_of_a_question_is_its_noun() -> None:
    assert head_noun("man's shirt on the left") == "shirt"
    assert head_noun("traffic light") == "light"
    assert head_noun("") == ""


@given(st.text(max_size=60))
def test_any_text_is_read_or_not(text: str) -> None:
    for start in ("How many ", "What color is the ", "What kind of ", ""):
        for augmentation in KNOWN.values():
            read = augmentation.read(start + text)
            if read is not None:
                for answer in ("2", "red", "pug", text):
                    assert read.write(answer) is None or isinstance(read.write(answer), str)


def test_singulars_of_the_ontology() -> None:
    from falter.english import default_grammar

    ontology = default_grammar().ontology
    countable = [kind for kind, record in ontology.kinds.items() if record.number == "count"]
    wrong = [kind for kind in countable if singularize(ontology.plural(kind)) != kind]
    assert set(wrong) <= {"glass", "pikachu", "wii"}
