"""Reading answers out of free text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.data.items import YES_NO
from falter.data.normalize import normalize
from falter.evaluation.answers import parse_answer

ANIMALS = ("dog", "cat")
FOUR = ("red", "dark red", "blue", "green")
NUMBERS = ("1", "2", "3", "4")

READ = [
    ("yes", YES_NO, "yes"),
    ("yes.", YES_NO, "yes"),
    ("YES!!", YES_NO, "yes"),
    ("Yes, there is.", YES_NO, "yes"),
    ("Yes there is", YES_NO, "yes"),
    ("No, there isn't", YES_NO, "no"),
    ("No there isn’t.", YES_NO, "no"),
    ("**Yes**", YES_NO, "yes"),
    ("__No__", YES_NO, "no"),
    ("`yes`", YES_NO, "yes"),
    ("answer: yes", YES_NO, "yes"),
    ("Answer: No.", YES_NO, "no"),
    ("**Answer:** yes", YES_NO, "yes"),
    ("The answer is yes", YES_NO, "yes"),
    ("The answer is: No, because the street is empty.", YES_NO, "no"),
    ("Let me look. There is a dog and no cat. So the answer is yes.", YES_NO, "yes"),
    ("<think>no, wait, no</think>Yes", YES_NO, "yes"),
    ("I think yes", YES_NO, "yes"),
    ("Yes, there is no dog in the picture.", YES_NO, "yes"),
    ("No, there is no dog.", YES_NO, "no"),
    ("Yeah", YES_NO, "yes"),
    ("Nope.", YES_NO, "no"),
    ("True", YES_NO, "yes"),
    ("That's correct.", YES_NO, "yes"),
    ("Yes, the dog is near the tree and the cat is not.", YES_NO, "yes"),
    ("No, it is not a dog, it is a cat", YES_NO, "no"),
    ("yes", ("Yes", "No"), "Yes"),
    ("A dog.", ANIMALS, "dog"),
    ("a dog", ANIMALS, "dog"),
    ("The dog", ANIMALS, "dog"),
    ("I think it's a dog", ANIMALS, "dog"),
    ("It's a dog, not a cat.", ANIMALS, "dog"),
    ("It is not a cat but a dog", ANIMALS, "dog"),
    ("A cat rather than a dog.", ANIMALS, "cat"),
    ("There is a cat sitting on the sofa.", ANIMALS, "cat"),
    ("The answer is B", ANIMALS, "cat"),
    ("(A)", ANIMALS, "dog"),
    ("A", ANIMALS, "dog"),
    ("b.", ANIMALS, "cat"),
    ("B) cat", ANIMALS, "cat"),
    ("(a) dog", ANIMALS, "dog"),
    ("Option B", ANIMALS, "cat"),
    ("Answer: (B)", ANIMALS, "cat"),
    ("A", ("A", "B", "C"), "A"),
    ("The answer is A.", ("A", "B", "C"), "A"),
    ("a", ("A", "B"), "A"),
    ("dark red", FOUR, "dark red"),
    ("It looks like dark red.", FOUR, "dark red"),
    ("The car is red.", FOUR, "red"),
    ("two", NUMBERS, "2"),
    ("There are three dogs.", NUMBERS, "3"),
    ("on the left", ("left", "right"), "left"),
    ("unknown", ("yes", "no", "unknown"), "unknown"),
]


@pytest.mark.parametrize(("text", "choices", "answer"), READ)
def test_reads_a_choice(text: str, choices: tuple[str, ...], answer: str) -> None:
    assert parse_answer(text, choices) == ("choice", answer)


OFF_LIST = [
    ("Neither", ANIMALS, "neither"),
    ("Neither.", YES_NO, "neither"),
    ("none of them", ANIMALS, "none of them"),
    ("Both", ANIMALS, "both"),
    ("a horse", ANIMALS, "horse"),
    ("It's a horse.", ANIMALS, "horse"),
    ("Yes", ANIMALS, "yes"),
    ("red", YES_NO, "red"),
    ("E", ANIMALS, "e"),
    ("7", NUMBERS, "7"),
]


@pytest.mark.parametrize(("text", "choices", "answer"), OFF_LIST)
def test_keeps_a_clear_answer_off_the_list(text: str, choices: tuple[str, ...], answer: str) -> None:
    assert parse_answer(text, choices) == ("off_list", answer)


UNREADABLE = [
    ("", YES_NO),
    ("   \n ", YES_NO),
    ("...", YES_NO),
    ("maybe", YES_NO),
    ("Maybe yes, maybe no", YES_NO),
    ("yes and no", YES_NO),
    ("Yes or no", YES_NO),
    ("yes/no", YES_NO),
    ("Yes. Wait, no.", YES_NO),
    ("The answer is yes. The answer is no.", YES_NO),
    ("there is no dog", YES_NO),
    ("There is a dog.", YES_NO),
    ("no dog", YES_NO),
    ("not yes", YES_NO),
    ("I don't know", YES_NO),
    ("I'm not sure.", YES_NO),
    ("It is impossible to tell from this image.", YES_NO),
    ("Sorry, I cannot help with that.", ANIMALS),
    ("dog or cat", ANIMALS),
    ("It could be a dog, or perhaps a cat.", ANIMALS),
    ("not a dog", ANIMALS),
    ("There isn't a dog.", ANIMALS),
    ("Perhaps a dog", ANIMALS),
    ("B) dog", ANIMALS),
    ("The picture was taken on a sunny day in the middle of a large city", ANIMALS),
]


@pytest.mark.parametrize(("text", "choices"), UNREADABLE)
def test_does_not_guess(text: str, choices: tuple[str, ...]) -> None:
    assert parse_answer(text, choices) == ("unparsed", None)


OPEN = [
    ("A dog.", "dog"),
    ("two", "two"),
    ("Yes, there is.", "yes"),
    ("no parking", "no parking"),
    ("A", "a"),
    ("The answer is a red bus", "red bus"),
    ("It's raining.", "raining"),
    ("I don't know", None),
    ("This is a very long description of a picture in which a lot of things are going on", None),
]


@pytest.mark.parametrize(("text", "answer"), OPEN)
def test_reads_answers_without_choices(text: str, answer: str | None) -> None:
    assert parse_answer(text).answer == answer


words = st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=8)
choice_lists = st.lists(
    st.lists(words, min_size=1, max_size=3).map(" ".join), min_size=2, max_size=5, unique_by=normalize
).filter(lambda choices: all(normalize(choice) for choice in choices))


@given(choice_lists, st.data())
def test_every_choice_reads_as_itself(choices: list[str], data: st.DataObject) -> None:
    choice = data.draw(st.sampled_from(choices))
    assert parse_answer(choice, choices) == ("choice", choice)
    changed = data.draw(st.sampled_from([str.upper, str.title, str.lower]))(choice)
    edges = data.draw(st.sampled_from(["{}.", "{}!", " {} ", '"{}"', "**{}**", "The answer is {}.", "Answer: {}"]))
    assert parse_answer(edges.format(changed), choices) == ("choice", choice)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=5, unique=True), st.data())
def test_any_choice_at_all_reads_as_itself(choices: list[str], data: st.DataObject) -> None:
    choice = data.draw(st.sampled_from(choices))
    assert parse_answer(choice, choices) == ("choice", choice)


@given(st.text(max_size=300), st.sampled_from([None, YES_NO, ANIMALS, FOUR, NUMBERS]))
def test_nothing_breaks_the_parser(text: str, choices: tuple[str, ...] | None) -> None:
    parsed = parse_answer(text, choices)
    assert (parsed.kind == "unparsed") == (parsed.answer is None)
    if parsed.kind == "choice":
        assert choices is not None
        assert parsed.answer in choices


@pytest.mark.parametrize(
    "text",
    ["yes " * 50_000, "a" * 200_000, "(" * 100_000, "the answer is " * 20_000, "please " * 20_000, "{'a':" * 20_000],
)
def test_huge_texts_are_read_in_bounded_time(text: str) -> None:
    parse_answer(text, YES_NO)
    parse_answer(text)


@pytest.mark.parametrize(
    ("text", "choices", "answer"),
    [
        ("Wooden", ("wood", "metal"), "wood"),
        ("It has a metallic frame.", ("wood", "metal"), "metal"),
        ("wooden", ("wood", "wooden"), "wooden"),
        ("My apologies for the earlier answer. No, the light is off.", ("yes", "no"), "no"),
    ],
)
def test_what_things_are_made_of_and_apologies_are_read(text: str, choices: tuple[str, ...], answer: str) -> None:
    assert parse_answer(text, choices).answer == answer
