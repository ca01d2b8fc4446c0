"""The world's captions and numbers are those of the scene graph; foils name what it does not hold."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from falter.data.word_forms import word_to_number
from falter.world.captions import caption_records
from falter.world.compose import WorldScene, compose
from falter.world.write_questions import visual7w_record

SCENES = 120
_GROUP = re.compile(r"There are (\w+) (.+?)(?: and an? .*)?\.")
_CLAUSES = re.compile(r"An? (\w+) is (.+) an? .+ and (he|she|it) (?:is) .+\.")
_PRONOUNS = {"man": "he", "boy": "he", "woman": "she", "girl": "she"}


@pytest.fixture(scope="module")
def scenes() -> list[WorldScene]:
    return [compose(3, index) for index in range(SCENES)]


def test_captions_have_two_clauses_with_pronouns_that_fit(scenes: list[WorldScene]) -> None:
    captions = [one["caption"] for scene in scenes for one in caption_records(scene, 3).captions]
    found = [match for caption in captions if (match := _CLAUSES.fullmatch(caption)) is not None]
    assert len(found) > 0.3 * len(captions)
    for match in found:
        assert match[3] == _PRONOUNS.get(match[1], "it"), match[0]
    assert all(caption[0].isupper() and caption.endswith(".") for caption in captions)


def test_groups_are_counted_right(scenes: list[WorldScene]) -> None:
    checked = 0
    for scene in scenes:
        sizes = {group.count for group in scene.counted_groups}
        for one in caption_records(scene, 3).captions:
            match = _GROUP.fullmatch(one["caption"])
            if match is not None:
                assert word_to_number(match[1]) in sizes
                checked += 1
    assert checked > 20


def test_foils_name_what_is_not_there(scenes: list[WorldScene]) -> None:
    made = 0
    for scene in scenes:
        names = {thing.name for thing in scene.graph.objects.values()}
        records = caption_records(scene, 3).foils
        originals = {one["id"]: one["caption"] for one in records if not one["foil"]}
        for one in records:
            if one["foil"]:
                assert one["foil_word"] not in names
                assert one["target_word"] in names
                assert one["caption"] != originals[one["id"]]
                made += 1
    assert made > 0.6 * SCENES


def test_numbers_of_visual7w_are_those_of_the_graph_with_zeros(scenes: list[WorldScene]) -> None:
    answers: Counter[int] = Counter()
    for scene in scenes:
        names = Counter(thing.name for thing in scene.graph.objects.values())
        for pair in visual7w_record(scene, 3, "train")["qa_pairs"]:
            number = word_to_number(pair["answer"].rstrip(".").lower())
            assert number is not None
            answers[number] += 1
            assert len({pair["answer"], *pair["multiple_choices"]}) == 4
            noun = pair["question"].removeprefix("How many ").split(" are ")[0]
            if number > 1 and noun.removesuffix("s") in names:
                assert number >= names[noun.removesuffix("s")]
    assert answers[0] > 40
    assert max(answers) >= 6
