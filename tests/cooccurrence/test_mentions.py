"""What a text names: kinds, what is said of them, and how they stand to each other."""

from __future__ import annotations

import pytest

from falter.generation.cooccurrence import MentionFinder
from falter.generation.english import default_grammar


@pytest.fixture(scope="module")
def finder() -> MentionFinder:
    return MentionFinder(default_grammar().ontology)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("A bathroom with a white toilet and sink", {"bathroom", "toilet", "sink"}),
        ("Is the fire hydrant red?", {"fire hydrant"}),
        ("Two puppies chase the tennis ball.", {"puppy", "tennis ball"}),
        ("A man wearing a t-shirt", {"man", "t-shirt"}),
        ("A couple of men on the street", {"man", "road"}),
        ("A picture of a dog", {"dog"}),
        ("How many dogs are in this picture?", {"dog"}),
        ("A picture hangs above the sofa", {"picture", "sofa"}),
        ("There are no people on the beach.", {"beach"}),
        ("A dog without a collar.", {"dog"}),
        ("", set()),
        ("?!", set()),
    ],
)
def test_kinds(finder: MentionFinder, text: str, kinds: set[str]) -> None:
    assert finder.find(text).kinds == kinds


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("a small brown dog", {("dog", "small"), ("dog", "brown")}),
        ("The cat is black.", {("cat", "black")}),
        ("a man standing near a bus", {("man", "standing")}),
        ("men riding skateboards", set()),
        ("an orange on a plate", set()),
        ("an orange cat", {("cat", "orange")}),
        ("no red car", set()),
    ],
)
def test_attributes(finder: MentionFinder, text: str, attributes: set[tuple[str, str]]) -> None:
    assert finder.find(text).attributes == attributes


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("The man is riding the horse", {("man", "riding", "horse")}),
        ("a cat on top of a wooden table", {("cat", "on top of", "table")}),
        ("A man in a blue shirt is holding a racket", {("man", "in", "shirt")}),
        ("A cat and a dog", set()),
        ("a man not riding the horse", set()),
    ],
)
def test_relations(finder: MentionFinder, text: str, relations: set[tuple[str, str, str]]) -> None:
    assert finder.find(text).relations == relations
