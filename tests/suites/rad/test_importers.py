"""Released pairs become suites of RAD: linked by id, by image and reading back, and what is not is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import falter
from falter.core.errors import FalterError, InputError, UsageError
from tests.cli.in_process import falter_here

pytestmark = pytest.mark.bundle("rad")

Asked = tuple[int, int, str, str]


def write_vqa(folder: Path, stem: str, asked: list[Asked], **more: dict[int, Any]) -> None:
    """Questions (id, image, text, answer) in VQA's schema; ``more`` are further fields by id."""
    folder.mkdir(exist_ok=True)
    questions, annotations = [], []
    for id_, image, text, answer in asked:
        own = {key: values[id_] for key, values in more.items() if id_ in values}
        questions.append({"question_id": id_, "image_id": image, "question": text, **own})
        answers = [{"answer": answer, "answer_id": place} for place in range(1, 11)]
        record = {"question_id": id_, "image_id": image, "multiple_choice_answer": answer, "answers": answers}
        if answer:
            annotations.append(record)
    (folder / f"{stem}_questions.json").write_text(json.dumps({"questions": questions}))
    (folder / f"{stem}_annotations.json").write_text(json.dumps({"annotations": annotations}))


@pytest.fixture
def originals(tmp_path: Path) -> str:
    asked = [
        (1001, 1, "What color is the car?", "red"),
        (1002, 1, "What color is the bus?", "blue"),
        (1003, 1, "Is it raining?", "no"),
        (2001, 2, "How many dogs are there?", "3"),
        (2002, 2, "How many dogs are there?", "4"),
        (3001, 3, "What kind of animal is this?", "cow"),
    ]
    write_vqa(tmp_path / "vqa", "v2_OpenEnded_mscoco_val2014", asked)
    return f"vqa:{tmp_path / 'vqa'}"


def import_(name: str, folder: Path, **options: Any) -> tuple[list[tuple[str, ...]], dict[str, Any]]:
    suite = falter.import_suite(name, folder, out=folder.parent / f"out-{name}", overwrite=True, **options)
    pairs = [
        (variant.test, probe.original.text, str(probe.original.gold), variant.text, str(variant.gold))
        for probe in suite
        for variant in probe.variants
    ]
    return pairs, suite.manifest.counts


def test_yes_no_vqa_is_linked_by_id_else_by_image_and_reading_back(tmp_path: Path, originals: str) -> None:
    folder = tmp_path / "release"
    colors = [
        (1002, 1, "Is the color of the bus green?", "no"),
        (7, 1, "is the color of the car red", "yes"),
        (1003, 1, "Is the color of the car pink?", "no"),
        (8, 1, "Is the color of the tree red?", "no"),
        (9, 99, "Is the color of the car red?", "no"),
        (10, 1, "Is the color of the car white?", ""),
    ]
    write_vqa(folder, "yes-no_from_colors_val", colors)
    write_vqa(folder, "yes-no_from_how-many_val", [(5, 2, "Are there three dogs?", "yes")])
    write_vqa(folder, "yes-no_from_what-kind_train", [(3001, 3, "Is this animal a cow?", "yes")])
    pairs, counts = import_("yes-no-vqa", folder, originals=originals)
    assert pairs == [
        ("color", "What color is the bus?", "blue", "Is the color of the bus green?", "no"),
        ("color", "What color is the car?", "red", "is the color of the car red", "yes"),
        ("color", "What color is the car?", "red", "Is the color of the car pink?", "no"),
    ]
    assert (counts["read"], counts["linked_by_id"], counts["linked_by_image"]) == (7, 1, 2)
    assert counts["refused"] == {
        "color: it reads back to no original of the image": 1,
        "color: no original of this form is about the image": 1,
        "color: the question has no answer": 1,
        "how-many: it reads back to several originals of the image": 1,
    }
    pairs, counts = import_("yes-no-vqa", folder, originals=originals, split="train")
    assert pairs == [("what-kind", "What kind of animal is this?", "cow", "Is this animal a cow?", "yes")]
    assert falter.audit(folder.parent / "out-yes-no-vqa").agree == 2


def test_yes_no_vqa_says_what_it_needs(tmp_path: Path, originals: str) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    with pytest.raises(UsageError, match="--originals"):
        import_("yes-no-vqa", folder)
    with pytest.raises(InputError, match="holds no file of YesNoVQA"):
        import_("yes-no-vqa", folder, originals=originals)
    (folder / "yes-no_from_colors_val_questions.json").write_text("{}")
    with pytest.raises(InputError, match=r"annotations\.json: does not exist"):
        import_("yes-no-vqa", folder, originals=originals)
    (folder / "yes-no_from_colors_val_annotations.json").write_text("{}")
    with pytest.raises(InputError, match="is not VQA's format"):
        import_("yes-no-vqa", folder, originals=originals)


def test_rephrasings_have_their_originals_answers(tmp_path: Path, originals: str) -> None:
    folder = tmp_path / "release"
    asked = [
        (10, 1, "What color is the car?", "red"),
        (101, 1, "Which color does the car have?", "red"),
        (102, 1, "The car is what color?", ""),
        (103, 1, "what color is the car", "red"),
        (104, 2, "What is the color of the car?", "red"),
        (105, 1, "Which color does the  car have", "red"),
        (201, 1, "Which color is the bus?", "blue"),
        (301, 1, "Which color is the sky?", "blue"),
        (40, 1, "Is it day?", "yes"),
    ]
    of = {101: 10, 102: 10, 103: 10, 104: 10, 105: 10, 201: 1002, 301: 999, 40: 40}
    write_vqa(folder, "v2_OpenEnded_mscoco_valrep2014_humans_og", asked, rephrasing_of=of)
    pairs, counts = import_("vqa-rephrasings", folder)
    assert pairs == [
        ("rephrasings", "What color is the car?", "red", "Which color does the car have?", "red"),
        ("rephrasings", "What color is the car?", "red", "The car is what color?", "red"),
    ]
    assert (counts["read"], counts["linked"]) == (9, 2)
    assert counts["refused"] == {
        "a rephrasing appears twice": 1,
        "a rephrasing is about another image than its original": 1,
        "a rephrasing is its original word for word": 1,
        "the original has no rephrasing": 1,
        "the original of a rephrasing is not there": 2,
    }
    pairs, _ = import_("vqa-rephrasings", folder, originals=originals)
    assert ("rephrasings", "What color is the bus?", "blue", "Which color is the bus?", "blue") in pairs
    found = falter.audit(tmp_path / "out-vqa-rephrasings")
    assert (found.agree, found.disagree) == (5, 0)


