"""What is to be asked for one request: the calls, and the words whose probability decides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from falter.models.openai.choice_letters import MOST, letters_for, with_letters
from falter.models.openai.logprobs import told_apart_by_first_token
from falter.models.openai.messages import Message, conversation, estimated_tokens
from falter.models.options import ModelOptions
from falter.models.prompts import Prompt
from falter.models.request import Request

__all__ = ["YES_NO", "Call", "calls_of"]

YES_NO = ("yes", "no")


@dataclass(frozen=True)
class Call:
    """One question to the server."""

    messages: tuple[Message, ...]
    max_tokens: int
    words: tuple[str, ...] = ()
    """The words whose probabilities are wanted; none where the text alone counts."""
    stands_for: tuple[str, ...] = ()
    """What each of the words stands for: itself, or the choice under its letter."""
    needs_logprobs: bool = False
    """Whether nothing else will do."""

    @cached_property
    def text_tokens(self) -> int:
        """An estimate."""
        return estimated_tokens(self.messages)

    @property
    def images(self) -> int:
        return len(self.image_files)

    @cached_property
    def image_files(self) -> tuple[Path, ...]:
        return tuple(message.image for message in self.messages if message.image is not None)


def calls_of(request: Request, prompt: Prompt, options: ModelOptions) -> list[Call] | None:
    """The calls of a request: one, or two for a match by letters; None where it cannot be put to a server."""
    if request.task == "match":
        if options.match_by == "letters":
            return [_match_by_letters(request, prompt, options, order) for order in (YES_NO, YES_NO[::-1])]
        said = _conversation(request, prompt, prompt.question(request), prompt.shown_examples("match"))
        return [Call(said, options.max_new_tokens, words=YES_NO, stands_for=YES_NO)]
    if options.answer_by == "likelihood" and request.choices:
        return _by_likelihood(request, prompt, request.choices, options)
    said = _conversation(request, prompt, prompt.question(request), prompt.shown_examples("answer"))
    return [Call(said, options.max_new_tokens)]


def _by_likelihood(
    request: Request, prompt: Prompt, choices: tuple[str, ...], options: ModelOptions
) -> list[Call] | None:
    room = options.max_new_tokens
    if len(choices) <= MOST and told_apart_by_first_token(choices):
        said = _conversation(request, prompt, prompt.question(request), prompt.shown_examples("answer"))
        return [Call(said, room, words=choices, stands_for=choices, needs_logprobs=True)]
    if len(choices) > MOST:
        return None
    examples: list[tuple[str, Path | None, str]] = []
    for example, image in prompt.examples:
        if example.task == "answer" and example.choices and example.reply in example.choices:
            letter = letters_for(example.choices)[example.choices.index(example.reply)]
            examples.append((with_letters(example.text, example.choices), image, letter))
    said = _conversation(request, prompt, with_letters(request.text, choices), examples)
    return [Call(said, room, words=letters_for(choices), stands_for=choices, needs_logprobs=True)]


def _match_by_letters(request: Request, prompt: Prompt, options: ModelOptions, order: tuple[str, ...]) -> Call:
    a, b = order
    examples = [
        (prompt.letters(Request(item_id="", task="match", text=example.text), a, b), image, "AB"[order.index(reply)])
        for example, image in prompt.examples
        if example.task == "match" and (reply := example.reply.strip().rstrip(".").lower()) in order
    ]
    said = _conversation(request, prompt, prompt.letters(request, a, b), examples)
    return Call(said, options.max_new_tokens, words=("A", "B"), stands_for=order)


def _conversation(
    request: Request, prompt: Prompt, question: str, examples: list[tuple[str, Path | None, str]]
) -> tuple[Message, ...]:
    return tuple(conversation(request, question, system=prompt.system, examples=examples))
