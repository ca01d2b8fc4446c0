"""VisDial 1.0 in its published form: dialogues of ten rounds about an image, each with 100 options for its answer.

A round is one question: its context is the caption and the rounds before it. Dialogues stay encoded and are decoded one
at a time. A round that cannot be used is skipped and counted in ``problems``, with the rounds whose history it is in.
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
from falter.data.items import Turn
from falter.generation.sources.protocol import (
    Dialogue,
    DialogueRound,
    HasCaptions,
    HasDialogues,
    HasQuestions,
    Question,
    provides,
)
from falter.generation.sources.published_files import find_licence, find_numbered_images

_KEYS = ("dialogs", "images", "licence")


class _RoundRecord(msgspec.Struct):
    question: Int64 | None = None
    answer: Int64 | None = None
    answer_options: list[Int64] | None = None
    gt_index: Int64 | None = None


class _DialogueRecord(msgspec.Struct):
    image_id: Int64
    dialog: list[_RoundRecord]
    caption: str


class _Data(msgspec.Struct):
    dialogs: list[msgspec.Raw]
    questions: list[str]
    answers: list[str]


class _File(msgspec.Struct):
    data: _Data
    split: str = ""
    version: str = ""


_dialogue = JsonDecoder(_DialogueRecord, "a dialogue of VisDial")


@provides(HasQuestions, HasCaptions, HasDialogues)
def open_visdial(settings: Mapping[str, str]) -> Source:
    """Open VisDial 1.0 from ``dialogs=FILE,images=DIR`` or from a folder with one ``visdial_1.0_*.json``."""
    unknown = sorted(set(settings) - {"", *_KEYS})
    if unknown:
        raise UsageError(f"visdial has no setting {unknown[0]!r}: there are {', '.join(_KEYS)}")
    if "" in settings:
        return _open_folder(Path(settings[""]))
    if "dialogs" not in settings:
        raise UsageError("visdial needs dialogs=FILE, or a folder: visdial:FOLDER")
    images = Path(settings["images"]) if "images" in settings else None
    if images is not None and not images.is_dir():
        raise InputError(images, "is not a folder of images", hint="give images=DIR, or leave it out")
    return VisdialSource(Path(settings["dialogs"]), images, settings.get("licence", ""))


def _open_folder(folder: Path) -> VisdialSource:
    if not folder.is_dir():
        raise InputError(folder, "is not a folder", hint="give visdial:FOLDER or visdial:dialogs=FILE,images=DIR")
    files = [path for path in sorted(folder.glob("visdial_*.json")) if "dense_annotations" not in path.name]
    if len(files) != 1:
        found = ", ".join(path.name for path in files) or "none"
        problem = f"should hold one file visdial_1.0_*.json, found {found}"
        raise InputError(folder, problem, hint="name it: visdial:dialogs=FILE,images=DIR")
    images = folder / "images"
    return VisdialSource(files[0], images if images.is_dir() else None)


class VisdialSource:
    """Dialogues, and their rounds as questions."""

    name = "visdial"

    def __init__(self, dialogs: Path, images: Path | None = None, licence: str = "") -> None:
        if not dialogs.exists():
            raise InputError(dialogs, "does not exist")
        self.problems: Counter[str] = Counter()
        self._path, self._images = dialogs, images
        content = map_json(dialogs, _File, what="VisDial's format", hint="download the file again, or check its name")
        self._split, self._data = content.split, content.data
        self.licence = find_licence(dialogs, licence)
        self._numbers = self._check()

    def _check(self) -> dict[str, int]:
        """The number of every dialogue that can be used, by its image; what is wrong counts here once."""
        numbers: dict[str, int] = {}
        first: InputError | None = None
        for number in range(len(self._data.dialogs)):
            try:
                record = self._record(number)
            except InputError as error:
                first = first or error
                self.problems["the record of a dialogue is malformed"] += 1
                continue
            if str(record.image_id) in numbers:
                self.problems["an image has a second dialogue"] += 1
                continue
            numbers[str(record.image_id)] = number
            self._read(record, self.problems)
        if first is not None and not numbers:
            raise first
        return numbers

    def describe(self) -> dict[str, Any]:
        """The name, the split and the hash of the file read."""
        file = {"name": self._path.name, "sha256": sha256_of_file(self._path)}
        return {"name": self.name, "split": self._split, "files": [file]}

    def image_ids(self) -> Sequence[str]:
        return list(self._numbers)

    def image_path(self, image_id: str) -> Path | None:
        return self._image_files.get(image_id)

    def captions(self, image_id: str) -> Sequence[str]:
        number = self._numbers.get(image_id)
        return () if number is None else (self._record(number).caption,)

    def dialogues(self) -> Iterator[Dialogue]:
        for number in self._numbers.values():
            yield self._read(self._record(number), Counter())

    def questions(self) -> Iterator[Question]:
        """Every round whose question can be asked; its id is that of the image and the number of the round, from 1."""
        for dialogue in self.dialogues():
            history = [Turn("caption", dialogue.caption)]
            for number, one in enumerate(dialogue.rounds, start=1):
                if one.question and (one.options is not None or one.answer is None):
                    yield Question(
                        id=f"{dialogue.image_id}-{number}",
                        image_id=dialogue.image_id,
                        text=one.question,
                        answer=None if one.options is None else one.answer,
                        context=tuple(history),
                        choices=one.options,
                    )
                history += [Turn("question", one.question), Turn("answer", one.answer or "")]

    @cached_property
    def _image_files(self) -> dict[str, Path]:
        return find_numbered_images(self._images)

    def _record(self, number: int) -> _DialogueRecord:
        return _dialogue.decode(self._data.dialogs[number], self._path, record=f"data.dialogs[{number}]")

    def _read(self, record: _DialogueRecord, problems: Counter[str]) -> Dialogue:
        """The rounds in words, as far as history goes: after a round that cannot be read none has one."""
        rounds: list[DialogueRound] = []
        for place, one in enumerate(record.dialog):
            question = _entry(self._data.questions, one.question)
            answer = _entry(self._data.answers, one.answer)
            problem = _round_problem(one, question, answer, is_last=place + 1 == len(record.dialog))
            if problem is not None or question is None:
                problems[problem or "the question of a round is missing"] += 1
                if rest := len(record.dialog) - place - 1:
                    problems["an earlier round of the dialogue cannot be used"] += rest
                break
            if not question:
                problems["the question of a round is empty"] += 1
            options, problem = self._options(one, answer)
            if problem is not None:
                problems[problem] += 1
            rounds.append(DialogueRound(question=question, answer=answer, options=options))
        return Dialogue(image_id=str(record.image_id), caption=record.caption, rounds=tuple(rounds))

    def _options(self, one: _RoundRecord, answer: str | None) -> tuple[tuple[str, ...] | None, str | None]:
        """The options of a round, or None and what is wrong with them; a round need not have any."""
        if one.answer_options is None:
            return None, None
        found = [_entry(self._data.answers, index) for index in one.answer_options]
        options = tuple(dict.fromkeys(option for option in found if option is not None))
        if None in found:
            return None, "an index of answer_options is out of range"
        if len(options) != len(found):
            return None, "an option is offered twice"
        if one.gt_index is not None and not 0 <= one.gt_index < len(options):
            return None, "gt_index is out of range"
        if one.gt_index is not None and options[one.gt_index] != answer:
            return None, "gt_index names another answer than that of the round"
        if one.gt_index is None and answer is not None and answer not in options:
            return None, "the answer of the round is none of its options"
        return options, None


def _entry(texts: Sequence[str], index: int | None) -> str | None:
    return texts[index] if index is not None and 0 <= index < len(texts) else None


def _round_problem(one: _RoundRecord, question: str | None, answer: str | None, *, is_last: bool) -> str | None:
    if one.question is None:
        return "the question of a round is missing"
    if question is None:
        return "the index of a question is out of range"
    if answer is None and one.answer is not None:
        return "the index of an answer is out of range"
    # The last round of a test split is to be answered.
    return "the answer of a round is missing" if answer is None and not is_last else None
