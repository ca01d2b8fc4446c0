"""VQA v2 in its published form: a file of questions, a file of annotations with ten answers each, a folder of images.

A folder may hold several pairs of files (train and validation); they are read as one, in the order of their names. The
records stay encoded and are decoded one at a time, so that all of VQA v2 needs little memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from falter.errors import InputError, UsageError
from falter.files import Int64, JsonDecoder, read_json, sha256_of_file
from falter.sources.licence import find_licence, name_licences
from falter.sources.protocol import Question, Source

__all__ = ["VqaSource", "open_vqa"]

_KEYS = ("questions", "annotations", "images", "licence")
_IMAGE_NAME = re.compile(r"(?:COCO_[A-Za-z0-9]+_)?0*(\d+)\.(?:jpg|jpeg|png)", re.IGNORECASE)
_OTHER_DATA_SETS = ("_balanced_questions", "_all_questions", "submission_questions", "challenge_questions")
"""GQA's question files may be in the same folder."""


class _Licence(msgspec.Struct):
    name: str = ""
    url: str = ""


class _QuestionsFile(msgspec.Struct):
    questions: list[msgspec.Raw]
    license: _Licence = msgspec.field(default_factory=_Licence)


class _AnnotationsFile(msgspec.Struct):
    annotations: list[msgspec.Raw]


class _QuestionRecord(msgspec.Struct):
    question_id: Int64
    image_id: Int64
    question: str


class _Answer(msgspec.Struct):
    answer: str


class _AnnotationRecord(msgspec.Struct):
    question_id: Int64
    image_id: Int64
    multiple_choice_answer: str
    answers: list[_Answer]
    question_type: str | None = None
    answer_type: str | None = None


_question = JsonDecoder(_QuestionRecord, "a question of VQA")
_annotation = JsonDecoder(_AnnotationRecord, "an annotation of VQA")
_FORMAT, _REMEDY = "VQA v2's format", "download the file again, or check its name"


def open_vqa(settings: Mapping[str, str]) -> Source:
    """Open VQA v2 from ``questions=FILE,annotations=FILE,images=DIR`` or from a folder that holds them."""
    unknown = sorted(set(settings) - {"", *_KEYS})
    if unknown:
        raise UsageError(f"vqa has no setting {unknown[0]!r}: there are {', '.join(_KEYS)}")
    if "" in settings:
        return _open_folder(Path(settings[""]))
    if "questions" not in settings:
        raise UsageError("vqa needs questions=FILE, or a folder: vqa:FOLDER")
    images = settings.get("images")
    if images is not None and not Path(images).is_dir():
        raise InputError(images, "is not a folder of images", hint="give images=DIR, or leave it out")
    return VqaSource(
        questions=[_existing_file(settings["questions"])],
        annotations=[_existing_file(settings["annotations"])] if "annotations" in settings else [],
        images=Path(images) if images is not None else None,
        licence=settings.get("licence", ""),
    )


def _open_folder(folder: Path) -> VqaSource:
    if not folder.is_dir():
        raise InputError(folder, "is not a folder", hint="give vqa:FOLDER or vqa:questions=FILE,annotations=FILE")
    found = sorted(folder.glob("*questions*.json"))
    questions = [path for path in found if not any(part in path.name for part in _OTHER_DATA_SETS)]
    if not questions:
        raise InputError(folder, "holds no *questions*.json of VQA", hint="give vqa:questions=FILE,annotations=FILE")
    images = folder / "images"
    return VqaSource(
        questions=questions,
        annotations=sorted(folder.glob("*annotations*.json")),
        images=images if images.is_dir() else None,
    )


