"""Relations: a run of prepositions replaced by one that excludes it.

"A cat plays with a knife on a table" becomes "... [under] a table". Which prepositions are tried is decided by where
such things are found (:mod:`relation_places`) and by what captions have: counted are prepositions, the nouns that they
stand before, and their images. A language model then chooses among them (:mod:`relations_maker`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from falter.generation.nlp.parsing import ParsedText
from falter.suites.valse.foiling.candidates import Edit, FoilCandidate, Skipped, apply_edits
from falter.suites.valse.foiling.caption_words import form_problem
from falter.suites.valse.foiling.noun_phrases import noun_number
from falter.suites.valse.foiling.preposition_spans import PrepositionSpan, find_preposition_spans, relation_words
from falter.suites.valse.foiling.relation_places import (
    Placing,
    conflicts,
    is_ground,
    is_overhead,
    is_said,
    place_of,
    possible_places,
    why_not_placed,
)


class RelationAttestation:
    """Counts over the captions of a source: the attested list, and what other captions of an image say."""

    def __init__(self, captions: Iterable[tuple[str, ParsedText]]) -> None:
        self.spans: Counter[str] = Counter()
        """Every run of prepositions, by how many captions have it."""
        self._before: Counter[tuple[str, str]] = Counter()
        self._of_image: dict[str, set[tuple[str, str]]] = {}
        for image_id, parsed in captions:
            for span in find_preposition_spans(parsed):
                self.spans[span.words] += 1
                self._before[span.words, span.object] += 1
                self._of_image.setdefault(image_id, set()).add((_place(span.words), span.object))

    def is_told(self, image_id: str, preposition: str, noun: str) -> bool:
        """Whether a caption of the image says this place, in the same words or in others that mean it."""
        return (_place(preposition), noun) in self._of_image.get(image_id, ())

    def usual_first(self, span: PrepositionSpan, prepositions: Iterable[str]) -> list[str]:
        """Those that captions have, the ones that stand most often before the span's noun first."""
        known = [one for one in prepositions if self.spans[one]]
        return sorted(known, key=lambda one: (-self._before[one, span.object], -self.spans[one], one))


def _place(preposition: str) -> str:
    return place_of(preposition) or preposition


_OF_ONE = frozenset({"in", "inside", "inside of", "on", "on top of", "atop", "under", "underneath", "beneath"})
"""Prepositions that place something by one thing, and not by several."""
_ELSEWHERE = _OF_ONE | {
    "at",
    "down",
    "up",
    "along",
    "across",
    "through",
    "onto",
    "into",
    "toward",
    "towards",
    "over",
    "near",
    "by",
    "around",
    "out of",
    "from",
    "above",
    "below",
    "outside",
    "next to",
    "beside",
}
"""Prepositions that say another place or way."""
_ADVERBS = frozenset(
    {
        "far",
        "straight",
        "right",
        "directly",
        "further",
        "farther",
        "all",
        "just",
        "almost",
        "halfway",
        "way",
        "not",
        "up",
        "high",
        "low",
        "deep",
        "out",
        "back",
    }
)
_BEARING = frozenset({"rock", "boulder", "log", "track", "rail", "hay"})
"""Nouns of which several bear somebody as one does."""
_AROUND = frozenset({"under", "behind", "front", "side"})
"""Places under and about something overhead."""
ANOTHER = "the sentence says another place"
_HELD = frozenset({"hold", "carry", "wear", "eat", "bite", "drink", "throw", "swing", "hit", "kick", "catch"})
"""Verbs after which a thing is with whom it is done by, wherever else it is said to be."""


def foil_relations(
    parsed: ParsedText, attestation: RelationAttestation, image_id: str
) -> Iterator[FoilCandidate | Skipped]:
    """The candidates for every run of prepositions, the usual ones first, or why it has none."""
    if problem := form_problem(parsed):
        yield Skipped(problem, parsed.text)
        return
    if any(token.lower in ("between", "sill") for token in parsed.tokens):
        yield Skipped(ANOTHER, parsed.text)
        return
    for span in find_preposition_spans(parsed):
        if _slides(parsed, span):
            yield Skipped("a way that is gone down only", parsed.text)
            continue
        found = _find_others(parsed, span, attestation, image_id)
        if isinstance(found, str):
            shown = parsed.text[parsed.tokens[max(span.start - 2, 0)].start : parsed.tokens[span.end - 1].end]
            yield Skipped(found, f"{shown} {span.object}".strip())
            continue
        for other in found:
            yield _write(parsed, span, other)


