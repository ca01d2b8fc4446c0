"""What usually occurs together, counted on images that no draw has seen, does not tell yes from no."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from falter.generation.cooccurrence import Plausibility, load_table
from falter.generation.english import default_grammar

from .conftest import World


def kinds_in(meaning: Any) -> Iterator[str]:
    """The kinds of all descriptions in a query."""
    if isinstance(meaning, dict):
        if "kind" in meaning and "query" not in meaning:
            yield meaning["kind"]
        for part in meaning.values():
            yield from kinds_in(part)
    elif isinstance(meaning, list):
        for part in meaning:
            yield from kinds_in(part)


def area_under_curve(yes: list[float], no: list[float]) -> float:
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(yes, no).statistic) / (len(yes) * len(no))


@pytest.mark.parametrize("kind", ["object_verification", "conjunctive_verification", "disjunctive_verification"])
def test_common_sense_does_not_answer_yes_or_no(world: World, kind: str) -> None:
    ontology = default_grammar().ontology
    plausibility = Plausibility(load_table().check, ontology)
    scores: dict[str, dict[str, list[float]]] = {name: {"yes": [], "no": []} for name in ("image", "words", "pair")}
    for item in world.suite.items():
        if item.role != "original" or item.facets["type"] != kind or item.test not in ("negation", "rephrase"):
            continue
        assert item.meaning is not None and item.gold is not None and item.image_id is not None
        asked = list(kinds_in(json.loads(item.meaning) if isinstance(item.meaning, str) else item.meaning))
        objects = world.graphs[item.image_id]["objects"].values()
        here = {found for thing in objects if (found := ontology.kind_for_name(thing["name"])) is not None}
        scores["image"][item.gold].append(float(np.mean([plausibility.of_kind(one, here - {one}) for one in asked])))
        scores["words"][item.gold].append(float(np.mean([np.log1p(plausibility.frequency(one)) for one in asked])))
        scores["pair"][item.gold].append(plausibility.of_kind(asked[0], asked[1:]))
    for name, found in scores.items():
        assert min(len(found["yes"]), len(found["no"])) > 400
        assert abs(area_under_curve(found["yes"], found["no"]) - 0.5) <= 0.05, name
