"""Existence and counting from questions: balanced, safe, and nothing stops them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import falter
from falter.core.errors import InputError
from falter.data.suite import Suite
from tests.nlp.wordnet_there import needs_wordnet

NOUNS = ("dogs", "cats", "birds", "boats", "people", "sheep", "kites", "chairs", "trees", "traffic lights")
PLACES = ("are there", "are in the picture", "are on the grass", "can you see", "are visible")
ODD = (
    ("How many of the dogs are black?", "2"),
    ("How many more dogs than cats are there?", "2"),
    ("How many dogs are there?", "a lot"),
    ("How many legs does the dog have?", "4"),
    ("How many hours is parking allowed?", "2"),
    ("How many zzorbs are there?", "2"),
    ("How many people brush their teeth?", "2"),
    ("HOW MANY \U0001f600 ARE THERE?", "2"),
    ("How many", "2"),
    ("How many ants are there?", "4000"),
    ("How many " + "very " * 300 + "old dogs are there?", "2"),
    ("What is this?", "a dog"),
)
INSTRUMENTS = ("existence", "counting-balanced", "counting-small", "counting-adversarial")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("numbers")
    rng = Random(0)
    with (folder / "questions.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("image", "question", "answer"))
        for number in range(500):
            answer = rng.choice((0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 6, 8, 12))
            table.writerow((f"i{number}", f"How many {rng.choice(NOUNS)} {rng.choice(PLACES)}?", answer))
        table.writerows((f"odd{number}", *row) for number, row in enumerate(ODD))
    source = f"table:{folder / 'questions.csv'}"
    return falter.generate("valse", source, out=folder / "suite", instrument=INSTRUMENTS, size=60, images="none")


def pairs(suite: Suite, test: str) -> list[tuple[str, str, dict[str, str]]]:
    return [
        (probe.items[0].text, probe.items[1].text, json.loads(probe.original.extra or ""))
        for probe in suite.probes()
        if probe.original.test == test
    ]


def test_existence_is_half_zero_and_neither_noun_nor_number_tells(suite: Suite) -> None:
    found = pairs(suite, "existence")
    assert len(found) == 60
    assert Counter(extra["classes"] for _, _, extra in found) == {"no": 30, "some": 30}
    captions, foils = ([pair[side] for pair in found] for side in (0, 1))
    assert any(text.startswith("There is no ") for text in captions)
    beginnings = [Counter(" ".join(text.split()[:3]) for text in texts) for texts in (captions, foils)]
    assert beginnings[0]["There is no"] == beginnings[1]["There is no"]
    assert beginnings[0]["There are no"] == beginnings[1]["There are no"]


@pytest.mark.parametrize("test", ["counting-balanced", "counting-small"])
def test_captions_and_foils_have_every_number_equally_often(suite: Suite, test: str) -> None:
    found = pairs(suite, test)
    assert len(found) == 60
    captions, foils = (Counter(extra[name] for _, _, extra in found) for name in ("classes", "classes_foil"))
    assert captions == foils
    assert max(captions.values()) <= 2 * min(captions.values())
    assert set(captions) == ({"0", "1", "2", "3"} if test == "counting-small" else set("01234568") | {"12"})


def test_adversarial_captions_are_above_all_foils(suite: Suite) -> None:
    found = pairs(suite, "counting-adversarial")
    assert len(found) == 60
    assert min(int(extra["classes"]) for _, _, extra in found) == 4
    foils = Counter(extra["classes_foil"] for _, _, extra in found)
    assert set(foils) == {"0", "1", "2", "3"}
    assert max(foils.values()) <= 2 * min(foils.values())


def test_spans_say_the_quantity_on_both_sides(suite: Suite) -> None:
    for text, foil, extra in pairs(suite, "counting-small"):
        for words, span, number in ((text, "caption_spans", "classes"), (foil, "foil_spans", "classes_foil")):
            (start, end), *_ = extra[span]
            assert words[start:end].lower().startswith(f"exactly {extra[number]} ")  # type: ignore[misc]
            assert words.startswith("There is exactly 1 " if extra[number] == "1" else "There are ")


def test_the_funnel_has_a_reason_for_everything(suite: Suite) -> None:
    for test in INSTRUMENTS:
        funnel = suite.manifest.counts["funnel"][test]
        assert funnel["captions"] == 500 + len(ODD) - 1
        assert funnel["candidates"] == funnel["kept"] + sum(funnel["rejected"].values())
        assert sum(funnel["skipped"].values()) >= len(ODD) - 1
    skipped = suite.manifest.counts["funnel"]["existence"]["skipped"]
    assert skipped["the question is for a part of something (how many of, how many more)"] == 2
    assert skipped["the question is longer than 1000 characters"] == 1
    assert skipped["the answer is no number"] == 1
    assert skipped["more than 20 things are not counted"] == 1


def write_vqa(folder: Path, given: dict[str, list[str]]) -> str:
    questions, annotations = [], []
    for number, (text, answers) in enumerate(given.items(), start=1):
        questions.append({"image_id": number, "question": text, "question_id": number})
        votes = [{"answer": one, "answer_id": place} for place, one in enumerate(answers)]
        main = {"multiple_choice_answer": Counter(answers).most_common(1)[0][0], "answers": votes}
        annotations.append({"image_id": number, "question_id": number, **main})
    (folder / "questions.json").write_text(json.dumps({"questions": questions}))
    (folder / "annotations.json").write_text(json.dumps({"annotations": annotations}))
    return f"vqa:questions={folder / 'questions.json'},annotations={folder / 'annotations.json'}"


def numbers_of_foils(folder: Path, given: dict[str, list[str]]) -> dict[str, str]:
    folder.mkdir()
    suite = falter.generate(
        "valse", write_vqa(folder, given), out=folder / "x", instrument=("counting-balanced",), images="none"
    )
    return {extra["original_caption"]: extra["classes_foil"] for _, _, extra in pairs(suite, "counting-balanced")}


def test_no_foil_has_a_number_that_somebody_answered(tmp_path: Path) -> None:
    cats, dogs = ["2"] * 10, ["3"] * 8 + ["2"] * 2
    agreed = {"How many cats are there?": cats, "How many dogs are there?": ["3"] * 10}
    assert numbers_of_foils(tmp_path / "a", agreed) == {
        "How many cats are there?": "3",
        "How many dogs are there?": "2",
    }
    disputed = {**agreed, "How many dogs are there?": dogs, "How many hens are there?": ["6"] * 10}
    assert numbers_of_foils(tmp_path / "b", disputed) == {
        "How many cats are there?": "6",
        "How many hens are there?": "2",
    }


def test_an_answer_that_is_not_agreed_on_is_not_used_and_none_is_zero(tmp_path: Path) -> None:
    given = {
        "How many boats are there?": ["5"] * 5 + ["6"] * 4 + ["none"],
        "How many birds are there?": ["5"] * 4 + ["6", "7", "8", "9", "many", "lots"],
        "How many kites are there?": ["0"] * 6 + ["none"] * 4,
        "How many owls are there?": ["1"] * 10,
    }
    assert numbers_of_foils(tmp_path / "a", given) == {
        "How many kites are there?": "1",
        "How many owls are there?": "0",
    }


def test_one_person_does_not_wear_hats(tmp_path: Path) -> None:
    given = {"How many people are wearing hats?": ["1"] * 10, "How many people are wearing ties?": ["0"] * 10}
    (tmp_path / "a").mkdir()
    source = write_vqa(tmp_path / "a", given)
    both = ("existence", "counting-small")
    with pytest.raises(InputError, match=r"no probe could be made.*1 x existence: what several have, said of one"):
        falter.generate("valse", source, out=tmp_path / "suite", instrument=both, images="none")


def test_nobody_needs_the_image_to_find_a_clock_on_a_clock_tower(tmp_path: Path) -> None:
    given = {
        "How many clocks are on the clock tower?": ["2"] * 10,
        "How many clocks are on the tower?": ["5"] * 10,
        "How many cats are on the boats in the water?": ["3"] * 10,
    }
    assert set(numbers_of_foils(tmp_path / "a", given)) == set(list(given)[1:])


@needs_wordnet
def test_an_owner_has_an_apostrophe(tmp_path: Path) -> None:
    given = {
        "How many circles are on the skiers shirt?": ["2"] * 10,
        "How many dogs are on the skier's shirt?": ["5"] * 10,
        "How many cats are on the boats in the water?": ["3"] * 10,
    }
    assert set(numbers_of_foils(tmp_path / "a", given)) == set(list(given)[1:])
