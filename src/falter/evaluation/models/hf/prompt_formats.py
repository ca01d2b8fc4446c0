"""The input of a generative model for a request, one text with its images: as plain text, bare, or as a chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from falter.core.errors import UsageError
from falter.data.model import Request, load_image
from falter.evaluation.models.prompts import Prompt

_ASSISTANTS = frozenset({"assistant", "answerer", "answer", "a", "bot", "model", "gpt"})


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
            raise UsageError(f"{self.name} takes one image at a time: the examples of -M few_shot must have none")

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
            raise UsageError(f"{self.name} reads bare questions: -M few_shot and -M system mean nothing to it")

    def render(self, request: Request, question: str, image: Any, examples: Examples = ()) -> PromptInput:
        del request, examples
        return PromptInput(question, [image])


class ChatFormat:
    """A chat in the form of the processor's own template: system text, worked examples, earlier turns, the question."""

    reads_context = True

    def __init__(self, processor: Any, prompt: Prompt) -> None:
        self._processor = processor
        self._prompt = prompt
        self._images = _ExampleImages()

    def render(self, request: Request, question: str, image: Any, examples: Examples = ()) -> PromptInput:
        messages: list[dict[str, Any]] = []
        images: list[Any] = []
        for said, path, reply in examples:
            messages.append(_message("user", said, with_image=path is not None))
            messages.append(_message("assistant", reply))
            images += [] if path is None else [self._images.load(path)]
        dialogue = _dialogue(request, question, with_image=image is not None)
        images += [] if image is None else [image]
        return PromptInput(self._render_messages(messages + dialogue), images)

    def _render_messages(self, messages: list[dict[str, Any]]) -> str:
        system = self._prompt.system
        if system is None:
            return self._written(messages)
        try:
            text = self._written([_message("system", system.strip()), *messages])
        except Exception as error:
            if type(error).__module__.partition(".")[0] != "jinja2":
                raise
            text = ""
        if system.strip() in text:
            return text
        # A template that knows no system turn gets it before the first question.
        first = messages[0]
        content = [{"type": "text", "text": f"{system.strip()}\n\n"}, *first["content"]]
        return self._written([{**first, "content": content}, *messages[1:]])

    def _written(self, messages: list[dict[str, Any]]) -> str:
        return str(self._processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False))


def _message(role: str, text: str, *, with_image: bool = False) -> dict[str, Any]:
    image = [{"type": "image"}] if with_image else []
    return {"role": role, "content": [*image, {"type": "text", "text": text}]}


def _dialogue(request: Request, question: str, *, with_image: bool) -> list[dict[str, Any]]:
    """Earlier turns and the question, the two sides in turn; the image stands in the first turn of the user."""
    turns: list[tuple[str, str]] = []
    for turn in request.context or ():
        role = "assistant" if turn.speaker.lower() in _ASSISTANTS else "user"
        if turns and turns[-1][0] == role:
            turns[-1] = role, f"{turns[-1][1]}\n{turn.text}"
        else:
            turns.append((role, turn.text))
    if turns and turns[-1][0] == "user":
        turns[-1] = "user", f"{turns[-1][1]}\n{question}"
    else:
        turns.append(("user", question))
    if turns[0][0] == "assistant":
        # A chat cannot begin with the assistant.
        turns[:2] = [("user", f"You said: {turns[0][1]}\n{turns[1][1]}")]
    return [_message(role, text, with_image=with_image and place == 0) for place, (role, text) in enumerate(turns)]


class _ExampleImages:
    """The images of worked examples, opened once."""

    def __init__(self) -> None:
        self._opened: dict[Path, Any] = {}

    def load(self, path: Path) -> Any:
        """The opened image."""
        if path not in self._opened:
            self._opened[path] = load_image(Request(item_id="example", task="answer", text="", image=path))
        return self._opened[path]
