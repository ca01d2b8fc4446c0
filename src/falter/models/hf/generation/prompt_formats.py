"""What a writing model is shown for a request: one text with its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from falter.errors import UsageError
from falter.models.prompts import Prompt
from falter.models.request import Request
from falter.models.request_image import load_image

__all__ = ["Asked", "Asking", "BareAsking", "ExamplePictures", "Examples", "PrefixAsking"]


class Asked(NamedTuple):
    """A text up to where the answer begins, and the pictures in it, in order."""

    text: str
    pictures: list[Any]


Examples = Sequence[tuple[str, Path | None, str]]
"""Worked examples: what is asked, the picture, and the reply."""


class Asking(Protocol):
    """Puts a question into the form that a family of models was trained on."""

    reads_context: bool

    def of(self, request: Request, question: str, picture: Any, examples: Examples = ()) -> Asked:
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
            raise UsageError(f"{self.name} takes one picture at a time: the examples of --few-shot must have none")

    def of(self, request: Request, question: str, picture: Any, examples: Examples = ()) -> Asked:
        del request
        shown = [f"{said} {reply}" for said, _, reply in examples]
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
            raise UsageError(f"{self.name} reads bare questions: --few-shot and --system mean nothing to it")

    def of(self, request: Request, question: str, picture: Any, examples: Examples = ()) -> Asked:
        del request, examples
        return Asked(question, [picture])


class ExamplePictures:
    """The pictures of worked examples, opened once."""

    def __init__(self) -> None:
        self._opened: dict[Path, Any] = {}

    def of(self, path: Path) -> Any:
        """The opened picture."""
        if path not in self._opened:
            self._opened[path] = load_image(Request(item_id="example", task="answer", text="", image=path))
        return self._opened[path]
