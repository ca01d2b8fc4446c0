"""How grammatical a text is: by rules over its parse, and by a classifier of the transformers library."""

from __future__ import annotations

from pathlib import Path

import pytest

from falter.generation.nlp.grammaticality import GrammarRules, load_grammaticality_model
from tests.nlp.classifiers import save_classifier


@pytest.fixture(scope="module")
def rules() -> GrammarRules:
    pytest.importorskip("spacy", reason="parsing needs spaCy")
    return GrammarRules()


@pytest.mark.parametrize(
    "text",
    [
        "A man is riding a wave on a surfboard.",
        "Some people are sitting at a table with a number of plates.",
        "Exactly one zebra is standing in the shade.",
        "A group of people standing around a kitchen",
        "There are two dogs on the grass.",
        "A couple are posing in front of a building.",
        "Man riding a horse on the beach.",
        "A boy and a girl are eating pizza in bed.",
        "A man handing a woman a bag of food.",
        "In a large field a giraffe stands behind a fence.",
        "A dog half the size of a cat.",
        "The woman whose bag is on the chair is talking to a waiter.",
        "Three boys play football behind the school.",
        "An SUV, an X-ray and an honest man.",
        "Two of the girls have been swimming.",
    ],
)
def test_what_people_write_is_grammatical(text: str, rules: GrammarRules) -> None:
    assert rules.score([text]) == [1.0]


@pytest.mark.parametrize(
    "text",
    [
        "A man are riding a wave.",
        "The dogs is running on the grass.",
        "There is some dogs on the grass.",
        "A zebra that are standing in the shade.",
        "A man man riding a wave.",
        "A man riding a wave on surfboard.",
        "A dog sitting the grass.",
        "A cat on the of a car.",
        "A bus is parked the street.",
        "Two dog on the grass.",
        "A little black bird a big colorful beak sitting on a branch.",
        "A young man is waiting the rain.",
        "A skateboarder is high the air.",
        "An couple dances in the rain.",
        "The pilot is stand beside his plane.",
        "A man is rides a camel.",
        "The cat has jump on the shelf.",
        "A plate of and a glass.",
        "A few student sit on the stairs.",
    ],
)
def test_what_nobody_writes_is_not(text: str, rules: GrammarRules) -> None:
    assert rules.score([text])[0] < 0.8


@pytest.mark.parametrize("text", ["", "🐕", "...", "A DOG IS THERE", "dog " * 1000, 'He said: "sit".'])
def test_any_text_has_a_score(text: str, rules: GrammarRules) -> None:
    assert 0 <= rules.score([text])[0] <= 1


def test_a_classifier_gives_the_mean_over_sentences(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    model = load_grammaticality_model(str(save_classifier(tmp_path / "cola", ("unacceptable", "acceptable"))))
    one, two = "there is a picture of the man.", "the man and a dog on the road."
    first, second, both = model.score([one, two, f"{one} {two}"])
    assert both == pytest.approx((first + second) / 2, abs=1e-6)
    assert 0 < first < 1
