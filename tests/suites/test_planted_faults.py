"""The audit finds nothing in a clean suite, and finds what was spoiled on purpose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from random import Random

import msgspec
import pytest

from falter.data.items import Item, Probe
from falter.data.sources import open_source
from falter.generation.english import default_grammar
from falter.generation.inspection.audit import audit, findings

from .brute_force import BruteForce
from .conftest import World
from .test_brute_force import DATA

FAULTS = 1_000
NOUNS = ("dog", "cat", "car", "tree", "ball", "woman", "boy", "sofa", "horse", "rabbit")


def flipped_label(item: Item, rng: Random) -> Item | None:
    if item.gold not in ("yes", "no"):
        return None
    return msgspec.structs.replace(item, gold="no" if item.gold == "yes" else "yes")


def swapped_noun(item: Item, rng: Random) -> Item | None:
    words = item.text.rstrip("?").split()
    places = [place for place, word in enumerate(words) if word in NOUNS]
    if not places:
        return None
    place = rng.choice(places)
    words[place] = rng.choice([noun for noun in NOUNS if noun != words[place] and words[place - 1] != "an"] or ["ball"])
    return _with_text(item, " ".join(words) + "?")


def dropped_no(item: Item, rng: Random) -> Item | None:
    if " no " not in item.text:
        return None
    before, after = item.text.split(" no ", 1)
    return _with_text(item, f"{before} {rng.choice(['', 'a ', 'an ', 'any '])}{after}")


def left_for_right(item: Item, rng: Random) -> Item | None:
    if "to the left of" in item.text:
        return _with_text(item, item.text.replace("to the left of", "to the right of"))
    if "to the right of" in item.text:
        return _with_text(item, item.text.replace("to the right of", "to the left of"))
    return None


def swapped_choice(item: Item, rng: Random) -> Item | None:
    if item.choices is None or item.gold in ("yes", "no"):
        return None
    return msgspec.structs.replace(item, gold=rng.choice([one for one in item.choices if one != item.gold]))


def other_word(item: Item, rng: Random) -> Item | None:
    """Another value asked about, such as the antonym of what was."""
    value = item.facets.get("value")
    words = default_grammar().ontology.attributes
    others = [] if value is None or item.test != "antonym" or item.variant else words.antonyms(value)
    return _with_text(item, f"{item.text.removesuffix(f'{value}?')}{rng.choice(others)}?") if others else None


def _with_text(item: Item, text: str) -> Item | None:
    return None if text == item.text else msgspec.structs.replace(item, text=text)


PLANTERS: tuple[Callable[[Item, Random], Item | None], ...] = (
    *(flipped_label, swapped_noun, dropped_no, left_for_right, swapped_choice, other_word),
)


def _rehashed(item: Item) -> Item:
    """With the id of what it now shows, so that the hash gives nothing away."""
    return item.change()


def _planted(probes: list[Probe], rng: Random) -> Iterator[tuple[str, Probe, int]]:
    """One fault a probe, the sorts in turn; what was planted, the spoiled probe and the spoiled variant."""
    planters = cycle(PLANTERS)
    planter = next(planters)
    for probe in probes:
        for place in rng.sample(range(len(probe.items)), len(probe.items)):
            spoiled = planter(probe.items[place], rng)
            if spoiled is not None:
                items = list(probe.items)
                items[place] = _rehashed(spoiled)
                yield planter.__name__, Probe(tuple(items)), place
                planter = next(planters)
                break


def test_a_clean_suite_has_no_disagreement(world: World) -> None:
    result = audit(world.suite.probes(), open_source(world.source), default_grammar())
    assert result.items == result.agree == world.suite.item_count
    assert result.disagree == 0
    assert result.not_audited == {}


def test_a_thousand_planted_faults_are_found(world: World) -> None:
    rng = Random(1)
    probes = list(world.suite.probes())
    assert len(probes) >= 1_000
    rng.shuffle(probes)
    planted = list(_planted(probes, rng))[:FAULTS]
    assert len(planted) == FAULTS
    assert min(Counter(sort for sort, _, _ in planted).values()) >= 150
    source, grammar = open_source(world.source), default_grammar()
    missed = [
        (sort, probe.items[place].text)
        for sort, probe, place in planted
        if not any(found.verdict == "disagrees" for found in findings([probe], source, grammar))
    ]
    assert len(missed) <= FAULTS // 100, missed


@pytest.mark.parametrize("planter", PLANTERS, ids=lambda planter: planter.__name__)
def test_faults_are_found_from_the_scene_alone(world: World, planter: Callable[[Item, Random], Item | None]) -> None:
    """Without the stored meaning, whatever makes a label wrong must be seen in the scene."""
    rng = Random(2)
    rules = BruteForce(DATA)
    source, grammar = open_source(world.source), default_grammar()
    seen = 0
    for probe in world.suite.probes():
        place = 0 if planter is other_word else 1
        spoiled = planter(probe.items[place], rng)
        if spoiled is None:
            continue
        right = rules.answer(spoiled.text, world.graphs[str(spoiled.image_id)])
        if right is None or right == spoiled.gold or not grammar.parse(spoiled.text):
            continue
        bare = msgspec.structs.replace(_rehashed(spoiled), meaning=None, expects="each")
        (found,) = findings([Probe((bare,))], source, grammar)
        assert (found.verdict, found.reason) == ("disagrees", "the scene gives another answer"), bare.text
        seen += 1
        if seen == 250:
            break
    assert seen >= 50


def test_an_antonym_that_was_left_as_it_was_is_found(world: World) -> None:
    source, grammar = open_source(world.source), default_grammar()
    seen = 0
    for probe in world.suite.probes():
        if probe.original.test == "antonym":
            first, second = probe.items
            left = _rehashed(msgspec.structs.replace(second, text=first.text, meaning=first.meaning))
            found = list(findings([Probe((first, left))], source, grammar))
            assert [one.verdict for one in found] == ["agrees", "disagrees"], left.text
            seen += 1
    assert seen >= 500


def test_another_order_is_no_fault(world: World) -> None:
    source, grammar = open_source(world.source), default_grammar()
    seen: Counter[str] = Counter()
    for probe in world.suite.probes():
        if probe.original.test == "order":
            first, second = probe.items
            turned = Probe((_like(second, first), _like(first, second)))
            assert all(one.verdict == "agrees" for one in findings([turned], source, grammar)), second.text
            seen[first.facets["type"]] += 1
            if seen.total() == 1_500:
                break
    assert len(seen) == 5


def _like(item: Item, other: Item) -> Item:
    """An item in the place of another."""
    return msgspec.structs.replace(item, variant=other.variant, role=other.role)


def test_an_item_that_is_not_what_its_id_says_is_found(world: World) -> None:
    probe = next(world.suite.probes())
    spoiled = msgspec.structs.replace(probe.items[0], text="Is there a dog?")
    result = audit([Probe((spoiled, *probe.variants))], open_source(world.source), default_grammar())
    assert result.reasons == {"the item is not what its id says": 1}


def test_what_cannot_be_audited_is_counted_apart(world: World) -> None:
    original, variant = next(world.suite.probes()).items
    strange = _rehashed(msgspec.structs.replace(original, text="Why is the sky blue?", meaning=None, expects="each"))
    elsewhere = _rehashed(msgspec.structs.replace(variant, image_id="unheard of", expects="each"))
    unlabelled = _rehashed(msgspec.structs.replace(variant, variant=2, gold=None, expects="each"))
    result = audit([Probe((strange, elsewhere, unlabelled))], open_source(world.source), default_grammar())
    assert result.disagree == 0
    assert result.not_audited == {
        "no template reads the text": 1,
        "the item has no single right answer": 1,
        "the picture has no scene graph here": 1,
    }


def test_labels_that_break_the_rule_of_the_probe_are_found(world: World) -> None:
    probe = next(probe for probe in world.suite.probes() if probe.original.test == "rephrase")
    wrong = Probe((probe.original, msgspec.structs.replace(probe.variants[0], expects="different")))
    result = audit([wrong], open_source(world.source), default_grammar())
    assert result.reasons == {"the labels are equal where the answer must turn": 2}
