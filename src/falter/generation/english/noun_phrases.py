"""Noun phrases, rendered from descriptions and parsed back to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

import msgspec

from falter.generation.english.ontology import Ontology
from falter.generation.english.words import IMAGE_WORDS, article
from falter.generation.scene import Number, ObjectDescription, Related

Determiner = Literal["a", "any", "the", "no", "", "anyone", "no one", "which", "kind of"]
Shape = Literal["plain", "related", "that", "clause"]
"""Without a relation; with one ("a cup on the table"); with one in a relative clause ("a cup that is on the table");
as a whole clause ("a cup is on the table")."""

PERSON = "person"
"""The kind whose members take "who", and which "anyone" stands for."""

Pronoun = Literal["that", "who", "which"]

_MAX_WORDS = 5
"""The longest attribute, noun or relation in words ("on the other side of")."""

_MOST_ATTRIBUTES = 8
"""The most attributes before one noun; a text with more is not parsed."""

_DEEPEST = 2

_MOST_KNOWN = 50_000
"""Size of the cache of parsed noun phrases; it is cleared when full."""

_WORD = re.compile(r"\w+")
_AN = re.compile(r"\ban ")
_LINK = re.compile(r" (?:(that|who|which) )?(?:is|are) ")
"""What joins a noun and its relation in a relative clause or in a whole one."""

_STARTS: dict[str, tuple[str, ...]] = {
    "a": ("a", "an"),
    "any": ("a", "an", "any"),
    "the": ("the",),
    "no": ("no",),
    "": (),
    "anyone": ("anyone",),
    "no one": ("no one",),
    "which": ("which",),
    "kind of": ("kind of",),
}
_JOINING = ("a", "an", "the", "is", "are", "that", "who", "which")
_PRONOUNS: dict[str | None, Pronoun] = {"that": "that", "who": "who", "which": "which"}
_NOBODY_NAMED: frozenset[Determiner] = frozenset({"anyone", "no one"})
_DEFINITE: frozenset[Determiner] = frozenset({"the", "which", "kind of"})


class NounPhrases:
    """Renders and parses noun phrases over the vocabulary of one ontology."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        # The same noun phrases come again and again, in one sentence already: every template that may fit reads them.
        self._known: dict[tuple[str, Determiner, Shape | None], tuple[ObjectDescription, ...]] = {}
        self._phrase_cache: dict[tuple[str, ...], tuple[ObjectDescription, ...]] = {}

    def render(
        self,
        description: ObjectDescription,
        determiner: Determiner = "",
        shape: Shape | None = None,
        pronoun: Pronoun | None = None,
    ) -> str:
        """A description as a noun phrase; without a shape, with its relation if it has one.

        ``a`` gives "a dog", "dogs", "water"; ``any`` gives "a dog", "any dogs", "any water". A relative clause takes
        "who" of people and "that" of all else, or the given pronoun.
        """
        if not self.can_render(description, determiner, shape):
            raise ValueError(f"{description.describe()!r} cannot be written {determiner} {shape}")
        if determiner in _NOBODY_NAMED:
            words: str = determiner
        else:
            noun = self.ontology.plural(description.kind) if description.number == "plural" else description.kind
            words = " ".join((*description.attributes, noun))
            words = f"{self._determiner(determiner, description.number, words)}{words}"
        if description.relation is None:
            return words
        target = description.relation.to
        link = self._link(description, shape, pronoun)
        return f"{words} {link}{description.relation.name} {self.render(target, 'the' if target.definite else 'a')}"

    def can_render(self, description: ObjectDescription, determiner: Determiner, shape: Shape | None) -> bool:
        """Whether a description can be said so: "anyone" stands for a person of whom nothing but a relation is said."""
        if shape is not None and (shape == "plain") != (description.relation is None):
            return False
        if determiner in _NOBODY_NAMED:
            return description.kind == PERSON and description.number == "singular" and not description.attributes
        # A boy is not a "kind of person".
        return determiner != "kind of" or not self.is_person(description)

    def is_person(self, description: ObjectDescription) -> bool:
        """Whether a description is of people, who take "who"."""
        return self.ontology.is_a(description.kind, PERSON)

    def _link(self, description: ObjectDescription, shape: Shape | None, pronoun: Pronoun | None) -> str:
        verb = "are " if description.number == "plural" else "is "
        if shape == "that":
            return f"{pronoun or ('who' if self.is_person(description) else 'that')} {verb}"
        return verb if shape == "clause" else ""

    def spells_another_name(self, description: ObjectDescription) -> bool:
        """Whether the words before a noun make another noun with it: a "street sign" is no sign that is street."""
        words = description.attributes
        if words:
            noun = self.ontology.plural(description.kind) if description.number == "plural" else description.kind
            if any(" ".join((*words[place:], noun)) in self.ontology.nouns for place in range(len(words))):
                return True
        return description.relation is not None and self.spells_another_name(description.relation.to)

    @staticmethod
    def _determiner(determiner: Determiner, number: Number, words: str) -> str:
        if determiner == "":
            return ""
        if determiner in ("the", "no", "which", "kind of"):
            return f"{determiner} "
        if number == "singular":
            return f"{article(words)} "
        return "any " if determiner == "any" else ""

    def parse(
        self, text: str, determiner: Determiner = "", shape: Shape | None = None
    ) -> tuple[ObjectDescription, ...]:
        """Every description that, written like this, gives the text, or would by the first names of its kinds."""
        key = (text, determiner, shape)
        known = self._known.get(key)
        if known is None:
            if len(self._known) > _MOST_KNOWN:
                self.forget()
            known = self._known[key] = self._parse(text, determiner, shape)
        return known

    def may_end(self, text: str, end: int) -> bool:
        """Whether a noun phrase may end at a place in a text: whatever is said of it, it ends with a noun."""
        return text[text.rfind(" ", 0, end) + 1 : end] in self._last_words

    @cached_property
    def _last_words(self) -> frozenset[str]:
        """The words that a noun ends with, in any of its forms."""
        return frozenset(form.rpartition(" ")[2] for form in self.ontology.nouns)

    @staticmethod
    def beginnings(determiner: Determiner) -> tuple[str, ...]:
        """What a noun phrase with a determiner begins with; nothing where it may begin with any word."""
        return () if determiner in ("", "a") else tuple(f"{start} " for start in _STARTS[determiner])

    def forget(self) -> None:
        """Clear the cache of parsed phrases."""
        self._known.clear()
        self._phrase_cache.clear()

    def _parse(self, text: str, determiner: Determiner, shape: Shape | None) -> tuple[ObjectDescription, ...]:
        if not self._vocabulary.issuperset(text.split(" ")):
            return ()
        link = _LINK.search(text)
        if shape is not None and ("clause" if link and not link[1] else "that" if link else "") != (
            shape if shape in ("that", "clause") else ""
        ):
            return ()
        pronoun = _PRONOUNS.get(link[1]) if link else None
        start = next((start for start in _STARTS[determiner] if text.startswith(f"{start} ")), None)
        if start is not None:
            rest = text[len(start) + 1 :]
        elif determiner in ("", "a"):
            rest = text
        else:
            return ()
        words = [PERSON, *rest.split(" ")] if determiner in _NOBODY_NAMED else rest.split(" ")
        return tuple(
            msgspec.structs.replace(one, definite=True) if determiner in _DEFINITE else one
            for one in self._phrases(words, _DEEPEST)
            if self.can_render(one, determiner, shape)
            and self._takes(one, pronoun)
            and self.same_words(self.render(one, determiner, shape, pronoun), text)
        )

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        """Every word that a noun phrase may have: a text with another one need not be taken apart."""
        ontology = self.ontology
        said = (*ontology.nouns, *ontology.family_by_value, *ontology.relations, *_JOINING, *_STARTS)
        return frozenset(word for words in said for word in words.split(" "))

    def _takes(self, description: ObjectDescription, pronoun: Pronoun | None) -> bool:
        """Whether a pronoun can stand for such a thing; "that" stands for people too."""
        return pronoun in (None, "that") or (pronoun == "who") == self.is_person(description)

    def same_words(self, written: str, text: str) -> bool:
        """Whether a text equals the rendered one, up to other names of the same kinds."""
        if written == text:
            return True
        # Only what is said by another name may be written otherwise; "a apple" is still no English.
        plain = self.with_first_names(text)
        return plain != _AN.sub("a ", text) and self.with_first_names(written) == plain

    @cached_property
    def _other_names(self) -> tuple[re.Pattern[str], dict[str, str], frozenset[str]]:
        names: dict[str, str] = {}
        for form, meanings in self.ontology.nouns.items():
            kind, number = meanings[0]
            names[form] = self.ontology.plural(kind) if number == "plural" else kind
        # The longest first, so that the "street" of a "street sign" is left alone.
        longest = sorted((form for form in names if " " in form or names[form] != form), key=len, reverse=True)
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest)) or '(?!)'})\b")
        return pattern, names, frozenset(_WORD.findall(" ".join(form for form in names if names[form] != form)))

    def with_first_names(self, text: str) -> str:
        """A text with every other name of a kind ("bike") replaced by its first ("bicycle"), and "an" by "a"."""
        pattern, names, telling = self._other_names
        # Few texts have a word of such a name, and looking for all names takes long.
        if not telling.isdisjoint(_WORD.findall(text)):
            text = pattern.sub(lambda found: names[found.group()], text)
        return _AN.sub("a ", text)

    def _phrases(self, words: list[str], depth: int) -> tuple[ObjectDescription, ...]:
        key = (str(depth), *words)
        known = self._phrase_cache.get(key)
        if known is None:
            if len(self._phrase_cache) > _MOST_KNOWN:
                self.forget()
            known = self._phrase_cache[key] = tuple(dict.fromkeys(self._parse_phrases(words, depth)))
        return known

    def _parse_phrases(self, words: list[str], depth: int) -> Iterator[ObjectDescription]:
        for attributes, after in self._attributes(words, 0):
            for end in range(after + 1, min(len(words), after + _MAX_WORDS) + 1):
                for kind, number in self.ontology.nouns.get(" ".join(words[after:end]), ()):
                    if end == len(words):
                        yield ObjectDescription(kind, attributes, None, number)
                    elif depth > 0:
                        for relation in self._relations(words[end:], depth):
                            yield ObjectDescription(kind, attributes, relation, number)

    def _attributes(
        self, words: list[str], start: int, most: int = _MOST_ATTRIBUTES
    ) -> Iterator[tuple[tuple[str, ...], int]]:
        yield (), start
        if most == 0:
            return
        for end in range(start + 1, min(len(words), start + _MAX_WORDS) + 1):
            value = " ".join(words[start:end])
            if value in self.ontology.family_by_value:
                for further, after in self._attributes(words, end, most - 1):
                    yield (value, *further), after

    def _relations(self, words: list[str], depth: int) -> Iterator[Related]:
        if words[0] in _PRONOUNS and len(words) > 2 and words[1] in ("is", "are"):
            words = words[2:]
        elif words[0] in ("is", "are"):
            words = words[1:]
        for end in range(1, min(len(words) - 1, _MAX_WORDS) + 1):
            name = " ".join(words[:end])
            if name not in self.ontology.relations:
                continue
            rest = words[end:]
            definite = rest[0] == "the"
            if definite and len(rest) == 2 and rest[1] in IMAGE_WORDS:
                continue
            if definite or rest[0] in ("a", "an"):
                rest = rest[1:]
            for target in self._phrases(rest, depth - 1) if rest else ():
                yield Related(
                    name, ObjectDescription(target.kind, target.attributes, target.relation, target.number, definite)
                )
