"""The filters of foils on the released foils of VALSE and on captions of COCO."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.nlp.wordnet_there import needs_wordnet
from tests.suites.corrupted_captions import corrupt_captions
from tests.suites.non_contradictions import weaken_captions

from falter.generation.nlp.entailment import EntailmentRules
from falter.generation.nlp.grammaticality import GrammarRules

DATA = Path(__file__).parents[2] / "../shared/data"
VALSE, CAPTIONS = DATA / "valse", DATA / "coco/captions_val2017.json"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not (VALSE.is_dir() and CAPTIONS.is_file()), reason="needs ../shared/data beside the checkout"),
    needs_wordnet,
]


@cache
def released(*names: str) -> list[dict[str, Any]]:
    return [entry for name in names for entry in json.loads((VALSE / f"{name}.json").read_text()).values()]


@cache
def captions_by_image() -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for one in json.loads(CAPTIONS.read_text())["annotations"]:
        found.setdefault(one["image_id"], []).append(" ".join(one["caption"].split()))
    return found


@cache
def all_captions() -> list[str]:
    return [text for texts in captions_by_image().values() for text in texts]


@pytest.fixture(scope="module")
def entailment() -> EntailmentRules:
    return EntailmentRules()


@pytest.fixture(scope="module")
def grammar() -> GrammarRules:
    pytest.importorskip("spacy", reason="parsing needs spaCy")
    return GrammarRules()


def test_released_foils_are_contradictions(entailment: EntailmentRules) -> None:
    foils = released("plurals", "relations")
    assert len(foils) == 1614
    found = Counter(entailment.judge_one(one["caption"], one["foil"]).label for one in foils)
    assert found["contradiction"] / len(foils) >= 0.95


def test_captions_of_one_image_are_seldom_contradictions(entailment: EntailmentRules) -> None:
    rng = Random(0)
    images = captions_by_image()
    pairs = [rng.sample(images[image], 2) for image in rng.sample(sorted(images), 1000)]
    found = Counter(entailment.judge_one(*pair).label for pair in pairs)
    assert found["contradiction"] / len(pairs) <= 0.06


def test_weaker_captions_are_seldom_contradictions(entailment: EntailmentRules) -> None:
    pairs = weaken_captions(all_captions(), 500)
    assert len(pairs) == 500
    found = Counter(entailment.judge_one(*pair).label for pair in pairs)
    assert found["contradiction"] / len(pairs) <= 0.1


def test_replaced_actions_against_the_released_labels(entailment: EntailmentRules) -> None:
    """Rules call nearly all of them contradictions; annotators confirmed most that the released model denied."""
    table: Counter[tuple[str, str]] = Counter()
    for one in released("action-replacement"):
        label = entailment.judge_one(one["caption"], one["foil"]).label
        table[one["nli_scores"]["pred"][0], label] += 1
    assert table.total() == 779
    assert (
        table["contradict", "contradiction"] / sum(n for (said, _), n in table.items() if said == "contradict") > 0.95
    )


def test_released_foils_are_grammatical(grammar: GrammarRules) -> None:
    scores = grammar.score([one["foil"] for one in released("plurals", "relations")])
    assert sum(score >= 0.8 for score in scores) / len(scores) >= 0.95


@pytest.mark.parametrize("seed", [2, 8])
def test_corrupted_captions_are_not(seed: int, grammar: GrammarRules) -> None:
    corrupted = corrupt_captions(all_captions(), 500, seed)
    scores = grammar.score([one.text for one in corrupted])
    assert sum(score < 0.8 for score in scores) / len(scores) >= 0.905
