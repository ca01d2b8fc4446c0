"""Visual7W in its published form: one file of images, each with questions that have one answer and three wrong ones.

Images and questions stay encoded and are decoded one at a time. One that cannot be used is skipped and counted in
``problems``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import Int64, JsonDecoder, map_json, sha256_of_file
from falter.data.images import Source
from falter.generation.sources.protocol import HasQuestions, Question, provides
from falter.generation.sources.published_files import (
    find_file_and_images,
    find_licence,
    find_numbered_images,
    usable_records,
)

_KEYS = ("file", "images", "split", "licence")
_SPLITS = ("train", "val", "test")


class _ImageRecord(msgspec.Struct):
    image_id: Int64
    qa_pairs: list[msgspec.Raw]
    split: str = ""


class _QuestionRecord(msgspec.Struct):
    qa_id: Int64
    question: str
    answer: str
    type: str | None = None
    multiple_choices: list[str] | None = None


class _File(msgspec.Struct):
    images: list[msgspec.Raw]


_image = JsonDecoder(_ImageRecord, "an image of Visual7W")
_question = JsonDecoder(_QuestionRecord, "a question of Visual7W")


@provides(HasQuestions)
def open_visual7w(settings: Mapping[str, str]) -> Source:
    """Open Visual7W from ``file=FILE,images=DIR,split=test`` or from a folder with ``dataset_v7w_telling.json``."""
    found = find_file_and_images("visual7w", settings, _KEYS, _is_telling, "dataset_v7w_telling.json")
    split = settings.get("split", "")
    if split and split not in _SPLITS:
        raise UsageError(f"Visual7W has no split {split!r}: there are {', '.join(_SPLITS)}")
    return Visual7wSource(found.file, found.images, split, settings.get("licence", ""))


def _is_telling(file: str) -> bool:
    return "v7w" in file and "pointing" not in file


class Visual7wSource:
    """Questions with one answer each."""

    name = "visual7w"

    def __init__(self, file: Path, images: Path | None = None, split: str = "", licence: str = "") -> None:
        """``split`` leaves the other splits out."""
        self.problems: Counter[str] = Counter()
        self.licence = find_licence(file, licence)
        self._path, self._images, self._split = file, images, split
        content = map_json(file, _File, what="Visual7W's format", hint="download the file again, or check its name")
        self._records: list[tuple[str, str, msgspec.Raw]] = []
        seen: set[int] = set()
        named = ((f"images[{number}]", raw) for number, raw in enumerate(content.images))
        for place, image, _ in usable_records(_image, named, file, self.problems, "an image"):
            if not split or image.split == split:
                for index, one in enumerate(image.qa_pairs):
                    self._add(image, one, f"{place}.qa_pairs[{index}]", seen)

    def _add(self, image: _ImageRecord, raw: msgspec.Raw, record: str, seen: set[int]) -> None:
        try:
            question = _question.decode(raw, self._path, record=record)
        except InputError:
            self.problems["the record of a question is malformed"] += 1
            return
        if question.qa_id in seen:
            self.problems["the qa_id appears twice"] += 1
            return
        seen.add(question.qa_id)
        self._records.append((str(image.image_id), record, raw))

    def describe(self) -> dict[str, Any]:
        """The name, the split and the hash of the file."""
        file = {"name": self._path.name, "sha256": sha256_of_file(self._path)}
        return {"name": self.name, "split": self._split or "all", "files": [file]}

    def image_ids(self) -> Sequence[str]:
        return list(dict.fromkeys(image for image, _, _ in self._records))

    def questions(self) -> Iterator[Question]:
        """All questions in file order; an answer loses the full stop that Visual7W ends it with."""
        for image, record, raw in self._records:
            one = _question.decode(raw, self._path, record=record)
            answer = one.answer.strip().rstrip(".")
            wrong = [choice.strip().rstrip(".") for choice in one.multiple_choices or ()]
            yield Question(
                id=str(one.qa_id),
                image_id=image,
                text=one.question,
                answer=answer or None,
                question_type=one.type,
                choices=tuple(dict.fromkeys([answer, *wrong])) if wrong else None,
            )

    def image_path(self, image_id: str) -> Path | None:
        """The file of an image, named ``v7w_123.jpg`` or ``123.jpg``."""
        return self._image_files.get(image_id)

    @cached_property
    def _image_files(self) -> dict[str, Path]:
        return find_numbered_images(self._images)
