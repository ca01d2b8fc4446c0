"""Statements about a number of things, read and written: "There are exactly 3 dogs on the sofa."

A statement is read to what is counted, its number, and the words around it, and is written back the same, or with
another number: nouns and verbs agree. A question for a number becomes such a statement. The forms are in
``data/count_statements.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from falter.core.files import read_yaml
from falter.data.word_forms import number_to_word, pluralize, singularize, word_to_number
from falter.generation.english.grammar import DATA, default_grammar
from falter.generation.english.ontology import Ontology
from falter.generation.english.rewrites.word_patterns import WordPattern, word_class
from falter.generation.english.words import PLURAL_AUXILIARIES, SINGULAR_AUXILIARIES, article

_AFTER_NOUN = frozenset({"of", "who", "which", "to", "for", "or", "already", "both", "not", "ready", "close", "i"})
"""Words that do not belong to a noun before them, besides those of place and verbs."""


class CountedNoun(NamedTuple):
    """A noun phrase without its quantity; a form that it lacks is None."""

    plural: str | None
    singular: str | None

    @property
    def head(self) -> str:
        """The word that is counted, in the singular, in lower case; in the plural where it has no singular."""
        words = (self.singular or self.plural or "").lower().partition(" of ")[0].split()
        return words[-1] if words else ""

    @classmethod
    def from_plural(cls, phrase: str) -> CountedNoun | None:
        """A phrase whose first noun is in the plural: "dogs", "slices of pizza", "sheep"."""
        lowered = _lower_first(phrase)
        same = lowered.split()[-1].lower() in word_class("same_plural") - {"people"}
        single = lowered if same else singularize(lowered)
        return cls(lowered, single) if single is not None else None


def split_noun(words: str, ontology: Ontology, *, singular: bool) -> tuple[CountedNoun, str] | None:
    """The noun that a text begins with, and the words after it; None where no noun of this number is found."""
    tokens = words.split()
    end = next((place for place, one in enumerate(tokens) if place and _ends_noun(one)), len(tokens))
    if _ends_noun(tokens[0]):
        return None
    if singular:
        # "1 umbrella open": what is said of it is no part of its name.
        while end > 1 and ontology.family_by_value.get(tokens[end - 1].lower()) and not ontology.knows(tokens[end - 1]):
            end -= 1
        noun = " ".join(tokens[:end])
        if _is_plural(tokens[end - 1]) and singularize(tokens[end - 1].lower()) != tokens[end - 1].lower():
            return None
        return CountedNoun(pluralize(noun), noun), " ".join(tokens[end:])
    while end and not _is_plural(tokens[end - 1]):
        end -= 1
    if not end:
        return None
    noun = " ".join(tokens[:end])
    return CountedNoun(noun, singularize(noun)), " ".join(tokens[end:])


def _is_plural(word: str) -> bool:
    lowered = word.lower()
    return lowered in word_class("same_plural") or lowered in _PAIRS or singularize(lowered) is not None


_PAIRS = frozenset({"pants", "glasses", "scissors", "shorts", "jeans", "sunglasses", "goggles", "binoculars"})


def _ends_noun(word: str) -> bool:
    lowered = word.lower()
    return (
        lowered in _AFTER_NOUN
        or any(lowered in word_class(name) for name in ("place", "shown", "auxiliary", "pronoun", "determiner"))
        or (lowered.endswith("ing") and lowered not in word_class("counted_in_ing"))
    )


def _lower_first(phrase: str) -> str:
    """The phrase as it stands inside a sentence; names keep their capitals."""
    first, space, rest = phrase.partition(" ")
    return f"{first if first[1:].isupper() or not first.istitle() else first.lower()}{space}{rest}"


QuantityStyle = Literal["exactly", "digits", "words", "existence"]
_THERE = re.compile(r"there (is|are) (.+)", re.IGNORECASE)
_QUANTITY = re.compile(r"(?:(exactly) )?(\d+|[a-z]+(?:-[a-z]+)?) (.+)", re.IGNORECASE)
_INSIDE = re.compile(r"(.+?) ((?:exactly )?\d+ .+|no .+)", re.IGNORECASE)
_RELATIVE = ("who", "that", "which")


class Quantity(NamedTuple):
    """A number and how it is said; ``number`` is None for some: "There are dogs."."""

    number: int | None
    style: QuantityStyle = "exactly"

    def write(self, noun: CountedNoun, *, singular: bool) -> str | None:
        """The quantity before its noun: "exactly 3 dogs", "no dog", "a dog", "dogs"."""
        words = noun.singular if singular else noun.plural
        if words is None:
            return None
        if self.style == "existence":
            if self.number == 0:
                return f"no {words}"
            return f"{article(words)} {words}" if singular else words
        if self.number is None:
            return None
        said = number_to_word(self.number) if self.style == "words" else str(self.number)
        return f"exactly {said} {words}" if self.style == "exactly" else f"{said} {words}"


class _Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    says: str
    asks: list[str]


class _CompiledForm(NamedTuple):
    says: str
    asks: tuple[WordPattern, ...]


class CountStatement(NamedTuple):
    """What a statement says: ``subject`` and ``place`` are the words before and after what is counted."""

    says: str
    noun: CountedNoun
    quantity: Quantity
    singular: bool
    subject: str = ""
    verb: str = ""
    place: str = ""
    end: str = "."
    capital: bool = True

    @property
    def is_there(self) -> bool:
        """Whether it begins with "There is" or "There are"."""
        return self.says.startswith("There")

    def write(self) -> str | None:
        """The statement; None where the noun has no such number."""
        return self.write_with_span()[0]

    def write_with_span(self) -> tuple[str | None, tuple[int, int]]:
        """The statement, and where its quantity and noun are."""
        counted = self.quantity.write(self.noun, singular=self.singular)
        if counted is None:
            return None, (0, 0)
        be = "is" if self.singular else "are"
        words: Mapping[str, str] = {"is": be, "s": self.subject, "v": self.verb, "r": self.place, "counted": counted}
        text, start = "", 0
        for part in self.says.split():
            said = words[part[1:-1]] if part.startswith("{") else part
            if said:
                start = len(text) + bool(text) if part == "{counted}" else start
                text = f"{text} {said}" if text else said
        text = f"{text[0].upper()}{text[1:]}" if self.capital else text
        return f"{text}{self.end}", (start, start + len(counted))

    def change(self, quantity: Quantity, *, singular: bool | None = None) -> CountStatement | None:
        """The same about another number; None where a verb or a noun could not agree with it."""
        now = quantity.number == 1 if singular is None else singular
        if now == self.singular:
            return self._replace(quantity=quantity)
        verb, place = _agree(self.verb, singular=now), _agree_place(self.place, singular=now)
        if verb is None or place is None:
            return None
        return self._replace(quantity=quantity, singular=now, verb=verb, place=place)


def _agree(verb: str, *, singular: bool) -> str | None:
    lowered = verb.lower()
    if not verb or lowered in word_class("modal"):
        return verb
    known = SINGULAR_AUXILIARIES if singular else PLURAL_AUXILIARIES
    return known.get(lowered, verb if lowered in known.values() else None)


def _agree_place(place: str, *, singular: bool) -> str | None:
    """A relative clause in the other number: "who are sitting", "who is sitting"."""
    first, _, rest = place.partition(" ")
    if first.lower() not in _RELATIVE:
        return place
    verb, space, after = rest.partition(" ")
    agreeing = _agree(verb, singular=singular)
    return None if agreeing is None else f"{first} {agreeing}{space}{after}"


@lru_cache(maxsize=1)
def _forms() -> tuple[_CompiledForm, ...]:
    path: Path = DATA / "count_statements.yaml"
    records = read_yaml(path, list[_Form], what="a file of statements about numbers", plain_words=True)
    return tuple(_CompiledForm(one.says, tuple(map(WordPattern, one.asks))) for one in records)


def read_count_question(question: str, number: int) -> CountStatement | None:
    """A question for a number, answered: "How many dogs are there?" with 3 as "There are exactly 3 dogs."."""
    line = " ".join(question.split())
    lowered = line.lower()
    for form in _forms():
        for pattern in form.asks:
            slots = pattern.read(line) if lowered.startswith(pattern.beginning) else None
            if slots is not None:
                return _answer(form.says, slots, number)
    return None


def _answer(says: str, slots: Mapping[str, str], number: int) -> CountStatement | None:
    noun = CountedNoun.from_plural(slots["n"])
    if noun is None:
        return None
    subject, verb = slots.get("s", ""), slots.get("v", "").lower()
    if subject:
        doing = slots["g"].lower()
        if doing.endswith("ing"):
            subject = f"{subject} {verb} {doing}"
        else:
            acting = "have" if verb == "do" else "has" if verb == "does" else "had"
            subject = f"{subject} {acting if doing == 'have' else doing + ('s' if verb == 'does' else '')}"
            if verb == "did" and doing != "have":
                return None
        verb = ""
    statement = CountStatement(says, noun, Quantity(2), False, subject, verb, slots.get("r", ""))
    if "{v}" not in says:
        statement = statement._replace(verb="")
    elif (agreeing := _agree(verb, singular=False)) is not None:
        statement = statement._replace(verb=agreeing)
    return statement.change(Quantity(number))


def read_count_statement(text: str) -> CountStatement | None:
    """A statement about a number of things; None where it is none, or its words do not agree."""
    line = " ".join(text.split())
    bare = line.rstrip(".! ")
    found = _read_there(bare) or _read_subject(bare) or _read_inside(bare)
    if found is None:
        return None
    found = found._replace(end=line[len(bare) :], capital=line[:1].isupper() or line[:1].isdigit())
    return found if found.write() == line else None


def _read_there(text: str) -> CountStatement | None:
    there = _THERE.fullmatch(text)
    if there is None:
        return None
    singular = there[1].lower() == "is"
    found = _read_quantity(there[2], singular=singular)
    if found is None and not singular:
        found = Quantity(None, "existence"), there[2]
    return None if found is None else _build(_forms()[0].says, *found, singular=singular)


def _read_subject(text: str) -> CountStatement | None:
    for singular in (False, True):
        found = _read_quantity(text, singular=singular)
        if found is None or (found[0].number == 1) != singular:
            continue
        statement = _build(_forms()[1].says, *found, singular=singular)
        if statement is not None and statement.place:
            verb, _, place = statement.place.partition(" ")
            if verb.lower() in word_class("auxiliary"):
                return statement._replace(verb=verb, place=place)
            return statement
    return None


def _read_inside(text: str) -> CountStatement | None:
    inside = _INSIDE.fullmatch(text)
    if inside is None or inside[1].lower().startswith("there "):
        return None
    for singular in (False, True):
        found = _read_quantity(inside[2], singular=singular)
        if found is not None and (found[0].number == 1) == singular:
            statement = _build(_forms()[2].says, *found, singular=singular)
            return None if statement is None else statement._replace(subject=inside[1])
    return None


def _read_quantity(text: str, *, singular: bool) -> tuple[Quantity, str] | None:
    found = _QUANTITY.fullmatch(text)
    if found is None:
        return None
    word, rest = found[2].lower(), found[3]
    if word == "no" and not found[1]:
        return Quantity(0, "existence"), rest
    if word in ("a", "an") and singular and not found[1]:
        return Quantity(None, "existence"), rest
    number = word_to_number(word)
    if number is None or (number == 1) != singular:
        return None
    style: QuantityStyle = "exactly" if found[1] else "digits" if word.isdigit() else "words"
    return (Quantity(number, style), rest) if style != "exactly" or word.isdigit() else None


def _build(says: str, quantity: Quantity, words: str, *, singular: bool) -> CountStatement | None:
    found = split_noun(words, default_grammar().ontology, singular=singular)
    if found is None:
        return None
    noun, place = found
    return CountStatement(says, noun, quantity, singular, place=place)
