"""Questions as a chat, in the form of the processor's own template."""

from __future__ import annotations

from typing import Any

from falter.models.hf.generation.prompt_formats import ExampleImages, Examples, PromptInput
from falter.models.prompts import Prompt
from falter.models.request import Request

__all__ = ["ChatFormat"]

_ASSISTANTS = frozenset({"assistant", "answerer", "answer", "a", "bot", "model", "gpt"})


class ChatFormat:
    """System text, worked examples and earlier turns as turns of a chat; the question is the last."""

    reads_context = True

    def __init__(self, processor: Any, prompt: Prompt) -> None:
        self._processor = processor
        self._prompt = prompt
        self._images = ExampleImages()

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
