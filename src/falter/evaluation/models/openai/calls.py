"""The calls for one request, and the reply in their completions: a text, the likeliest choice, a probability.

Where words are compared, their probability comes from the likeliest tokens that a server lists. Choices whose first
tokens do not tell them apart are put under letters.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log
from pathlib import Path

from falter.data.items import YES_NO
from falter.data.model import Reply, Request
from falter.data.model_options import ModelOptions
from falter.evaluation.answers.reply_reading import read_reply as read_answer
from falter.evaluation.models.openai.completion import Completion, Position
from falter.evaluation.models.openai.errors import ItemRejectedError, RetryableError
from falter.evaluation.models.openai.messages import Message, conversation, estimated_tokens
from falter.evaluation.models.prompts import Prompt

LETTERING_VERSION = 1
"""Changes whenever the same choices would be put in other words."""

MOST = 20
"""Servers list at most so many tokens in one place."""


def letters_for(choices: Sequence[str]) -> tuple[str, ...]:
    """A letter for each choice.

    >>> letters_for(["red bus", "blue bus"])
    ('A', 'B')
    """
    return tuple(string.ascii_uppercase[: len(choices)])


def with_letters(text: str, choices: Sequence[str]) -> str:
    """A question with its choices under letters.

    >>> print(with_letters("What is it?", ["a red bus", "a blue bus"]))
    What is it?
    A. a red bus
    B. a blue bus
    Answer with the letter only.
    """
    lines = [f"{letter}. {choice}" for letter, choice in zip(letters_for(choices), choices, strict=True)]
    return "\n".join([text, *lines, "Answer with the letter only."])


_EDGES = " \t\r\n▁Ġ\"'`*_([{<>}]).,:;!?"
_LEAST = 1e-12
_THOUGHTS = 32
"""As much text as can hold a mark of several tokens."""


def told_apart_by_first_token(choices: Sequence[str]) -> bool:
    """Whether the first token of each choice, whatever the tokeniser, can be that of no other.

    >>> told_apart_by_first_token(["yes", "no"]), told_apart_by_first_token(["gray", "green"])
    (True, False)
    """
    initials = [choice.strip()[:1].casefold() for choice in choices]
    return all(initials) and len(set(initials)) == len(choices) and not any(" " in choice.strip() for choice in choices)


def word_scores(positions: Sequence[Position], words: Sequence[str]) -> dict[str, float] | None:
    """The log-probability of each word where the model decides, or None where it says none of them.

    That is the first word of the reply, or the first place where one of the words is said, whichever holds more of
    their probability. A token counts for the word that it is, or that alone begins with it. A word that is not among
    the tokens listed has at most the probability of the last of them, and at most what the list leaves over: it gets
    the lesser of the two.
    """
    positions = _after_thinking(positions)
    first = next((position for position in positions if _core(position.token)), None)
    said = next((position for position in positions if _word(position.token, words) is not None), None)
    best: dict[str, float] | None = None
    mass = 0.0
    for position in (first, said):
        if position is None:
            continue
        found = _probabilities(position, words)
        if sum(found.values()) > mass:
            mass = sum(found.values())
            floor = _floor(position)
            best = {word: log(found[word]) if word in found else floor for word in words}
    return best


def probability_of_first(scores: dict[str, float], first: str, second: str) -> float:
    """p(first) / (p(first) + p(second))."""
    difference = scores[second] - scores[first]
    return 1.0 / (1.0 + exp(min(difference, 700.0)))


def _after_thinking(positions: Sequence[Position]) -> Sequence[Position]:
    """The places after a model's thoughts, in which it may say any word; none where the thoughts have no end."""
    text = ""
    end = begun = 0
    for number, position in enumerate(positions, start=1):
        text = (text + position.token)[-_THOUGHTS:]
        if "</think" in text:
            # The rest of the mark, if it is several tokens, is cut away as an edge of the first word.
            text, end, begun = "", number, 0
        elif "<think" in text:
            begun = 1
    return () if begun else positions[end:]


