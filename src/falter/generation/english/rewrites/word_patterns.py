"""Patterns of words with open slots: they read a question as people wrote it, and keep its words.

``How many {plural n} {be v} there {rest r}`` is a pattern: fixed words, alternatives in brackets, and slots in braces,
each a type and a name. A type is a class of words (``be``), or a phrase that must begin or end in a certain way.

A question as people type it is tidied before it is read: one line, no shouting, no emoji.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from falter.core.files import read_yaml
from falter.data.word_forms import singularize
from falter.generation.english.grammar import default_grammar
from falter.generation.english.slots import TemplateError

_QUOTED = re.compile(r"[\"“'‘*(\[]+(?P<inside>[A-Za-z].*?[?.!]?)[\"”'’*)\]]+[\s?.!]*")
_FIRST_JUNK = "¿¡- "
_TWICE = re.compile(r"\b(the|a|an|of|in|on|is|are)(?: \1)+\b", re.IGNORECASE)
_JOINERS = "\u200b\u200c\u200d\ufe0e\ufe0f\ufeff"
_SUBJECT = r"(?:it|they|there|he|she|you|we|this|that|these|those|the|his|her|their|a|an)"
_MORE = re.compile(
    r"\w{3,}[.!;:] \w"
    r"|\b(?:and|or|but) (?:what|how|where|when|why|whose)\b"
    rf"|\b(?:and|or|but) (?:is|are|was|were|do|does|did|can|has|have) {_SUBJECT}\b"
    r"|\b(?:if|vs|versus)\b|;| - |\?"
    r"|^(?:and|or|but|compared)\b"
    r"|,.* or |, (?:is|are|was|were|does|do|which|who)\b",
    re.IGNORECASE,
)
"""A second sentence or question, a condition, or answers to choose from."""


def asks_more(words: str) -> bool:
    """Whether words hold more than the part of one question: "dog, black or white", "cat. Is it asleep".

    >>> [asks_more(words) for words in ("cat. Is it asleep", "dog, black or white", "dogs and what are they")]
    [True, True, True]
    >>> [asks_more(words) for words in ("sign on St. John street", "man and woman", "dog that is black and is big")]
    [False, False, False]
    """
    return _MORE.search(words) is not None


def tidy_question(question: str) -> str:
    """A question in one line, without quotes around it and emoji; one in capitals is written as others are.

    >>> tidy_question("WHAT COLOR IS THE  BUS?"), tidy_question('"How many dogs are there?"')
    ('What color is the bus?', 'How many dogs are there?')
    """
    line = question if question.isascii() else _plain(question)
    line = _TWICE.sub(r"\1", " ".join(line.split()).lstrip(_FIRST_JUNK))
    quoted = _QUOTED.fullmatch(line)
    if quoted is not None:
        line = quoted["inside"].strip()
    return f"{line[:1]}{line[1:].lower()}" if line.isupper() else line


def _plain(text: str) -> str:
    text = text.replace("’", "'").replace("‘", "'")
    return "".join(
        one for one in text if one not in _JOINERS and unicodedata.category(one) not in ("So", "Sk", "Cn", "Co")
    )


_PART = re.compile(r"\[([^\]]*)\]|\{([^{}]*)\}")
_END = r"[\s?.!]*"
_WORDS = r"[^?]*?[^?\s.!]"


@lru_cache(maxsize=1)
def _classes() -> dict[str, list[str]]:
    path = Path(__file__).parent.parent / "data" / "word_classes.yaml"
    return read_yaml(path, dict[str, list[str]], what="a file of classes of words", plain_words=True)


@lru_cache(maxsize=64)
def word_class(name: str) -> frozenset[str]:
    """The words of a class."""
    return frozenset(_classes()[name])


def is_plural_phrase(phrase: str) -> bool:
    """Whether the noun of a phrase is in the plural: "slices of pie", "sheep"."""
    head = re.split(r" (?:of|in|on|with) ", phrase)[0].split()[-1].lower()
    if head in word_class("same_plural") or head == "glasses":
        return True
    return singularize(head) is not None or singularize(phrase.lower()) is not None


def _is_counted(phrase: str) -> bool:
    words = phrase.lower().split()
    # "How many giraffe's are there?" has no plural, and times are not there.
    unfit = words[-1].endswith(("'s", "'")) or words[-1] == "times" or words[-1] in word_class("no_plural")
    # "pieces of furniture which are used for sleeping": the verb is the clause's own.
    unfit |= words[-1] in ("which", "that", "who")
    return words[0] not in word_class("no_noun") and not unfit and is_plural_phrase(phrase)


def _is_singular(phrase: str) -> bool:
    return default_grammar().ontology.grammatical_number(phrase.lower()) != "plural"


def _ends_well(phrase: str) -> bool:
    """Whether no verb is left without its end: "the car that the man is"."""
    return phrase.rpartition(" ")[2].lower() not in word_class("dangling")


def _is_one_thing(phrase: str) -> bool:
    """Whether a phrase that begins with a determiner names something.

    "it" does, but not "it past the hour", and "the building", but not "the woman holding up to her ear". Where nothing
    comes after what somebody does ("the man holding the kite with"), what is counted can.
    """
    first, *words = phrase.lower().split()
    knows, inside = default_grammar().ontology.knows, words[:-1]
    does = any(word.endswith("ing") and not knows(word) for word in inside) and words[-1] not in _STRANDED
    return _ends_well(phrase) and not does and not (first == "it" and words)


_STRANDED = frozenset({"with", "to", "from", "of", "on", "in", "at", "by", "for", "up", "down", "over", "into", "onto"})


def _is_named(phrase: str) -> bool:
    """Whether a phrase names something: not "man wearing" or "light on", but "hat the man is wearing"."""
    words = phrase.lower().split()
    if "," in phrase or words[0] in ("a", "an") or not _ends_well(phrase) or _has_no_noun(words):
        return False
    lacks = words[-1] in word_class("lacking") or (len(words) > 1 and words[-1] in word_class("place"))
    lacks |= any(one in _WORN and after in word_class("place") for one, after in pairwise(words))
    whole = any(one in word_class("be") or one in word_class("have") or one.endswith(_IS) for one in words)
    return whole or not lacks


_WORN = frozenset({"wearing", "holding", "carrying"})
_IS = ("he's", "they're", "it's", "you're", "that's", "who's")
_NO_SUPERLATIVE = frozenset(
    {"chest", "crest", "nest", "vest", "forest", "guest", "test", "harvest", "headrest", "armrest"}
)


def _has_no_noun(words: Sequence[str]) -> bool:
    """Whether a superlative stands for what it is said of: "most common", "largest in the room"."""
    bare = words[1:] if words[0] == "most" else words
    ends = len(bare) == 1 or (len(bare) > 1 and bare[1] in word_class("place"))
    superlative = words[0].endswith("est") and words[0] not in _NO_SUPERLATIVE
    return ends and (words[0] == "most" or (superlative and not default_grammar().ontology.knows(words[0])))


def _is_somewhere(phrase: str) -> bool:
    words = phrase.lower().split()
    elsewhere = words[-1] in word_class("direction") or words[-1] in word_class("place")
    return _ends_well(phrase) and not elsewhere and word_class("usually").isdisjoint(words)


class _SlotType(NamedTuple):
    regex: str
    fits: Callable[[str], bool] = bool
    optional: bool = False


def _one_of(*names: str) -> str:
    words = sorted({word for name in names for word in _classes()[name]}, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word) for word in words)


def _begins(words: str) -> str:
    return rf"(?:{words})(?: {_WORDS})?(?=[\s?.!]|$)"


@lru_cache(maxsize=1)
def _slot_types() -> dict[str, _SlotType]:
    noun_word = rf"(?!(?:{_one_of('auxiliary')})(?:n?'t)?\b)[^\s,?]+"
    stranded = rf"{_one_of('place', 'particle')}|to|for|of|front|top|into|onto"
    types = {name: _SlotType(f"(?:{_one_of(name)})") for name in _classes()}
    return types | {
        "words": _SlotType(_WORDS, _ends_well),
        "named": _SlotType(_WORDS, _is_named),
        "rest": _SlotType(_WORDS, _ends_well, optional=True),
        "any": _SlotType(r".*?"),
        "word": _SlotType(r"[a-z]+"),
        "plural": _SlotType(rf"{noun_word}(?: {noun_word})*?", _is_counted),
        "noun": _SlotType(r"[a-z][a-z' -]*?", _is_singular),
        "located": _SlotType(_begins(rf"{_one_of('place', 'shown')}|[a-z]+ing")),
        "definite": _SlotType(_begins(_one_of("determiner")), _is_one_thing),
        "item": _SlotType(_begins(_one_of("determiner")), _is_named),
        "agent": _SlotType(rf"(?:{_one_of('pronoun')})|{_begins(_one_of('determiner'))}", _ends_well),
        "someone": _SlotType(rf"(?:{_one_of('pronoun')})|(?:{_one_of('determiner')}) {_WORDS}", _ends_well),
        "acting": _SlotType(rf"(?!(?:{_one_of('counted_in_ing')})\b)[a-z]+ing"),
        "doing": _SlotType(rf"(?!(?:{_one_of('counted_in_ing', 'posture')})\b)[a-z]+ing"),
        "stranded": _SlotType(rf"(?:{stranded})(?: (?:{stranded}))*"),
        "afterwards": _SlotType(rf"(?:(?:{_one_of('place')})\b|to ){_WORDS}", _ends_well, optional=True),
        "thing": _SlotType(_begins(_one_of("determiner")), _is_somewhere),
        "had": _SlotType(
            rf"(?!(?:the|his|her|its|my|your|our|{_one_of('pronoun', 'demonstrative', 'demonstratives')})\b){_WORDS}",
            _ends_well,
        ),
        "gerund": _SlotType("[a-z]+ing"),
        "placed": _SlotType(rf"(?:{_one_of('place', 'shown')}|[a-z]+ing)(?: {noun_word})*"),
        "predicate": _SlotType(rf"(?!(?:{_one_of('determiner', 'pronoun', 'no_predicate')})\b){_WORDS}", _ends_well),
    }


def slot_regex(slot_type: str) -> str:
    """The words that a slot of a type takes, as a regular expression."""
    if slot_type not in _slot_types():
        raise TemplateError(f"there is no slot type {slot_type!r}: there are {', '.join(sorted(_slot_types()))}")
    return _slot_types()[slot_type].regex


def is_optional(slot_type: str) -> bool:
    """Whether a slot of a type may be left empty."""
    return _slot_types()[slot_type].optional


class WordPattern:
    """Fixed words and open slots: reads a text to the words in its slots."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.types: dict[str, str] = {}
        """By slot its type."""
        self._regex = re.compile(self._compile(text) + _END, re.IGNORECASE)
        found = re.match(r"[a-z' ]+", text.lower())
        words = (found.group() if found else "").rpartition(" ")[0]
        self.beginning = words
        """The fixed words that every text begins with, in lower case."""

    def _compile(self, text: str) -> str:
        made, position = "", 0
        for found in _PART.finditer(text):
            made += re.escape(text[position : found.start()])
            position = found.end()
            if found[1] is not None:
                made += f"(?:{'|'.join(re.escape(one) for one in found[1].split('|'))})"
                continue
            words = found[2].split()
            if len(words) != 2:
                raise TemplateError(f"{{{found[2]}}} in {text!r} is not a type and a name")
            slot_type, name = words
            self.types[name] = slot_type
            regex = slot_regex(slot_type)
            if _slot_types()[slot_type].optional:
                made = f"{made.removesuffix(re.escape(' '))}(?: (?P<{name}>{regex}))?"
            else:
                made += f"(?P<{name}>{regex})"
        return made + re.escape(text[position:])

    def read(self, text: str) -> dict[str, str] | None:
        """The words in the slots of a text, which is in one line; None where it does not have this form."""
        found = self._regex.fullmatch(text)
        if found is None:
            return None
        slots = {name: words or "" for name, words in found.groupdict().items()}
        types = _slot_types()
        fit = all(types[self.types[name]].fits(words) for name, words in slots.items() if words)
        whole = not any(asks_more(words) for name, words in slots.items() if self.types[name] != "any")
        return slots if fit and whole else None
