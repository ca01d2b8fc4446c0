"""Words in their right form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.data.word_forms import number_to_word, pluralize, word_to_number
from falter.generation.english import default_grammar
from falter.generation.english.words import article, join_list


@pytest.mark.parametrize(
    "phrase",
    [
        *("an hour", "an hourglass", "a uniform", "an unlit lamp", "a one-way sign", "an x-ray", "an honest man"),
        *("a European", "a unicorn", "an umbrella", "an uninflated ball", "an unimportant sign", "a used car"),
        *("a utensil", "an usher", "a ukulele", "an urn", "a ewe", "an ear", "an heir", "a hair", "a house"),
        *("an LED lamp", "a ledge", "a ledger", "an SUV", "a t-shirt", "an l-shaped sofa", "a u-turn", "an e-reader"),
        *("an orange cat", "a one-eyed cat", "an onion", "an unironed shirt", "an 8", "an 11", "a 7", "a yacht"),
        *("an RV", "an ATM", "a TV", "a DVD", "an igloo", "an x", "a unit", "an unidentified bird", "an oar"),
    ],
)
def test_articles_go_by_sound(phrase: str) -> None:
    expected, rest = phrase.split(" ", 1)
    assert article(rest) == expected


@pytest.mark.parametrize(
    ("one", "many"),
    [
        *(("dog", "dogs"), ("bus", "buses"), ("box", "boxes"), ("cherry", "cherries"), ("bench", "benches")),
        *(("man", "men"), ("woman", "women"), ("child", "children"), ("foot", "feet"), ("mouse", "mice")),
        *(("tooth", "teeth"), ("goose", "geese"), ("leaf", "leaves"), ("knife", "knives"), ("shelf", "shelves")),
        *(("sheep", "sheep"), ("toy", "toys"), ("potato", "potatoes"), ("traffic light", "traffic lights")),
        *(("snowman", "snowmen"), ("street sign", "street signs"), ("watering can", "watering cans")),
    ],
)
def test_plurals(one: str, many: str) -> None:
    assert pluralize(one) == many


@pytest.mark.parametrize(
    ("kind", "many"),
    [
        ("person", "people"),
        ("cactus", "cacti"),
        ("fish", "fish"),
        ("pants", "pants"),
        ("water", "water"),
        ("foot", "feet"),
    ],
)
def test_plurals_marked_in_the_ontology(kind: str, many: str) -> None:
    assert default_grammar().ontology.plural(kind) == many


def test_no_plural_of_the_vocabulary_looks_wrong() -> None:
    ontology = default_grammar().ontology
    odd = ("mans", "childs", "foots", "lfs", "ys", "chs", "shs", "xs", "sss")
    for kind, record in ontology.kinds.items():
        if record.number == "count":
            plural = ontology.plural(kind)
            fine = plural.endswith(("ays", "eys", "oys", "uys")) or kind in ("ottoman", "stomach")
            assert fine or not plural.endswith(odd), plural


@given(st.integers(0, 10_000))
def test_numbers_go_to_words_and_back(number: int) -> None:
    word = number_to_word(number)
    assert word_to_number(word) == number
    assert word_to_number(word.upper()) == number
    assert word_to_number(str(number)) == number
    assert number >= 100 or word.replace("-", "").isalpha()


@given(st.text(max_size=8))
def test_other_words_are_no_numbers(word: str) -> None:
    number = word_to_number(word)
    assert number is None or number >= 0


def test_some_numbers_as_they_are_spoken() -> None:
    assert [number_to_word(number) for number in (0, 1, 13, 30, 77)] == [
        "zero",
        "one",
        "thirteen",
        "thirty",
        "seventy-seven",
    ]
    assert word_to_number("dozen") is None
    assert word_to_number("٣") is None
    assert number_to_word(-1) == "-1"


def test_lists_are_joined_as_spoken() -> None:
    assert join_list([]) == ""
    assert join_list(["wood"]) == "wood"
    assert join_list(["cow", "horse"]) == "cow or horse"
    assert join_list(["wood", "metal", "plastic"], "and") == "wood, metal, and plastic"


@given(st.lists(st.sampled_from(["wood", "metal", "red", "blue", "tall"]), min_size=2, max_size=5, unique=True))
def test_every_word_of_a_list_is_in_it_in_order(words: list[str]) -> None:
    joined = join_list(words)
    assert joined.replace(",", "").replace(" or ", " ").split() == words
    assert joined.count(" or ") == 1
