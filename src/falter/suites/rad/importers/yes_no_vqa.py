"""YesNoVQA, the augmentations that the authors of RAD released, in VQA's schema.

How the ids of its questions are linked to those of VQA is not documented. A question is linked to the original of the
same id and image where that has the form of its augmentation, else to the original of the same image that it reads back
to, by the forms that our own augmentations read. What cannot be linked is counted with its reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from falter.core.errors import InputError, UsageError
from falter.data.items import YES_NO, Probe
from falter.data.sources import open_source
from falter.generation.authoring.importer import ImportContext, coco_names, log_file
from falter.generation.sources import HasQuestions, Question, require
from falter.generation.sources.protocol import text_problem
from falter.generation.sources.vqa import VqaFiles, VqaSource
from falter.suites.rad.augmentations import rewrites
from falter.suites.rad.importers.released_pairs import ReleasedQuestion, YesNoVqaOptions, make_probe


def has_form(test: str, original: str) -> bool:
    """Whether an original is of the form that a test asks about."""
    rewrite = rewrites()[test]
    return rewrite.is_asked(original) or rewrite.read(original) is not None


def is_made_from(test: str, variant: str, original: str) -> bool:
    """Whether a yes/no question asks for an answer to the original."""
    reading = rewrites()[test].read(original)
    text = " ".join(variant.split()).rstrip(" ?.")
    return reading is not None and bool(reading.read_back(f"{text[:1].upper()}{text[1:]}?"))


_TESTS = {"colors": "color", "how-many": "how-many", "what-kind": "what-kind"}
_NAME = re.compile(r"yes-no_from_(?P<kind>colors|how-many|what-kind)_(?P<split>train|val)_questions\.json")


class _File(NamedTuple):
    questions: Path
    annotations: Path
    test: str
    split: str


class YesNoVqa:
    """YesNoVQA as released, with the originals of VQA."""

    name = "yes-no-vqa"
    title = "YesNoVQA as published: yes/no questions from VQA's questions for colors, numbers and kinds"
    citation = (
        "Rosenberg, Gat, Feder and Reichart (2021). Are VQA Systems RAD? Measuring Robustness to Augmented Data with "
        "Focused Interventions"
    )
    licence = "not stated"
    options = YesNoVqaOptions

    def image_names(self, image_id: str) -> tuple[str, ...]:
        return coco_names(image_id)

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        options = context.options if isinstance(context.options, YesNoVqaOptions) else YesNoVqaOptions()
        if not options.originals:
            raise UsageError("yes-no-vqa needs the questions it was made from; pass --originals vqa:FOLDER")
        files = [one for one in _find(path, context) if options.split in (one.split, "all")]
        if not files:
            raise InputError(
                path, f"holds no yes-no_from_*_{options.split}_questions.json", hint="choose another --split"
            )
        source = require(open_source(options.originals), HasQuestions, self.name)  # type: ignore[type-abstract]
        originals = _Originals(source.questions())
        context.log.sources.append(source.describe())
        refused: Counter[str] = Counter()
        context.manifest.counts["refused"] = refused
        for file in files:
            yield from self._of_file(file, originals, context, refused)

    def _of_file(
        self, file: _File, originals: _Originals, context: ImportContext, refused: Counter[str]
    ) -> Iterator[Probe]:
        released = VqaSource(VqaFiles([file.questions], [file.annotations]))
        refused.update(released.problems)
        counts = context.log.counts
        pairs = 0
        for variant in released.questions():
            counts["read"] += 1
            problem = text_problem(variant.text) or _answer_problem(variant.answer)
            original, how = (None, problem) if problem else originals.find(variant, file.test)
            if original is None:
                refused[f"{file.test}: {how}"] += 1
                continue
            counts[f"linked_by_{how}"] += 1
            pairs += 1
            yield make_probe(
                file.test,
                f"{file.test}-{file.split}-{variant.id}",
                variant.image_id,
                _released(original, original.id),
                [_released(variant, variant.id)],
            )
        log_file(context.log, file.questions, pairs)
        log_file(context.log, file.annotations, 0)


def _answer_problem(answer: str | None) -> str | None:
    if not answer:
        return "the question has no answer"
    return None if answer.lower() in YES_NO else "the answer is neither yes nor no"


class _Originals:
    """VQA's questions by id, and those that a test may be about by image."""

    def __init__(self, questions: Iterator[Question]) -> None:
        self._by_id: dict[str, Question] = {}
        self._by_image: dict[tuple[str, str], list[Question]] = {}
        for question in questions:
            if question.answer is None:
                continue
            self._by_id[question.id] = question
            for test in _TESTS.values():
                if has_form(test, question.text):
                    self._by_image.setdefault((test, question.image_id), []).append(question)

    def find(self, variant: Question, test: str) -> tuple[Question | None, str]:
        """The original of a yes/no question, and how it was found; or None, and why there is none."""
        same = self._by_id.get(variant.id)
        if same is not None and same.image_id == variant.image_id and has_form(test, same.text):
            return same, "id"
        there = self._by_image.get((test, variant.image_id), [])
        if not there:
            return None, "no original of this form is about the image"
        found = [one for one in there if is_made_from(test, variant.text, one.text)]
        if not found:
            return None, "it reads back to no original of the image"
        if len({(one.text, one.answer) for one in found}) > 1:
            return None, "it reads back to several originals of the image"
        return found[0], "image"


def _released(question: Question, source_id: str) -> ReleasedQuestion:
    return ReleasedQuestion(question.text, question.answer or "", question.answers, source_id)


def _find(folder: Path, context: ImportContext) -> Sequence[_File]:
    found: dict[str, _File] = {}
    named: Mapping[str, re.Match[str]] = {
        one.name: match for one in sorted(folder.iterdir()) if (match := _NAME.fullmatch(one.name)) is not None
    }
    for name, match in named.items():
        annotations = folder / name.replace("_questions.json", "_annotations.json")
        if not annotations.is_file():
            raise InputError(annotations, "does not exist", hint=f"{name} needs its annotations")
        found[name] = _File(folder / name, annotations, _TESTS[match["kind"]], match["split"])
    known = {*found, *(one.annotations.name for one in found.values())}
    context.log.skipped += sorted(one.name for one in folder.iterdir() if one.name not in known)
    if not found:
        raise InputError(folder, "holds no file of YesNoVQA", hint="such as yes-no_from_colors_val_questions.json")
    return list(found.values())


YES_NO_VQA = YesNoVqa()