def _probabilities(position: Position, words: Sequence[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for token, logprob in position.listed:
        word = _word(token, words)
        if word is not None:
            found[word] = found.get(word, 0.0) + max(exp(min(logprob, 0.0)), _LEAST)
    return found


def _floor(position: Position) -> float:
    listed = [min(logprob, 0.0) for _, logprob in position.listed]
    left = 1.0 - sum(exp(logprob) for logprob in listed)
    return min(*listed, log(max(left, _LEAST)))


def _word(token: str, words: Sequence[str]) -> str | None:
    core = _core(token)
    if not core:
        return None
    for word in words:
        if word.casefold() == core:
            return word
    begun = [word for word in words if word.casefold().startswith(core)]
    return begun[0] if len(begun) == 1 and len(core) > 1 else None


def _core(token: str) -> str:
    return token.strip(_EDGES).casefold()


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


CUT_OFF = "the reply was cut off before an answer came: raise --max-new-tokens"


def check_said(completion: Completion) -> None:
    """Raise where a completion holds nothing that the model said."""
    if completion.finish == "content_filter":
        raise ItemRejectedError("the service's content filter held the reply back")
    if completion.refusal is not None:
        return
    if completion.text is None and completion.finish != "length":
        raise RetryableError("the server sent a completion without text", maybe_charged=True)


def read_reply(request: Request, calls: Sequence[Call], completions: Sequence[Completion], *, logprobs: bool) -> Reply:
    """The reply that the completions of a request's calls make up; ``logprobs`` says whether the server lists them."""
    text = "\n".join(completion.refusal or completion.text or "" for completion in completions)
    unparsed = Reply(item_id=request.item_id, status="unparsed", text=text)
    is_cut = any(completion.finish == "length" for completion in completions)
    truncated = Reply(item_id=request.item_id, status="truncated", text=text, error=CUT_OFF)
    if any(completion.refusal is not None for completion in completions):
        return unparsed
    if request.task == "match":
        return _match_reply(request, calls, completions, text, logprobs=logprobs) or (truncated if is_cut else unparsed)
    call, completion = calls[0], completions[0]
    if is_cut and not text.strip():
        return truncated
    if not call.words:
        return Reply(item_id=request.item_id, text=text, finish_reason="length" if is_cut else None)
    scores = word_scores(completion.positions or (), call.words)
    if scores is None:
        return unparsed
    named = {choice: scores[word] for word, choice in zip(call.words, call.stands_for, strict=True)}
    return Reply(item_id=request.item_id, text=text, choice_scores=named)


def _match_reply(
    request: Request, calls: Sequence[Call], completions: Sequence[Completion], text: str, *, logprobs: bool
) -> Reply | None:
    found: dict[str, float] = {}
    words: dict[str, float] | None = None
    for call, completion in zip(calls, completions, strict=True):
        word = call.words[call.stands_for.index("yes")]
        other = call.words[call.stands_for.index("no")]
        if logprobs:
            words = word_scores(completion.positions or (), call.words)
            if words is None:
                return None
            found[word] = probability_of_first(words, word, other)
        else:
            said = _read_yes_no(completion.text or "", call, cut_off=completion.finish == "length")
            if said is None:
                return None
            found[word] = float(said == "yes")
    score = sum(found.values()) / len(found)
    return Reply(
        item_id=request.item_id,
        text=text,
        score=score,
        score_kind="probability",
        choice_scores=found if len(calls) > 1 else words,
    )


def _read_yes_no(text: str, call: Call, *, cut_off: bool) -> str | None:
    """Yes or no, by the letter that stands for it or by the word."""
    if call.words != YES_NO:
        letter = read_answer("answer", call.words, text, cut_off=cut_off).answer
        if letter in call.words:
            return call.stands_for[call.words.index(letter)]
    answer = read_answer("match", None, text, cut_off=cut_off).answer
    return answer if answer in YES_NO else None