def test_a_release_of_which_nothing_can_be_used_is_no_suite(tmp_path: Path) -> None:
    asked = [(1, 1, "What color is the car?", "red"), (2, 1, "The car is what color?", "red")]
    stem = "v2_OpenEnded_mscoco_valrep2014_humans_og"
    write_vqa(tmp_path / "files", stem, asked, rephrasing_of={2: 1})
    for file in (tmp_path / "files").glob("*annotations.json"):
        file.unlink()
    with pytest.raises(InputError, match=r"can be used \(1 x neither the rephrasing nor its original has an answer"):
        import_("vqa-rephrasings", tmp_path / "files")
    assert [one.name for one in tmp_path.iterdir()] == ["files"]


def convqa(folder: Path, common: object, logical: object, split: object) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in (
        ("CommonSense_ConVQA_consistent.json", common),
        ("cleaned_Logical_ConVQA_test.json", logical),
        ("highlevel_test_split.json", split),
    ):
        (folder / name).write_text(json.dumps(content))
    return folder


def test_convqa_has_sets_whose_first_question_is_the_original(tmp_path: Path) -> None:
    place = "https://example.org/val2014/COCO_val2014_{:012d}.jpg"
    five = [[f"is it {number}", "yes"] for number in range(5)]
    common = {
        place.format(1): [["how many zebras", "3"], ["are there 3 animals", "yes"], ["how many zebras", "3"]],
        place.format(2): [["what is it", "cat"]],
        place.format(3): [*five, *[[f"was it {number}", "no"] for number in range(5)]],
        place.format(4): [*five, ["is it late", "no"]],
        place.format(5): [["what is it", 7], ["is it a cat", "yes"]],
        place.format(6): [["not in the split", "x"], ["is it", "no"]],
        place.format(7): "no list",
    }
    logical = {"77": [[{"question": "is train yellow", "answer": "yes"}, {"question": "is train red", "answer": "no"}]]}
    logical["77"].append(
        [{"question": "is train red", "answer": "yes"}, {"question": "do you see it", "answer": "yes"}]
    )
    split = [place.format(number) for number in (1, 2, 3, 4, 5, 7)]
    folder = convqa(tmp_path / "release", common, logical, split)
    pairs, counts = import_("convqa", folder)
    assert [pair for pair in pairs if pair[0] == "convqa-l"] == [
        ("convqa-l", "is train yellow", "yes", "is train red", "no"),
        ("convqa-l", "is train red", "yes", "do you see it", "yes"),
    ]
    assert pairs[0] == ("convqa-cs", "how many zebras", "3", "are there 3 animals", "yes")
    assert sorted({pair[1] for pair in pairs if pair[0] == "convqa-cs"}) == ["how many zebras", "is it 0", "was it 0"]
    assert counts["linked"] == len(pairs) == 11
    assert counts["refused"] == {
        "convqa-cs: a question appears twice in its set": 1,
        "convqa-cs: a question is malformed": 1,
        "convqa-cs: a set is malformed": 1,
        "convqa-cs: a set of one question": 1,
        "convqa-cs: several sets in one list, with no mark where they begin": 6,
        "convqa-cs: the original of a question cannot be used": 1,
    }
    assert len(import_("convqa", folder, split="all")[0]) == 12
    suite = falter.load(tmp_path / "out-convqa")
    assert suite.manifest.notes == ["convqa-l: 1 question of an image has two answers, as published."]
    # People gave the labels: no source would help.
    audited = falter_here("audit", tmp_path / "out-convqa")
    assert audited.code == 1
    assert audited.stderr.strip() == "nothing was audited"
    assert "x people gave the label" in audited.stdout
    assert set(falter.audit(suite).not_audited) == {"people gave the label"}


def test_files_of_convqa_that_cannot_be_read_are_one_line(tmp_path: Path) -> None:
    folder = convqa(tmp_path / "release", [], {}, [])
    with pytest.raises(FalterError, match="is not common-sense sets of ConVQA"):
        import_("convqa", folder)
    (folder / "highlevel_test_split.json").unlink()
    with pytest.raises(InputError, match=r"does not exist .*--split all"):
        import_("convqa", folder)


def test_released_pairs_are_scored_by_rad(tmp_path: Path) -> None:
    place = "COCO_val2014_{:012d}.jpg"
    common = {
        place.format(1): [["is it red", "yes"], ["is it blue", "no"]],
        place.format(2): [["is it red", "yes"], ["is it a color", "yes"]],
    }
    folder = convqa(tmp_path / "release", common, {}, list(common))
    import_("convqa", folder)
    run = falter.run(tmp_path / "out-convqa", "builtin:always-yes", out=tmp_path / "run")
    scores = {one.measure: one.value for one in falter.score(run) if one.test == "convqa-cs" and not one.facet}
    assert (scores["rad_forward"], scores["rad_backward"]) == (0.5, 1.0)
