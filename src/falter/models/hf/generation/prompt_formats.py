"""The input of a generative model for a request: one text with its images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from falter.errors import UsageError
from falter.models.prompts import Prompt
from falter.models.request import Request
from falter.models.request_image import load_image

__all__ = ["BareFormat", "ExampleImages", "Examples", "PrefixFormat", "PromptFormat", "PromptInput"]


class PromptInput(NamedTuple):
    """A text up to where the answer begins, and the images in it, in order."""

    text: str
    images: list[Any]


Examples = Sequence[tuple[str, Path | None, str]]
"""Worked examples: what is asked, the image, and the reply."""


class PromptFormat(Protocol):
    """Puts a question into the form that a family of models was trained on."""

    reads_context: bool

    def render(self, request: Request, question: str, image: Any, examples: Examples = ()) -> PromptInput:
        """The complete input."""
        ...


@dataclass(frozen=True)
class PrefixFormat:
    """The question as plain text, after the mark of the image where the processor wants one."""

    prompt: Prompt
    name: str
    image_token: str = ""
    reads_context = False

    def __post_init__(self) -> None:
        if any(image is not None for _, image in self.prompt.examples):
            raise UsageError(f"{self.name} takes one image at a time: the examples of --few-shot must have none")

    def render(self, request: Request, question: str, image: Any, examples: Examples = ()) -> PromptInput:
        del request
        shown = [f"{said} {reply}" for said, _, reply in examples]
        system = [] if self.prompt.system is None else [self.prompt.system.strip()]
        text = "\n\n".join([*system, *shown, question])
        if image is None:
            return PromptInput(text, [])
        return PromptInput(f"{self.image_token}{text}", [image])


@dataclass(frozen=True)
class BareFormat:
    """The question and nothing else, for models that were trained on bare questions."""

    prompt: Prompt
    name: str
    reads_context = False

    def __post_init__(self) -> None:
        if self.prompt.examples or self.prompt.system is not None:
            raise UsageError(f"{self.name} reads bare questions: --few-shot and --system mean nothing to it")

    def render(self, request: Request, question: str, image: Any, examples: Examples = ()) -> PromptInput:
        del request, examples
        return PromptInput(question, [image])


class ExampleImages:
    """The images of worked examples, opened once."""

    def __init__(self) -> None:
        self._opened: dict[Path, Any] = {}

    def load(self, path: Path) -> Any:
        """The opened image."""
        if path not in self._opened:
            self._opened[path] = load_image(Request(item_id="example", task="answer", text="", image=path))
        return self._opened[path]
