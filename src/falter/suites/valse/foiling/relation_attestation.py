"""Which prepositions captions use between which things: the corpus prefilter of relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from falter.cooccurrence import load_table
from falter.nlp.parsing import ParsedText
from falter.suites.valse.foiling.people import noun_class
from falter.suites.valse.foiling.preposition_spans import PrepositionSpan, find_preposition_spans
from falter.suites.valse.foiling.relation_words import relation_words

__all__ = ["RelationAttestation", "is_up_or_down"]

_MOST = 3
"""Candidates of a span that a language model gets to rank."""
_SHARE_OF_OBJECT = 0.015
_VEHICLES = frozenset({"vehicle", "cycle", "plane", "boat", "train"})
_CARRIERS = frozenset(
    {"bus", "car", "truck", "van", "taxi", "boat", "plane", "airplane", "train", "motorcycle", "bike"}
)
"""What people are in or on, and other vehicles are not."""
_SHARE_OF_PARTICLE = 0.1
_LONGEST = 3


class RelationAttestation:
    """Counts over the captions of a source, and over the texts of the co-occurrence table."""

    def __init__(self, captions: Iterable[tuple[str, ParsedText]]) -> None:
        self.spans: Counter[str] = Counter()
        """Every run of prepositions, by how many captions have it: the attested list."""
        self._figures: dict[tuple[str, str, str], set[str]] = {}
        self._governors: dict[tuple[str, str, str], set[str]] = {}
        self._governed: Counter[tuple[str, str]] = Counter()
        self._with_object: Counter[tuple[str, str]] = Counter()
        self._objects: Counter[str] = Counter()
        self._in_image: dict[str, set[tuple[str, str]]] = {}
        for image_id, parsed in captions:
            for span in find_preposition_spans(parsed):
                self._add(image_id, span)
        self._table = _table_counts()

    def _add(self, image_id: str, span: PrepositionSpan) -> None:
        self.spans[span.words] += 1
        self._figures.setdefault((span.figure, span.words, span.object), set()).add(image_id)
        self._governors.setdefault((span.governor, span.words, span.object), set()).add(image_id)
        self._governed[span.governor, span.words] += 1
        self._with_object[span.words, span.object] += 1
        self._objects[span.object] += 1
        self._in_image.setdefault(image_id, set()).add((span.words, span.object))

    def candidates(self, span: PrepositionSpan, image_id: str) -> list[str]:
        """At most three prepositions that exclude those of the span and are usual between such things, the best first.

        One is usual where other images have it between the same two things, with the same verb, and often enough
        before the same noun. None is taken that another caption of the image has before the noun.
        """
        if span.figure in _VEHICLES and span.object in _CARRIERS:
            return []
        told = self._in_image.get(image_id, set())
        found = []
        for other in relation_words().excluded_by.get(span.words, ()):
            if f"{other} {span.object}" in relation_words().odd or (other, span.object) in told:
                continue
            if "out of" in (span.words, other) and span.governor in relation_words().moving:
                continue
            if len(other.split()) <= _LONGEST:
                strength = self._strength(span, other, image_id)
                if strength > 0:
                    found.append((-strength, other))
        return [other for _, other in sorted(found)[:_MOST]]

    def _strength(self, span: PrepositionSpan, other: str, image_id: str) -> int:
        """In how many images the other preposition stands so; 0 where that is too seldom."""
        beside = len(self._governors.get((span.governor, other, span.object), set()) - {image_id})
        if not span.object:
            own = len(self._governors.get((span.governor, span.words, ""), ()))
            return beside if beside >= 3 and beside >= _SHARE_OF_PARTICLE * own else 0
        between = len(self._figures.get((span.figure, other, span.object), set()) - {image_id})
        between += self._table[span.figure, other, span.object]
        governed = self._governed[span.governor, other]
        if is_up_or_down(span.words):
            # What goes up comes down: neither the thing nor the verb makes one of them odd.
            sloping = " " in span.words or span.object in relation_words().inclines
            return 1 + between + beside if sloping and governed >= 1 else 0
        often = self._with_object[other, span.object] >= max(2, _SHARE_OF_OBJECT * self._objects[span.object])
        usual = between >= 1 and between + beside >= 2 and governed >= 2
        return between + beside if often and usual else 0


def is_up_or_down(words: str) -> bool:
    """Whether a run of prepositions says a direction that can be turned round.

    >>> is_up_or_down("up at"), is_up_or_down("at")
    (True, False)
    """
    return words.split(maxsplit=1)[0] in ("up", "down")


def _table_counts() -> Counter[tuple[str, str, str]]:
    """The relations of the co-occurrence table that end with a preposition, between nouns."""
    known = relation_words().excluded_by
    found: Counter[tuple[str, str, str]] = Counter()
    table = load_table()
    for half in (table.draw, table.check):
        for (one, relation, two), images in half.relations.items():
            words = relation.split()
            for length in range(1, _LONGEST + 1):
                span = " ".join(words[-length:])
                if length <= len(words) and span in known:
                    figure, thing = noun_class(one.split()[-1]), noun_class(two.split()[-1])
                    found[relation_words().classes.get(figure, figure), span, thing] += images
    return found
