"""VQA's questions and annotations as released; each pair of files is a test, named for its split."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from falter.authoring.importer import ImportContext
from falter.authoring.release_files import PUBLISHED, coco_names, count_left_out, log_file
from falter.errors import InputError
from falter.probes import ImageRef, Item, Probe
from falter.sources import Question
from falter.sources.vqa import VqaSource
from falter.sources.vqa_files import VqaFiles, find_vqa_files

__all__ = ["VQA_RELEASE", "VqaRelease"]

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
