"""The probability of each of a few words, from the likeliest tokens that a server lists."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from falter.models.openai.completion import Position

__all__ = ["probability_of_first", "told_apart_by_first_token", "word_scores"]

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
