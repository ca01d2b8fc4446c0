"""A study on disk: what is asked, in which tasks, and which answers are known; the answers are in a database beside it.

``study.json`` says how the study was made, ``questions.jsonl`` and ``tasks.jsonl`` hold a record each, ``images/`` the
images under names that tell nothing. The page gets none of what a question keeps to itself: see ``StudyQuestion``. A
form is what people are asked about an item or a pair: the prompt, the options, instructions and worked examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Literal

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import (
    FolderKind,
    NameTest,
    atomic_folder,
    check_file,
    check_json,
    read_json_lines,
    read_versioned,
    read_yaml,
    seal_json,
    sha256_of_file,
    write_atomically,
)
from falter.core.version import __version__
from falter.data.items import YES_NO, Turn

PAIR_WORDS = ("caption", "foil")
_POSITIONS = ("first", "second")


def resolve_side(answer: str, original_first: bool | None) -> str:
    """``first`` and ``second`` as the caption or the foil; other answers stay.

    >>> resolve_side("first", True), resolve_side("first", False), resolve_side("both", True)
    ('caption', 'foil', 'both')
    """
    if answer not in _POSITIONS or original_first is None:
        return answer
    return PAIR_WORDS[(answer == "first") != original_first]


def show_side(answer: str, original_first: bool | None) -> str:
    """The other way around: where the caption or the foil was shown.

    >>> show_side("caption", False), show_side("neither", False)
    ('second', 'neither')
    """
    if answer not in PAIR_WORDS or original_first is None:
        return answer
    return _POSITIONS[(answer == "caption") != original_first]


BUILT_IN_FORMS = ("answer", "validate", "caption-or-foil", "pairs")

_FORM_HINT = "see docs/how-to/people.md for the keys of a form"


class FormOption(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer that may be given: what is stored, what the page says, and the key that gives it."""

    value: str
    label: str
    key: str = ""
    hint: str = ""


class WorkedExample(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An example in the instructions; ``scene`` says in words what its image would show."""

    text: str
    answer: str
    why: str
    scene: str = ""
    second: str | None = None
    label: str | None = None


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A kind of task, as its YAML file states it."""

    name: str
    title: str
    prompt: str
    about: Literal["item", "pair"] = "item"
    """Whether a question shows one item, or an original beside a variant."""
    options: tuple[FormOption, ...] = ()
    choices: bool = False
    """Offer the item's own choices before the options."""
    free_text: bool = False
    """Let people type an answer where an item has no choices."""
    shows_image: bool = True
    shows_label: bool = False
    """Show the item's gold answer, to be judged. The page shows it nowhere else."""
    two_sides: bool = False
    """Draw which of the two texts comes first; ``first`` and ``second`` become ``caption`` and ``foil`` again."""
    marks_differences: bool = False
    confirms: str | None = None
    """The answer that confirms the suite's label: an option's value, ``caption``, ``gold`` (the item's gold answer) or
    ``expects`` (``same`` or ``different``, as the variant expects); none where answers confirm nothing."""
    instructions: tuple[str, ...] = ()
    examples: tuple[WorkedExample, ...] = ()


def load_form(name: str | Path) -> Form:
    """A built-in form by its name, or one's own by its YAML file."""
    if isinstance(name, str) and name in BUILT_IN_FORMS:
        with as_file(files("falter.apps.people").joinpath("data", f"{name}.yaml")) as path:
            return _check_form(path, read_yaml(path, Form, what="a form"))
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        raise UsageError(f"unknown task {name!s:.80}: choose {', '.join(BUILT_IN_FORMS)}, or give a YAML file")
    return _check_form(path, read_yaml(path, Form, what="a form", hint=_FORM_HINT))


def options_for(form: Form, choices: tuple[str, ...] | None) -> tuple[FormOption, ...]:
    """What may be answered to one question; options without a key of their own get digits."""
    offered = [FormOption(choice, choice) for choice in choices or ()] if form.choices else []
    if {option.value for option in offered} == set(YES_NO):
        offered = [FormOption(option.value, option.label.capitalize(), option.value[0]) for option in offered]
    own = [option for option in form.options if option.value not in {one.value for one in offered}]
    used = {option.key for option in (*offered, *own) if option.key}
    free = iter([digit for digit in "123456789" if digit not in used])
    return tuple(
        option if option.key else msgspec.structs.replace(option, key=next(free, "")) for option in (*offered, *own)
    )


def _check_form(path: Path, form: Form) -> Form:
    values = [option.value for option in form.options]
    keys = [option.key for option in form.options if option.key]
    problem = ""
    if len(set(values)) < len(values):
        problem = "has the same option twice"
    elif len(set(keys)) < len(keys) or any(len(key) != 1 for key in keys):
        problem = "has a key that is used twice, or is not one character"
    elif not form.choices and not form.free_text and len(values) < 2:
        problem = "needs two options at least, or the item's choices, or free text"
    elif form.two_sides and form.about != "pair":
        problem = "draws sides, and is not about pairs"
    elif form.confirms is not None and form.confirms not in (*values, *PAIR_WORDS, "gold", "expects"):
        problem = f"confirms {form.confirms!r:.40}, which is none of its options"
    if problem:
        raise InputError(path, problem, hint=_FORM_HINT)
    return form


STUDY_FORMAT = 1
ANSWERS_NAME = "answers.sqlite"
_REMAKE_HINT = "make it again with falter people plan"


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
        self.manifest = read_versioned(path, StudyManifest, format_=STUDY_FORMAT, what="a study", hint=_REMAKE_HINT)
        check_json(path, hint=_REMAKE_HINT)
        for name, sha256 in self.manifest.files.items():
            check_file(folder / name, sha256, hint=_REMAKE_HINT)
        found = read_json_lines(folder / "questions.jsonl", StudyQuestion, hint=_REMAKE_HINT)
        self.questions: dict[str, StudyQuestion] = {one.question_id: one for _, one in found}
        tasks = read_json_lines(folder / "tasks.jsonl", StudyTask, hint=_REMAKE_HINT)
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
