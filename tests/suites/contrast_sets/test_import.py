"""Contrast sets made elsewhere come in from three formats and find their originals, or are counted with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.data.suite import Suite, open_suite
from tests.cli.in_process import falter_here

pytestmark = pytest.mark.bundle("contrast-sets")

ORIGINALS: dict[str, dict[str, Any]] = {
    "11": {"imageId": "1", "question": "Is there a fence near the puddle?", "answer": "yes"},
    "12": {"imageId": "1", "question": "On which side is the dishwasher?", "answer": "left"},
    "13": {"imageId": "1", "question": "Is the boy to the right of the man?", "answer": "yes"},
    "14": {"imageId": "1", "question": "How tall would you guess the zorgle is?", "answer": "tall"},
    "21": {"imageId": "2", "question": "Is there a fence near the puddle?", "answer": "no"},
    "22": {"imageId": "2", "question": "What color is the cat?", "answer": "black"},
    "23": {"imageId": "2", "question": "What color is the dog?", "answer": "white"},
}
CHANGED = [
    ("11_1", "1", "Is there a wall near the puddle?", "no", "near", "11", "id"),
    ("11_2", "1", "Are there any men near the puddle?", "no", "near", "11", "id"),
    ("new-1", "1", "Is there an elephant near the puddle?", "no", "near", "11", "atom"),
    ("new-2", "1", "On which side are the dishes?", "right", "side", "12", "atom"),
    ("new-3", "1", "Is the boy to the left of the man?", "no", "relation", "13", "atom"),
    ("new-4", "1", "Is the zebra to the right of the man?", "no", "relation-object", "13", "atom"),
    ("new-5", "1", "How tall would you guess the blimf is?", "short", "other", "14", "words"),
]
UNLINKED = {
    ("a", "3", "Is there a wall near the puddle?", "no"): "there is no original on its image",
    ("b", "1", "Who wears the hat?", "boy"): "more than one thing differs from every original on its image",
    ("c", "2", "What color is the bird?", "red"): "several originals are as near to it",
    ("d", "1", "Is there a pole near the puddle?", "yes"): "it has the answer of its original",
    ("11", "1", "Is there a fence near the puddle?", "yes"): "it is its original, word for word",
}


def lxmert(rows: list[tuple[str, ...]]) -> Any:
    return [
        {"img_id": image, "label": {gold: 1.0}, "question_id": key, "sent": text} for key, image, text, gold in rows
    ]


def mac(rows: list[tuple[str, ...]]) -> Any:
    return {
        "questions": [
            {"imageId": image, "answer": gold, "questionId": key, "question": text} for key, image, text, gold in rows
        ]
    }


def gqa(rows: list[tuple[str, ...]]) -> Any:
    return {key: {"imageId": image, "answer": gold, "question": text} for key, image, text, gold in rows}


def imported(folder: Path, content: Any, originals: str = "") -> Suite:
    (folder / "given").mkdir(parents=True, exist_ok=True)
    (folder / "given" / "changed.json").write_text(json.dumps(content))
    (folder / "originals.json").write_text(json.dumps(ORIGINALS))
    source = originals or f"gqa:questions={folder / 'originals.json'}"
    done = falter_here("import", "contrast-sets", folder / "given", "--originals", source, "--out", folder / "suite")
    assert done.code == 0, done.stderr
    return open_suite(folder / "suite")


@pytest.mark.parametrize("form", [lxmert, mac, gqa])
def test_changed_questions_find_their_originals_in_every_format(form: Any, tmp_path: Path) -> None:
    suite = imported(tmp_path, form([row[:4] for row in CHANGED] + list(UNLINKED)))
    found = {
        variant.source_id: (variant.image_id, variant.text, variant.gold, variant.test, probe.original.source_id, how)
        for probe in suite.probes()
        for variant in probe.variants
        for how in [variant.facets["linked"]]
    }
    assert found == {key: tuple(rest) for key, *rest in CHANGED}
    refused_as = suite.manifest.counts["refused"]
    assert refused_as == dict.fromkeys(UNLINKED.values(), 1)
    near = next(probe for probe in suite.probes() if probe.original.test == "near")
    assert near.original.text == "Is there a fence near the puddle?"
    assert near.original.choices == ("yes", "no")
    assert {item.expects for item in near.items} == {"each"}


def test_originals_may_be_a_file_and_records_may_name_them(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(
        json.dumps(lxmert([(key, one["imageId"], one["question"], one["answer"]) for key, one in ORIGINALS.items()]))
    )
    changed = lxmert([("x1", "2", "What color is the bird?", "red"), ("x2", "2", "What color is the cow?", "red")])
    changed[0]["original_question_id"] = "22"
    changed[1]["original_question_id"] = 99
    suite = imported(tmp_path, changed, originals=str(tmp_path / "old.json"))
    (probe,) = suite.probes()
    assert [item.text for item in probe.items] == ["What color is the cat?", "What color is the bird?"]
    assert suite.manifest.counts["refused"] == {"the original that it names is not among the originals": 1}


def test_one_file_may_hold_both(tmp_path: Path) -> None:
    rows = [("7", "1", "Is it old?", "yes"), ("7-a", "1", "Is it young?", "no"), ("8", "1", "Is it red?", "yes")]
    (tmp_path / "both.json").write_text(json.dumps(lxmert(rows)))
    suite = imported(tmp_path, lxmert(rows), originals=str(tmp_path / "both.json"))
    assert [[item.source_id for item in probe.items] for probe in suite.probes()] == [["7", "7-a"]]
    assert suite.manifest.counts["refused"] == {"it is its original, word for word": 2}


def test_records_that_cannot_be_used_are_counted_and_skipped(tmp_path: Path) -> None:
    good = lxmert([("11_1", "1", "Is there a wall near the puddle?", "no")])
    broken: list[Any] = [
        5, None, "text", [], {},
        {**good[0], "sent": ""},
        {**good[0], "sent": "?!"},
        {**good[0], "sent": "水たまりの近くに壁がありますか?"},
        {**good[0], "more": json.loads("[" * 900 + "]" * 900)},
        {**good[0], "sent": "Is there a wall? " * 700},
        {**good[0], "sent": ["Is", "it"]},
        {**good[0], "img_id": None},
        {**good[0], "question_id": True},
        {**good[0], "label": {}},
        {**good[0], "label": {"yes": 1.0, "no": 1.0}},
        {**good[0], "label": "  "},
        {**good[0], "question_id": "z", "sent": "¿Hay un muro cerca del charco?"},
        good[0],
    ]  # fmt: skip
    suite = imported(tmp_path, good + broken)
    assert [len(probe.items) for probe in suite.probes()] == [2]
    counted = suite.manifest.counts["refused"]
    assert sum(counted.values()) == len(broken)
    assert counted["the question has no text"] == 3
    assert counted["the record is not an object"] == 5
    for reason in ("has no words", "is not written in Latin letters", "is longer than 1000 characters"):
        assert counted[f"the question {reason}"] == 1
    assert counted["several answers of the question score the same"] == 1
    assert counted["the same question comes twice"] == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"questions": 5}', "not a JSON list of questions"),
        ("[1, 2", "changed.json"),
        ("3", "a JSON list or object of questions"),
        ("[]", "holds no question with an original"),
    ],
)
def test_files_that_hold_no_questions_are_refused_in_one_line(content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "changed.json").write_text(content)
    (tmp_path / "originals.json").write_text(json.dumps(ORIGINALS))
    given = ("import", "contrast-sets", tmp_path / "changed.json", "--out", tmp_path / "suite")
    done = falter_here(*given, "--originals", f"gqa:questions={tmp_path / 'originals.json'}")
    assert done.code == 2
    assert told in done.stderr
    assert not (tmp_path / "suite").exists()


def test_what_cannot_be_imported_is_told_with_what_helps(tmp_path: Path) -> None:
    (tmp_path / "originals.json").write_text(json.dumps(ORIGINALS))
    (tmp_path / "unread.json").write_text('[{"img_id": "1", "sent": "Is it?"}]')
    (tmp_path / "unlinked.json").write_text(json.dumps(lxmert([("a", "3", "Is there a wall?", "no")])))
    told = {
        "unread": "1 x the question has no id) (give a file in the format of LXMERT, MAC or GQA)",
        "unlinked": "1 x there is no original on its image) (give the questions that these were made from",
        "absent": "is neither a file nor a folder (give the file, or the folder with the files, of contrast-sets)",
    }
    for name, message in told.items():
        given = ("--originals", tmp_path / "originals.json", "--out", tmp_path / "suite")
        done = falter_here("import", "contrast-sets", tmp_path / f"{name}.json", *given)
        assert done.code == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1


def test_without_originals_nothing_is_imported(tmp_path: Path) -> None:
    (tmp_path / "changed.json").write_text("[]")
    done = falter_here("import", "contrast-sets", tmp_path, "--out", tmp_path / "suite")
    assert done.code == 2
    assert "pass --originals" in done.stderr


def test_an_imported_suite_is_scored_as_sets(tmp_path: Path) -> None:
    imported(tmp_path, lxmert([row[:4] for row in CHANGED]))
    answers = [{"questionId": key, "prediction": gold} for key, _, _, gold, *_ in CHANGED]
    wrong = ("11_2",)
    answers = [{**one, "prediction": "yes"} if one["questionId"] in wrong else one for one in answers]
    answers += [{"questionId": key, "prediction": one["answer"]} for key, one in ORIGINALS.items()]
    (tmp_path / "answers.json").write_text(json.dumps(answers))
    model = f"file:{tmp_path / 'answers.json'}"
    done = falter_here("run", tmp_path / "suite", "--model", model, "--out", tmp_path / "run")
    assert done.code == 0, done.stderr
    scored = json.loads(falter_here("score", tmp_path / "run", "--json").stdout)
    found = {
        (one["group"]["test"], one["measure"]): one["value"]
        for one in scored[0]["scores"]
        if one["group"]["facet"] is None
    }
    assert found["near", "set_acc"] == 0.0
    assert found["near", "acc_perturbed"] == pytest.approx(2 / 3)
    assert found["all", "set_acc"] == pytest.approx(4 / 5)
    assert found["all", "acc_original_once"] == 1.0