def _find_others(
    parsed: ParsedText, span: PrepositionSpan, attestation: RelationAttestation, image_id: str
) -> list[str] | str:
    """The prepositions that may stand in the place of those of a span, or why there are none."""
    if opposite := _turned_round(parsed, span):
        possible: tuple[str, ...] | str = (opposite,)
    elif not span.object:
        possible = "no noun follows it"
    elif not is_said(span.words, span.object):
        possible = "a preposition that is hardly said of such a thing"
    elif not span.figure:
        possible = "nothing whose place is told"
    else:
        possible = _fitting_places(parsed, span)
    if isinstance(possible, str):
        return possible
    untold = [one for one in possible if not attestation.is_told(image_id, one, span.object)]
    if not untold:
        return "another caption of the image says so"
    fitting = [one for one in untold if not _repeats(parsed, span, one)]
    return (
        attestation.usual_first(span, fitting) or "the sentence has the other preposition already, or no caption has it"
    )


def _fitting_places(parsed: ParsedText, span: PrepositionSpan) -> tuple[str, ...] | str:
    """The prepositions that exclude those of a span, and that nothing else in the sentence speaks against."""
    placing = Placing(span.figure, span.verb, span.object)
    possible = possible_places(placing, span.words)
    if not possible:
        return why_not_placed(placing, span.words)
    if _is_bare(parsed, span):
        return "the noun has no article"
    if span.start and parsed.tokens[span.start - 1].lower == ",":
        return "a comma comes before it"
    if problem := _figure_problem(parsed, span):
        return problem
    if _is_joined(parsed, span):
        return "the noun is one of several"
    if _has_another_place(parsed, span):
        possible = tuple(one for one in possible if _is_independent(parsed, span, one))
    for noun in span.joined:
        also = possible_places(Placing(noun, span.verb, span.object), span.words)
        possible = tuple(one for one in possible if one in also)
    lemmas = {word for token in parsed.tokens for word in (token.lemma, token.lower)}
    says_more = span.counts or _says_more(parsed, span)
    if says_more and place_of(span.words) in ("in", "on"):
        # "People in a train by the windows" are not behind the train, or the windows would be elsewhere, too.
        return ANOTHER
    fitting = tuple(
        one
        for one in possible
        if not conflicts(placing, one, lemmas)
        and not (_is_several(parsed, span) and one in _OF_ONE)
        and not (_is_narrow(one) and says_more and not (is_overhead(span.object) and place_of(one) == "under"))
    )
    return fitting or ANOTHER


def _figure_problem(parsed: ParsedText, span: PrepositionSpan) -> str:
    """Why the thing whose place is told has it for another reason than where it is; else an empty text."""
    words = relation_words()
    if any(token.lemma in words.roles for token in parsed.tokens) and span.figure == "person":
        # A catcher is behind the batter, whatever the photo.
        return "people whose places a game tells"
    if span.figure_index is None:
        return ""
    token = parsed.tokens[span.figure_index]
    over = parsed.tokens[token.head]
    if token.dep == "dobj" and over.lemma in _HELD:
        return "a thing that somebody holds"
    inside = token.dep == "pobj" and over.lower == "of" and parsed.tokens[over.head].lemma not in words.counting
    return "a thing that is in another" if inside and noun_number(parsed, over.head) is not None else ""


def _turned_round(parsed: ParsedText, span: PrepositionSpan) -> str | None:
    """The opposite of a direction: up a hill and down a hill."""
    words = relation_words()
    opposite = words.turned_round.get(span.words)
    if opposite is None or not span.governor or (span.is_particle and span.governor in words.not_directed):
        return None
    if not span.object:
        follows = parsed.tokens[span.end] if span.end < len(parsed) else None
        is_last = follows is None or not follows.tag.startswith(("NN", "DT", "JJ", "PRP", "CD"))
        return opposite if span.verb in words.directed and span.figure and is_last else None
    return opposite if span.object in words.inclines and span.verb in words.going and span.figure else None


def _slides(parsed: ParsedText, span: PrepositionSpan) -> bool:
    """Whether someone on skis or a board goes up or down: nobody skis up."""
    words = relation_words()
    if span.words not in words.turned_round or span.verb in ("walk", "climb", "hike", "look"):
        return False
    return any(token.lemma in words.sliding or token.lower in words.sliding for token in parsed.tokens)


def _has_another_place(parsed: ParsedText, span: PrepositionSpan) -> bool:
    """Whether another phrase says where the thing is: "grazing in a field next to tracks" cannot be on the tracks."""
    head = parsed.tokens[span.start].head
    places = [index for index in parsed.children(head, "prep") if not span.start <= index < span.end]
    return any(parsed.tokens[index].lower in _OF_ONE for index in places)


