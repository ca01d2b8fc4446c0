"""The one policy by which a reply becomes an answer: engine, cache, scoring, importers and exports follow it.

Of a text that was cut off, a whole answer before the cut counts, half a thought does not."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from falter.data.items import YES_NO
from falter.data.normalize import normalize
from falter.evaluation.answers.lexicon import CLAUSE_END
from falter.evaluation.answers.parsing import Parsed, parse_answer
from falter.evaluation.answers.statements import find_announcements
from falter.evaluation.answers.unwrapping import has_open_thought, unwrap

_WHOLE_MARK = re.compile(
    r"\{[^{}]*[\"\w\]]\s*\}|<\s*/\s*(?:final[_ ]?answer|answer)\s*>|<\|end_of_box\|>|\\f?boxed\s*\{[^{}]*\}"
)
_SENTENCE = re.compile(r"[.!?\n]")
_SHORT = 3
"""So many words make an answer; a longer first sentence may lead up to one."""


def parse_whole_part(text: str, choices: Sequence[str] | None) -> Parsed | None:
    """The answer that came whole before a text was cut off, or None.

    Only an answer counts that is marked, that the text begins with, or that is a choice letter by letter.

    >>> parse_whole_part("Yes, there is a", ("yes", "no"))
    Parsed(kind='choice', answer='yes')
    >>> parse_whole_part("The man is holding a hot", None)
    """
    message = unwrap(text)
    if message.marked is not None:
        whole = parse_answer(text, choices) if _WHOLE_MARK.search(text) else None
        return whole if whole is not None and whole.answer is not None else None
    said = message.text.strip()
    first = CLAUSE_END.split(said, maxsplit=1)[0].strip()
    if first == said:
        return _whole_choice(said, choices or ())
    opening = parse_answer(first, choices)
    if opening.kind == "choice" or opening.answer in YES_NO:
        return opening if parse_answer(text, choices).answer == opening.answer else None
    sentence = _SENTENCE.split(said, maxsplit=1)[0].strip()
    if choices is None and sentence != said and len(sentence.split()) <= _SHORT:
        short = parse_answer(sentence)
        return short if short.answer is not None else None
    return None


def _whole_choice(said: str, choices: Sequence[str]) -> Parsed | None:
    """The choice that a text is, letter by letter; None where it may be the beginning of another."""
    begun = [choice for choice in choices if choice.lower().startswith(said)]
    return Parsed("choice", begun[0]) if said and len(begun) == 1 and begun[0].lower() == said else None


"""What a text that is matched with an image is answered with."""


class ReadReply(NamedTuple):
    """What was read out of a reply's text: the status of the reply, and its answer."""

    status: Literal["ok", "unparsed", "truncated"]
    answer: str | None = None


def is_read_from_text(
    task: str, status: str, *, has_text: bool, given: bool, has_score: bool, has_choice_scores: bool
) -> bool:
    """Whether the answer of a reply is what its text says; else the reply stays as the model gave it.

    It stays where the model gave the answer itself (or that there is none), where it scored the choices or the match,
    and where there is nothing to read: a failure, an item that the model does not support, a text that was cut off.
    """
    if status not in ("ok", "unparsed") or not has_text or given or has_choice_scores:
        return False
    return not (task == "match" and has_score)


def read_reply(
    task: str,
    choices: Sequence[str] | None,
    text: str,
    *,
    cut_off: bool = False,
    accepted: Collection[str] = (),
) -> ReadReply:
    """Read a reply's text as an answer to an item of a task, with these choices if it has any.

    A text that is matched with an image is answered with yes or no. ``cut_off`` says that the text ends at the limit of
    tokens: without a whole answer before the cut it is truncated, and so is a text that ends within a thought.

    ``accepted`` are the answers that people accept, where they are known. A text that no rule reads, and that is one of
    them word for word, is that answer: "cannot tell" may be a refusal, and may be what a sign says. They never turn one
    answer into another.

    >>> read_reply("answer", ("yes", "no"), "Yes, there is.")
    ReadReply(status='ok', answer='yes')
    >>> read_reply("answer", None, "Do not enter.").status
    'unparsed'
    >>> read_reply("answer", None, "Do not enter.", accepted=["do not enter"]).answer
    'do not enter'
    >>> read_reply("answer", None, "The man is holding a hot", cut_off=True).status
    'truncated'
    """
    offered = choices or (YES_NO if task == "match" else None)
    parsed = parse_whole_part(text, offered) if cut_off else parse_answer(text, offered)
    if parsed is None or (parsed.kind == "unparsed" and has_open_thought(text)):
        return ReadReply("truncated")
    if parsed.kind == "unparsed" and accepted and task == "answer":
        verbatim = _find_verbatim(text, accepted)
        return ReadReply("unparsed") if verbatim is None else ReadReply("ok", verbatim)
    return ReadReply(parsed.status, parsed.answer)


def _find_verbatim(text: str, accepted: Collection[str]) -> str | None:
    """The accepted answer that a text is, or that it marks or announces, but for case, punctuation and articles."""
    return next((answer for form in _forms(text) for answer in accepted if normalize(answer) == form), None)


@lru_cache(maxsize=1 << 14)
def _forms(text: str) -> tuple[str, ...]:
    """The normal forms of a text, of what is left of it without its wrapping, and of what it announces."""
    message = unwrap(text)
    parts = [text, message.text if message.marked is None else message.marked]
    announced = find_announcements(message.text) if message.marked is None else []
    if len(announced) == 1:
        parts.append(announced[0].text)
    return tuple(dict.fromkeys(form for part in parts if (form := normalize(part))))


@lru_cache(maxsize=1 << 16)
def read_gold(answer: str) -> str:
    """What is read out of a gold answer to an open question when it is given as a reply; itself, where nothing is.

    A reply that is this is right, too: otherwise "it's a dog" would be wrong where the gold answer is "it's a dog".

    >>> read_gold("it's a dog"), read_gold("cannot tell")
    ('dog', 'cannot tell')
    """
    # A single word is read as itself.
    if answer.isalnum():
        return answer
    return read_reply("answer", None, answer).answer or answer
