"""Prompts: named and versioned templates around a question, part of a model's fingerprint.

A prompt is its templates, a system text and few-shot examples that precede the question; a preview fills every
template in for an example.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import is_regular, read_text, read_yaml, sha256_of_file
from falter.data.items import YES_NO, Task
from falter.data.model import Request
from falter.data.model_options import ModelOptions

_MOST_IN_A_SENTENCE = 26


class AnswerTemplates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a question is put: with no choices, with yes and no, with other choices."""

    open: str
    binary: str
    choices: str


class MatchTemplates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a caption is put: for yes or no, and for a letter."""

    yes_no: str
    letters: str


class PromptTemplate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of templates."""

    version: int
    answer: AnswerTemplates
    match: MatchTemplates
    about: str = ""

    def check(self, path: Path) -> PromptTemplate:
        """Return itself if every template uses only known placeholders; raise InputError otherwise."""
        for where, template, names in (
            ("answer.open", self.answer.open, {"text"}),
            ("answer.binary", self.answer.binary, {"text"}),
            ("answer.choices", self.answer.choices, {"text", "choices"}),
            ("match.yes_no", self.match.yes_no, {"text"}),
            ("match.letters", self.match.letters, {"text", "a", "b"}),
        ):
            try:
                fields = [field for field in string.Formatter().parse(template) if field[1] is not None]
            except ValueError as error:
                raise InputError(path, f"{error}", record=where, hint="write a brace as {{ or }}") from None
            found = {name for _, name, _, _ in fields}
            formatted = any(form or conversion for _, _, form, conversion in fields)
            if "text" not in found or not found <= names or formatted:
                known = ", ".join(f"{{{name}}}" for name in sorted(names))
                raise InputError(
                    path,
                    "the template does not fit",
                    record=where,
                    hint=f"it needs {{text}} and may use {known} only",
                )
        return self


def is_binary(choices: Sequence[str] | None) -> bool:
    """Whether the choices are yes and no."""
    return choices is not None and set(choices) == set(YES_NO)


def has_many(choices: Sequence[str] | None) -> bool:
    """Whether there are more choices than a sentence holds."""
    return choices is not None and len(choices) > _MOST_IN_A_SENTENCE


def join_choices(choices: Sequence[str]) -> str:
    """Choices joined as in a sentence; very many, such as the options of a dialogue, which hold commas, by semicolons.

    >>> join_choices(["red", "blue", "green"])
    'red, blue or green'
    """
    if has_many(choices):
        return "; ".join(choices)
    return choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"


