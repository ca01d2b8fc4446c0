"""Reads questions that people wrote to queries: the likeliest of what they may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from falter.generation.english.grammar import Grammar, question_grammar
from falter.generation.english.templates import Parse
from falter.generation.english.words import IMAGE_WORDS
from falter.generation.scene import (
    And,
    Choose,
    HasAttribute,
    IsKind,
    NameOf,
    ObjectDescription,
    OnSide,
    Query,
    RelationHolds,
)
from falter.generation.scene.query import descriptions_of

_UNKNOWN_NOUN = 10
_ANYTHING = 3
_MOST_WORDS = 60
_UNFIT = 4
_REMEMBERED = 8192
"""Readings that are kept: questions about one image come together, and many more would fill memory."""


class QuestionReader:
    """Reads questions by the templates of a grammar; memoised."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self._read = lru_cache(maxsize=_REMEMBERED)(self._likeliest)

    def read(self, question: str) -> Parse | None:
        """The likeliest reading of a question; None where no template reads it."""
        return next(iter(self._read(plain_question(question))), None)

    def other_readings(self, question: str) -> tuple[Parse, ...]:
        """Those as likely as :meth:`read`, of the same things: the cat on the table is left of the lamp, or it is."""
        return self._read(plain_question(question))[1:]

    def _likeliest(self, question: str) -> tuple[Parse, ...]:
        if len(question.split()) > _MOST_WORDS:
            return ()
        parses = self.grammar.parses(question) or self.grammar.parses(_THINK.sub(" ", question))
        first = min(parses, key=lambda parse: self._penalty(parse.meaning), default=None)
        if first is None:
            return ()
        least, things = self._penalty(first.meaning), _kinds(first.meaning)
        alike = {
            parse.meaning: parse
            for parse in parses
            if self._penalty(parse.meaning) == least and _kinds(parse.meaning) == things
        }
        alike.pop(first.meaning)
        return first, *alike.values()

    def _penalty(self, query: Query) -> int:
        """How unlikely a reading is: nouns that nobody knows, and what asks less than the words say."""
        descriptions = list(dict.fromkeys(descriptions_of(query)))
        unknown = sum(one.kind not in self.grammar.ontology.kinds for one in descriptions)
        things = sum(one.kind == "thing" and one.relation is None for one in descriptions)
        unfit = sum(self._is_unfit(subject, relation) for subject, relation in _relations(query, descriptions))
        return (
            _UNKNOWN_NOUN * unknown
            + _ANYTHING * things
            + _UNFIT * unfit
            + _ANYTHING * sum(one.kind in IMAGE_WORDS or one.kind in _PARTS_OF_IMAGE for one in descriptions)
            + (isinstance(query, OnSide) and query.of.relation is not None)
            # "the man on the left holding the umbrella on the right": nothing is said to be on two sides.
            + _ANYTHING * (isinstance(query, OnSide) and bool(query.of.side))
            + 2 * isinstance(query, NameOf | RelationHolds)
            # "Is the person riding a bike or a horse?", "... a street sign?": no person is any of these.
            + _UNFIT * (not any(map(self._may_be, _asked(query))))
            # "the man with the beard to the left of the car": hardly anybody asks who is with what.
            + _UNFIT * (isinstance(query, RelationHolds) and query.relation == "with")
            + _UNFIT * (isinstance(query, HasAttribute) and self._is_odd(query))
            + _UNFIT * (isinstance(query, RelationHolds) and self._is_dressed(query))
        )

    def _may_be(self, query: Query) -> bool:
        """Whether a kind is asked of what it is usual to ask it: of the image, or of a wider kind; true of others."""
        if not isinstance(query, IsKind):
            return True
        ontology, kind = self.grammar.ontology, query.of.kind
        return kind == "thing" or (kind in ontology.kinds and ontology.is_a(query.kind, kind))

    def _is_odd(self, query: HasAttribute) -> bool:
        """Whether something is said to do what it cannot: "is it eating hay?" does not ask for hay that eats."""
        ontology, kind = self.grammar.ontology, query.of.kind
        families = ontology.attributes.families_by_value.get(query.value, ())
        return kind in ontology.kinds and "action" in families and not ontology.family_applies_to("action", kind)

    def _is_dressed(self, query: RelationHolds) -> bool:
        """Whether somebody is said to be in clothes that are somewhere: "in the shirt to the left of the car"."""
        ontology, to = self.grammar.ontology, query.to
        is_placed = to.relation is not None and to.kind in ontology.kinds
        return query.relation in _DRESSED and is_placed and ontology.is_a(to.kind, "clothing")

    def _is_unfit(self, subject: str, relation: str) -> bool:
        """Whether a relation is said of something that is not known to have it: a bush holding an umbrella."""
        ontology = self.grammar.ontology
        record = ontology.relations.get(relation)
        if record is None or subject not in ontology.kinds:
            return False
        subjects = record.subjects
        if subjects == ["thing"] and record.relation_class in _DONE:
            subjects = _LIVING
        return not any(ontology.is_a(subject, kind) or ontology.is_a(kind, subject) for kind in subjects)


_CONTRACTIONS = re.compile(r"\b(what|who|where|how|which|that|there)'?s\b", re.IGNORECASE)
"""Also as people type them: "whats the man holding"."""
_THINK = re.compile(r" (?:do|would) you (?:think|say) ")
_OR_MAYBE = re.compile(r" or (?:maybe|perhaps|is it|are they|rather) ")


def plain_question(question: str) -> str:
    """A question in one line, with one question mark and without words that add nothing."""
    text = " ".join(question.replace("\u2019", "'").split()).rstrip("?. !")
    text = _CONTRACTIONS.sub(r"\1 is", text)
    return f"{_OR_MAYBE.sub(' or ', text)}?"


_DRESSED = ("in", "with")
_PARTS_OF_IMAGE = ("part", "side")
_DONE = ("action", "holding", "wearing")
_LIVING = ["person", "group of people", "animal", "herd", "vehicle"]


def _asked(query: Query) -> Sequence[Query]:
    """What is asked in one: each of its choices, or the first of what all have to hold."""
    if isinstance(query, Choose):
        return [one.when for one in query.options]
    return query.of[:1] if isinstance(query, And) else (query,)


def _kinds(query: Query) -> list[str]:
    return sorted(one.kind for one in dict.fromkeys(descriptions_of(query)))


def _relations(query: Query, descriptions: list[ObjectDescription]) -> Iterator[tuple[str, str]]:
    """The subjects of relations, with the relation."""
    if isinstance(query, RelationHolds):
        yield query.of.kind, query.relation
    for one in descriptions:
        if one.relation is not None:
            yield one.relation.to.kind if one.relation.inverse else one.kind, one.relation.name


@lru_cache(maxsize=8)
def question_reader(*extra: Path) -> QuestionReader:
    """The reader of questions, made once per set of folders."""
    return QuestionReader(question_grammar(*extra))


@lru_cache(maxsize=8)
def reader_over(grammar: Grammar) -> QuestionReader:
    """The reader of questions with the words and the folders of a grammar, made once."""
    return QuestionReader(Grammar(grammar.ontology, grammar.folders, "questions"))
