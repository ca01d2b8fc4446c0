"""Published benchmarks, beside the checkout: their counts, and scores of made-up answers by the authors' formulas."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.suites.benchmarks.published import Scored, imported, json_file, json_lines

DATA = Path(__file__).parents[2] / "../shared/data"

pytestmark = pytest.mark.real


def needs(*names: str) -> pytest.MarkDecorator:
    missing = [name for name in names if not (DATA / name).exists()]
    return pytest.mark.skipif(bool(missing), reason=f"needs ../shared/data/{' and '.join(missing)} beside the checkout")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


SAID = (
    "Yes",
    "No",
    "Yes, there is. No doubt.",
    "There is not one",
    "no",
    "",
    "Not so. No",
    "I see no such thing",
    "NO",
)


def reads_as_no(text: str) -> bool:
    first = text.split(".", maxsplit=1)[0] if "." in text else text
    words = first.replace(",", "").split(" ")
    return "No" in words or "not" in words or "no" in words


@needs("pope")
def test_pope_in_llavas_layout_scores_as_the_official_formulas_do(tmp_path: Path) -> None:
    suite = imported("pope", DATA / "pope", tmp_path / "suite")
    assert suite.manifest.counts["files"] == {
        "coco_pope_adversarial.json": 3000,
        "coco_pope_popular.json": 3000,
        "coco_pope_random.json": 2910,
    }
    draw = Random(0)
    asked = lines(DATA / "pope/llava/llava_pope_test.jsonl")
    answers = [
        {"question_id": one["question_id"], "prompt": one["text"], "text": draw.choice(SAID), "metadata": {}}
        for one in asked
    ]
    scored = Scored(suite, json_lines(tmp_path / "llava.jsonl", answers), tmp_path / "run")
    (note,) = scored.notes
    silent = sum(not one["text"] for one in answers)
    assert note.startswith(f"{silent} predictions in llava.jsonl are empty")
    for test in ("random", "popular", "adversarial"):
        said = [
            not reads_as_no(answer["text"])
            for answer, one in zip(answers, asked, strict=True)
            if one["category"] == test
        ]
        gold = [one["label"] == "yes" for one in lines(DATA / f"pope/coco_pope_{test}.json")]
        both = list(zip(said, gold, strict=True))
        tp, fp, fn = both.count((True, True)), both.count((True, False)), both.count((False, True))
        precision, recall = tp / (tp + fp), tp / (tp + fn)
        assert scored.value("acc", test) == (tp + both.count((False, False))) / len(gold)
        assert scored.value("precision", test) == precision
        assert scored.value("recall", test) == recall
        assert scored.value("f1", test) == 2 * precision * recall / (precision + recall)
        assert scored.value("yes_rate", test) == said.count(True) / len(said)


@needs("pope")
def test_a_cut_off_file_of_pope_borrows_no_answers_of_another_split(tmp_path: Path) -> None:
    """The 1,500 yes questions are those of every split, and many no questions are of two."""
    suite = imported("pope", DATA / "pope", tmp_path / "suite")
    order = ("adversarial", "random", "popular")
    asked = sorted(lines(DATA / "pope/llava/llava_pope_test.jsonl"), key=lambda one: order.index(one["category"]))
    answers = [
        {"question_id": one["question_id"], "prompt": one["text"], "text": "Yes", "metadata": {}} for one in asked
    ]
    for kept, missing in ((5712, (198, 3000, 0)), (2500, (2910, 3000, 500))):
        path = json_lines(tmp_path / f"{kept}.jsonl", answers[:kept])
        scored = Scored(suite, path, tmp_path / f"run-{kept}")
        assert tuple(scored.value("failed", test) for test in ("random", "popular", "adversarial")) == missing
        assert scored.value("acc", "popular") is None
        (note,) = scored.notes
        assert note.startswith(f"warning: {sum(missing)} of 8910 items are missing")


@needs("pope", "pope-newest")
def test_answers_with_image_and_question_fit_both_releases_of_pope(tmp_path: Path) -> None:
    old = lines(DATA / "pope/coco_pope_random.json")
    rows = [{"image": one["image"], "question": one["text"], "answer": one["label"]} for one in old]
    suite = imported("pope", DATA / "pope-newest", tmp_path / "suite")
    scored = Scored(suite, json_lines(tmp_path / "random.jsonl", rows), tmp_path / "run")
    assert scored.value("acc", "random") == 1.0
    assert scored.value("failed", "random") == 90


@needs("sugarcrepe")
def test_sugarcrepe_scores_answers_in_its_authors_folders(tmp_path: Path) -> None:
    suite = imported("sugarcrepe", DATA / "sugarcrepe", tmp_path / "suite", item_format="choice")
    draw = Random(1)
    right: dict[tuple[str, str], list[bool]] = {}
    for order, own in (("positive-first", "(1)"), ("negative-first", "(2)")):
        for path in sorted((DATA / "sugarcrepe").glob("*.json")):
            released = json.loads(path.read_text())
            answers = {}
            for key, one in released.items():
                text = draw.choice(("(1)", "(2)", "Output (1)", "Neither (1) nor (2)", "I cannot tell", "2"))
                number = {"(1)": "(1)", "(2)": "(2)", "Output (1)": "(1)", "2": "(2)"}.get(text)
                answers[key] = {"answer": {"free_form_answer": text, "multiple_choice_answer": ""}, **one}
                right.setdefault((path.stem, order), []).append(number == own)
            json_file(tmp_path / "gpt" / order / f"gpt4v-{path.stem}.json", answers)
    scored = Scored(suite, tmp_path / "gpt", tmp_path / "run")
    assert scored.notes == []
    assert sum(map(len, right.values())) == 2 * 7511
    for split in {split for split, _ in right}:
        first, second = (right[split, order] for order in ("positive-first", "negative-first"))
        assert scored.value("acc_original", split) == sum(first) / len(first)
        assert scored.value("acc_perturbed", split) == sum(second) / len(second)
        assert scored.value("acc", split) == (sum(first) + sum(second)) / (2 * len(first))


@needs("vsr")
def test_vsr_scores_lines_by_relation_and_category(tmp_path: Path) -> None:
    suite = imported("vsr", DATA / "vsr", tmp_path / "suite")
    assert suite.manifest.counts["files"]["random/test.jsonl"] == 2195
    assert suite.manifest.counts["files"]["zeroshot/test.jsonl"] == 1222
    statements = lines(DATA / "vsr/random/test.jsonl")
    draw = Random(2)
    predicted = [draw.randint(0, 1) for _ in statements]
    path = tmp_path / "preds.txt"
    path.write_text("\n".join(map(str, predicted)))
    scored = Scored(suite, path, tmp_path / "run", by=("relation", "category"))
    right: dict[str, list[bool]] = {}
    for said, one in zip(predicted, statements, strict=True):
        right.setdefault(one["relation"], []).append(said == one["label"])
    for relation, own in right.items():
        assert scored.value("acc", "random", "relation", relation) == sum(own) / len(own)
    assert scored.value("acc", "random") == sum(map(sum, right.values())) / len(statements)
    # "among" stands under two categories of the file, of which the later counts.
    assert scored.value("acc", "random", "category", "Unallocated") == sum(
        sum(right.get(one, [])) for one in UNALLOCATED
    ) / sum(len(right.get(one, [])) for one in UNALLOCATED)


UNALLOCATED = ("beyond", "next to", "opposite to", "after", "among", "enclosed by")


@needs("hallusionbench")
def test_hallusionbench_scores_as_its_authors_do(tmp_path: Path) -> None:
    suite = imported("hallusionbench", DATA / "hallusionbench", tmp_path / "suite")
    records = json.loads((DATA / "hallusionbench/HallusionBench.json").read_text())
    draw = Random(3)
    for one in records:
        one |= {"model_prediction": "Well.", "gpt4v_output_gpt_check": draw.choice("1111102")}
    scored = Scored(suite, json_file(tmp_path / "judged.json", records), tmp_path / "run")
    assert scored.notes == []

    def is_right(one: dict[str, Any]) -> bool:
        unclear_is_right = one["category"] == "VS" and one["figure_id"] == "0"
        return one["gpt4v_output_gpt_check"] in ("1", "2" if unclear_is_right else "1")

    def share(names: tuple[str, ...], chosen: list[dict[str, Any]]) -> tuple[float, int]:
        groups: dict[tuple[str, ...], list[bool]] = {}
        for one in chosen:
            groups.setdefault(tuple(one[name] for name in names), []).append(is_right(one))
        return sum(map(all, groups.values())) / len(groups), len(groups)

    figure = ("category", "subcategory", "set_id", "figure_id")
    pair = ("category", "subcategory", "set_id", "question_id")
    n = {(score.measure, score.group.test): score.n for score in scored.scores}
    for test in ("VD", "VS", "all"):
        own = [one for one in records if test in (one["category"], "all")]
        shown = [one for one in own if one["category"] == "VD" or one["figure_id"] != "0"]
        expected = {
            "a_acc": (sum(map(is_right, own)) / len(own), len(own)),
            "f_acc": share(figure, shown),
            "q_acc": share(pair, own),
            "easy_acc": share(pair, [one for one in own if one["visual_input"] in "01"]),
            "hard_acc": share(pair, [one for one in own if one["visual_input"] == "2"]),
        }
        assert {name: (scored.value(name, test), n[name, test]) for name in expected} == expected
    assert [n[name, "all"] for name in ("a_acc", "f_acc", "q_acc", "easy_acc", "hard_acc")] == [
        1129,
        346,
        455,
        455,
        430,
    ]
