"""A prompt: templates, system text and few-shot examples."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import msgspec

from falter.errors import UsageError
from falter.files import read_text, read_yaml, sha256_of_file
from falter.models.options import ModelOptions
from falter.models.prompts.examples import FewShotExample, read_examples
from falter.models.prompts.prompt_template import PromptTemplate, has_many, is_binary, join_choices
from falter.models.request import Request
from falter.probes import Task

__all__ = ["Prompt", "load_prompt", "prompt_names"]

_FOLDER = resources.files("falter.models.prompts") / "data"


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
