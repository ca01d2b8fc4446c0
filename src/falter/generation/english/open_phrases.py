"""Noun phrases and clauses as people write them: relative clauses, possessives, pronouns, nouns beyond the ontology.

They are read to descriptions by recursive descent over words, and descriptions are written so that they read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from falter.generation.english.lexicon import (
    BE,
    CLOSED_WORDS,
    DEFINITE,
    EMPTY,
    IN_IMAGE,
    INDEFINITE,
    LINKS,
    MADE,
    NOT_BE,
    ON_SIDE,
    OWNERS,
    PASSIVES,
    PRONOUNS,
    SEEM,
    SIDES,
    Lexicon,
)
from falter.generation.english.ontology import Ontology
from falter.generation.english.words import article
from falter.generation.scene import ObjectDescription, Related

__all__ = ["OpenPhrases", "write_clause", "write_phrase"]

Words = tuple[str, ...]

_DEEPEST = 4
_MOST_KNOWN = 25_000
_MOST_WORDS = 40

Descriptions = tuple[ObjectDescription, ...]


class OpenPhrases:
    """Reads noun phrases that may have relative clauses, and clauses about what a noun stands for."""

    def __init__(self, ontology: Ontology) -> None:
        self.lexicon = Lexicon(ontology)
        self._known: dict[tuple[str, Words, int], Descriptions] = {}

    def phrase(self, text: str) -> Descriptions:
        """The descriptions that a noun phrase may mean, the likeliest first."""
        return self._read("phrase", tuple(text.split()), _DEEPEST)

    def clause(self, text: str) -> Descriptions:
        """The descriptions that a noun and what is said of it mean: "furniture is made of wood"."""
        return self._read("clause", tuple(text.split()), _DEEPEST)

    def _read(self, what: str, words: Words, depth: int) -> Descriptions:
        if not words or depth < 0 or len(words) > _MOST_WORDS:
            return ()
        key = (what, words, depth)
        known = self._known.get(key)
        if known is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            found = self._phrases(words, depth) if what == "phrase" else self._clauses(words, depth)
            known = tuple(dict.fromkeys(found))
            if not known and what == "phrase":
                known = tuple(dict.fromkeys(self._compounds(words, depth)))
            self._known[key] = known
        return known

    def _phrases(self, words: Words, depth: int) -> Iterator[ObjectDescription]:
        if words[0] in PRONOUNS and (len(words) == 1 or words[0] not in ("this", "these", "that", "those", "her")):
            kind, number = PRONOUNS[words[0]]
            yield from self._modified(ObjectDescription(kind, number=number, definite=True), words[1:], depth)
            return
        yield from self._owned(words, depth)
        owner = OWNERS.get(words[0])
        definite = words[0] in DEFINITE or owner is not None
        if words[0] in DEFINITE or words[0] in INDEFINITE or owner is not None:
            words = words[1:]
        if words and words[0] in ("other", "same"):
            words = words[1:]
        for one, rest in self._nouns(words):
            described = replace(one, definite=definite)
            if owner is not None:
                if rest:
                    continue
                described = replace(described, relation=Related("of", ObjectDescription(owner, definite=True)))
            yield from self._modified(described, rest, depth)

    def _owned(self, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """Something of somebody: "the girl's hair"."""
        for place, word in enumerate(words[:-1]):
            if word.endswith(("'s", "s'")):
                owner = (*words[:place], word.removesuffix("'s").removesuffix("'"))
                for one, rest in self._nouns(words[place + 1 :]):
                    for whose in self._read("phrase", owner, depth - 1):
                        of_owner = replace(one, relation=Related("of", whose), definite=True)
                        yield from self._modified(of_owner, rest, depth)
                return

    def _compounds(self, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """Two nouns of which nobody has made a name: "the man shirt" is the shirt of the man."""
        definite = words[0] in DEFINITE
        if definite or words[0] in INDEFINITE:
            words = words[1:]
        for owner, rest in self._nouns(words):
            if owner.number == "plural" or owner.kind not in self.lexicon.ontology.kinds or not rest:
                continue
            for length, kind, number in self.lexicon.nouns(rest):
                if kind in self.lexicon.ontology.kinds:
                    whose = Related("of", replace(owner, attributes=(), definite=True))
                    owned = ObjectDescription(kind, owner.attributes, whose, number, definite)
                    yield from self._modified(owned, rest[length:], depth)

    def _nouns(self, words: Words) -> Iterator[tuple[ObjectDescription, Words]]:
        """A noun with what stands before it, and the words after it."""
        for attributes, rest in self._attributes(words):
            for length, kind, number in self.lexicon.nouns(rest):
                yield ObjectDescription(kind, attributes, None, number), rest[length:]

    def _attributes(self, words: Words) -> Iterator[tuple[tuple[str, ...], Words]]:
        """The attributes before a noun; as few as there can be first, for "a street sign" is no sign that is street."""
        yield (), words
        for length, value in self.lexicon.attributes(words):
            if words[0] in CLOSED_WORDS:
                continue
            after = words[length:]
            if after[:1] == ("and",):
                after = after[1:]
            for further, rest in self._attributes(after):
                yield (value, *further), rest

    def _modified(self, one: ObjectDescription, rest: Words, depth: int) -> Iterator[ObjectDescription]:
        """A description with what stands after its noun."""
        if not rest:
            yield one
            return
        if rest[0] in EMPTY:
            yield from self._modified(one, rest[1:], depth)
            return
        text = " ".join(rest)
        in_image = IN_IMAGE.match(text)
        if in_image is not None:
            yield from self._modified(one, _after(rest, in_image), depth)
            return
        on_side = ON_SIDE.match(text)
        if on_side is not None:
            yield from self._modified(replace(one, side=SIDES[on_side[1]]), _after(rest, on_side), depth)
            return
        if rest[0] in LINKS and len(rest) > 1:
            yield from self._predicates(one, rest[1:], depth)
            yield from self._object_clauses(one, rest[1:], depth)
            # GQA writes "the man that to the left of the clock".
            yield from self._complements(one, rest[1:], depth, bare=True)
            return
        # Without "that is", only what somebody does follows a noun: "the man standing", but not "the man old".
        yield from self._complements(one, rest, depth, bare=not rest[0].endswith(("ing", "ed", "en")))
        yield from self._object_clauses(one, rest, depth)

    def _predicates(self, one: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """What is said of a noun, beginning with its verb: "is red", "looks old", "wears a hat"."""
        first = words[0]
        if first in BE and len(words) > 1:
            yield from self._like(one, words, depth)
            if words[1] == "not":
                yield from self._without(one, words[2:], depth)
            elif words[1] in EMPTY:
                yield from self._modified(one, words[2:], depth)
            else:
                yield from self._complements(one, words[1:], depth)
            return
        if first in NOT_BE:
            yield from self._without(one, words[1:], depth)
            return
        if first in SEEM:
            after = words[3:] if words[1:3] == ("to", "be") else words[1:]
            yield from self._valued(one, after, depth)
        yield from self._like(one, words, depth)
        if first in ("has", "have"):
            yield from self._valued(one, words[1:-1], depth) if words[-1] in ("color", "size") else ()
        found = self.lexicon.verb(words)
        if found is not None:
            yield from self._related(one, found[1], words[found[0] :], depth)
        value = self.lexicon.verb_attribute(first)
        if value is not None:
            yield from self._modified(replace(one, attributes=(value, *one.attributes)), words[1:], depth)

    def _like(self, one: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """What something is like: "has the same color as the car", "is the same color as the car"."""
        if words[1:3] == ("the", "same") and len(words) > 5 and words[4] == "as" and one.relation is None:
            for target in self._read("phrase", words[5:], depth - 1):
                yield replace(one, relation=Related(f"same {words[3]}", target))

    def _complements(
        self, one: ObjectDescription, words: Words, depth: int, *, bare: bool = False
    ) -> Iterator[ObjectDescription]:
        """What may follow "is": a material, a relation, a place in the image; attributes, except after a bare noun."""
        if words[:1] in (("located",), ("situated",), ("placed",)):
            words = words[1:]
        if not words:
            return
        text = " ".join(words)
        on_side = ON_SIDE.match(text)
        if on_side is not None:
            yield from self._modified(replace(one, side=SIDES[on_side[1]]), _after(words, on_side), depth)
            return
        in_image = IN_IMAGE.match(text)
        if in_image is not None:
            yield from self._modified(one, _after(words, in_image), depth)
            return
        made = next((words[len(start) :] for start in MADE if words[: len(start)] == start), None)
        if made is not None:
            yield from self._valued(one, made, depth)
            return
        if words[1:2] == ("by",) and words[0] in PASSIVES and one.relation is None:
            for agent in self._read("phrase", words[2:], depth - 1):
                yield replace(one, relation=Related(PASSIVES[words[0]], agent, inverse=True))
        found = self.lexicon.relation(words)
        if found is not None and len(words) > found[0]:
            yield from self._related(one, found[1], words[found[0] :], depth)
        if not bare:
            yield from self._valued(one, words[1:] if words[0] == "both" else words, depth)

    def _valued(self, one: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """Attributes after a noun: "red", "red and round"."""
        for length, value in self.lexicon.attributes(words):
            after = words[length:]
            described = replace(one, attributes=(*one.attributes, value))
            if after[:1] == ("and",):
                yield from self._valued(described, after[1:], depth)
            else:
                yield from self._modified(described, () if after == ("in", "color") else after, depth)

    def _without(self, one: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        words = words[2:] if words[:2] == ("made", "of") else words
        for length, value in self.lexicon.attributes(words):
            described = replace(one, without=(*(one.without or ()), value))
            yield from self._modified(described, words[length:], depth)

    def _related(self, one: ObjectDescription, name: str, words: Words, depth: int) -> Iterator[ObjectDescription]:
        if one.relation is not None:
            return
        for target in self._read("phrase", words, depth - 1):
            yield replace(one, relation=Related(name, target))

    def _object_clauses(self, one: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """A clause of which the noun is the object: "(the bench) the man is sitting on", "that he holds"."""
        if one.relation is not None:
            return
        for place in range(1, len(words)):
            if words[place] in BE:
                found = self.lexicon.relation(words[place + 1 :])
                start = place + 1
            else:
                found = self.lexicon.verb(words[place:])
                start = place
            if found is None:
                continue
            length, name = found
            for subject in self._read("phrase", words[:place], depth - 1):
                inverse = replace(one, relation=Related(name, replace(subject, definite=True), inverse=True))
                yield from self._modified(inverse, words[start + length :], depth)

    def _clauses(self, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """A noun, then what is said or asked of it: "animal is white", "device is the man holding"."""
        for one, after in self._nouns(words):
            in_image = IN_IMAGE.match(" ".join(after))
            rest = after if in_image is None else _after(after, in_image)
            asked = replace(one, definite=True)
            if not rest:
                yield asked
                continue
            yield from self._predicates(asked, rest, depth)
            yield from self._asked_objects(asked, rest, depth)

    def _asked_objects(self, one: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """The subject after the verb: "(device) is the man holding", "(hat) does he wear"."""
        if one.relation is not None or words[0] not in (*BE, "do", "does", "did"):
            return
        for place in range(2, len(words)):
            found = self.lexicon.relation(words[place:]) if words[0] in BE else self.lexicon.verb(words[place:])
            if found is None:
                continue
            length, name = found
            if name == "of":
                continue
            end = words[place + length :]
            in_image = IN_IMAGE.match(" ".join(end)) if end else None
            if end and (in_image is None or _after(end, in_image)):
                continue
            for subject in self._read("phrase", words[1:place], depth - 1):
                yield replace(one, relation=Related(name, replace(subject, definite=True), inverse=True))


def _after(words: Words, found: re.Match[str]) -> Words:
    return words[len(found.group().split()) :]


_VERBS_OF_POSITION = ("of", "contain")


def write_phrase(one: ObjectDescription, ontology: Ontology) -> str:
    """A noun phrase: "the woman that is not sad", "a bench that the man is sitting on"."""
    words = " ".join((*one.attributes, _noun(one, ontology)))
    if one.definite:
        words = f"the {words}"
    elif one.number == "singular":
        words = f"{article(words)} {words}"
    after = _after_noun(one, ontology)
    return f"{words} {after}" if after else words


def write_clause(one: ObjectDescription, ontology: Ontology) -> str:
    """A noun and what is asked of it: "furniture is to the left of the oven", "device is the man holding"."""
    noun, be = _noun(one, ontology), _be(one)
    relation = one.relation
    if relation is not None and relation.inverse:
        words = " ".join((*one.attributes, noun))
        return f"{words} {_be(relation.to)} {write_phrase(relation.to, ontology)} {relation.name}"
    if relation is not None:
        words = " ".join((*one.attributes, noun))
        return f"{words} {be} {relation.name} {write_phrase(relation.to, ontology)}"
    if one.without:
        return f"{' '.join((*one.attributes, noun))} {be} not {one.without[0]}"
    if one.attributes:
        return f"{noun} {be} {' and '.join(one.attributes)}"
    return noun


def _noun(one: ObjectDescription, ontology: Ontology) -> str:
    return ontology.plural(one.kind) if one.number == "plural" else one.kind


def _be(one: ObjectDescription) -> str:
    return "are" if one.number == "plural" else "is"


def _after_noun(one: ObjectDescription, ontology: Ontology) -> str:
    parts = []
    if one.side:
        parts.append(f"in the {one.side}" if one.side == "middle" else f"on the {one.side}")
    if one.without:
        parts.append(f"that {_be(one)} not {one.without[0]}")
    relation = one.relation
    if relation is not None:
        target = write_phrase(relation.to, ontology)
        if relation.inverse:
            parts.append(f"that {target} {_be(relation.to)} {relation.name}")
        elif relation.name in _VERBS_OF_POSITION:
            parts.append(f"{relation.name} {target}")
        else:
            parts.append(f"that {_be(one)} {relation.name} {target}")
    return " ".join(parts)
