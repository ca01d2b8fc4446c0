"""Slots of templates that read what people wrote: any noun phrase, a clause, several attributes, a relation.

A slot type says how a value is rendered, and which values a text parses to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from falter.data.word_forms import number_to_word, word_to_number
from falter.generation.english.lexicon import DEFINITE, INDEFINITE
from falter.generation.english.ontology import Ontology
from falter.generation.english.open_phrases import OpenPhrases, write_clause, write_phrase
from falter.generation.english.words import article, join_list
from falter.generation.scene import ObjectDescription
from falter.generation.scene.programs import positive_degree

SlotValue = ObjectDescription | str | int | tuple[str, ...]


class SlotType(NamedTuple):
    """One slot type: how a value is rendered, and which values a text parses to."""

    example: SlotValue
    render: Callable[[SlotValue, Ontology], str | None]
    parse: Callable[[str, Ontology], Iterator[SlotValue]]
    exact: bool = True
    """Whether a text parses to what would be rendered like it alone; else to whatever it may mean."""


HOW = {
    "old": "age", "tall": "height", "long": "length", "clean": "cleanliness", "large": "size", "big": "size",
    "hard": "hardness", "soft": "hardness", "wide": "width", "fat": "build", "thick": "thickness", "heavy": "weight",
    "deep": "depth", "high": "height", "short": "height", "small": "size", "dirty": "cleanliness", "thin": "thickness",
    "young": "age",
}  # fmt: skip
"""What is asked for by "How ... is it?"."""


def write_label(value: SlotValue, ontology: Ontology) -> str | None:
    family = ontology.families.get(value) if isinstance(value, str) else None
    return None if family is None else (family.label or str(value))


def write_how(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return next((word for word, family in HOW.items() if family == value), None)


def write_description(write: Callable[[ObjectDescription, Ontology], str]) -> Callable[..., str | None]:
    def written(value: SlotValue, ontology: Ontology) -> str | None:
        return write(value, ontology) if isinstance(value, ObjectDescription) else None

    return written


def write_after_noun(value: SlotValue, ontology: Ontology) -> str | None:
    """A clause without its noun, which the question word stands for."""
    if not isinstance(value, ObjectDescription):
        return None
    noun = ontology.plural(value.kind) if value.number == "plural" else value.kind
    clause = write_clause(value, ontology)
    return clause.removeprefix(f"{noun} ") if clause.startswith(f"{noun} ") else None


def write_noun(value: SlotValue, ontology: Ontology) -> str | None:
    if not isinstance(value, ObjectDescription):
        return None
    return write_phrase(replace(value, definite=True), ontology).removeprefix("the ")


def write_amount(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return number_to_word(value) if isinstance(value, int) else None


def write_degree(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    if not isinstance(value, str):
        return None
    return value if value.startswith("less ") else f"more {value}"


def write_word(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return value if isinstance(value, str) else None


def write_posture(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return value.partition(" ")[0] if isinstance(value, str) else None


def write_side(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
    return f"on the {value}" if isinstance(value, str) else None


def write_list(conjunction: str, before: str = "") -> Callable[[SlotValue, Ontology], str | None]:
    def written(value: SlotValue, ontology: Ontology) -> str | None:  # noqa: ARG001
        if not isinstance(value, tuple):
            return None
        return join_list(
            [f"{article(word)} {word}" if before == "a" else f"{before}{word}" for word in value], conjunction
        )

    return written


_LABELS = {"race": "origin", "ethnicity": "origin", "ethnic group": "origin", "sex": "gender", "colour": "color"}
"""Other words for families."""

_NO_NOUN = frozenset({*DEFINITE, *INDEFINITE, "of", "more"})
_LIST = re.compile(r", or |, | or ")
_SIDE = re.compile(
    r"(?:(?:on|in|at|to) )?(?:the )?(left|right|top|bottom|middle|center)"
    r"(?: hand)?(?: (?:side|part|half))?(?: (?:of|in) (?:the|this) (?:image|picture|photo|photograph|scene))?"
)


@lru_cache(maxsize=8)
def open_phrases(ontology: Ontology) -> OpenPhrases:
    """The reader of phrases over an ontology, made once."""
    return OpenPhrases(ontology)


def _parse_phrase(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    yield from open_phrases(ontology).phrase(text)


def _parse_indefinite(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    for description in open_phrases(ontology).phrase(text):
        yield replace(description, definite=False)


def _parse_noun(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    if text.split(" ", 1)[0] not in _NO_NOUN:
        for description in open_phrases(ontology).phrase(text):
            yield replace(description, definite=True)


def _parse_counted(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    """What is counted, with what is said of it: "dogs", "dogs on the sofa", "dogs are there"."""
    if text.split(" ", 1)[0] not in _NO_NOUN:
        phrases = open_phrases(ontology)
        for description in dict.fromkeys((*phrases.phrase(text), *phrases.clause(text))):
            yield replace(description, definite=False)


def _parse_clause(noun: str) -> Callable[[str, Ontology], Iterator[SlotValue]]:
    def parse(text: str, ontology: Ontology) -> Iterator[SlotValue]:
        yield from open_phrases(ontology).clause(f"{noun}{text}")

    return parse


def _parse_values(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    lexicon = open_phrases(ontology).lexicon
    words = tuple(text.removeprefix("both ").split())
    values: list[str] = []
    while words:
        matches = lexicon.attributes(words)
        if not matches:
            return
        length, value = matches[0]
        values.append(value)
        words = words[length:]
        if words[:1] in (("size",), ("color",), ("shape",)):
            words = words[1:]
        if words and words[0] != "and":
            return
        words = words[1:]
    if values:
        yield tuple(values)


def _parse_options(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    lexicon = open_phrases(ontology).lexicon
    values = tuple(value for part in _LIST.split(text) if (value := lexicon.attribute(part)) is not None)
    if 1 < len(values) == len(set(values)) == len(_LIST.split(text)):
        yield values


def _parse_nouns(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    lexicon = open_phrases(ontology).lexicon
    kinds: list[str] = []
    for part in _LIST.split(text):
        words = tuple(part.split())
        words = words[1:] if words[:1] in (("a",), ("an",), ("the",), ("some",)) else words
        whole = [noun.kind for noun in lexicon.nouns(words) if noun.length == len(words)]
        if not whole:
            return
        kinds.append(whole[0])
    if 1 < len(kinds) == len(set(kinds)):
        yield tuple(kinds)


def _parse_relation(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    lexicon = open_phrases(ontology).lexicon
    words = tuple(text.split())
    for match in (lexicon.relation(words), lexicon.verb(words)):
        if match is not None and match.length == len(words) and match.name != "of":
            yield match.name
            return


def _parse_posture(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    """A posture as the relation to what somebody is on or in: "sitting" is sitting on."""
    if text.endswith("ing"):
        yield from [name for end in ("on", "in") if (name := f"{text} {end}") in ontology.relations][:1]


def _parse_relations(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    """Relations to choose from, of which all but the last may lack their last word: "to the left or right of"."""
    first, conjunction, second = text.partition(" or ")
    if not conjunction or " or " in second:
        return
    last = next(_parse_relation(second, ontology), None)
    if last is None:
        # "to the left or right of"
        last = next(_parse_relation(f"to the {second}", ontology), None)
    ends = ("", " of", " to", " on")
    other = next((value for end in ends for value in _parse_relation(f"{first}{end}", ontology)), None)
    if isinstance(other, str) and isinstance(last, str) and other != last:
        yield other, last


def _parse_amount(text: str, ontology: Ontology) -> Iterator[SlotValue]:  # noqa: ARG001
    number = word_to_number(text)
    if number is not None:
        yield number


def _parse_degree(text: str, ontology: Ontology) -> Iterator[SlotValue]:  # noqa: ARG001
    """A comparative as the adjective that it is made of: "younger" is young, "less healthy" stays so."""
    if text.startswith("less "):
        yield text
    elif text.startswith("more ") or (text.endswith("er") and " " not in text):
        yield positive_degree(text)


def _parse_side(text: str, ontology: Ontology) -> Iterator[SlotValue]:  # noqa: ARG001
    match = _SIDE.fullmatch(text)
    if match is not None:
        yield "middle" if match[1] == "center" else match[1]


def _parse_sides(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    sides = tuple(side for part in _LIST.split(text) for side in _parse_side(part, ontology))
    if 1 < len(sides) == len(_LIST.split(text)):
        yield tuple(str(side) for side in sides)


def _parse_label(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    text = _LABELS.get(text, text)
    labelled = ontology.families_by_label.get(text, ())
    yield from labelled or ([text] if text in ontology.families else [])


def _parse_how(text: str, ontology: Ontology) -> Iterator[SlotValue]:
    family = HOW.get(text)
    if family is not None and family in ontology.families:
        yield family


_THING = ObjectDescription("thing")
_WHO = ObjectDescription("person", ("red",))
_DOGS = ObjectDescription("dog", number="plural")
OPEN_SLOT_TYPES: dict[str, SlotType] = {
    "np": SlotType(_THING, write_description(write_phrase), _parse_phrase, exact=False),
    "indefinite": SlotType(_THING, write_description(write_phrase), _parse_indefinite, exact=False),
    "noun": SlotType(_THING, write_noun, _parse_noun, exact=False),
    "counted": SlotType(_DOGS, write_noun, _parse_counted, exact=False),
    "amount": SlotType(2, write_amount, _parse_amount, exact=False),
    "clause": SlotType(_WHO, write_description(write_clause), _parse_clause(""), exact=False),
    "who": SlotType(_WHO, write_after_noun, _parse_clause("person "), exact=False),
    "what": SlotType(_WHO, write_after_noun, _parse_clause("thing "), exact=False),
    "values": SlotType(("red",), write_list("and"), _parse_values, exact=False),
    "options": SlotType(("red", "blue"), write_list("or"), _parse_options, exact=False),
    "nouns": SlotType(("dog", "cat"), write_list("or", "a"), _parse_nouns, exact=False),
    "relation": SlotType("on", write_word, _parse_relation, exact=False),
    "posture": SlotType("sitting on", write_posture, _parse_posture, exact=False),
    "relations": SlotType(("on", "under"), write_list("or"), _parse_relations, exact=False),
    "degree": SlotType("young", write_degree, _parse_degree, exact=False),
    "side": SlotType("left", write_side, _parse_side, exact=False),
    "sides": SlotType(("left", "right"), write_list("or", "on the "), _parse_sides, exact=False),
    "label": SlotType("color", write_label, _parse_label, exact=False),
    "how": SlotType("age", write_how, _parse_how, exact=False),
}
"""The slot types of questions that people wrote, by the word of their placeholder."""
