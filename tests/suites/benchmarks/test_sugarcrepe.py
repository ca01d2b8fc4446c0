"""SugarCrepe: captions and negatives, matched or chosen between, and answers in the authors' layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import InputError, UsageError
from falter.data.suite import Suite
from falter.suites.benchmarks.sugarcrepe.answers import named_number
from tests.suites.benchmarks.published import Scored, imported, json_file, json_lines
from tests.suites.benchmarks.releases import SUGARCREPE, write_sugarcrepe

ORDERS = ("positive-first", "negative-first")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_sugarcrepe(tmp_path / "release")


@pytest.fixture
def choices(release: Path, tmp_path: Path) -> Suite:
    return imported("sugarcrepe", release, tmp_path / "choices", item_format="choice")


def test_captions_come_without_the_blanks_around_them(release: Path, tmp_path: Path) -> None:
    suite = imported("sugarcrepe", release, tmp_path / "suite")
    items = suite.to_polars()
    assert items["text"].to_list() == [
        *("A cat sits on a mat.", "A mat sits on a cat."),
        *("A dog chases a man", "A man chases a dog."),
        *("A red car.", "A red and rusty car."),
    ]
    assert items["source_id"].to_list()[2:4] == ["swap_obj:2:caption", "swap_obj:2:negative"]
    assert suite.manifest.notes == [
        "5 of the 7 splits are not there: replace_obj, replace_att, replace_rel, swap_att, add_obj.",
        "1 pair with a full stop in the negative alone and 0 in the caption alone: "
        "--full-stops none takes it off both.",
    ]


def test_full_stops_can_be_taken_off_both(release: Path, tmp_path: Path) -> None:
    suite = imported("sugarcrepe", release, tmp_path / "suite", full_stops="none")
    assert not any(text.endswith(".") for text in suite.to_polars()["text"])


def test_a_tie_is_not_a_win_of_the_caption(release: Path, tmp_path: Path) -> None:
    suite = imported("sugarcrepe", release, tmp_path / "suite")
    scores = {"swap_obj:0": (0.5, 0.5), "swap_obj:2": (0.4, 0.1), "add_att:0": (0.1, 0.3)}
    rows = [
        {"source_id": f"{key}:{side}", "score": score}
        for key, both in scores.items()
        for side, score in zip(("caption", "negative"), both, strict=True)
    ]
    scored = Scored(suite, json_lines(tmp_path / "scores.jsonl", rows), tmp_path / "run")
    assert scored.value("acc_r", "swap_obj") == 1 / 2
    assert scored.value("acc_r", "add_att") == 0.0


def test_both_orders_number_both_captions(choices: Suite) -> None:
    items = choices.to_polars()
    assert items["text"][0] == (
        "Which caption best describes the image?\n(1) A cat sits on a mat.\n(2) A mat sits on a cat."
    )
    assert items["text"][1].endswith("\n(1) A mat sits on a cat.\n(2) A cat sits on a mat.")
    assert items["gold"].to_list() == ["(1)", "(2)"] * 3


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("(1)", "(1)"),
        ("Output (2).", "(2)"),
        ("1", "(1)"),
        ("The 2 dogs are in (1)", "(1)"),
        ("Neither (1) nor (2)", None),
        ("12", None),
        ("I cannot tell.", None),
    ],
)
def test_an_answer_names_one_number(said: str, number: str | None) -> None:
    assert named_number(said) == number


def answer(said: str, split: str, key: str, order: str, **more: Any) -> dict[str, Any]:
    caption, negative = SUGARCREPE[split][key]
    number = {"(1)": 0, "(2)": 1}.get(said)
    shown = (caption, negative) if order == "positive-first" else (negative, caption)
    chosen = "" if number is None else shown[number]
    return {
        "answer": {"free_form_answer": said, "multiple_choice_answer": chosen},
        "caption": caption,
        "negative_caption": negative,
        "filename": "x.jpg",
        "correct": chosen == caption,
        **more,
    }


def write_answers(folder: Path) -> Path:
    said = {
        "positive-first": {"swap_obj": {"0": "(1)", "2": "(1)"}, "add_att": {"0": "neither (1) nor (2)"}},
        "negative-first": {"swap_obj": {"0": "(1)", "2": "(2)"}, "add_att": {"0": "(2)"}},
    }
    for order, splits in said.items():
        for split, answers in splits.items():
            records = {key: answer(text, split, key, order) for key, text in answers.items()}
            if split == "swap_obj":
                records["108"] = answer("(1)", split, "0", order)
            json_file(folder / order / f"gpt4v-{split}.json", records)
    return folder


def test_accuracies_are_by_split_and_order_and_the_mean_of_both(choices: Suite, tmp_path: Path) -> None:
    scored = Scored(choices, write_answers(tmp_path / "gpt"), tmp_path / "run")
    assert scored.value("acc_original", "swap_obj") == 1.0
    assert scored.value("acc_perturbed", "swap_obj") == 1 / 2
    assert scored.value("acc", "swap_obj") == 3 / 4
    assert scored.value("acc_original", "add_att") == 0.0
    assert scored.value("acc_perturbed", "add_att") == 1.0
    assert scored.notes == [
        "2 ids in gpt are not in the suite: they are ignored (swap_obj:108:negative-first, swap_obj:108:positive-first)"
    ]


def test_a_file_alone_tells_its_order_by_what_the_numbers_stand_for(choices: Suite, tmp_path: Path) -> None:
    answers = write_answers(tmp_path / "gpt") / "negative-first" / "gpt4v-swap_obj.json"
    alone = tmp_path / "gpt4v-swap_obj.json"
    alone.write_bytes(answers.read_bytes())
    scored = Scored(choices, alone, tmp_path / "run")
    assert scored.value("failed", "swap_obj") == 2
    assert [one for one in scored.notes if "4 of 6 items" in one]


def test_odd_answers_are_named_and_counted(choices: Suite, tmp_path: Path) -> None:
    folder = write_answers(tmp_path / "gpt")
    odd = {"0": answer("(1)", "swap_obj", "0", "positive-first", correct=False), "2": {"answer": None}}
    json_file(folder / "positive-first" / "gpt4v-swap_obj.json", odd)
    other = {"0": answer("(1)", "add_att", "0", "positive-first", caption="Another caption.")}
    json_file(folder / "positive-first" / "gpt4v-add_att.json", other)
    scored = Scored(choices, folder, tmp_path / "run")
    assert [note for note in scored.notes if note.startswith("records of ")] == [
        "records of gpt4v-add_att.json that have other captions than the suite, and are ignored: 1 (add_att 0)",
        "records of gpt4v-swap_obj.json that say in correct otherwise than their number does, which counts: 1 "
        "(swap_obj 0)",
        "records of gpt4v-swap_obj.json that hold no answer, and count as missing: 1 (swap_obj 2)",
    ]


def test_answers_to_numbered_captions_need_the_suite_of_choices(release: Path, tmp_path: Path) -> None:
    suite = imported("sugarcrepe", release, tmp_path / "suite")
    with pytest.raises(InputError, match="import SugarCrepe with --item-format choice"):
        Scored(suite, write_answers(tmp_path / "gpt"), tmp_path / "run")


def test_one_order_alone_is_scored_where_it_is_imported_alone(choices: Suite, release: Path, tmp_path: Path) -> None:
    told = {
        "0": answer("(1)", "swap_obj", "0", "negative-first"),
        "2": answer("(2)", "swap_obj", "2", "negative-first"),
    }
    path = json_file(tmp_path / "negative-first" / "gpt4v-swap-obj.json", told)
    both = Scored(choices, path, tmp_path / "run")
    assert both.notes[0].endswith("--item-format choice --order negative-first to score them")
    assert both.value("acc", "swap_obj") is None
    suite = imported("sugarcrepe", release, tmp_path / "one", item_format="choice", order="negative-first")
    assert suite.to_polars()["gold"].to_list() == ["(2)"] * 3
    assert Scored(suite, path, tmp_path / "again").value("acc", "swap_obj") == 1 / 2


def test_an_order_is_of_numbered_captions(release: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--order is of numbered captions: give --item-format choice"):
        imported("sugarcrepe", release, tmp_path / "one", order="negative-first")


@pytest.mark.parametrize("as_list", [True, False])
def test_sugarcrepe_plus_plus_is_another_data_set(tmp_path: Path, as_list: bool) -> None:
    row = {"id": 0, "filename": "1.jpg", "caption": "A cat on a mat.", "negative_caption": "A mat on a cat."}
    rows = [{**row, "caption2": "On a mat, there is a cat."}]
    json_file(tmp_path / "release" / "swap_obj.json", rows if as_list else {"0": rows[0]})
    with pytest.raises(InputError, match=r"swap_obj\.json, .*is of SugarCrepe\+\+: .*caption2.*falter import table"):
        imported("sugarcrepe", tmp_path / "release", tmp_path / "suite")
    assert not (tmp_path / "suite").exists()
