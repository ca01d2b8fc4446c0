"""Small made-up releases in the authors' own layouts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.suites.benchmarks.published import json_file, json_lines

POPE = {
    "random": [("dog", "yes"), ("oven", "no"), ("apple", "yes"), ("car", "no")],
    "popular": [("dog", "yes"), ("chair", "no"), ("apple", "yes")],
    "adversarial": [("dog", "yes"), ("leash", "no"), ("apple", "yes")],
}


def pope_text(name: str) -> str:
    return f"Is there an {name} in the imange?" if name[0] in "aeiou" else f"Is there a {name} in the image?"


def pope_record(number: int, name: str, label: str) -> dict[str, Any]:
    return {"question_id": number, "image": "COCO_val2014_000000000042.jpg", "text": pope_text(name), "label": label}


def write_pope(folder: Path) -> Path:
    """POPE's three files, with the older release's slip of the pen and ends of lines."""
    for test, questions in POPE.items():
        rows = [pope_record(number, *one) for number, one in enumerate(questions, start=1)]
        json_lines(folder / f"coco_pope_{test}.json", rows, end="\r\n")
    return folder


SUGARCREPE = {
    "swap_obj": {
        "0": ("A cat sits on a mat.", "A mat sits on a cat."),
        "2": ("A dog chases a man \n", "A man chases a dog."),
    },
    "add_att": {"0": (" A red car.", "A red and rusty car.")},
}


def write_sugarcrepe(folder: Path) -> Path:
    """Two of the seven splits; one key is missing, and captions come as people type them."""
    for split, pairs in SUGARCREPE.items():
        released = {
            key: {"filename": f"00000000000{key}.jpg", "caption": caption, "negative_caption": negative}
            for key, (caption, negative) in pairs.items()
        }
        json_file(folder / f"{split}.json", released)
    return folder


VSR = {
    "random": [
        ("The cat is on the bed.", "on", 1),
        ("The cat is among the dogs.", "among", 0),
        ("It fits.", "fits", 1),
    ],
    "zeroshot": [("The cat is on the bed.", "on", 1), ("The cup is beyond the car.", "beyond", 0)],
}


def write_vsr(folder: Path) -> Path:
    """Both splits, with a relation in two categories and one in none."""
    for split, statements in VSR.items():
        rows = [
            {"image": f"{number:012}.jpg", "caption": text, "label": label, "relation": relation, "annotator_id": 1}
            for number, (text, relation, label) in enumerate(statements)
        ]
        json_lines(folder / split / "test.jsonl", rows)
    (folder / "rel_meta_category_dict.txt").write_text("Topological: on, in , among\nUnallocated: beyond, among \n")
    return folder


def hallusion_record(
    category: str, figure: int, question: int, visual: str, gold: str, set_id: int = 0
) -> dict[str, Any]:
    return {
        "category": category,
        "subcategory": "chart",
        "visual_input": visual,
        "set_id": str(set_id),
        "figure_id": str(figure),
        "question_id": str(question),
        "question": f"Is question {question} of figure {figure} true?",
        "gt_answer_details": "It is.",
        "gt_answer": gold,
        "filename": None if visual == "0" else f"./{category}/chart/{set_id}_{figure}.png",
    }


HALLUSIONBENCH = [
    # VD, one set: figure 0 with two questions, figure 1 (edited) with the first of them.
    hallusion_record("VD", 0, 0, "1", "1"),
    hallusion_record("VD", 0, 1, "1", "0"),
    hallusion_record("VD", 1, 0, "2", "0"),
    # VS, one set: no figure, the original and an edited one, one question.
    hallusion_record("VS", 0, 0, "0", "1"),
    hallusion_record("VS", 1, 0, "1", "1"),
    hallusion_record("VS", 2, 0, "2", "0"),
]


def write_hallusionbench(folder: Path) -> Path:
    """One set of each category."""
    json_file(folder / "HallusionBench.json", HALLUSIONBENCH)
    return folder


def gqa_record(question: str, answer: str, structural: str, **more: Any) -> dict[str, Any]:
    return {
        "question": question,
        "answer": answer,
        "imageId": "7",
        "isBalanced": True,
        "types": {"structural": structural, "semantic": "attr", "detailed": "chooseAttr"},
        "groups": {"global": None, "local": "x"},
        "entailed": [],
        "semantic": [{"operation": "select", "argument": "dog (1)"}, {"operation": "query", "argument": "name"}],
        **more,
    }


GQA = {
    "01": gqa_record(
        "What is the dog on?", "sofa", "query", groups={"global": "furniture"}, entailed=["01", "02", "04"]
    ),
    "02": gqa_record("Is the dog on a sofa?", "yes", "verify"),
    "03": gqa_record("What is the cat on?", "bed", "query", groups={"global": "furniture"}, entailed=["02", "99"]),
    "04": gqa_record("Is the dog on a bed?", "no", "verify", isBalanced=False),
    "05": gqa_record("What do they share?", "color", "query", types={"structural": "query", "detailed": "twoCommon"}),
}


def write_gqa(folder: Path) -> Path:
    """Five questions in the native schema, one of them not balanced."""
    json_file(folder / "val_all_questions.json", GQA)
    return folder


VQA = {
    1: ("What color is it?", "other", ["red"] * 8 + ["dark red", "maroon"]),
    2: ("Is it raining?", "yes/no", ["no"] * 10),
    3: ("How many dogs?", "number", ["2"] * 2 + ["3"] * 8),
}


def write_vqa_release(folder: Path) -> Path:
    """Three questions of VQA v2 and their annotations."""
    questions = [{"question_id": number, "image_id": 9, "question": one[0]} for number, one in VQA.items()]
    annotations = [
        {
            "question_id": number,
            "image_id": 9,
            "question_type": text.split()[0].lower(),
            "answer_type": kind,
            "multiple_choice_answer": max(answers, key=answers.count),
            "answers": [{"answer": one, "answer_id": place} for place, one in enumerate(answers, start=1)],
        }
        for number, (text, kind, answers) in VQA.items()
    ]
    json_file(folder / "v2_OpenEnded_mscoco_val2014_questions.json", {"questions": questions})
    json_file(folder / "v2_mscoco_val2014_annotations.json", {"annotations": annotations})
    return folder


WINOGROUND = [
    ("some plants surrounding a lightbulb", "a lightbulb surrounding some plants"),
    ("a man in blue", "a blue man"),
    ("it ran away and it cried", "it cried and it ran away"),
    ("the dog bites", "the bites dog"),
]


def write_winoground(folder: Path) -> Path:
    """Four examples as in the released file of examples."""
    rows = [
        {
            "id": number,
            "image_0": f"ex_{number}_img_0",
            "image_1": f"ex_{number}_img_1",
            "caption_0": first,
            "caption_1": second,
            "collapsed_tag": "Object",
            "num_main_preds": 1,
        }
        for number, (first, second) in enumerate(WINOGROUND)
    ]
    json_lines(folder / "examples.jsonl", rows)
    return folder


def write_naturalbench(folder: Path) -> Path:
    """Two samples, one of them with letters to choose from."""
    sample = {"Question_0": "Is it day?", "Question_1": "Is it night?", "Image_0": "a.jpg", "Image_1": "b.jpg"}
    golds = ("Image_0_Question_0", "Image_1_Question_0", "Image_0_Question_1", "Image_1_Question_1")
    rows = [
        {**sample, **dict(zip(golds, ("Yes", "No", "No", "Yes"), strict=True)), "Question_Type": "yes_no"},
        {**sample, **dict(zip(golds, ("A", "B", "B", "A"), strict=True)), "Question_Type": "multiple_choice"},
    ]
    json_file(folder / "naturalbench.json", rows)
    return folder


RELEASES: dict[str, Callable[[Path], Path]] = {
    "gqa": write_gqa,
    "hallusionbench": write_hallusionbench,
    "naturalbench": write_naturalbench,
    "pope": write_pope,
    "sugarcrepe": write_sugarcrepe,
    "vqa": write_vqa_release,
    "vsr": write_vsr,
    "winoground": write_winoground,
}
"""By importer what writes a small release."""
