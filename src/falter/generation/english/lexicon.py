"""The words of open phrases: what a run of words can be, as a noun, an attribute or a relation.

The function words among them (determiners, verbs that link, what says where in the image something is) are fixed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from falter.data.word_forms import pluralize, word_to_number
from falter.generation.english.ontology import Ontology
from falter.generation.english.words import IMAGE_WORDS
from falter.generation.scene import Number
from falter.generation.scene.graph import Side

Words = Sequence[str]


class NounMatch(NamedTuple):
    """A noun that words begin with: how many words it has, and what it stands for."""

    length: int
    kind: str
    number: Number


class AttributeMatch(NamedTuple):
    """An attribute that words begin with."""

    length: int
    value: str


class RelationMatch(NamedTuple):
    """A relation that words begin with."""

    length: int
    name: str


PRONOUNS: dict[str, tuple[str, Number]] = {
    "she": ("woman", "singular"),
    "her": ("woman", "singular"),
    "he": ("man", "singular"),
    "him": ("man", "singular"),
    "they": ("person", "plural"),
    "them": ("person", "plural"),
    "this": ("thing", "singular"),
    "that": ("thing", "singular"),
    "it": ("thing", "singular"),
    "these": ("thing", "plural"),
    "those": ("thing", "plural"),
    "someone": ("person", "singular"),
    "somebody": ("person", "singular"),
    "something": ("thing", "singular"),
}
"""What a pronoun stands for; "he" is a man, as in GQA's programs."""

CLOSED_WORDS = frozenset({
    "a", "an", "the", "this", "that", "these", "those", "any", "some", "no", "all", "both", "either", "neither",
    "each", "every", "other", "another", "which", "who", "whom", "whose", "what", "where", "when", "why", "how",
    "is", "are", "was", "were", "be", "been", "being", "do", "does", "did", "has", "have", "had", "can", "could",
    "would", "will", "not", "n't", "isn't", "aren't", "and", "or", "of", "in", "on", "at", "to", "by", "for",
    "from", "with", "as", "than", "there", "here", "it", "its", "his", "her", "he", "she", "they", "them", "their",
    "him", "you", "your", "i", "we", "us", "my", "our", "me", "left", "right", "side", "seem", "seems", "look",
    "looks", "appear", "appears", "made", "called", "named", "kind", "type", "sort", "shown", "many", "much",
    "more", "most", "less", "think", "today",
})  # fmt: skip
"""Words that are never part of a noun that the ontology lacks."""

ATTRIBUTE_FORMS = {
    "wooden": "wood",
    "metallic": "metal",
    "big": "large",
    "golden": "gold",
    "grey": "gray",
    "blonde": "blond",
    "cement": "concrete",
    "sitting-down": "sitting",
    "sitting down": "sitting",
    "oval": "oval shaped",
}
_PIECES = frozenset({"piece", "pieces", "item", "items", "article", "articles"})
_OTHER_NOUNS = {
    "tap": "faucet",
    "palm": "palm tree",
    "pine": "pine tree",
    "hair band": "headband",
    "hairband": "headband",
}
"""Nouns that people use for kinds which the ontology has under another name."""
_IRREGULAR_VERBS = {
    "lies": "lying", "lie": "lying", "ties": "tying", "tie": "tying", "contains": "contain", "hang": "hanging",
}  # fmt: skip
_LONGEST = 5
"""Words of the longest noun or attribute that is looked up; a relation may have one more ("on the left side of")."""


