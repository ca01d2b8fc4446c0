"""Relations: a run of prepositions replaced by one that excludes it.

"A cat plays with a knife on a table" becomes "... [under] a table". Which prepositions are tried is decided by what
captions have between such things; a language model then chooses among them (:mod:`relations_maker`).
"""

from __future__ import annotations

from collections.abc import Iterator

from falter.nlp.parsing import ParsedText
from falter.suites.valse.foiling.candidate import Edit, FoilCandidate, Skipped, apply_edits
from falter.suites.valse.foiling.preposition_spans import PrepositionSpan, find_preposition_spans
from falter.suites.valse.foiling.relation_attestation import RelationAttestation, is_up_or_down
from falter.suites.valse.foiling.relation_words import relation_words

__all__ = ["foil_relations"]


def foil_relations(
    parsed: ParsedText, attestation: RelationAttestation, image_id: str
) -> Iterator[FoilCandidate | Skipped]:
    """Up to three candidates for every run of prepositions, or why it has none."""
    if parsed.text.isupper():
        yield Skipped("the caption is in capitals", parsed.text)
        return
    for span in find_preposition_spans(parsed):
        problem = _problem(span)
        found = [] if problem else attestation.candidates(span, image_id)
        if not found:
            shown = parsed.text[parsed.tokens[max(span.start - 2, 0)].start : parsed.tokens[span.end - 1].end]
            yield Skipped(problem or "no preposition that excludes it is usual there", f"{shown} {span.object}".strip())
        for other in found:
            yield _write(parsed, span, other)


def _problem(span: PrepositionSpan) -> str:
    words = relation_words()
    if span.words not in words.excluded_by:
        return "a preposition that no other excludes"
    if span.object in words.not_places and not (is_up_or_down(span.words) and " " in span.words):
        return "a noun that is no place"
    if not span.object and not is_up_or_down(span.words):
        return "no noun follows it"
    if not span.governor or not span.figure:
        return "nothing whose place is told"
    if span.is_particle and span.governor in words.not_directed:
        return "a verb whose particle is no direction"
    return ""


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
