"""Every link from a kind to a wider one is WordNet's too, or was read and is listed with its reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from falter.core.errors import UsageError
from falter.generation.english import Ontology, load_ontology
from falter.generation.nlp import WordNet, load_wordnet

REVIEWED: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("wordnet_exceptions.yaml").read_text("utf-8"))
GATHERING: dict[str, str] = REVIEWED["gathering"]
REASONS: dict[str, list[str]] = REVIEWED["reviewed"]


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    try:
        return load_wordnet()
    except UsageError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def ontology() -> Ontology:
    return load_ontology()


def confirmed(name: str, parent: str, ontology: Ontology, wordnet: WordNet) -> bool:
    """By any sense of the two words, or of other names of theirs; a compound that WordNet lacks, by its last word."""
    above = (parent, *ontology.kinds[parent].synonyms)
    if wordnet.is_kind_of((name, *ontology.kinds[name].synonyms), above):
        return True
    *before, head = name.split()
    return bool(before) and not wordnet.knows(name) and (head in above or wordnet.is_kind_of((head,), above) is True)


def unconfirmed(ontology: Ontology, wordnet: WordNet) -> list[str]:
    return [
        f"{name} is {parent}"
        for name, kind in ontology.kinds.items()
        for parent in kind.parent_names
        if parent not in GATHERING and not confirmed(name, parent, ontology, wordnet)
    ]


def test_links_are_confirmed_or_reviewed(ontology: Ontology, wordnet: WordNet) -> None:
    reviewed = [link for links in REASONS.values() for link in links]
    found = unconfirmed(ontology, wordnet)
    assert [link for link in found if link not in reviewed] == [], "read these links; mend them, or list them"
    assert [link for link in reviewed if link not in found] == [], "WordNet confirms these, or they are gone"
    assert len(reviewed) == len(set(reviewed))


def test_most_links_are_confirmed(ontology: Ontology, wordnet: WordNet) -> None:
    compared = sum(parent not in GATHERING for kind in ontology.kinds.values() for parent in kind.parent_names)
    assert len(unconfirmed(ontology, wordnet)) < 0.25 * compared


def test_gathering_kinds_are_not_asked_about(ontology: Ontology) -> None:
    assert [name for name in GATHERING if ontology.kinds[name].askable] == []


@pytest.mark.parametrize(
    ("name", "parent"), [("hot dog", "animal"), ("dog", "vehicle"), ("carrot", "furniture"), ("fire hydrant", "person")]
)
def test_wrong_links_would_be_seen(name: str, parent: str, ontology: Ontology, wordnet: WordNet) -> None:
    assert not confirmed(name, parent, ontology, wordnet)


WIDER_IN_WORDNET = {
    "person": "WordNet has slang and figures: a tiger, a burger and a whale are persons",
    "food": "WordNet counts drinks",
    "fruit": "WordNet counts seeds and nuts",
    "outlet": "WordNet has the shop and not the socket",
    "vine": "WordNet has the plants of fruit and vegetables",
}
"""Words that WordNet uses more widely than people do of images, and that are clear all the same."""


def test_words_that_wordnet_stretches_far_are_not_denied(ontology: Ontology, wordnet: WordNet) -> None:
    """What WordNet puts below a word, though the ontology never does, makes a denial of the word doubtful."""
    senses = {kind: wordnet.sense_below(kind, ()) for kind in ontology.kinds if wordnet.knows(kind)}
    far = {
        word: below
        for word, sense in senses.items()
        if ontology.kinds[word].askable and not ontology.often_unannotated(word)
        if len(
            below := [
                kind
                for kind, own in senses.items()
                if word not in ontology.possible_kinds(kind) and wordnet.are_below([own], [sense])
            ]
        )
        >= 5
    }
    assert sorted(far) == sorted(WIDER_IN_WORDNET), "mark these words as vague, or list them with the reason"
