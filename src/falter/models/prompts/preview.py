"""A preview of a prompt: every template filled in for an example."""

from __future__ import annotations

from typing import NamedTuple

from falter.models.prompts.prompt import Prompt
from falter.models.request import Request
from falter.probes import Task

__all__ = ["PromptPreview", "preview_prompt"]


class PromptPreview(NamedTuple):
    """What is said for one example."""

    task: Task
    of: str
    """The sort of request: an open question, yes or no, choices; a caption by yes or no, or by letters."""
    text: str


_OPEN = Request(item_id="open", task="answer", text="What color is the bus?")
_BINARY = Request(item_id="binary", task="answer", text="Is there a dog on the sofa?", choices=("yes", "no"))
_CHOICES = Request(item_id="choices", task="answer", text="Is the cup red or blue?", choices=("red", "blue"))
_CAPTION = Request(item_id="caption", task="match", text="A dog lies on the sofa.")


def preview_prompt(prompt: Prompt) -> list[PromptPreview]:
    """Every template of a prompt, filled in."""
    return [
        PromptPreview("answer", "open question", prompt.question(_OPEN)),
        PromptPreview("answer", "yes or no", prompt.question(_BINARY)),
        PromptPreview("answer", "choices", prompt.question(_CHOICES)),
        PromptPreview("match", "yes or no", prompt.question(_CAPTION)),
        PromptPreview("match", "letters", prompt.letters(_CAPTION, "yes", "no")),
    ]
