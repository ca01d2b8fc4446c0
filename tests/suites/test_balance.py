"""A suite gives a reader of the text alone nothing to bet on."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from falter.data.items import Item
from falter.generation.authoring.question_builder import COIN_NOISE, AnswerBalancer, features_of, for_answer
from falter.generation.english import default_grammar
from falter.generation.scene import ObjectDescription

from .conftest import TESTS, World

LEAST = {"single": 4_000, "related": 1_500, "all": 5_500}
LEAST_CHOICES = {
    ("object_choice", "single"): 140,
    ("object_choice", "related"): 110,
    ("attribute_choice", "single"): 220,
    ("attribute_choice", "related"): 5,
    ("action_choice", "single"): 60,
    ("action_choice", "related"): 12,
}
"""Few people or things need a relation to be told from others, and few of these have one value of a family."""


def originals(world: World, *, binary: bool) -> list[Item]:
    return [
        item for item in world.suite.items() if item.role == "original" and (item.choices == ("yes", "no")) == binary
    ]


@pytest.mark.parametrize("form", LEAST)
def test_a_text_only_model_stays_close_to_a_coin(world: World, form: str) -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    items = [item for item in originals(world, binary=True) if form in ("all", item.facets["form"])]
    assert len(items) >= LEAST[form]
    images = list(dict.fromkeys(item.image_id for item in items))
    training = set(images[::2])
    known = np.array([item.image_id in training for item in items])
    golds = np.array([item.gold == "yes" for item in items])
    assert abs(golds.mean() - 0.5) < 0.01
    words = CountVectorizer(ngram_range=(1, 3), min_df=2, binary=True).fit_transform([item.text for item in items])
    model = LogisticRegression(max_iter=1000).fit(words[known], golds[known])
    accuracy = model.score(words[~known], golds[~known])
    assert accuracy < 0.60
    # Nor may a model win by betting against what it learned.
    assert accuracy > 0.40


@pytest.mark.parametrize("test", TESTS)
def test_half_of_the_yes_or_no_questions_of_every_sort_are_yes(world: World, test: str) -> None:
    counts: Counter[tuple[str, str, str | None]] = Counter()
    for item in originals(world, binary=True):
        if item.test == test:
            counts[item.facets["type"], item.facets["form"], item.gold] += 1
    assert counts
    for kind, form, _ in list(counts):
        # Few things with an opposite need a relation to be named.
        least = 40 if (test, form) == ("antonym", "related") else 200
        assert counts[kind, form, "yes"] == counts[kind, form, "no"] >= least, (kind, form)


def test_no_value_of_a_thing_tells_the_answer(world: World) -> None:
    counts: dict[tuple[str, str, str], list[int]] = {}
    for item in originals(world, binary=True):
        if item.test == "antonym":
            assert item.meaning is not None
            told = json.loads(item.meaning)["of"]["kind"]
            for value in (item.facets["value"], f"{item.facets['value']} {told}"):
                cell = counts.setdefault((item.facets["form"], value, item.test), [0, 0])
                cell[item.gold == "yes"] += 1
    assert sum(no + yes >= 20 for no, yes in counts.values()) >= 8
    # Nothing is ever annotated as unhappy: asked of every happy person, the word itself would say no.
    for cell, (no, yes) in counts.items():
        assert abs(yes - no) <= 4 + 1.5 * (yes + no) ** 0.5, cell


def test_no_number_or_form_leans_to_one_answer(world: World) -> None:
    counts: dict[tuple[str, str], list[int]] = {}
    for item in originals(world, binary=True):
        if item.facets["type"] == "object_verification":
            cell = counts.setdefault((item.facets["form"], item.facets["number"]), [0, 0])
            cell[item.gold == "yes"] += 1
    assert sum(map(sum, counts.values())) >= 1_500
    for cell, (no, yes) in counts.items():
        if no + yes >= 400:
            assert abs(yes / (no + yes) - 0.5) < 0.1, cell


@pytest.mark.parametrize("test", ["rephrase", "order", "negation"])
@pytest.mark.parametrize(
    ("kind", "answer", "cells"),
    [
        ("conjunctive_verification", "no", ("TF", "FT", "FF")),
        ("disjunctive_verification", "yes", ("TF", "FT")),
    ],
)
def test_every_way_to_an_answer_has_its_share(
    world: World, test: str, kind: str, answer: str, cells: tuple[str, ...]
) -> None:
    items = [item for item in originals(world, binary=True) if (item.test, item.facets["type"]) == (test, kind)]
    counts = Counter(item.facets["truth"] for item in items if item.gold == answer)
    assert sorted(counts) == sorted(cells)
    assert max(counts.values()) - min(counts.values()) <= 3, counts
    assert len({item.facets["truth"] for item in items if item.gold != answer}) == 1


def test_the_right_choice_stands_in_every_place_alike(world: World) -> None:
    counts: dict[tuple[str, str, str, int], Counter[int]] = {}
    for item in originals(world, binary=False):
        assert item.choices is not None
        assert item.gold is not None
        key = (item.test, item.facets["type"], item.facets["form"], len(item.choices))
        counts.setdefault(key, Counter())[item.choices.index(item.gold)] += 1
    assert {key[3] for key in counts} == {2, 3}
    assert {key[1] for key in counts} == {"object_choice", "attribute_choice", "action_choice"}
    over_tests: dict[tuple[str, int], Counter[int]] = {}
    for key, places in counts.items():
        assert len(places) == key[3]
        assert sum(places.values()) >= LEAST_CHOICES[key[1], key[2]], key
        assert max(places.values()) - min(places.values()) <= 1, (key, places)
        over_tests.setdefault((key[0], key[3]), Counter()).update(places)
    # What is left over in each stratum does not add up in the test.
    for of_test, places in over_tests.items():
        assert sum(places.values()) >= 600, of_test
        assert max(places.values()) - min(places.values()) <= 4, (of_test, places)
    each = Counter(
        (item.test, item.facets["type"], len(item.choices or ()))
        for item in originals(world, binary=False)
        if item.facets["form"] == "single"
    )
    for test, kind, many in each:
        assert abs(each[test, kind, 2] - each[test, kind, 3]) <= 0.1 * each[test, kind, many]


def test_no_choice_is_right_beyond_its_share(world: World) -> None:
    stratum_sizes: dict[tuple[str, ...], list[float]] = {}
    for item in originals(world, binary=False):
        assert item.choices is not None
        for choice in item.choices:
            share = stratum_sizes.setdefault((item.test, item.facets["type"], item.facets["form"], choice), [0, 0])
            share[0] += choice == item.gold
            share[1] += 1 / len(item.choices)
    usage = {key: (right, expected) for key, (right, expected) in stratum_sizes.items() if expected >= 15}
    assert len(usage) >= 20
    for key, (right, expected) in usage.items():
        assert abs(right - expected) <= 0.25 * expected + 2, (key, right, expected)


def test_choices_exclude_each_other(world: World) -> None:
    ontology = default_grammar().ontology
    for item in originals(world, binary=False):
        assert item.choices is not None
        assert len(set(item.choices)) == len(item.choices)
        for first in item.choices:
            for second in item.choices:
                if first == second:
                    continue
                if item.facets["type"] == "object_choice":
                    assert ontology.is_of_kind(first, second) is False, item.text
                else:
                    assert ontology.attributes.exclude(first, second), item.text


def test_a_thing_with_kinds_to_choose_from_is_named_by_its_class(world: World) -> None:
    ontology = default_grammar().ontology
    seen: Counter[str] = Counter()
    for item in originals(world, binary=False):
        if item.facets["type"] != "object_choice":
            continue
        assert item.meaning is not None
        assert item.choices is not None
        described = json.loads(item.meaning)["options"][0]["when"]["of"]
        assert described["kind"] == item.facets["class"]
        assert described["kind"] not in item.choices
        assert all(ontology.is_a(choice, described["kind"]) for choice in item.choices)
        seen[described["kind"]] += 1
    assert seen.total() >= 300
    assert len(seen) >= 5


def test_a_lean_counts_once_it_exceeds_that_of_coin_tosses() -> None:
    balance = AnswerBalancer(COIN_NOISE)
    for _ in range(30):
        balance.add(for_answer("yes", ("often",)))
        balance.add(for_answer("no", ("often",)))
    for _ in range(5):
        balance.add(for_answer("yes", ("often", "once")))
    # Five of 65 are within the noise; five of five are not.
    assert balance.bias(("often",)) == 0.0
    assert balance.bias(("once",)) > 1.0
    assert balance.bias_change(for_answer("no", ("once",))) < 0.0


def test_what_leans_over_all_strata_of_a_test_is_evened_out() -> None:
    stratum, over_test = AnswerBalancer(COIN_NOISE), AnswerBalancer(COIN_NOISE)
    for _ in range(5):
        over_test.add(for_answer("yes", ("curtain",)))
    candidates = [(for_answer("yes", ("curtain",)), ()), (for_answer("yes", ("table",)), ())]
    for numbers in ([0.1, 0.9], [0.9, 0.1]):
        assert stratum.ranked(candidates, numbers, over_test) == [1, 0]


def test_a_noun_without_an_attribute_is_told_from_one_with_any() -> None:
    plain, red = (features_of(ObjectDescription("shirt", values)) for values in ((), ("red",)))
    of_plain_shirts = {one for one in plain if "none" in one and "shirt" in one}
    assert of_plain_shirts
    assert of_plain_shirts.isdisjoint(red)


def test_no_noun_of_a_test_leans_to_an_answer(world: World) -> None:
    leans: dict[tuple[str, str], list[int]] = {}
    for item in originals(world, binary=True):
        words = item.text.lower().rstrip("?").split()
        for phrase in {" ".join(two) for two in pairwise(words) if two[0] in ("a", "any")}:
            leans.setdefault((item.test, phrase), []).append(1 if item.gold == "yes" else -1)
    often = {key: found for key, found in leans.items() if len(found) >= 20}
    assert len(often) > 20
    excess = [sum(found) ** 2 / len(found) for found in often.values()]
    # Tosses of a coin have 1 on average.
    assert sum(excess) / len(excess) < 1.5
    assert max(excess) < 12


@pytest.mark.parametrize("noise", [0.0, COIN_NOISE])
def test_a_lean_counts_by_how_far_it_exceeds_the_noise(noise: float) -> None:
    rng = Random(1)
    balance = AnswerBalancer(noise)
    steps: dict[str, list[int]] = {}
    for _ in range(300):
        some = tuple(rng.choice(("a", "b", "c", "=d")) for _ in range(3))
        step = rng.choice((1, 1, -1, 2))
        balance.add(((step, some),))
        for feature in some:
            steps.setdefault(feature, []).append(step)
        wanted = {}
        for feature, made in steps.items():
            borne = noise * (0.35 if feature == "=d" else 1.0) * sum(one * one for one in made) ** 0.5
            wanted[feature] = np.sign(sum(made)) * max(0.0, abs(sum(made)) - borne)
            assert balance.bias((feature,)) == pytest.approx(wanted[feature], abs=1e-9)
        asked = ((1, ("a", "=d", "z")), (-1, ("b", "b")))
        change = wanted.get("a", 0) + wanted.get("=d", 0) - 2 * wanted.get("b", 0)
        assert balance.bias_change(asked) == pytest.approx(change, abs=1e-9)
