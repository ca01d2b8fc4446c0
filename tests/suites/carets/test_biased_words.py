"""A kind that is there in every image is yes whenever it is looked for alone: its answers stay near even."""

from __future__ import annotations

import json
from collections import Counter
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from falter.data.suite import open_suite
from falter.suites.carets import stratum
from tests.suites.made import make_suite, raw_graphs, write_graphs

ALWAYS_THERE = "bicycle"
NUM_IMAGES = 40


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Scenes of the world that all have one thing, wherever they are."""
    graphs = raw_graphs(NUM_IMAGES)
    for image, graph in graphs.items():
        there = {"name": ALWAYS_THERE, "x": 5, "y": 5, "w": 60, "h": 60, "attributes": [], "relations": []}
        if ALWAYS_THERE not in {thing["name"] for thing in graph["objects"].values()}:
            graph["objects"][f"{image}99"] = there
    return write_graphs(tmp_path_factory.mktemp("scenes"), graphs)


def answers_by_kind(folder: Path) -> dict[str, Counter[str]]:
    """How often the questions that look for one of a kind have each answer."""
    found: dict[str, Counter[str]] = {}
    for probe in open_suite(folder).probes():
        for kind in _kinds(json.loads(probe.original.meaning or "null")):
            found.setdefault(kind, Counter())[probe.original.gold or ""] += 1
    return found


def _kinds(meaning: Any) -> list[str]:
    """The kinds that a query looks for in the singular, without what they are related to."""
    if isinstance(meaning, list):
        return [kind for part in meaning for kind in _kinds(part)]
    if not isinstance(meaning, dict):
        return []
    if "kind" in meaning:
        return [meaning["kind"]] if meaning["number"] == "singular" else []
    return [kind for part in meaning.values() for kind in _kinds(part)]


def beyond_coin_tosses(answers: Counter[str]) -> float:
    return abs(answers["yes"] - answers["no"]) - stratum._LEAK_NOISE * sqrt(answers.total())


def test_a_kind_that_is_always_there_is_asked_about_until_its_answers_are_biased(source: str, tmp_path: Path) -> None:
    make_suite(source, tmp_path / "suite", tests=("negation",), seed=1)
    answers = answers_by_kind(tmp_path / "suite")
    assert answers[ALWAYS_THERE]["yes"] > 0
    # The question that reaches the limit is still asked.
    assert all(beyond_coin_tosses(found) < stratum._MAX_LEAK + 1 for found in answers.values())


def test_without_the_limit_a_word_would_tell_the_answer(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = stratum._MAX_LEAK + 1
    monkeypatch.setattr(stratum, "_MAX_LEAK", NUM_IMAGES)
    make_suite(source, tmp_path / "suite", tests=("negation",), seed=1)
    assert max(map(beyond_coin_tosses, answers_by_kind(tmp_path / "suite").values())) > limit
