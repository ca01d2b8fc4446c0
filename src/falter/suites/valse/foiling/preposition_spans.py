"""Runs of consecutive prepositions in a caption, with what governs them and what follows them.

``relations.yaml`` has the directions that can be turned round, and words that count or slope."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.core.files import read_yaml
from falter.generation.nlp.parsing import ParsedText
from falter.suites.valse.foiling.caption_words import noun_class
from falter.suites.valse.foiling.noun_phrases import noun_number


class _Compound(msgspec.Struct, frozen=True):
    words: list[str]
    nouns: list[str]


class _Written(msgspec.Struct, frozen=True):
    turned_round: list[tuple[str, str]]
    directed: list[str]
    going: list[str]
    sliding: list[str]
    not_directed: list[str]
    counting: list[str]
    inclines: list[str]
    roles: list[str]
    compounds: dict[str, _Compound]


class RelationWords(NamedTuple):
    """The lists of the file."""

    turned_round: dict[str, str]
    """By direction its opposite."""
    directed: frozenset[str]
    going: frozenset[str]
    sliding: frozenset[str]
    not_directed: frozenset[str]
    counting: frozenset[str]
    inclines: frozenset[str]
    roles: frozenset[str]
    compounds: dict[tuple[str, str], str]
    """By a word and a noun what they mean together: a hot dog is no dog."""


@cache
def relation_words() -> RelationWords:
    """The lists, read once.

    >>> relation_words().turned_round["up"]
    'down'
    """
    written = read_yaml(Path(__file__).with_name("relations.yaml"), _Written)
    turned = [*written.turned_round, *((other, one) for one, other in written.turned_round)]
    return RelationWords(
        dict(turned),
        frozenset(written.directed),
        frozenset(written.going),
        frozenset(written.sliding),
        frozenset(written.not_directed),
        frozenset(written.counting),
        frozenset(written.inclines),
        frozenset(written.roles),
        {(word, noun): name for name, one in written.compounds.items() for word in one.words for noun in one.nouns},
    )


_NOT_PREPOSITIONS = frozenset({"than", "as", "while", "if", "because", "that", "whether", "although", "since", "until"})

_RELATIVE = frozenset({"that", "which", "who"})

_COMPOUNDS = (("in", "front", "of"), ("on", "top", "of"), ("next", "to"), ("close", "to"), ("away", "from"))
"""Prepositions of several words, of which some are nouns or adverbs by themselves."""


class PrepositionSpan(NamedTuple):
    """One or more prepositions: tokens from ``start`` up to ``end``.

    ``governor`` is the verb or noun before them, ``object`` the noun after them; either may be missing.
    """

    start: int
    end: int
    words: str
    governor: str
    verb: str
    """The governor where it is a verb, else empty."""
    object: str
    figure: str
    """The thing whose place is told: the governor, or the subject of a verb; of "a group of cows" the cows."""
    is_particle: bool
    """Whether they belong to a verb, as in "sits up"."""
    joined: tuple[str, ...] = ()
    """What else is placed: of "a tree and a car behind it" the car."""
    figure_index: int | None = None
    """The token of that thing."""
    counts: bool = False
    """Whether the object is the one that a noun counts, as the people in "behind a group of people"."""


def find_preposition_spans(parsed: ParsedText) -> Iterator[PrepositionSpan]:
    """Every longest run of prepositions and particles, in the order of the text.

    "A cat looks out of a window" has one, "out of"; so has "a cat in front of a window".
    """
    index = 0
    while index < len(parsed):
        start = index
        while length := _preposition_length(parsed, index):
            index += length
        if index > start:
            yield _describe(parsed, start, index)
        else:
            index += 1


def _preposition_length(parsed: ParsedText, index: int) -> int:
    """How many tokens the preposition has that begins here: "in front of" has three; 0 where none begins."""
    for words in _COMPOUNDS:
        end = index + len(words)
        if tuple(token.lower for token in parsed.tokens[index:end]) == words and parsed.children(end - 1, "pobj"):
            return len(words)
    return 1 if index < len(parsed) and _is_preposition(parsed, index) else 0


def _is_preposition(parsed: ParsedText, index: int) -> bool:
    token = parsed.tokens[index]
    if not token.text.isalpha() or token.lower in _NOT_PREPOSITIONS:
        return False
    return token.tag in ("IN", "RP") and token.dep in ("prep", "prt", "pcomp", "advmod", "pobj")


def _describe(parsed: ParsedText, start: int, end: int) -> PrepositionSpan:
    first, last = parsed.tokens[start], parsed.tokens[end - 1]
    objects = [one for one in parsed.children(end - 1, "pobj") if one >= end]
    governor = first.head if not start <= first.head < end else start
    if not objects and last.dep in ("prt", "advmod"):
        # "holding up a phone": what follows is the verb's.
        objects = [one for one in parsed.children(last.head, "dobj") if one >= end]
    figure = _figure(parsed, governor) if governor != start else None
    return PrepositionSpan(
        start,
        end,
        " ".join(token.lower for token in parsed.tokens[start:end]),
        _lemma(parsed, governor) if governor != start else "",
        parsed.tokens[governor].lemma if parsed.tokens[governor].tag.startswith("VB") else "",
        _lemma(parsed, _counted(parsed, objects[0])) if objects else "",
        _lemma(parsed, figure) if figure is not None else "",
        any(token.tag == "RP" for token in parsed.tokens[start:end]) or not objects,
        () if figure is None else tuple(_lemma(parsed, one) for one in _joined(parsed, figure) if one < start),
        figure,
        bool(objects) and _counted(parsed, objects[0]) != objects[0],
    )


def _lemma(parsed: ParsedText, index: int) -> str:
    read = noun_number(parsed, index)
    if read is None:
        return parsed.tokens[index].lemma
    compounds = relation_words().compounds
    # "Two large stuffed animals": the words before a noun, however they are parsed.
    before = (parsed.tokens[one].lower for one in (index - 1, index - 2) if one >= 0)
    return next((compounds[word, read[1]] for word in before if (word, read[1]) in compounds), noun_class(read[1]))


def _joined(parsed: ParsedText, index: int) -> Iterator[int]:
    """The nouns that are joined with a noun."""
    token = parsed.tokens[index]
    if token.dep == "conj" and noun_number(parsed, token.head) is not None:
        yield token.head
    waiting = [index]
    while waiting:
        found = parsed.children(waiting.pop(), "conj")
        yield from found
        waiting += found


def _figure(parsed: ParsedText, index: int) -> int | None:
    """The noun whose place is told, going up from the governor; of "a group of cows" the cows."""
    seen: set[int] = set()
    while index not in seen:
        seen.add(index)
        if noun_number(parsed, index) is None:
            subjects = parsed.children(index, "nsubj", "nsubjpass")
            # "A cat that is sitting": the noun before the clause.
            is_clause = subjects and parsed.tokens[subjects[0]].lower in _RELATIVE
            index = parsed.tokens[index].head if is_clause or not subjects else subjects[0]
            continue
        return _counted(parsed, index)
    return None


def _counted(parsed: ParsedText, index: int) -> int:
    """The noun that a noun counts, as the cows in "a group of cows", or else the noun itself."""
    if parsed.tokens[index].lemma not in relation_words().counting:
        return index
    counted = (
        one
        for preposition in parsed.children(index, "prep")
        if parsed.tokens[preposition].lower == "of"
        for one in parsed.children(preposition, "pobj")
    )
    return next(counted, index)
