"""The kinds, attributes and relations that a caption or a question names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple, Protocol

from falter.generation.english import Ontology

_WORD = re.compile(r"[a-z]+|[.,;:!?]")
_STOPS = frozenset(".,;:!?")
_DETERMINERS = frozenset(
    (
        *("a", "an", "the", "some", "any", "this", "that", "these", "those", "both", "each", "all", "another", "other"),
        *(
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "several",
            "many",
            "few",
            "there",
            "his",
            "her",
            "its",
            "their",
        ),
    )
)
_FORMS_OF_BE = frozenset(("is", "are", "was", "were", "being"))
_DENIALS = frozenset(("no", "not", "without", "never", "isn", "aren"))
_EMPTY_HEADS = frozenset(
    (
        *("couple", "pair", "group", "bunch", "set", "row", "number", "lot", "piece", "kind", "type", "sort"),
        *("picture", "photo", "photograph", "image", "view", "shot", "front", "side", "back", "top", "bottom", "edge"),
    )
)
"""Words before "of" that say how many or how it is seen, not what is there: "a couple of men", "a picture of a dog"."""

_ALSO_VERBS = frozenset(
    (
        *("can", "cross", "watch", "drink", "fly", "cook", "swing", "slide", "board", "stand", "park", "ring", "wave"),
        *("catch", "bat", "step", "spot", "match", "pass", "land", "guard", "guide", "walk", "dress", "plant", "ski"),
        *("skate", "surf", "ramp", "back", "leaves", "cover", "dish", "fan", "iron", "mount", "net", "saw", "tie"),
        *("train", "track", "trunk", "wii", "well", "sink", "light", "lights", "shop", "face", "hand", "head", "bear"),
    )
)
"""Nouns that are other words as well: "can you see", "a man walks", "bears a logo"."""
_BEFORE_NOUNS = frozenset(("of", "in", "on", "with", "and", "or", "by", "at", "near", "under", "behind", "wearing"))

_ALSO_SAID = {"wooden": "wood", "metallic": "metal", "grey": "gray", "golden": "gold", "laying": "lying"}
"""Forms of values that people use and graphs do not."""

_THE_IMAGE_ITSELF = frozenset(
    ("picture", "photo", "photograph", "image", "scene", "background", "foreground", "distance")
)
"""Nouns that mean the image being spoken of, where they stand after "in": "in this picture"."""


class Mentions(NamedTuple):
    """What one text names."""

    kinds: frozenset[str]
    attributes: frozenset[tuple[str, str]]
    """A kind and a value that is said of it."""
    relations: frozenset[tuple[str, str, str]]
    """A kind, a relation, and the kind that it leads to."""


class ImageContents(Protocol):
    """What is in one image: the kinds, with what is said of them, as in :class:`Mentions`."""

    @property
    def kinds(self) -> frozenset[str]: ...

    @property
    def attributes(self) -> frozenset[tuple[str, str]]: ...

    @property
    def relations(self) -> frozenset[tuple[str, str, str]]: ...


class _Noun(NamedTuple):
    start: int
    end: int
    kind: str
    values: tuple[str, ...]
    denied: bool


class MentionFinder:
    """Finds the ontology's words in English text: the longest name wins, and of two nouns in a row the last.

    It does not parse. An attribute is an adjective right before a noun, or after it and a form of "be"; a relation is
    one whose words are all that stands between two nouns. What it misses, it misses for all kinds alike.
    """

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._kinds = {_spaced(form): meanings[0][0] for form, meanings in ontology.nouns.items()}
        self._nouns = _by_first_word(self._kinds)
        self._value_names = {_spaced(value): value for value in ontology.family_by_value}
        self._value_names |= {form: value for form, value in _ALSO_SAID.items() if value in self._value_names}
        self._values = _by_first_word(self._value_names)

    def find(self, text: str) -> Mentions:
        """The kinds that a text names, with what it says of them."""
        words = _WORD.findall(text.lower())
        nouns = self._find_nouns(words)
        said = [noun for noun in nouns if not noun.denied]
        attributes = {
            (noun.kind, value)
            for noun in said
            for value in (*noun.values, *self._find_predicate(words, noun))
            if self._ontology.applies_to(value, noun.kind)
        }
        relations = {
            (first.kind, name, second.kind)
            for first, second in pairwise(nouns)
            if not (first.denied or second.denied)
            if (name := self._relation_between(words, first, second)) is not None
        }
        return Mentions(frozenset(noun.kind for noun in said), frozenset(attributes), frozenset(relations))

    def _find_nouns(self, words: list[str]) -> list[_Noun]:
        found: list[_Noun] = []
        values: list[str] = []
        position, start, denied = 0, 0, False
        while position < len(words):
            word = words[position]
            value = _longest(self._values, words, position)
            noun = _longest(self._nouns, words, position)
            after = position + value
            # Right after a noun it is what the noun does: "men riding skateboards".
            after_noun = bool(found) and found[-1].end == position
            if (
                value >= max(noun, 1)
                and not after_noun
                and (_longest(self._nouns, words, after) or _longest(self._values, words, after))
            ):
                start = start if values else position
                values.append(self._value_names[" ".join(words[position:after])])
                position = after
            elif noun:
                end = position + noun
                stands_for_another = (
                    _longest(self._nouns, words, end)
                    or (word in _EMPTY_HEADS and words[end : end + 1] == ["of"])
                    or (noun == 1 and word in _ALSO_VERBS and not values and not _opens_noun(words, position))
                    or (word in _THE_IMAGE_ITSELF and "in" in words[max(0, position - 2) : position])
                )
                if not stands_for_another:
                    kind = self._kinds[" ".join(words[position:end])]
                    found.append(
                        _Noun(position - sum(len(one.split()) for one in values), end, kind, tuple(values), denied)
                    )
                    values, denied = [], False
                position = end
            elif after_noun and value:
                position = after
            else:
                denied = word in _DENIALS or (denied and word not in _STOPS)
                if word not in _DETERMINERS:
                    values = []
                position += 1
        return found

    def _find_predicate(self, words: list[str], noun: _Noun) -> list[str]:
        """The value after a noun, as in "the man is standing" and "a man standing"."""
        is_said = noun.end < len(words) and words[noun.end] in _FORMS_OF_BE
        position = noun.end + is_said
        length = _longest(self._values, words, position)
        if not length or _longest(self._nouns, words, position + length):
            return []
        return [self._value_names[" ".join(words[position : position + length])]]

    def _relation_between(self, words: list[str], first: _Noun, second: _Noun) -> str | None:
        between = [word for word in words[first.end : second.start] if word not in _FORMS_OF_BE]
        # Of "on top of a shiny new", what stands before the article is the relation.
        cut = max((place for place, word in enumerate(between) if word in _DETERMINERS), default=len(between))
        name = " ".join(word for word in between[:cut] if word not in _DETERMINERS)
        if name not in self._ontology.relations:
            return None
        # "A man in a shirt holding a racket": it is not the shirt that holds it.
        relation = self._ontology.relations[name]
        fits = self._is_one_of(first.kind, relation.subjects) and self._is_one_of(second.kind, relation.objects)
        return name if fits else None

    def _is_one_of(self, kind: str, wider: Iterable[str]) -> bool:
        return any(self._ontology.is_a(kind, other) for other in wider)


def _opens_noun(words: list[str], position: int) -> bool:
    """Whether the word before says that a noun follows."""
    before = words[position - 1] if position else ""
    return before in _DETERMINERS or before in _BEFORE_NOUNS


def _spaced(form: str) -> str:
    """A form with its words as the text has them: "t-shirt" is two."""
    return " ".join(_WORD.findall(form))


def _by_first_word(forms: Iterable[str]) -> dict[str, list[tuple[str, ...]]]:
    """Forms by their first word, the longest first."""
    split: dict[str, list[tuple[str, ...]]] = {}
    for form in forms:
        words = tuple(form.split())
        if words:
            split.setdefault(words[0], []).append(words)
    for found in split.values():
        found.sort(key=len, reverse=True)
    return split


def _longest(forms: dict[str, list[tuple[str, ...]]], words: list[str], position: int) -> int:
    """How many words the longest form at a position has; 0 where none begins there."""
    if position >= len(words):
        return 0
    for form in forms.get(words[position], ()):
        if tuple(words[position : position + len(form)]) == form:
            return len(form)
    return 0