def _existing_file(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise InputError(path, "does not exist")
    return path


class VqaSource:
    """VQA v2's questions, each with ten human answers."""

    name = "vqa"

    def __init__(
        self, *, questions: Sequence[Path], annotations: Sequence[Path], images: Path | None, licence: str = ""
    ) -> None:
        self._question_files = tuple(questions)
        self._annotation_files = tuple(annotations)
        self._images = images
        self._records: list[tuple[Path, int, msgspec.Raw]] = []
        stated = []
        for path in self._question_files:
            content = read_json(path, _QuestionsFile, what=_FORMAT, hint=_REMEDY)
            stated.append(content.license.name)
            self._records.extend((path, index, raw) for index, raw in enumerate(content.questions))
        self.licence = find_licence(next(iter(self._question_files), None), licence, name_licences(stated))
        image_ids = self._check_questions()
        self._annotations = self._index_annotations(image_ids)

    def _check_questions(self) -> dict[int, int]:
        image_ids: dict[int, int] = {}
        for path, index, raw in self._records:
            record = _question.decode(raw, path, record=f"questions[{index}]")
            if record.question_id in image_ids:
                raise InputError(path, f"question_id {record.question_id} appears twice", record=f"questions[{index}]")
            image_ids[record.question_id] = record.image_id
        self._image_ids = tuple(dict.fromkeys(str(image) for image in image_ids.values()))
        return image_ids

    def _index_annotations(self, image_ids: Mapping[int, int]) -> dict[int, msgspec.Raw]:
        known: dict[int, msgspec.Raw] = {}
        for path in self._annotation_files:
            content = read_json(path, _AnnotationsFile, what=_FORMAT, hint=_REMEDY)
            for index, raw in enumerate(content.annotations):
                where = f"annotations[{index}]"
                record = _annotation.decode(raw, path, record=where)
                if not record.answers:
                    raise InputError(path, f"question_id {record.question_id} has no answers", record=where)
                if record.question_id not in image_ids:
                    raise InputError(
                        path,
                        f"question_id {record.question_id} is in no questions file",
                        record=where,
                        hint="give the questions and annotations of the same split",
                    )
                if image_ids[record.question_id] != record.image_id:
                    raise InputError(
                        path,
                        f"question_id {record.question_id} is about image {record.image_id} here "
                        f"and about image {image_ids[record.question_id]} in the questions",
                        record=where,
                    )
                if record.question_id in known:
                    raise InputError(path, f"question_id {record.question_id} appears twice", record=where)
                known[record.question_id] = raw
        return known

    def describe(self) -> dict[str, Any]:
        """The name and the hashes of the files read."""
        files = (*self._question_files, *self._annotation_files)
        return {"name": self.name, "files": [{"name": file.name, "sha256": sha256_of_file(file)} for file in files]}

    def image_ids(self) -> Sequence[str]:
        """The ids of the images, in the order in which questions first mention them."""
        return self._image_ids

    def questions(self) -> Iterator[Question]:
        """All questions in file order; those without an annotation (a test split) come without an answer."""
        for path, index, raw in self._records:
            record = _question.decode(raw, path, record=f"questions[{index}]")
            known = self._annotations.get(record.question_id)
            annotation = None if known is None else _annotation.decode(known, path)
            yield Question(
                id=str(record.question_id),
                image_id=str(record.image_id),
                text=record.question,
                answer=None if annotation is None else annotation.multiple_choice_answer,
                answers=None if annotation is None else tuple(answer.answer for answer in annotation.answers),
                answer_type=None if annotation is None else annotation.answer_type,
                question_type=None if annotation is None else annotation.question_type,
            )

    def image_path(self, image_id: str) -> Path | None:
        """The file of an image, named as in COCO (``COCO_val2014_000000000123.jpg``) or by its id (``123.jpg``)."""
        return self._image_files.get(image_id)

    @cached_property
    def _image_files(self) -> dict[str, Path]:
        if self._images is None:
            return {}
        within = sorted(path for path in self._images.iterdir() if path.is_dir())
        found: dict[str, Path] = {}
        for folder in (self._images, *within):
            for path in sorted(folder.iterdir()):
                named = _IMAGE_NAME.fullmatch(path.name)
                if named is not None:
                    found.setdefault(named[1], path)
        return found
