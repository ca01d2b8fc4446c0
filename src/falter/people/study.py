"""A study on disk: what is asked, in which tasks, and which answers are known; the answers are in a database beside it.

``study.json`` says how the study was made, ``questions.jsonl`` and ``tasks.jsonl`` hold a record each, ``images/`` the
images under names that tell nothing. The page gets none of what a question keeps to itself: see ``StudyQuestion``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from falter.errors import InputError
from falter.files import (
    FolderKind,
    NameTest,
    atomic_folder,
    check_file,
    check_json,
    read_json_lines,
    read_versioned,
    seal_json,
    sha256_of_file,
    write_atomically,
)
from falter.people.form import Form, FormOption, options_for
from falter.people.known_answer import show_side
from falter.probes import Turn
from falter.version import __version__

__all__ = [
    "ANSWERS_NAME",
    "STUDY_FOLDER",
    "STUDY_FORMAT",
    "Study",
    "StudyManifest",
    "StudyQuestion",
    "StudyTask",
    "open_study",
    "write_study",
]

STUDY_FORMAT = 1
ANSWERS_NAME = "answers.sqlite"
_HINT = "make it again with falter people plan"


class StudyQuestion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that people are asked. What a page shows is ``text`` to ``image``; the rest stays with the study."""

    question_id: str
    text: str
    second: str | None = None
    label: str | None = None
    context: tuple[Turn, ...] = ()
    choices: tuple[str, ...] | None = None
    image: str | None = None
    test: str
    probe_id: str
    item_id: str | None = None
    """The item that it is about; of a pair the variant, where the probe has several; None where it has one."""
    variant: int = 0
    cluster: str | None = None
    """The image's id: questions about one image are not side by side."""
    original_first: bool | None = None
    expected: str | None = None
    """The answer that confirms the suite's label, with ``caption`` and ``foil`` for sides."""
    control: bool = False
    """Whether its answer is known, so that it tells how careful someone is. It is no judgement of the suite."""

    @property
    def expected_as_shown(self) -> str | None:
        """The expected answer as the page words it."""
        return None if self.expected is None else show_side(self.expected, self.original_first)


class StudyTask(msgspec.Struct, frozen=True):
    """Questions that one person answers in one go, in this order."""

    task_id: str
    questions: tuple[str, ...]


class StudyManifest(msgspec.Struct, frozen=True, kw_only=True):
    """How a study was made."""

    format: int = STUDY_FORMAT
    falter: str = __version__
    form: Form
    suite: str
    """The suite's name."""
    suite_path: str
    suite_sha256: str
    seed: int
    per_item: int
    """How many people answer each question."""
    strata: dict[str, tuple[int, int]]
    """By test how many probes were drawn, and of how many."""
    qualification: tuple[str, ...] = ()
    """Questions before the first task."""
    pass_share: float = 0.7
    """The share of them that must be right."""
    files: dict[str, str] = {}
    parameters: dict[str, Any] = {}


class Study:
    """A study in memory; its answers are read from its database."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / "study.json"
        if not path.is_file():
            raise InputError(folder, "is not a study: it has no study.json", hint="make one with falter people plan")
        self.manifest = read_versioned(path, StudyManifest, format_=STUDY_FORMAT, what="a study", hint=_HINT)
        check_json(path, hint=_HINT)
        for name, sha256 in self.manifest.files.items():
            check_file(folder / name, sha256, hint=_HINT)
        found = read_json_lines(folder / "questions.jsonl", StudyQuestion, hint=_HINT)
        self.questions: dict[str, StudyQuestion] = {one.question_id: one for _, one in found}
        tasks = read_json_lines(folder / "tasks.jsonl", StudyTask, hint=_HINT)
        self.tasks: dict[str, StudyTask] = {one.task_id: one for _, one in tasks}

    @property
    def form(self) -> Form:
        return self.manifest.form

    @cached_property
    def judged(self) -> dict[str, StudyQuestion]:
        """The questions that are about the suite, without controls."""
        return {name: one for name, one in self.questions.items() if not one.control}

    @cached_property
    def fingerprint(self) -> str:
        """Changes whenever a question, a task or a setting does."""
        return sha256_of_file(self.folder / "study.json")

    def options(self, question: StudyQuestion) -> tuple[FormOption, ...]:
        """What may be answered to a question."""
        return options_for(self.form, question.choices)

    def takes_text(self, question: StudyQuestion) -> bool:
        """Whether people type the answer."""
        return self.form.free_text and not question.choices

    def image_path(self, name: str) -> Path:
        """The file of an image by the name that pages use."""
        return self.folder / "images" / name


def open_study(folder: str | Path) -> Study:
    """Open a study; one that has changed since it was made is refused."""
    return Study(Path(folder))


def _own_files(folder: Path) -> NameTest | None:
    """The files of a study as it was planned: answers and links to it are not among them."""
    if not (folder / "study.json").is_file():
        return None
    study = Study(folder)
    images = {f"images/{one.image}" for one in study.questions.values() if one.image is not None}
    return {"study.json", *study.manifest.files, *images}.__contains__


STUDY_FOLDER = FolderKind("a study without answers", _own_files)


def write_study(
    out: Path,
    manifest: StudyManifest,
    questions: Iterable[StudyQuestion],
    tasks: Iterable[StudyTask],
    images: Mapping[str, bytes],
    *,
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
) -> None:
    """Write a study, whole or not at all."""
    with atomic_folder(out, overwrite=overwrite, kind=STUDY_FOLDER, inputs=inputs) as folder:
        files = {
            "questions.jsonl": b"".join(_lines(questions)),
            "tasks.jsonl": b"".join(_lines(tasks)),
        }
        for name, data in files.items():
            (folder / name).write_bytes(data)
        (folder / "images").mkdir()
        for name, data in sorted(images.items()):
            (folder / "images" / name).write_bytes(data)
        hashes = {name: sha256_of_file(folder / name) for name in files}
        complete = msgspec.structs.replace(manifest, files=hashes)
        write_atomically(folder / "study.json", seal_json(msgspec.json.encode(complete, order="deterministic")))


def _lines(records: Iterable[msgspec.Struct]) -> Iterator[bytes]:
    encoder = msgspec.json.Encoder(order="deterministic")
    for record in records:
        yield encoder.encode(record) + b"\n"
