"""Count what occurs together in images, from what people said of them, and write the table that comes with Falter.

    python scripts/count_cooccurrence.py DATA [OUT]

DATA has the published files by the names of ``READERS``. The table holds counts alone, no text. Images of
the two small sets that questions are read and judged on are left out, so that no count comes from them.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from falter.generation.cooccurrence import ImageCounts, MentionFinder, Mentions, half_of, write_table
from falter.generation.cooccurrence.counts import TABLE
from falter.generation.english import Ontology, default_grammar

Said = Iterator[tuple[str, str]]
"""The key of an image, and one thing that was said of it."""

_COCO_NUMBER = re.compile(r"(\d{12})\.jpg$")


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def _coco(number: int | str) -> str:
    return f"coco {int(number)}"


def _by_name(name: str) -> str:
    found = _COCO_NUMBER.search(name)
    return _coco(found[1]) if found else name


def _affirmed(question: str, answer: str) -> str | None:
    """What a question and its answer say to be there; a denied question says nothing."""
    if answer.lower().startswith("no"):
        return None
    return question if answer.lower().startswith("yes") else f"{question} . {answer}"


def coco_captions(folder: Path) -> Said:
    for record in _read(folder / "coco/captions_val2017.json")["annotations"]:
        yield _coco(record["image_id"]), record["caption"]


def vqa_questions(folder: Path) -> Said:
    for part in ("train", "valid"):
        texts = {one["question_id"]: one for one in _read(folder / f"vqa-v2/questions_{part}.json")["questions"]}
        for record in _read(folder / f"vqa-v2/annotations_{part}.json")["annotations"]:
            said = _affirmed(texts[record["question_id"]]["question"], record["multiple_choice_answer"])
            if said:
                yield _coco(record["image_id"]), said


def vsr_captions(folder: Path) -> Said:
    for part in ("train", "dev", "test"):
        for record in _lines(folder / f"vsr/random/{part}.jsonl"):
            if record["label"] == 1:
                yield _by_name(record["image"]), record["caption"]


def pope_objects(folder: Path) -> Said:
    for record in _lines(folder / "pope/coco_pope_random.json"):
        if record["label"] == "yes":
            yield _by_name(record["image"]), record["text"]


def convqa_questions(folder: Path) -> Said:
    for address, asked in _read(folder / "convqa/CommonSense_ConVQA_consistent.json").items():
        for question, answer in asked:
            if said := _affirmed(question, answer):
                yield _by_name(address), said
    for number, sets in _read(folder / "convqa/cleaned_Logical_ConVQA_test.json").items():
        for one in (one for asked in sets for one in asked):
            if said := _affirmed(one["question"], one["answer"]):
                yield f"gqa {number}", said


def visdial_dialogues(folder: Path) -> Said:
    data = _read(folder / "visdial/visdial_1.0_val_crowdsourced.json")["data"]
    for dialogue in data["dialogs"]:
        yield _coco(dialogue["image_id"]), dialogue["caption"]
        for turn in dialogue["dialog"]:
            if said := _affirmed(data["questions"][turn["question"]], data["answers"][turn["answer"]]):
                yield _coco(dialogue["image_id"]), said


def valse_captions(folder: Path) -> Said:
    for path in sorted((folder / "valse").glob("*.json")):
        if path.stem in ("actant-swap", "action-replacement"):
            continue  # made from frames, not written by people
        for record in _read(path).values():
            yield _by_name(record["image_file"]), record["caption"]


def gqa_questions(folder: Path) -> Said:
    for name in ("questions_testdev_half", "questions_val_sample"):
        data = _read(folder / f"gqa/{name}.json")
        for record in data.values() if isinstance(data, dict) else data:
            if said := _affirmed(record["question"], record["answer"]):
                yield f"gqa {record['imageId']}", said


READERS: tuple[Callable[[Path], Said], ...] = (
    coco_captions,
    vqa_questions,
    vsr_captions,
    pope_objects,
    convqa_questions,
    visdial_dialogues,
    valse_captions,
    gqa_questions,
)


def listed_attributes(folder: Path, ontology: Ontology) -> Iterator[tuple[str, str]]:
    """The attributes that GQA's vocabulary gives its objects, as a kind and a value each."""
    for name, values in _read(folder / "gqa/vocabulary/obj2attribute.json").items():
        kind = ontology.kind_for_name(name)
        if kind is not None:
            yield from ((kind, value) for value in values if ontology.applies_to(value, kind))


def excluded(folder: Path) -> set[str]:
    """The images that questions are read and judged on."""
    coco = {_coco(one["id"]) for one in _read(folder / "coco/captions_128.json")["images"]}
    return coco | {f"gqa {number}" for number in _read(folder / "gqa/scene_graphs.json")}


def main(folder: Path, out: Path = TABLE) -> None:
    ontology = default_grammar().ontology
    finder = MentionFinder(ontology)
    left_out = excluded(folder)
    said: dict[str, list[Mentions]] = defaultdict(list)
    for reader in READERS:
        texts = 0
        before = len(said)
        for image, text in reader(folder):
            if image not in left_out:
                said[image].append(finder.find(text))
                texts += 1
        print(f"{reader.__name__}: {texts:,} texts, {len(said) - before:,} new images")
    halves = ImageCounts(), ImageCounts()
    for image in sorted(said):
        halves[half_of(image)].add(said[image])
    listed = dict.fromkeys(listed_attributes(folder, ontology), 1)
    print(f"listed_attributes: {len(listed):,}")
    for half in halves:
        half.listed.update(listed)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_table(*halves, out)
    print(f"{out}: {out.stat().st_size:,} bytes, {[half.images for half in halves]} images")


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:3]))
