"""What a writing model is shown for a request: one text with its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from falter.errors import BadUse
from falter.models.pictures import load_picture
from falter.models.prompts import Prompt
from falter.models.reply import Request
from falter.probes import Task

__all__ = ["Asked", "Asking", "PrefixAsking"]


class Asked(NamedTuple):
    """A text up to where the answer begins, and the pictures in it, in order."""

    text: str
    pictures: list[Any]


class Asking(Protocol):
    """Puts a question into the form that a family of models was trained on."""

    reads_context: bool

    def of(self, request: Request, question: str, picture: Any) -> Asked:
        """The whole of what is shown."""
        ...


@dataclass(frozen=True)
class PrefixAsking:
    """The question as plain text, after the mark of the picture where the processor wants one."""

    prompt: Prompt
    name: str
    mark: str = ""
    reads_context = False

    def __post_init__(self) -> None:
        if any(picture is not None for _, picture in self.prompt.examples):
            raise BadUse(f"{self.name} takes one picture at a time: the examples of --few-shot must have none")

    def of(self, request: Request, question: str, picture: Any) -> Asked:
        shown = [f"{said} {reply}" for said, _, reply in self.prompt.shown_examples(request.task)]
        system = [] if self.prompt.system is None else [self.prompt.system.strip()]
        text = "\n\n".join([*system, *shown, question])
        if picture is None:
            return Asked(text, [])
        return Asked(f"{self.mark}{text}", [picture])


@dataclass(frozen=True)
class BareAsking:
    """The question and nothing else, for models that were trained on bare questions."""

    prompt: Prompt
    name: str
    reads_context = False

    def __post_init__(self) -> None:
        if self.prompt.examples or self.prompt.system is not None:
            raise BadUse(f"{self.name} reads bare questions: --few-shot and --system mean nothing to it")

    def of(self, request: Request, question: str, picture: Any) -> Asked:
        del request
        return Asked(question, [picture])


@dataclass
class ExamplePictures:
    """The pictures of worked examples, opened once."""

    prompt: Prompt
    _opened: dict[Path, Any] = field(default_factory=dict)

    def of(self, task: Task) -> Sequence[tuple[str, Any, str]]:
        """The examples of a task: what is asked, the opened picture, the reply."""
        return [(said, self._open(path), reply) for said, path, reply in self.prompt.shown_examples(task)]

    def _open(self, path: Path | None) -> Any:
        if path is None:
            return None
        if path not in self._opened:
            self._opened[path] = load_picture(Request(item_id="example", task="answer", text="", image=path))
        return self._opened[path]
