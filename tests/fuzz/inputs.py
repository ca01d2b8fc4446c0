"""One file of every kind that commands accept, small and valid."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from falter.core.files import seal_json
from tests.goldens.releases import write_valse

__all__ = ["write_inputs"]


def write_inputs(folder: Path) -> None:
    """Write one small valid file of every kind."""
    _write_sources(folder)
    _write_suite_and_runs(folder)
    _write_answers(folder)
    _write_yaml(folder)
    write_valse(folder / "valse")
    entries = json.loads((folder / "valse" / "existence.json").read_text())
    for path in (folder / "valse").iterdir():
        path.unlink()
    (folder / "valse" / "existence.json").write_text(json.dumps(dict(list(entries.items())[:4])))
    _write_carets(folder / "carets")
    _write_arrays(folder)
    Image.effect_noise((40, 30), 40).convert("RGB").save(folder / "image.jpg")
    Image.effect_noise((40, 30), 40).save(folder / "image.png")


def _dump(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def _write_sources(folder: Path) -> None:
    things = {
        "1": {
            "name": "car",
            "x": 1,
            "y": 2,
            "w": 30,
            "h": 20,
            "attributes": ["red"],
            "relations": [{"name": "near", "object": "2"}],
        },
        "2": {"name": "dog", "x": 5, "y": 5, "w": 10, "h": 9, "attributes": [], "relations": []},
    }
    graph = {"width": 100, "height": 80, "location": "street", "objects": things}
    _dump(folder / "gqa" / "val_sceneGraphs.json", {"7": graph, "8": graph})
    asked = {
        "question": "Is it red?",
        "imageId": "7",
        "answer": "yes",
        "types": {"detailed": "a", "structural": "verify"},
    }
    _dump(folder / "gqa" / "val_balanced_questions.json", {"q1": asked, "q2": asked})
    changed = {"img_id": "1", "label": {"no": 1.0}, "question_id": "q1_1", "sent": "Is there a cat near the boat?"}
    _dump(folder / "changed.json", [changed, {**changed, "question_id": "q3"}])
    _dump(folder / "gqa" / "world.json", {"licence": "CC0"})
    names = ("dog", "car", "person", "chair")
    boxes = [
        {"id": 10 * image + kind, "image_id": image, "category_id": kind, "bbox": [20 * kind, 5, 15, 20], "iscrowd": 0}
        for image in range(4)
        for kind in (image % 4, (image + 1) % 4)
    ]
    _dump(
        folder / "coco" / "instances_val.json",
        {
            "images": [{"id": one, "file_name": f"{one}.jpg", "width": 100, "height": 80} for one in range(4)],
            "annotations": boxes,
            "categories": [{"id": number, "name": name} for number, name in enumerate(names)],
        },
    )
    question = {"question_id": 10, "image_id": 1, "question": "What is it?"}
    options = {"answer": 0, "answer_options": [1, 0], "gt_index": 1}
    dialogue = {"image_id": 1, "caption": "a dog", "dialog": [{"question": 0, **options}, {"question": 1, **options}]}
    data = {"dialogs": [dialogue], "questions": ["what color is it", "is it big"], "answers": ["brown", "no"]}
    _dump(folder / "visdial" / "visdial_1.0_val.json", {"version": "1.0", "split": "val2018", "data": data})
    (folder / "own.csv").write_text("id,image,question,answer\n1,a.jpg,What is it?,dog\n2,b.jpg,Is it?,yes\n")
    _dump(folder / "vqa" / "v2_questions.json", {"license": {"name": "CC BY 4.0"}, "questions": [question]})
    annotation = {"question_id": 10, "image_id": 1, "multiple_choice_answer": "dog", "answers": [{"answer": "dog"}]}
    _dump(folder / "vqa" / "v2_annotations.json", {"annotations": [{**annotation, "answer_type": "other"}]})


def _write_suite_and_runs(folder: Path) -> None:
    import falter
    from falter.data.items import ImageRef, Item, Probe
    from falter.data.suite_writing import write_suite
    from falter.data.votes import Vote, write_votes

    (folder / "photos").mkdir()
    Image.new("RGB", (8, 6), (9, 9, 9)).save(folder / "photos" / "p.png")
    photo = ImageRef("p", str(folder / "photos" / "p.png"))
    probes = [
        Probe(
            tuple(
                Item.make(
                    suite="mine",
                    test=("one", "two")[number % 2],
                    probe_id=f"p{number}",
                    variant=variant,
                    expects="same",
                    image=photo,
                    text=f"Is {number} {variant} red?",
                    gold="yes",
                    choices=("yes", "no"),
                    source_id=f"s{number}{variant}",
                    facets={"kind": "a"},
                    extra="{}",
                )
                for variant in range(2)
            )
        )
        for number in range(4)
    ]
    suite = write_suite(probes, folder / "suite", name="mine", title="Mine")
    falter.run(suite, "builtin:always-yes", out=folder / "run")
    falter.run(suite, "builtin:always-yes", out=folder / "unfinished")
    replies = falter.score and pq.read_table(folder / "unfinished" / "replies.parquet").to_pylist()
    lines = [json.dumps({key: row[key] for key in ("item_id", "text", "answer")}) for row in replies]
    (folder / "unfinished" / "replies.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "unfinished" / "replies.parquet").unlink()
    manifest = json.loads((folder / "unfinished" / "run.json").read_text())
    del manifest["checksum"]
    (folder / "unfinished" / "run.json").write_bytes(
        seal_json(msgspec.json.encode({**manifest, "complete": False, "counts": {}, "files": {}}))
    )
    (folder / "votes").mkdir()
    write_votes(folder / "votes", [Vote(annotator="a", answer="yes", item_id="i", seconds=1.5)])


def _write_answers(folder: Path) -> None:
    from falter.data.suite import open_suite

    ids = [item.item_id for item in open_suite(folder / "suite").items()]
    rows = [{"item_id": name, "answer": "yes", "score": 0.5, "score_kind": "probability"} for name in ids]
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    _dump(folder / "answers.json", [{"question_id": 1, "answer": "yes"}, {"questionId": "2", "prediction": "no"}])
    sample = {"doc_id": 3, "doc": {"question_id": 5}, "resps": [["yes"]], "filtered_resps": ["yes"]}
    likely = {"doc_id": 4, "doc": {}, "resps": [[["-1.5", "False"]], [["-2.5", "True"]]]}
    _dump(folder / "logs.json", {"args": {"model": "m"}, "logs": [sample, likely]})
    (folder / "samples.jsonl").write_text("\n".join(map(json.dumps, (sample, likely))))
    for end, separator in (("csv", ","), ("tsv", "\t")):
        lines = [("item_id", "answer", "score"), *((name, "yes", "0.5") for name in ids)]
        (folder / f"answers.{end}").write_text("\n".join(separator.join(line) for line in lines))
    pq.write_table(pa.Table.from_pylist(rows), folder / "answers.parquet")


def _write_carets(folder: Path) -> None:
    records = []
    for number in range(2):
        for suffix, gold in (("", "yes"), ("-n", "no")):
            records.append(
                {
                    "img_id": "7",
                    "label": {gold: 1.0},
                    "question_id": f"7-{number}-3{suffix}",
                    "sent": f"Is there a car {number}{suffix}?",
                    "assignment": {"obj1": "car", "obj1_id": "1"},
                }
            )
    _dump(folder / "object_verification_negation_test.json", records)


def _write_yaml(folder: Path) -> None:
    (folder / "prompt.yaml").write_text(
        "version: 1\nabout: mine\nanswer:\n  open: '{text}'\n  binary: '{text} yes or no'\n"
        "  choices: '{text} {choices}'\nmatch:\n  yes_no: '{text}?'\n  letters: '{text} {a} {b}'\n"
    )
    (folder / "examples.yaml").write_text(
        "- text: Is it red?\n  reply: yes\n  choices: [yes, no]\n- {text: a, reply: b}\n"
    )
    (folder / "prices.yaml").write_text(
        "big:\n  input_per_million: 2.0\n  output_per_million: 8\n  image_tokens: 100\n"
    )
    (folder / "requirements.yaml").write_text("require:\n- mine.one.c_acc>=0.5\n- mine.two.acc >= 10%\n")
    words = folder / "words"
    (words / "templates").mkdir(parents=True)
    (words / "kinds-mine.yaml").write_text("gizmo:\n  is: thing\n  synonyms: [gadget]\nwidget: {is: gizmo}\n")
    (words / "attributes-mine.yaml").write_text(
        "families:\n  finish:\n    values: [matt, glossy]\n    exclusive: true\n    applies_to: [thing]\n"
    )
    (words / "relations-mine.yaml").write_text("orbiting: {class: spatial}\n")
    source = Path(__file__).parents[2] / "src" / "falter"
    english = source / "generation" / "english" / "data"
    first = sorted((english / "templates").glob("*.yaml"))[0]
    (words / "templates" / "mine.yaml").write_bytes(first.read_bytes())
    (words / "statements-mine.yaml").write_bytes((english / "statements.yaml").read_bytes())
    (folder / "published.yaml").write_bytes((source / "suites" / "valse" / "published.yaml").read_bytes())


def _write_arrays(folder: Path) -> None:
    from falter.suites.basic_questions.ranking import BasicQuestion, RankedQuestion, write_dataset

    asked = RankedQuestion(main="a?", basics=(BasicQuestion("b?", 0.5), BasicQuestion("c?", 0.25)), image="i")
    write_dataset(folder, "ranked", [asked, asked])
    regions = {name: (np.full((2, 6), 0.5, "f4"), np.full((2, 4), 0.5, "f4")) for name in ("a", "b")}
    arrays = {
        f"{name}.{what}": one
        for name, pair in regions.items()
        for what, one in zip(("features", "boxes"), pair, strict=True)
    }
    np.savez(folder / "regions.npz", **arrays)
    (folder / "regions").mkdir()
    for name, (features, boxes) in regions.items():
        np.savez(folder / "regions" / f"{name}.npz", features=features, boxes=boxes)
    columns = {
        "image_id": list(regions),
        **{
            what: [pair[place].tolist() for pair in regions.values()]
            for place, what in enumerate(("features", "boxes"))
        },
    }
    pq.write_table(pa.table(columns), folder / "regions.parquet")
    lines = []
    for name, (features, boxes) in regions.items():
        coded = [base64.b64encode(one.tobytes()).decode() for one in (boxes, features)]
        lines.append("\t".join([name, "1", "1", "", "", "", "", "2", *coded]))
    (folder / "regions.tsv").write_text("\n".join(lines) + "\n")
    np.save(folder / "vectors.npy", np.eye(2, dtype="f4"))
    (folder / "vectors.txt").write_text("one\ntwo\n")
    pq.write_table(pa.table({"text": ["one", "two"], "vector": [[1.0, 0.0], [0.0, 1.0]]}), folder / "vectors.parquet")
    (folder / "vector_cache").mkdir()
    np.savez(folder / "vector_cache" / "shard.npz", keys=np.zeros((1, 16), "u1"), vectors=np.eye(1, dtype="f4"))
    _dump(folder / "labels.json", {"yes": 0, "no": 1})
