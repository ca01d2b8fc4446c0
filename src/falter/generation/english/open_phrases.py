"""Noun phrases and clauses as people write them: relative clauses, possessives, pronouns, nouns beyond the ontology.

They are read to descriptions by recursive descent over words, and descriptions are written so that they read back. The
grammar is ambiguous: a rule yields every reading, the likeliest first. Words in capitals are read by the lexicon; a
phrase inside another one (``phrase'``) is read to a depth of four, and a description holds one relation.

    phrase      = PRONOUN post
                | [owner "'s"] noun post                      whatever stands before 's is a phrase'
                | [DETERMINER | OWNER] ["other" | "same"] noun post
                | [DETERMINER] noun NOUN post                 where nothing else reads: "the man shirt"
    clause      = noun [IN_IMAGE] [predicate | inverted]      "animal is white", "device is the man holding"
    noun        = {ATTRIBUTE ["and"]} NOUN
    post        = [EMPTY post | IN_IMAGE post | ON_SIDE post
                | LINK (predicate | object | complement) | complement | object]
    predicate   = BE ["not" negated | EMPTY post | complement | same] | NOT_BE negated | SEEM ["to be"] values
                | ("has" | "have") (values ("color" | "size") | same) | VERB phrase' | VERB_ATTRIBUTE post
    same        = word "the same" word "as" phrase'           "is the same color as the car"
    complement  = ["located"] (ON_SIDE post | IN_IMAGE post | MADE values
                | PASSIVE "by" phrase' | RELATION phrase' | values)
    values      = ATTRIBUTE ["and" values] post
    negated     = ["made of"] ATTRIBUTE post
    object      = phrase' (BE RELATION | VERB) post           "the bench the man is sitting on"
    inverted    = (BE phrase' RELATION | DO phrase' VERB) [IN_IMAGE]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import UNSET, UnsetType
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

Words = tuple[str, ...]

_MAX_DEPTH = 4
"""Phrases inside phrases: chosen by hand, not measured; "the dog of the man on the bench in the park" has three."""
_MAX_CACHED = 25_000
"""Readings that are remembered before the memory is cleared: chosen by hand, for some megabytes."""
_MAX_WORDS = 40
"""Longer texts are not read, since the number of readings grows with the square of the length: chosen by hand."""
_POSTURE_ENDINGS = ("ing", "ed", "en")

Descriptions = tuple[ObjectDescription, ...]


class Noun(NamedTuple):
    """A noun with what stands before it, and the words after it."""

    description: ObjectDescription
    rest: Words


class OpenPhrases:
    """Reads noun phrases that may have relative clauses, and clauses about what a noun stands for.

    Each method that begins with ``_read`` is a rule of the module's grammar: it gets what is described so far, the
    words that are left and how deep phrases may still be nested, and yields whole descriptions.
    """

    def __init__(self, ontology: Ontology) -> None:
        self.lexicon = Lexicon(ontology)
        self._cache: dict[tuple[str, Words, int], Descriptions] = {}

    def phrase(self, text: str) -> Descriptions:
        """The descriptions that a noun phrase may mean, the likeliest first."""
        return self._parse("phrase", tuple(text.split()), _MAX_DEPTH)

    def clause(self, text: str) -> Descriptions:
        """The descriptions that a noun and what is said of it mean: "furniture is made of wood"."""
        return self._parse("clause", tuple(text.split()), _MAX_DEPTH)

    def _parse(self, rule: str, words: Words, depth: int) -> Descriptions:
        if not words or depth < 0 or len(words) > _MAX_WORDS:
            return ()
        key = (rule, words, depth)
        readings = self._cache.get(key)
        if readings is None:
            if len(self._cache) > _MAX_CACHED:
                self._cache.clear()
            parsed = self._read_phrase(words, depth) if rule == "phrase" else self._read_clause(words, depth)
            readings = tuple(dict.fromkeys(parsed))
            if not readings and rule == "phrase":
                readings = tuple(dict.fromkeys(self._read_compound(words, depth)))
            self._cache[key] = readings
        return readings

    def _read_phrase(self, words: Words, depth: int) -> Iterator[ObjectDescription]:
        if words[0] in PRONOUNS and (len(words) == 1 or words[0] not in ("this", "these", "that", "those", "her")):
            kind, number = PRONOUNS[words[0]]
            yield from self._read_post(ObjectDescription(kind, number=number, definite=True), words[1:], depth)
            return
        yield from self._read_possessive(words, depth)
        owner = OWNERS.get(words[0])
        definite = words[0] in DEFINITE or owner is not None
        if definite or words[0] in INDEFINITE:
            words = words[1:]
        if words and words[0] in ("other", "same"):
            words = words[1:]
        for noun, rest in self._read_noun(words):
            description = replace(noun, definite=definite)
            if owner is not None:
                if rest:
                    continue
                description = replace(description, relation=Related("of", ObjectDescription(owner, definite=True)))
            yield from self._read_post(description, rest, depth)

    def _read_possessive(self, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """Something of somebody: "the girl's hair"."""
        for index, word in enumerate(words[:-1]):
            if word.endswith(("'s", "s'")):
                owner_words = (*words[:index], word.removesuffix("'s").removesuffix("'"))
                for noun, rest in self._read_noun(words[index + 1 :]):
                    for owner in self._parse("phrase", owner_words, depth - 1):
                        owned = replace(noun, relation=Related("of", owner), definite=True)
                        yield from self._read_post(owned, rest, depth)
                return

    def _read_compound(self, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """Two nouns of which nobody has made a name: "the man shirt" is the shirt of the man."""
        definite = words[0] in DEFINITE
        if definite or words[0] in INDEFINITE:
            words = words[1:]
        kinds = self.lexicon.ontology.kinds
        for owner, rest in self._read_noun(words):
            if owner.number == "plural" or owner.kind not in kinds or not rest:
                continue
            for match in self.lexicon.nouns(rest):
                if match.kind in kinds:
                    of_owner = Related("of", replace(owner, attributes=(), definite=True))
                    owned = ObjectDescription(match.kind, owner.attributes, of_owner, match.number, definite)
                    yield from self._read_post(owned, rest[match.length :], depth)

    def _read_noun(self, words: Words) -> Iterator[Noun]:
        for attributes, rest in self._read_attributes(words):
            for match in self.lexicon.nouns(rest):
                yield Noun(ObjectDescription(match.kind, attributes, None, match.number), rest[match.length :])

    def _read_attributes(self, words: Words) -> Iterator[tuple[tuple[str, ...], Words]]:
        """The attributes before a noun; as few as there can be first, for "a street sign" is no sign that is street."""
        yield (), words
        for length, value in self.lexicon.attributes(words):
            if words[0] in CLOSED_WORDS:
                continue
            after = words[length:]
            if after[:1] == ("and",):
                after = after[1:]
            for further, rest in self._read_attributes(after):
                yield (value, *further), rest

    def _read_post(self, noun: ObjectDescription, rest: Words, depth: int) -> Iterator[ObjectDescription]:
        """A description with what stands after its noun."""
        if not rest:
            yield noun
            return
        if rest[0] in EMPTY:
            yield from self._read_post(noun, rest[1:], depth)
            return
        text = " ".join(rest)
        in_image = IN_IMAGE.match(text)
        if in_image is not None:
            yield from self._read_post(noun, _words_after(rest, in_image), depth)
            return
        on_side = ON_SIDE.match(text)
        if on_side is not None:
            yield from self._read_post(replace(noun, side=SIDES[on_side[1]]), _words_after(rest, on_side), depth)
            return
        if rest[0] in LINKS and len(rest) > 1:
            yield from self._read_predicate(noun, rest[1:], depth)
            yield from self._read_object_clause(noun, rest[1:], depth)
            # GQA writes "the man that to the left of the clock".
            yield from self._read_complement(noun, rest[1:], depth, bare=True)
            return
        # Without "that is", only what somebody does follows a noun: "the man standing", but not "the man old".
        yield from self._read_complement(noun, rest, depth, bare=not rest[0].endswith(_POSTURE_ENDINGS))
        yield from self._read_object_clause(noun, rest, depth)

    def _read_predicate(self, noun: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """What is said of a noun, beginning with its verb: "is red", "looks old", "wears a hat"."""
        verb = words[0]
        if verb in BE and len(words) > 1:
            yield from self._read_same(noun, words, depth)
            if words[1] == "not":
                yield from self._read_negated(noun, words[2:], depth)
            elif words[1] in EMPTY:
                yield from self._read_post(noun, words[2:], depth)
            else:
                yield from self._read_complement(noun, words[1:], depth)
            return
        if verb in NOT_BE:
            yield from self._read_negated(noun, words[1:], depth)
            return
        if verb in SEEM:
            after = words[3:] if words[1:3] == ("to", "be") else words[1:]
            yield from self._read_values(noun, after, depth)
        yield from self._read_same(noun, words, depth)
        if verb in ("has", "have"):
            yield from self._read_values(noun, words[1:-1], depth) if words[-1] in ("color", "size") else ()
        relation = self.lexicon.verb(words)
        if relation is not None:
            yield from self._read_target(noun, relation.name, words[relation.length :], depth)
        value = self.lexicon.verb_attribute(verb)
        if value is not None:
            yield from self._read_post(replace(noun, attributes=(value, *noun.attributes)), words[1:], depth)

    def _read_same(self, noun: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """What something is like: "has the same color as the car", "is the same color as the car"."""
        if words[1:3] == ("the", "same") and len(words) > 5 and words[4] == "as":
            yield from self._read_target(noun, f"same {words[3]}", words[5:], depth)

    def _read_complement(
        self, noun: ObjectDescription, words: Words, depth: int, *, bare: bool = False
    ) -> Iterator[ObjectDescription]:
        """What may follow "is": a material, a relation, a place in the image; attributes, except after a bare noun."""
        if words[:1] in (("located",), ("situated",), ("placed",)):
            words = words[1:]
        if not words:
            return
        text = " ".join(words)
        on_side = ON_SIDE.match(text)
        if on_side is not None:
            yield from self._read_post(replace(noun, side=SIDES[on_side[1]]), _words_after(words, on_side), depth)
            return
        in_image = IN_IMAGE.match(text)
        if in_image is not None:
            yield from self._read_post(noun, _words_after(words, in_image), depth)
            return
        material = next((words[len(start) :] for start in MADE if words[: len(start)] == start), None)
        if material is not None:
            yield from self._read_values(noun, material, depth)
            return
        if words[1:2] == ("by",) and words[0] in PASSIVES:
            yield from self._read_target(noun, PASSIVES[words[0]], words[2:], depth, inverse=True)
        relation = self.lexicon.relation(words)
        if relation is not None and len(words) > relation.length:
            yield from self._read_target(noun, relation.name, words[relation.length :], depth)
        if not bare:
            yield from self._read_values(noun, words[1:] if words[0] == "both" else words, depth)

    def _read_values(self, noun: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """Attributes after a noun: "red", "red and round"."""
        for length, value in self.lexicon.attributes(words):
            after = words[length:]
            description = replace(noun, attributes=(*noun.attributes, value))
            if after[:1] == ("and",):
                yield from self._read_values(description, after[1:], depth)
            else:
                yield from self._read_post(description, () if after == ("in", "color") else after, depth)

    def _read_negated(self, noun: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        words = words[2:] if words[:2] == ("made", "of") else words
        for length, value in self.lexicon.attributes(words):
            description = replace(noun, without=(*(noun.without or ()), value))
            yield from self._read_post(description, words[length:], depth)

    def _read_target(
        self,
        noun: ObjectDescription,
        relation: str,
        words: Words,
        depth: int,
        *,
        inverse: bool | UnsetType = UNSET,
    ) -> Iterator[ObjectDescription]:
        """What a noun is related to; inverse, what is related to it."""
        if noun.relation is not None:
            return
        for target in self._parse("phrase", words, depth - 1):
            yield replace(noun, relation=Related(relation, target, inverse=inverse))

    def _read_object_clause(self, noun: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """A clause of which the noun is the object: "(the bench) the man is sitting on", "that he holds"."""
        if noun.relation is not None:
            return
        for index in range(1, len(words)):
            start = index + 1 if words[index] in BE else index
            relation = self.lexicon.relation(words[start:]) if start > index else self.lexicon.verb(words[start:])
            if relation is None:
                continue
            for description in self._describe_objects(noun, relation.name, words[:index], depth):
                yield from self._read_post(description, words[start + relation.length :], depth)

    def _read_clause(self, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """A noun, then what is said or asked of it: "animal is white", "device is the man holding"."""
        for noun, after in self._read_noun(words):
            in_image = IN_IMAGE.match(" ".join(after))
            rest = after if in_image is None else _words_after(after, in_image)
            definite = replace(noun, definite=True)
            if not rest:
                yield definite
                continue
            yield from self._read_predicate(definite, rest, depth)
            yield from self._read_inverted(definite, rest, depth)

    def _read_inverted(self, noun: ObjectDescription, words: Words, depth: int) -> Iterator[ObjectDescription]:
        """The subject after the verb: "(device) is the man holding", "(hat) does he wear"."""
        if noun.relation is not None or words[0] not in (*BE, "do", "does", "did"):
            return
        find_relation = self.lexicon.relation if words[0] in BE else self.lexicon.verb
        for index in range(2, len(words)):
            relation = find_relation(words[index:])
            if relation is None or relation.name == "of":
                continue
            end = words[index + relation.length :]
            in_image = IN_IMAGE.match(" ".join(end)) if end else None
            if end and (in_image is None or _words_after(end, in_image)):
                continue
            yield from self._describe_objects(noun, relation.name, words[1:index], depth)

    def _describe_objects(
        self, noun: ObjectDescription, relation: str, subject: Words, depth: int
    ) -> Iterator[ObjectDescription]:
        """The noun as the object of a relation, for each reading of its subject."""
        for reading in self._parse("phrase", subject, depth - 1):
            yield replace(noun, relation=Related(relation, replace(reading, definite=True), inverse=True))


def _words_after(words: Words, match: re.Match[str]) -> Words:
    return words[len(match.group().split()) :]


_BARE_RELATIONS = ("of", "contain")
"""Relations that follow their noun without "that is": "the roof of the house"."""


def write_phrase(description: ObjectDescription, ontology: Ontology) -> str:
    """A noun phrase: "the woman that is not sad", "a bench that the man is sitting on"."""
    words = " ".join((*description.attributes, _noun(description, ontology)))
    if description.definite:
        words = f"the {words}"
    elif description.number == "singular":
        words = f"{article(words)} {words}"
    after = _after_noun(description, ontology)
    return f"{words} {after}" if after else words


def write_clause(description: ObjectDescription, ontology: Ontology) -> str:
    """A noun and what is asked of it: "furniture is to the left of the oven", "device is the man holding"."""
    noun, be = _noun(description, ontology), _be(description)
    relation = description.relation
    if relation is not None and relation.inverse:
        words = " ".join((*description.attributes, noun))
        return f"{words} {_be(relation.to)} {write_phrase(relation.to, ontology)} {relation.name}"
    if relation is not None:
        words = " ".join((*description.attributes, noun))
        return f"{words} {be} {relation.name} {write_phrase(relation.to, ontology)}"
    if description.without:
        return f"{' '.join((*description.attributes, noun))} {be} not {description.without[0]}"
    if description.attributes:
        return f"{noun} {be} {' and '.join(description.attributes)}"
    return noun


def _noun(description: ObjectDescription, ontology: Ontology) -> str:
    return ontology.plural(description.kind) if description.number == "plural" else description.kind


def _be(description: ObjectDescription) -> str:
    return "are" if description.number == "plural" else "is"


def _after_noun(description: ObjectDescription, ontology: Ontology) -> str:
    parts = []
    if description.side:
        parts.append(f"in the {description.side}" if description.side == "middle" else f"on the {description.side}")
    if description.without:
        parts.append(f"that {_be(description)} not {description.without[0]}")
    relation = description.relation
    if relation is not None:
        target = write_phrase(relation.to, ontology)
        if relation.inverse:
            parts.append(f"that {target} {_be(relation.to)} {relation.name}")
        elif relation.name in _BARE_RELATIONS:
            parts.append(f"{relation.name} {target}")
        else:
            parts.append(f"that {_be(description)} {relation.name} {target}")
    return " ".join(parts)