class FewShotExample(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question (or a caption) with the reply that is wanted; ``image`` is a file beside the YAML file."""

    text: str
    reply: str
    task: Task = "answer"
    choices: tuple[str, ...] | None = None
    image: str | None = None


def read_examples(path: Path) -> tuple[tuple[FewShotExample, Path | None], ...]:
    """The examples of a YAML list, each with the image's path where it has one."""
    hint = "each has text and reply, and may have task, choices, image"
    # Here yes and no are words, not booleans.
    examples = read_yaml(path, list[FewShotExample], what="a list of examples", hint=hint, plain_words=True)
    found: list[tuple[FewShotExample, Path | None]] = []
    for number, example in enumerate(examples):
        image = None if example.image is None else path.parent / example.image
        if image is not None and not is_regular(image):
            raise InputError(path, f"there is no image {example.image}", record=f"example {number}")
        found.append((example, image))
    return tuple(found)


_FOLDER = resources.files("falter.evaluation.models") / "prompt_templates"


@dataclass(frozen=True)
class Prompt:
    """The templates that turn a request into text."""

    name: str
    wording: PromptTemplate
    system: str | None = None
    examples: tuple[tuple[FewShotExample, Path | None], ...] = ()

    @property
    def fingerprint(self) -> str:
        """Name, version, and a hash of every word and image that a model is shown."""
        images = [None if path is None else sha256_of_file(path) for _, path in self.examples]
        shown = (self.wording, self.system, [example for example, _ in self.examples], images)
        digest = hashlib.sha256(msgspec.json.encode(shown)).hexdigest()[:12]
        return f"{self.name}-v{self.wording.version}-{digest}"

    def question(self, request: Request, *, scored: bool = False) -> str:
        """What is said for a request; a caption is put as a question to be answered by yes or no.

        Where every choice is ``scored``, very many, such as the options of a dialogue, are not listed.
        """
        choices = None if scored and has_many(request.choices) else request.choices
        return self._fill_template(request.task, request.text, choices)

    def letters(self, request: Request, a: str, b: str) -> str:
        """A caption put as a choice between two letters."""
        return self.wording.match.letters.format(text=request.text, a=a, b=b)

    def shown_examples(self, task: Task) -> list[tuple[str, Path | None, str]]:
        """The examples of a task: what is asked, the image, and the reply."""
        return [
            (self._fill_template(task, example.text, example.choices), image, example.reply)
            for example, image in self.examples
            if example.task == task
        ]

    def _fill_template(self, task: Task, text: str, choices: tuple[str, ...] | None) -> str:
        if task == "match":
            return self.wording.match.yes_no.format(text=text)
        if not choices:
            return self.wording.answer.open.format(text=text)
        if is_binary(choices):
            return self.wording.answer.binary.format(text=text)
        return self.wording.answer.choices.format(text=text, choices=join_choices(choices))


def prompt_names() -> list[str]:
    """The prompts that come with the program."""
    return sorted(entry.name.removesuffix(".yaml") for entry in _FOLDER.iterdir() if entry.name.endswith(".yaml"))


def load_prompt(options: ModelOptions, *, default: str | None = None) -> Prompt:
    """The prompt the user chose, else ``default``, which a family of models may know better than ``standard``."""
    name = options.prompt or default or "standard"
    label, wording = _wording(name)
    return Prompt(
        name=label,
        wording=wording,
        system=None if options.system is None else read_text(options.system),
        examples=() if options.few_shot is None else read_examples(options.few_shot),
    )


def _wording(name: str) -> tuple[str, PromptTemplate]:
    if name in prompt_names():
        with resources.as_file(_FOLDER / f"{name}.yaml") as path:
            return name, _read(path)
    path = Path(name)
    if path.suffix not in {".yaml", ".yml"}:
        known = ", ".join(prompt_names())
        raise UsageError(f"unknown prompt {name!r}: there are {known}, or give a YAML file")
    return path.stem, _read(path)


def _read(path: Path) -> PromptTemplate:
    hint = "it has version, about, answer (open, binary, choices) and match (yes_no, letters)"
    return read_yaml(path, PromptTemplate, what="a prompt", hint=hint).check(path)


class PromptPreview(NamedTuple):
    """What is said for one example."""

    task: Task
    of: str
    """The sort of request: an open question, yes or no, choices; a caption by yes or no, or by letters."""
    text: str


_OPEN_REQUEST = Request(item_id="open", task="answer", text="What color is the bus?")
_YES_NO_REQUEST = Request(item_id="binary", task="answer", text="Is there a dog on the sofa?", choices=YES_NO)
_CHOICES_REQUEST = Request(item_id="choices", task="answer", text="Is the cup red or blue?", choices=("red", "blue"))
_CAPTION_REQUEST = Request(item_id="caption", task="match", text="A dog lies on the sofa.")


def preview_prompt(prompt: Prompt) -> list[PromptPreview]:
    """Every template of a prompt, filled in."""
    return [
        PromptPreview("answer", "open question", prompt.question(_OPEN_REQUEST)),
        PromptPreview("answer", "yes or no", prompt.question(_YES_NO_REQUEST)),
        PromptPreview("answer", "choices", prompt.question(_CHOICES_REQUEST)),
        PromptPreview("match", "yes or no", prompt.question(_CAPTION_REQUEST)),
        PromptPreview("match", "letters", prompt.letters(_CAPTION_REQUEST, "yes", "no")),
    ]
