"""How the questions of a suite are worded: evenly, far enough from each other, and without a word twice."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from falter.data.items import Probe
from falter.generation.english import default_grammar
from falter.generation.english.repetition import content_stems
from falter.generation.scene import ObjectDescription, query_from_json
from falter.suites.carets.contents import contents
from falter.suites.carets.perturbations import MIN_DISTANCE
from falter.suites.carets.quotas import FamilyShares
from falter.suites.carets.template_distance import differ_in_opinion_alone, template_distance
from tests.suites.conftest import World

GRAMMAR = default_grammar()


@pytest.fixture(scope="module")
def probes(world: World) -> list[Probe]:
    return list(world.suite.probes())


def test_templates_take_turns(probes: list[Probe]) -> None:
    used: dict[tuple[str, ...], Counter[str]] = {}
    by_answer: Counter[tuple[str, str]] = Counter()
    fitting = ("object_verification", "conjunctive_verification", "disjunctive_verification")
    for probe in probes:
        facets = probe.original.facets
        if facets["type"] in fitting:
            key = (probe.original.test, facets["type"], facets["form"])
            used.setdefault(key, Counter())[facets["template"]] += 1
            by_answer[facets["template"], str(probe.original.gold)] += 1
    assert len(used) >= 10
    for key, counts in used.items():
        mean = sum(counts.values()) / len(counts)
        assert len(counts) >= 18, key
        # A template that would repeat a word of the slots waits for its next turn; the turns are loose.
        assert max(counts.values()) <= 1.25 * mean + 4, (key, counts)
        assert min(counts.values()) >= 0.75 * mean - 4, (key, counts)
    # As many yes as no for each wording would tell as well: the last answers would follow from the others.
    templates = {template for template, _ in by_answer}
    squares = [
        (by_answer[one, "yes"] - by_answer[one, "no"]) ** 2 / (by_answer[one, "yes"] + by_answer[one, "no"])
        for one in templates
    ]
    assert 0.6 < sum(squares) / len(squares) < 1.5


def test_a_rephrasing_is_far_from_its_original(probes: list[Probe]) -> None:
    distances = [
        template_distance(*(GRAMMAR.template(item.facets["template"]) for item in probe.items))
        for probe in probes
        if probe.original.test == "rephrase"
    ]
    assert min(distances) >= MIN_DISTANCE
    assert sum(distances) / len(distances) > 0.6


def test_no_template_repeats_a_word_of_its_slots(probes: list[Probe]) -> None:
    for item in (item for probe in Random(3).sample(probes, 1000) for item in probe.items):
        template = GRAMMAR.template(item.facets["template"])
        (parse,) = [one for one in template.parse(item.text) if one.meaning == query_from_json(str(item.meaning))]
        assert template.fits(parse.slots), item.text
        things = [value for value in parse.slots.values() if isinstance(value, ObjectDescription)]
        if len(things) == 1 and "c" not in parse.slots:
            words = [word for word in item.text.lower().strip("?").replace(",", "").split() if content_stems(word)]
            assert len(words) == len({stem for word in words for stem in content_stems(word)}), item.text


def test_inspection_shows_the_use_of_templates(world: World, probes: list[Probe]) -> None:
    (table,) = contents(world.suite)
    rephrase, order = table.rows["rephrase"], table.rows["order"]
    assert rephrase.distance_min >= MIN_DISTANCE
    assert order.distance_min is None
    assert rephrase.least_used <= 1 <= rephrase.most_used
    for stratum, counts in rephrase.use.items():
        mean = sum(counts.values()) / len(counts)
        # Some wordings fit some things alone: "made of" a material, "what kind of" no people.
        low, high = (0.85, 1.15) if "verification" in stratum else (0.45, 1.6)
        # "A man is wearing a hat" is said, "a tree is on the grass" is not.
        low = 0.7 if stratum == "object_verification related" else low
        # Where few questions are asked, one more or less says nothing.
        assert low * mean - 1 <= min(counts.values()), (stratum, counts)
        assert max(counts.values()) <= high * mean + 1, (stratum, counts)
    assert sum(order.use["conjunctive_verification single"].values()) == sum(
        probe.original.test == "order" and probe.original.facets["type"] == "conjunctive_verification"
        for probe in probes
    )


def test_no_family_of_opposites_is_more_than_a_quarter(world: World, probes: list[Probe]) -> None:
    families = Counter(probe.original.facets["class"] for probe in probes if probe.original.test == "antonym")
    assert len(families) >= 6
    assert max(families.values()) <= 0.25 * families.total() + 2
    (table,) = contents(world.suite)
    assert table.rows["antonym"].attribute_families == {
        name: count / families.total() for name, count in families.most_common()
    }


def test_shares_hold_from_four_families_on_that_many_images_have() -> None:
    shares = FamilyShares()
    for _ in range(8):
        shares.offer(["mood", "opening", "size"])
        assert shares.admits("mood")
        shares.add("mood")
    # A fourth family in one image is no reason to stop.
    shares.offer(["contents"])
    assert shares.admits("mood")
    for _ in range(8):
        shares.offer(["contents"])
    assert not shares.admits("mood")
    assert shares.admits("contents")
    for family in ("opening", "size", "contents") * 9:
        shares.add(family)
    assert shares.admits("mood")


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        ("there", "there-in-picture", 0.0),
        ("related-can-see", "that-can-see", 0.0),
        ("see", "can-see-in-image", 0.25),
        ("there", "see", 0.75),
        ("related-there", "anyone-there", 0.25),
    ],
)
def test_what_changes_little_is_no_distance(first: str, second: str, distance: float) -> None:
    template, rephrased = (GRAMMAR.template(f"object_verification.{name}") for name in (first, second))
    assert template_distance(template, rephrased) == template_distance(rephrased, template) == distance


@pytest.mark.parametrize(
    ("first", "second", "alone"),
    [
        ("action_choice.what", "action_choice.think", True),
        ("action_choice.what", "action_choice.seems", True),
        ("action_choice.what", "action_choice.think-is", False),
        ("attribute_choice.what", "attribute_choice.can-tell", True),
        ("attribute_choice.what", "attribute_choice.of", True),
        ("attribute_choice.what", "attribute_choice.is", False),
        ("attribute_choice.describe-how", "attribute_choice.best-describes", True),
        ("object_choice.is", "object_choice.tell-whether", True),
        ("object_choice.clause-which", "object_choice.clause-kind-of", True),
        ("object_choice.is", "object_choice.kind-of-this", False),
        ("conjunctive_verification.there", "conjunctive_verification.is-true", True),
        ("conjunctive_verification.there", "conjunctive_verification.see", True),
        ("conjunctive_verification.be-seen", "conjunctive_verification.can-see", True),
        ("conjunctive_verification.there", "conjunctive_verification.shows", False),
    ],
)
def test_asking_for_an_opinion_is_no_other_wording(first: str, second: str, alone: bool) -> None:
    assert differ_in_opinion_alone(GRAMMAR.template(first), GRAMMAR.template(second)) is alone
