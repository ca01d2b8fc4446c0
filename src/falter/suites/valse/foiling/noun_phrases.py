"""Noun phrases of a caption whose number can be changed: with a quantifier in the place of their determiner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from falter.english import default_grammar
from falter.english.words import singularize
from falter.english.words.numbers import word_to_number
from falter.nlp.parsing import NounChunk, ParsedText, Token
from falter.suites.valse.foiling.candidate import Skipped
from falter.suites.valse.foiling.word_lists import word_list

__all__ = ["SCENES", "NounPhrase", "Number", "find_noun_phrases", "noun_number", "singular_of"]

Number = Literal["sg", "pl"]

_SINGULAR_DETERMINERS = frozenset({"a", "an", "the", "one", "this", "that"})
_PLURAL_DETERMINERS = frozenset({"the", "some", "several", "many", "these", "those", "multiple", "numerous"})
_NUMBER_WORDS = word_list("number_modifiers")
_NOT_COUNTED = word_list("not_counted")
SCENES = word_list("scenes")
_VIEWS = word_list("views")
_NOT_SHOWN = word_list("not_shown")
_SINGULARS = {"people": "person", "persons": "person", "children": "child", "kids": "kid", "guys": "guy"}


class NounPhrase(NamedTuple):
    """A noun phrase: its tokens, its head, its number, and where its determiner ends and the rest begins."""

    chunk: NounChunk
    number: Number
    singular: str
    """The singular of its head, in lower case."""
    rest: int
    """The index of the first token after the determiner."""

    @property
    def head(self) -> int:
        """The index of its noun."""
        return self.chunk.head


def singular_of(plural: str) -> str | None:
    """The singular of a plural noun in lower case."""
    return _SINGULARS.get(plural) or singularize(plural)


def noun_number(parsed: ParsedText, index: int) -> tuple[Number, str] | None:
    """The number of a noun and its singular; None for other words, names, and plurals without a singular."""
    token = parsed.tokens[index]
    if token.tag == "NNS" or token.lower in _SINGULARS:
        single = singular_of(token.lower)
        return None if single is None else ("pl", single)
    return ("sg", token.lower) if token.tag == "NN" and token.text.isalpha() else None


def find_noun_phrases(parsed: ParsedText) -> Iterator[NounPhrase | Skipped]:
    """Every noun phrase that is not a pronoun, or why its number is not changed."""
    for chunk in parsed.chunks:
        if parsed.tokens[chunk.head].pos not in ("NOUN", "PROPN"):
            continue
        found = _read(parsed, chunk)
        yield found if isinstance(found, NounPhrase) else Skipped(found, parsed.span_text(chunk.start, chunk.end))


def _read(parsed: ParsedText, chunk: NounChunk) -> NounPhrase | str:
    read = noun_number(parsed, chunk.head)
    if read is None or chunk.end != chunk.head + 1:
        return "a name, or a noun without a singular"
    number, singular = read
    if singular in _NOT_COUNTED:
        return "a noun that counts or places other things"
    first = parsed.tokens[chunk.start].lower
    has_determiner = chunk.start < chunk.head and (
        parsed.tokens[chunk.start].dep in ("det", "nummod", "poss", "predet", "quantmod")
        or first in _PLURAL_DETERMINERS
    )
    rest = chunk.start + has_determiner
    problem = _determiner_problem(number, first if has_determiner else "")
    if problem:
        return problem
    after = parsed.tokens[chunk.head + 1] if chunk.head + 1 < len(parsed) else None
    then = parsed.tokens[chunk.head + 2] if chunk.head + 2 < len(parsed) else None
    if after is not None and (after.lower in ("and", "or", "-", "/", "&", "'s", "'") or _is_noun(after, then)):
        return "a noun that another one follows"
    modifiers = parsed.tokens[rest : chunk.head]
    if any(one.lower in _NUMBER_WORDS or one.tag in ("CD", "PRP$", "POS", "DT", "CC", ",") for one in modifiers):
        return "a modifier that says how many, or whose"
    if _is_counted_by_another(parsed, chunk.start - 1):
        return "a noun that another one counts"
    over = parsed.tokens[chunk.head].head
    if over == chunk.start - 1 and parsed.tokens[over].lower in _NOT_SHOWN:
        return "a noun of what is not there, or of a comparison"
    return NounPhrase(chunk, number, singular, rest)


def _is_noun(token: Token, after: Token | None) -> bool:
    """Whether a token is a noun, or one that the parser took for a verb: "a microwave oven sitting"."""
    if token.tag in ("VBD", "VBN") and after is not None and after.tag in ("VBG", "VBZ"):
        lexeme = default_grammar().ontology.lexeme(token.lower)
        return lexeme is not None and lexeme[1] == "singular"
    return token.tag in ("NN", "NNS")


def _determiner_problem(number: Number, determiner: str) -> str:
    if number == "sg" and not determiner:
        return "a singular without an article"
    if number == "sg" and determiner not in _SINGULAR_DETERMINERS:
        return "a determiner that no quantifier can replace"
    if number == "pl" and determiner and determiner not in _PLURAL_DETERMINERS:
        counted = word_to_number(determiner)
        return "" if counted is not None and counted > 1 else "a determiner that no quantifier can replace"
    return ""


def _is_counted_by_another(parsed: ParsedText, before: int) -> bool:
    """Whether the word before a phrase is "of", but for what a picture is of."""
    return before >= 1 and parsed.tokens[before].lower == "of" and parsed.tokens[before - 1].lower not in _VIEWS
