"""Captions that are made ungrammatical: a verb that does not agree, a word twice, a word left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

__all__ = ["Corrupted", "corrupt_captions"]

_OTHER_NUMBER = {"is": "are", "are": "is", "was": "were", "were": "was", "has": "have", "have": "has"}
_ARTICLES = ("a", "an", "the")
_PREPOSITIONS = ("on", "in", "at", "of", "with", "near", "under", "behind", "beside", "to", "from", "into", "through")
_ADVERBS = ("up", "out", "down", "off", "inside", "outside", "around", "along", "over", "alongside", "by", "past")
_EITHER_NUMBER = re.compile(
    r"\b(and|group|couple|bunch|pair|lot|herd|flock|number|row|set|variety|there|few|sheep|fish|zebra|giraffe|team|crowd"
    r"|family|pile|collection|line|cattle|stack|box|plate|deer|this|what)\b"
)
_SIMPLE_SUBJECT = re.compile(
    r"(?:(?:a|an|the|some|two|three|several|many) )?(?:\w+ ){1,3}?(is|are|was|were|has|have)\b"
)


class Corrupted(NamedTuple):
    """A caption, how it was corrupted, and what became of it."""

    kind: str
    caption: str
    text: str


def corrupt_captions(captions: Sequence[str], number: int, seed: int = 0) -> list[Corrupted]:
    """As many of each kind, drawn from captions."""
    rng = Random(seed)
    found: list[Corrupted] = []
    kinds = {"agreement": _disagree, "doubled": _double, "missing": _leave_out}
    for caption in rng.sample(list(captions), len(captions)):
        kind = list(kinds)[len(found) % len(kinds)]
        text = kinds[kind](caption.split(), rng)
        if text is not None and text != caption:
            found.append(Corrupted(kind, caption, text))
        if len(found) == number:
            break
    return found


def _disagree(words: list[str], rng: Random) -> str | None:
    """The verb after a simple subject in the other number; nouns that take either are avoided."""
    text = " ".join(words)
    subject = _SIMPLE_SUBJECT.match(text.lower())
    if subject is None or _EITHER_NUMBER.search(text.lower()):
        return None
    return f"{text[: subject.start(1)]}{_OTHER_NUMBER[subject[1]]}{text[subject.end(1) :]}"


def _double(words: list[str], rng: Random) -> str | None:
    places = [index for index, word in enumerate(words[:-1]) if word.isalpha() and word not in ("very", "really")]
    if not places:
        return None
    place = rng.choice(places)
    return " ".join([*words[: place + 1], *words[place:]])


def _leave_out(words: list[str], rng: Random) -> str | None:
    """Without an "a", without a preposition before an article, or without the noun after one."""
    lower = [word.lower() for word in words]
    places = []
    for index in range(1, len(words)):
        after = lower[index + 1] if index + 1 < len(words) else ""
        if lower[index] in ("a", "an") and lower[index - 1] in _PREPOSITIONS:
            places.append(index)
        if (
            lower[index] in _PREPOSITIONS
            and after in _ARTICLES
            and lower[index - 1] not in ("up", "out", "down", "off")
        ):
            places.append(index)
        if index > 1 and lower[index - 1] in _ARTICLES and after in (*_PREPOSITIONS, "and", "is", "are"):
            places.append(index)
    if not places:
        return None
    place = rng.choice(places)
    return " ".join(words[:place] + words[place + 1 :])