def _is_on_ground(parsed: ParsedText, span: PrepositionSpan) -> bool:
    """Whether the other places are all ground: who is "in a field next to a cow" can be behind the cow."""
    head = parsed.tokens[span.start].head
    others = [index for index in parsed.children(head, "prep") if not span.start <= index < span.end]
    nouns = [noun for index in others for noun in parsed.children(index, "pobj")]
    return bool(nouns) and all(is_ground(parsed.tokens[noun].lemma) for noun in nouns)


def _is_independent(parsed: ParsedText, span: PrepositionSpan, other: str) -> bool:
    """Whether both places say nothing of what the thing stands on, so that another phrase can say that."""
    if is_overhead(span.object):
        return place_of(span.words) in _AROUND and place_of(other) in _AROUND
    return _stands_anywhere(span.words) and _stands_anywhere(other) and _is_on_ground(parsed, span)


def _stands_anywhere(preposition: str) -> bool:
    """Whether a place says nothing of what a thing stands on."""
    return place_of(preposition) in ("behind", "front", "side")


def _is_narrow(preposition: str) -> bool:
    """Whether little else can be said of what is in such a place: in, on and under something, and ways."""
    return place_of(preposition) in ("in", "on", "under", None)


def _says_more(parsed: ParsedText, span: PrepositionSpan) -> bool:
    """Whether the sentence says another place or way of the same thing: "standing in a river on dry grass"."""
    others = (one for one in find_preposition_spans(parsed) if one.start != span.start)
    return any(
        one.words in _ELSEWHERE
        and (
            (one.figure == span.figure and one.governor != span.object)
            # "Sheep in a river on dry grass": the grass is not the river's.
            or (one.governor == span.object and is_ground(one.object) and is_ground(span.object))
        )
        for one in others
    )


def _is_joined(parsed: ParsedText, span: PrepositionSpan) -> bool:
    """Whether the noun is joined with another ("a building and a door"), or comes after an adverb ("far towards")."""
    nouns = parsed.children(span.end - 1, "pobj")
    # "In a body of water and mountains": what is counted may be joined, too.
    nouns += [two for one in nouns for of in parsed.children(one, "prep") for two in parsed.children(of, "pobj")]
    before = parsed.tokens[span.start - 1] if span.start else None
    return any(parsed.children(one, "conj") for one in nouns) or (before is not None and before.lower in _ADVERBS)


def _is_bare(parsed: ParsedText, span: PrepositionSpan) -> bool:
    """Whether the noun after the span has no article ("in bed"), or is several where it must be one."""
    for index in parsed.children(span.end - 1, "pobj"):
        tag = parsed.tokens[index].tag
        if tag in ("NNS", "NNPS"):
            return span.words in _OF_ONE and not is_overhead(span.object)
        return tag.startswith("NN") and not parsed.children(index, "det", "poss", "nummod")
    return False


def _is_several(parsed: ParsedText, span: PrepositionSpan) -> bool:
    """Whether the noun after the span is several things, none of which bears somebody: rocks and rails do."""
    nouns = parsed.children(span.end - 1, "pobj")
    is_plural = any(parsed.tokens[one].tag in ("NNS", "NNPS") for one in nouns)
    return is_plural and span.object not in _BEARING and not is_overhead(span.object)


def _repeats(parsed: ParsedText, span: PrepositionSpan, other: str) -> bool:
    """Whether the sentence has the other preposition in another place: "on a bench on a beach" is clumsy."""
    before = parsed.text[: parsed.tokens[span.start].start].lower()
    after = parsed.text[parsed.tokens[span.end - 1].end :].lower()
    if other == "away from" and re.search(r"\baway\b", before + after):
        return True
    twice = span.object and len(re.findall(rf"\b{re.escape(span.object)}\b", parsed.text.lower())) > 1
    return bool(twice) or any(re.search(rf"\b{other}\b", text) is not None for text in (before, after))


def _write(parsed: ParsedText, span: PrepositionSpan, other: str) -> FoilCandidate:
    start, end = parsed.tokens[span.start].start, parsed.tokens[span.end - 1].end
    old = parsed.text[start:end]
    foil, foil_spans = apply_edits(parsed.text, [Edit(start, end, other.capitalize() if old[0].isupper() else other)])
    return FoilCandidate(
        caption=parsed.text,
        foil=foil,
        caption_spans=((start, end),),
        foil_spans=foil_spans,
        word=span.words,
        foil_word=other,
        facets={"particle": "yes" if span.is_particle else "no"},
    )
