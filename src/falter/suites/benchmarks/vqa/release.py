"""VQA's questions and annotations as released; each pair of files is a test, named for its split; and result files.

A result file is what VQA's evaluation server takes: a list of ``question_id`` and ``answer``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from falter.core.errors import InputError, UsageError
from falter.data.items import ImageRef, Item, Probe
from falter.evaluation.models.predictions.rows import REPLIES
from falter.generation.authoring.importer import PUBLISHED, ImportContext, coco_names, count_left_out, log_file
from falter.generation.sources import Question
from falter.generation.sources.vqa import VqaFiles, VqaSource, find_vqa_files

_SPLIT = re.compile(r"(?:train|valid|val|test-dev|test)\d*", re.IGNORECASE)
_UNNAMED = "questions"


class VqaRelease:
    """VQA v1 or v2 as released, questions without annotations left out."""

    name = "vqa"
    title = "VQA as published: open questions with ten human answers"
    citation = (
        "Goyal, Khot, Summers-Stay, Batra and Parikh (2017). Making the V in VQA Matter: Elevating the Role of Image "
        "Understanding in Visual Question Answering"
    )
    licence = "CC-BY-4.0"
    options = None

    def image_names(self, image_id: str) -> tuple[str, ...]:
        """The names of an image of COCO, by its number."""
        return coco_names(image_id)

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        log = context.log
        released = find_vqa_files(path)
        known = {*released.questions, *released.annotations}
        log.skipped += sorted(one.name for one in path.iterdir() if one not in known)
        pairs = _pair(released)
        if not pairs:
            hint = "give the folder with files such as v2_mscoco_val2014_annotations.json"
            raise InputError(path, "holds no questions of VQA with their annotations", hint=hint)
        for split, files in pairs.items():
            source = VqaSource(files)
            made = without = 0
            for question in source.questions():
                if question.answer is None:
                    without += 1
                    continue
                made += 1
                yield _probe(question, split)
            for file in files.questions:
                log_file(log, file, made)
            for file in files.annotations:
                log_file(log, file, 0)
            problems = {**source.problems, **({"the question has no annotation": without} if without else {})}
            log.counts["left_out"] += sum(problems.values())
            log.notes += [f"{split}: {count_left_out(count)}: {reason}." for reason, count in problems.items()]


def _pair(files: VqaFiles) -> Mapping[str, VqaFiles]:
    """By split its questions and annotations; without annotations a file cannot be scored."""
    splits: dict[str, VqaFiles] = {}
    for file in files.questions:
        split = _split(file)
        annotations = [one for one in files.annotations if _split(one) == split]
        if annotations:
            own = splits.setdefault(split, VqaFiles([], annotations))
            own.questions.append(file)
    return splits


def _split(path: Path) -> str:
    found = _SPLIT.search(path.stem)
    return _UNNAMED if found is None else found[0].lower()


def _probe(question: Question, split: str) -> Probe:
    facets = {"labels": PUBLISHED}
    if question.answer_type:
        facets["answer_type"] = question.answer_type
    if question.question_type:
        facets["question_type"] = question.question_type
    return Probe.of(
        Item.make(
            suite="vqa",
            test=split,
            probe_id=f"{split}-{question.id}",
            image=ImageRef(question.image_id),
            text=question.text,
            gold=question.answer,
            answers=question.answers,
            source_id=question.id,
            facets=facets,
        )
    )


VQA_RELEASE = VqaRelease()


def read_result(row: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The answer as it is: the server reads nothing out of it."""
    number, answer = row.get("question_id"), row.get("answer")
    # Beside another column of replies, the answer may be the gold.
    if number is None or "answer" not in row or not row.keys().isdisjoint(REPLIES):
        return None
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        answer = f"{answer:g}"
    if isinstance(number, bool) or not isinstance(number, int | str) or not isinstance(answer, str):
        raise UsageError(f"a result has a question_id and an answer that is text, not {number!r:.50}, {answer!r:.50}")
    return str(number), {"answer": answer, "text": answer}


LAYOUTS = (read_result,)
