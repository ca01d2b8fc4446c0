"""What a text is to another: by rules, and by a classifier of the transformers library."""

from __future__ import annotations

from pathlib import Path

import pytest

from falter.core.errors import UsageError
from falter.generation.nlp.entailment import EntailmentRules, TextPair, load_entailment_model
from tests.nlp.classifiers import save_classifier
from tests.nlp.wordnet_there import needs_wordnet


@pytest.fixture(scope="module")
def rules() -> EntailmentRules:
    return EntailmentRules()


@needs_wordnet
@pytest.mark.parametrize(
    ("premise", "hypothesis", "label"),
    [
        ("A vase with some flowers in it.", "A vase with exactly one flower in it.", "contradiction"),
        ("Exactly one dog is running.", "A number of dogs are running.", "contradiction"),
        ("Two women sell a number of cakes.", "Two women sell a single cake.", "contradiction"),
        ("A vase with some flowers in it.", "A vase with a flower in it.", "entailment"),
        ("A cat on a table.", "A cat under a table.", "contradiction"),
        ("A man looks out of a window.", "A man looks into a window.", "contradiction"),
        ("A cat in a box.", "A cat inside a box.", "entailment"),
        ("A cat on a table.", "A cat on top of a table.", "entailment"),
        ("There are two dogs.", "There are three dogs.", "contradiction"),
        ("There is a dog.", "There is no dog.", "contradiction"),
        ("A dog is on the sofa.", "A dog is on the couch.", "entailment"),
        ("A dog is on the sofa.", "An animal is on the sofa.", "entailment"),
        ("An animal is on the sofa.", "A dog is on the sofa.", "neutral"),
        ("A dog is on the sofa.", "A cat is on the sofa.", "contradiction"),
        ("A red car.", "A blue car.", "contradiction"),
        ("A red car is there.", "A car is there.", "entailment"),
        ("A car is there.", "A red car is there.", "neutral"),
        ("A man rides a horse on a beach.", "Several children eat pizza at a long table.", "neutral"),
        ("A dog.", "A dog.", "entailment"),
    ],
)
def test_minimal_pairs(premise: str, hypothesis: str, label: str, rules: EntailmentRules) -> None:
    assert rules.judge_one(premise, hypothesis).label == label


@needs_wordnet
@pytest.mark.parametrize("text", ["", "🐕", "...", "A DOG", "dog " * 1000])
def test_any_text_is_judged(text: str, rules: EntailmentRules) -> None:
    assert [one.label for one in rules.judge([TextPair(text, "A dog is there."), TextPair("A dog.", text)])]


def test_a_classifier_gives_its_labels(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder = save_classifier(tmp_path / "nli", ("Contradiction", "neutral", "entailment"))
    model = load_entailment_model(str(folder))
    pairs = [TextPair("a dog on the road", "a dog"), TextPair("the man", "a picture of the man and a dog")]
    together = [one.label for one in model.judge(pairs)]
    assert together == [model.judge([pair])[0].label for pair in pairs]
    assert set(together) <= {"entailment", "neutral", "contradiction"}
    assert model.name.startswith("nli ")
    assert model.judge([]) == []


def test_a_classifier_of_something_else_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder = save_classifier(tmp_path / "mood", ("negative", "positive"))
    with pytest.raises(UsageError, match="no label for entailment but negative, positive"):
        load_entailment_model(str(folder))
