"""VQA v1 and v2 and VQA-CP in their published forms: questions, annotations with ten answers each, images.

A folder may hold several pairs of files (train and validation); they are read as one, in the order of their names. The
records stay encoded and are decoded one at a time, so that all of VQA v2 needs little memory. A record that cannot be
used is skipped and counted in ``problems``; a file of which no record can be used is an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import Int64, JsonDecoder, read_json, sha256_of_file
from falter.data.images import Source
from falter.data.normalize import normalize
from falter.generation.sources.protocol import HasQuestions, Question, provides
from falter.generation.sources.published_files import find_licence, find_numbered_images, name_licences

_OTHER_DATA_SETS = (
    "_balanced_questions", "_all_questions", "submission_questions", "challenge_questions",
    "vqacp_", "yes-no_from_", "valrep",
)  # fmt: skip
"""Files of GQA, VQA-CP, YesNoVQA and VQA-Rephrasings may be in the same folder."""


class VqaFiles(NamedTuple):
    """Files that belong together."""

    questions: list[Path]
    annotations: list[Path]


def find_vqa_files(folder: Path) -> VqaFiles:
    """The files of VQA v1 or v2. Where the questions are there in both forms, the open-ended ones are taken."""
    found = _find(folder, "questions")
    names = {path.name for path in found}
    questions = [
        path
        for path in found
        if "MultipleChoice" not in path.name or path.name.replace("MultipleChoice", "OpenEnded") not in names
    ]
    _refuse_two_versions(folder, questions, "v2_", ("OpenEnded_", "MultipleChoice_"), "vqa")
    return VqaFiles(questions, _find(folder, "annotations"))


def find_vqa_cp_files(folder: Path) -> VqaFiles:
    """The files of VQA-CP v1 or v2."""
    questions = sorted(folder.glob("vqacp_*questions*.json"))
    _refuse_two_versions(folder, questions, "vqacp_v2_", ("vqacp_v1_",), "vqa-cp")
    return VqaFiles(questions, sorted(folder.glob("vqacp_*annotations*.json")))


def _find(folder: Path, key: str) -> list[Path]:
    found = sorted(folder.glob(f"*{key}*.json"))
    return [path for path in found if not any(part in path.name for part in _OTHER_DATA_SETS)]


def _refuse_two_versions(folder: Path, found: Sequence[Path], second: str, first: tuple[str, ...], name: str) -> None:
    """Both versions number their questions alike."""
    names = [path.name for path in found]
    if any(one.startswith(second) for one in names) and any(one.startswith(first) for one in names):
        hint = f"name one: {name}:questions=FILE,annotations=FILE"
        raise InputError(folder, "holds questions of version 1 and of version 2", hint=hint)


_KEYS = ("questions", "annotations", "images", "licence")


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
    multiple_choices: list[str] | None = None


class _Answer(msgspec.Struct):
    answer: str


class _AnnotationRecord(msgspec.Struct):
    question_id: Int64
    image_id: Int64
    multiple_choice_answer: str | None = None
    answers: list[_Answer] = msgspec.field(default_factory=list)
    question_type: str | None = None
    answer_type: str | None = None


class _Record(NamedTuple):
    """An encoded record and where it stands."""

    path: Path
    number: int
    raw: msgspec.Raw


_question = JsonDecoder(_QuestionRecord, "a question of VQA")
_annotation = JsonDecoder(_AnnotationRecord, "an annotation of VQA")
_FORMAT, _REMEDY = "VQA's format", "download the file again, or check its name"


@provides(HasQuestions)
def open_vqa(settings: Mapping[str, str]) -> Source:
    """Open VQA v1 or v2 from ``questions=FILE,annotations=FILE,images=DIR`` or from a folder that holds them."""
    return _open("vqa", settings)


@provides(HasQuestions)
def open_vqa_cp(settings: Mapping[str, str]) -> Source:
    """Open VQA-CP v1 or v2 from ``questions=FILE,annotations=FILE,images=DIR`` or from a folder that holds them."""
    return _open("vqa-cp", settings)


def _open(name: str, settings: Mapping[str, str]) -> VqaSource:
    unknown = sorted(set(settings) - {"", *_KEYS})
    if unknown:
        raise UsageError(f"{name} has no setting {unknown[0]!r}: there are {', '.join(_KEYS)}")
    if "" in settings:
        return _open_folder(name, Path(settings[""]))
    if "questions" not in settings:
        raise UsageError(f"{name} needs questions=FILE, or a folder: {name}:FOLDER")
    images = settings.get("images")
    if images is not None and not Path(images).is_dir():
        raise InputError(images, "is not a folder of images", hint="give images=DIR, or leave it out")
    files = VqaFiles(
        [_existing_file(settings["questions"])],
        [_existing_file(settings["annotations"])] if "annotations" in settings else [],
    )
    return VqaSource(
        files, images=Path(images) if images is not None else None, licence=settings.get("licence", ""), name=name
    )


def _open_folder(name: str, folder: Path) -> VqaSource:
    hint = f"give {name}:FOLDER or {name}:questions=FILE,annotations=FILE"
    if not folder.is_dir():
        raise InputError(folder, "is not a folder", hint=hint)
    files = find_vqa_cp_files(folder) if name == "vqa-cp" else find_vqa_files(folder)
    if not files.questions:
        wanted = "vqacp_*questions.json of VQA-CP" if name == "vqa-cp" else "*questions*.json of VQA"
        raise InputError(folder, f"holds no {wanted}", hint=f"give {name}:questions=FILE,annotations=FILE")
    images = folder / "images"
    return VqaSource(files, images=images if images.is_dir() else None, name=name)


def _existing_file(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise InputError(path, "does not exist")
    return path


class VqaSource:
    """Questions with ten human answers each."""

    def __init__(self, files: VqaFiles, *, images: Path | None = None, licence: str = "", name: str = "vqa") -> None:
        self.name = name
        self.problems: Counter[str] = Counter()
        self._files = files
        self._images = images
        stated: list[str] = []
        read = [record for path in files.questions for record in _read_questions(path, stated)]
        self.licence = find_licence(next(iter(files.questions), None), licence, name_licences(stated))
        image_of, kept = self._check_questions(read)
        self._annotations, unusable = self._index_annotations(image_of)
        self._records = [record for number, record in kept.items() if number not in unusable]
        self._image_ids = tuple(
            dict.fromkeys(str(image) for number, image in image_of.items() if number not in unusable)
        )

    def _check_questions(self, records: Sequence[_Record]) -> tuple[dict[int, int], dict[int, _Record]]:
        """The image and the record of every question that can be used, by its id."""
        image_of: dict[int, int] = {}
        kept: dict[int, _Record] = {}
        first: InputError | None = None
        for place in records:
            try:
                record = _question.decode(place.raw, place.path, record=f"questions[{place.number}]")
            except InputError as error:
                first = first or error
                self.problems["the record of a question is malformed"] += 1
                continue
            if record.question_id in kept:
                self.problems["the question_id appears twice"] += 1
                continue
            image_of[record.question_id] = record.image_id
            kept[record.question_id] = place
        if first is not None and not kept:
            raise first
        return image_of, kept

    def _index_annotations(self, image_of: Mapping[int, int]) -> tuple[dict[int, msgspec.Raw], set[int]]:
        """The annotation of every question, by its id, and the ids of questions whose annotation cannot be used."""
        known: dict[int, msgspec.Raw] = {}
        unusable: set[int] = set()
        first: InputError | None = None
        for path in self._files.annotations:
            content = read_json(path, _AnnotationsFile | list[msgspec.Raw], what=_FORMAT, hint=_REMEDY)  # type: ignore[arg-type]
            for index, raw in enumerate(content.annotations if isinstance(content, _AnnotationsFile) else content):
                where = f"annotations[{index}]"
                try:
                    record = _annotation.decode(raw, path, record=where)
                except InputError as error:
                    first = first or error
                    self.problems["the record of an annotation is malformed"] += 1
                    continue
                number = record.question_id
                if number not in image_of:
                    first = first or InputError(
                        path,
                        f"question_id {number} is in no questions file",
                        record=where,
                        hint="give the questions and annotations of the same split",
                    )
                    self.problems["an annotation has the question_id of no usable question"] += 1
                elif number in known or number in unusable:
                    self.problems["the question_id of an annotation appears twice"] += 1
                elif (problem := _annotation_problem(record, image_of[number])) is not None:
                    self.problems[problem] += 1
                    unusable.add(number)
                else:
                    known[number] = raw
        if first is not None and not known and not unusable:
            raise first
        return known, unusable

    def describe(self) -> dict[str, Any]:
        """The name and the hashes of the files read."""
        files = (*self._files.questions, *self._files.annotations)
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
                answer=None if annotation is None else (annotation.multiple_choice_answer or "").strip(),
                answers=None if annotation is None else tuple(answer.answer.strip() for answer in annotation.answers),
                answer_type=None if annotation is None else annotation.answer_type,
                question_type=None if annotation is None else annotation.question_type,
                choices=None if record.multiple_choices is None else tuple(dict.fromkeys(record.multiple_choices)),
            )

    def image_path(self, image_id: str) -> Path | None:
        """The file of an image, named as in COCO (``COCO_val2014_000000000123.jpg``) or by its id (``123.jpg``)."""
        return self._image_files.get(image_id)

    @cached_property
    def _image_files(self) -> dict[str, Path]:
        return find_numbered_images(self._images)


def _read_questions(path: Path, stated: list[str]) -> Iterator[_Record]:
    """The records of a file: an object with a list of them, or the list alone, as in VQA-CP."""
    content: _QuestionsFile | list[msgspec.Raw]
    content = read_json(path, _QuestionsFile | list[msgspec.Raw], what=_FORMAT, hint=_REMEDY)  # type: ignore[arg-type]
    if isinstance(content, _QuestionsFile):
        stated.append(content.license.name)
    records = content.questions if isinstance(content, _QuestionsFile) else content
    return (_Record(path, number, raw) for number, raw in enumerate(records))


def _annotation_problem(record: _AnnotationRecord, image: int) -> str | None:
    """Why an annotation cannot be used, or None."""
    if record.image_id != image:
        return "question and annotation name different images"
    if not record.answers:
        return "the annotation has no answers"
    answer = record.multiple_choice_answer
    if answer is None or not answer.strip():
        return "the annotation has no multiple_choice_answer"
    said = [one.answer for one in record.answers]
    if answer not in said and normalize(answer) not in map(normalize, said):
        return "the multiple_choice_answer is none of the answers"
    return None
