"""Two small VQA data sets of the embedded world, without pictures: main questions and a pool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from falter.world.compose import compose
from falter.world.write_questions import vqa_records


class Data(NamedTuple):
    """Specs of the two sources."""

    main: str
    pool: str


def write_vqa(folder: Path, records: list[dict[str, object]]) -> str:
    """Write questions given as {question, answer, type[, image]} and give the spec of the source."""
    folder.mkdir(parents=True)
    questions, annotations = [], []
    for number, record in enumerate(records):
        image = record.get("image", number)
        questions.append({"question_id": number, "image_id": image, "question": record["question"]})
        annotations.append(
            {
                "question_id": number,
                "image_id": image,
                "multiple_choice_answer": record["answer"],
                "answer_type": record["type"],
                "question_type": "what",
                "answers": [{"answer": record["answer"]}] * 10,
            }
        )
    (folder / "questions.json").write_text(json.dumps({"questions": questions}))
    (folder / "annotations.json").write_text(json.dumps({"annotations": annotations}))
    return f"vqa:{folder}"


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    folder = tmp_path_factory.mktemp("basic questions")
    specs = []
    for name, seed, scenes in (("main", 1, 8), ("pool", 2, 40)):
        (folder / name).mkdir()
        questions, annotations = [], []
        for index in range(scenes):
            records = vqa_records(compose(seed, index), seed)
            questions += records.questions
            annotations += records.annotations
        (folder / name / "questions.json").write_text(json.dumps({"questions": questions}))
        (folder / name / "annotations.json").write_text(json.dumps({"annotations": annotations}))
        specs.append(f"vqa:{folder / name}")
    return Data(*specs)