class Lexicon:
    """What words can be, by an ontology and, for nouns that it lacks, by where they stand."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology

    def nouns(self, words: Words) -> list[NounMatch]:
        """Nouns that the words begin with, the longest first.

        A piece or an item of something is that thing, and "laptop computer" a laptop. Nouns may be written apart or
        together ("surf board", "trashcan"). A word that no list has is a noun of its own.
        """
        matches: list[NounMatch] = []
        if len(words) > 2 and words[0] in _PIECES and words[1] == "of":
            plural = words[0].endswith("s")
            inner = self.nouns(words[2:])
            return [NounMatch(noun.length + 2, noun.kind, "plural" if plural else noun.number) for noun in inner]
        for length in range(min(len(words), _LONGEST), 0, -1):
            for kind, number in self._nouns.get(" ".join(words[:length]), ()):
                matches.append(NounMatch(length, kind, number))
                if words[length : length + 1] and words[length] in _PIECES:
                    pieces: Number = "plural" if words[length].endswith("s") else "singular"
                    matches.append(NounMatch(length + 1, kind, pieces))
                matches += () if self.is_attribute(words[0]) else self._narrowed(kind, length, words)
        joined = self._unspaced.get("".join(words[:2]), ()) if len(words) > 1 else ()
        alone = () if matches or joined or not words else self._unspaced.get(words[0], ())
        return [
            *(NounMatch(2, kind, number) for kind, number in joined),
            *matches,
            *(NounMatch(1, kind, number) for kind, number in alone),
        ] or self._unknown_nouns(words)

    def _narrowed(self, kind: str, length: int, words: Words) -> list[NounMatch]:
        """A noun followed by one for a wider kind: "laptop computer"."""
        ontology, after = self.ontology, words[length : length + 1]
        meanings = ontology.nouns.get(after[0], ()) if after else ()
        return [
            NounMatch(length + 1, kind, number)
            for wider, number in meanings
            if wider != kind and ontology.is_a(kind, wider)
        ]

    @cached_property
    def _nouns(self) -> Mapping[str, Sequence[tuple[str, Number]]]:
        """The nouns of the ontology, and others for its kinds."""
        known = [(other, kind) for other, kind in _OTHER_NOUNS.items() if kind in self.ontology.kinds]
        singular: dict[str, Sequence[tuple[str, Number]]] = {other: ((kind, "singular"),) for other, kind in known}
        plural: dict[str, Sequence[tuple[str, Number]]] = {
            pluralize(other): ((kind, "plural"),) for other, kind in known
        }
        return {**singular, **plural, **self.ontology.nouns}

    @cached_property
    def _unspaced(self) -> dict[str, tuple[tuple[str, Number], ...]]:
        """Nouns by their letters, where these are no noun as they stand: "trash can" by "trashcan"."""
        by_letters: dict[str, tuple[tuple[str, Number], ...]] = {}
        for form, meanings in self.ontology.nouns.items():
            letters = form.replace(" ", "").replace("-", "")
            if letters == form or letters not in self.ontology.nouns:
                by_letters.setdefault(letters, tuple(meanings))
        return by_letters

    def _unknown_nouns(self, words: Words) -> list[NounMatch]:
        word = words[0] if words else ""
        if not word.isalpha() or word in CLOSED_WORDS or self.is_attribute(word) or self.relation(words):
            return []
        if word_to_number(word) is not None:
            return []
        number: Number = "plural" if word.endswith("s") and not word.endswith(("ss", "us", "is")) else "singular"
        return [NounMatch(1, word, number)]

    def is_attribute(self, text: str) -> bool:
        """Whether it is an attribute."""
        return self.attribute(text) is not None

    def attribute(self, text: str) -> str | None:
        """The attribute that is written like this ("wooden" is wood)."""
        value = ATTRIBUTE_FORMS.get(text, text)
        return value if value in self.ontology.family_by_value else None

    def attributes(self, words: Words) -> list[AttributeMatch]:
        """Attributes that the words begin with, the longest first."""
        return [
            AttributeMatch(length, value)
            for length in range(min(len(words), _LONGEST), 0, -1)
            if (value := self.attribute(" ".join(words[:length]))) is not None
        ]

    def relation(self, words: Words) -> RelationMatch | None:
        """The longest relation that the words begin with."""
        for length in range(min(len(words), _LONGEST + 1), 0, -1):
            name = self._relation_names.get(" ".join(words[:length]))
            if name is not None:
                return RelationMatch(length, name)
        return None

    def verb(self, words: Words) -> RelationMatch | None:
        """The longest relation with its verb in another form ("wears", "is holding" without the "is")."""
        if not words:
            return None
        for form in self._participles(words[0]):
            match = self.relation((form, *words[1:]))
            if match is not None:
                return match
        return None

    def verb_attribute(self, word: str) -> str | None:
        """The attribute whose verb is in another form ("stands" is standing)."""
        for form in self._participles(word):
            if form in self.ontology.family_by_value:
                return form
        return None

    @staticmethod
    def _participles(word: str) -> tuple[str, ...]:
        """The -ing forms that a verb may have."""
        known = _IRREGULAR_VERBS.get(word)
        if known is not None:
            return (known,)
        bases = {word}
        if word.endswith("ies"):
            bases.add(f"{word[:-3]}y")
        if word.endswith("es"):
            bases.add(word[:-2])
        if word.endswith("s"):
            bases.add(word[:-1])
        forms = []
        for base in sorted(bases):
            forms += [f"{base}ing", f"{base.removesuffix('e')}ing", f"{base}{base[-1:]}ing"]
        return tuple(dict.fromkeys(forms))

    @cached_property
    def _relation_names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for name in self.ontology.relations:
            names[name] = name
            names.setdefault(f"{name} of", name)
        others = {other: name for other, name in _OTHER_RELATIONS.items() if name in self.ontology.relations}
        return {**names, **others}


_OTHER_RELATIONS = {
    "left of": "to the left of",
    "right of": "to the right of",
    "on the left of": "to the left of",
    "on the right of": "to the right of",
    "on the left side of": "to the left of",
    "on the right side of": "to the right of",
    "to the left side of": "to the left of",
    "to the right side of": "to the right of",
    "before": "in front of",
    "in front": "in front of",
    "on to": "on",
    "inside of": "inside",
    "atop": "on top of",
    "onto": "on",
    "close by": "close to",
}


DEFINITE = frozenset({"the", "this", "that", "these", "those"})
INDEFINITE = frozenset({"a", "an", "any", "some"})
OWNERS = {"her": "woman", "his": "man", "their": "person"}
BE = frozenset({"is", "are", "was", "were"})
NOT_BE = frozenset({"isn't", "aren't", "wasn't", "weren't"})
SEEM = frozenset({"look", "looks", "seem", "seems", "appear", "appears"})
LINKS = frozenset({"that", "which", "who"})
EMPTY = frozenset({"here", "there", "shown", "visible", "pictured", "today"})
_IMAGE = "|".join(sorted(IMAGE_WORDS))
IN_IMAGE = re.compile(
    rf"(?:that (?:is|are) )?(?:shown |visible |seen )?(?:in|of|on) (?:the|this|that) (?:{_IMAGE})(?= |$)"
)
ON_SIDE = re.compile(
    r"(?:that (?:is|are) |who (?:is|are) )?(?:on|in|at|to) the (left|right|top|bottom|middle|center)"
    rf"(?: hand)?(?: (?:side|part|half|corner))?(?: (?:of|in) (?:the|this) (?:{_IMAGE}))?(?= |$)(?! of )"
)
SIDES: dict[str, Side] = {
    "left": "left", "right": "right", "top": "top", "bottom": "bottom", "middle": "middle", "center": "middle",
}  # fmt: skip
MADE = (("made", "out", "of"), ("made", "of"), ("made", "from"))
PASSIVES = {
    "held": "holding", "worn": "wearing", "ridden": "riding", "carried": "carrying", "used": "using",
    "pulled": "pulling", "pushed": "pushing", "eaten": "eating", "driven": "driving", "thrown": "throwing",
    "flown": "flying",
    "watched": "watching", "surrounded": "surrounding", "covered": "covering", "followed": "following",
}  # fmt: skip
"""The relations of verbs in the passive, which hold from what follows "by"."""
