"""The pairs of relations: proposals ranked by a language model, filtered, and balanced by swapping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from falter.generation.nlp.parsing import ParsedText
from falter.generation.nlp.span_ranking import AskedSpans, Gap
from falter.generation.sources import HasCaptions
from falter.suites.valse.foiling.balance import SwapPairs
from falter.suites.valse.foiling.candidates import FoilCandidate, Funnel, Skipped, SourceCaption
from falter.suites.valse.foiling.caption_words import SLIP, WordPairs, words_of
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil, ParsedCaption
from falter.suites.valse.foiling.relations import RelationAttestation, foil_relations

_MOST_LOSS = 10.0
"""Nats by which a foil may be less probable than its caption; 96 % of the released foils that are valid lose less."""
_AT_ONCE = 64
"""Captions whose sentences are scored in the same batches."""
_MOST_RANKED = 3
"""Candidates of a span that the language model gets to rank."""
_ABOUT = 2
"""Words on either side of a replacement that are looked at with it."""
NOT_RANKED = "three other prepositions are needed more"
NOT_PROPOSED = "not among the ten best of the language model"
FAR = "far less probable than the caption"
NOT_BEST = "another preposition is more probable"
ENOUGH = "enough pairs of this swap"
ONE_SIDED = "no pair of the opposite swap"
NOT_DRAWN = "another phrase of the caption was drawn"


class _Place(NamedTuple):
    """The candidates of one span, and what the language model is asked: the span itself and what may replace it."""

    candidates: list[FoilCandidate]
    asked: AskedSpans

    @classmethod
    def of(cls, candidates: list[FoilCandidate]) -> _Place:
        """The place of candidates that replace the same span."""
        start, end = candidates[0].caption_spans[0]
        text = candidates[0].caption
        words = [one.foil[slice(*one.foil_spans[0])] for one in candidates]
        return cls(candidates, AskedSpans(Gap(text[:start], text[end:]), (text[start:end], *words)))


class RelationsMaker:
    """Goes through the captions in random order until enough pairs are balanced."""

    test = "relations"
    piece = "relations"
    paper_size = 614
    requires: tuple[type, ...] = (HasCaptions,)

    def make(self, context: FoilingContext, funnel: Funnel) -> Iterator[MadeFoil]:
        context.count_captions(funnel)
        attestation = RelationAttestation((one.caption.image_id, one.parsed) for one in context.parsed_captions)
        pairs = WordPairs((one.caption.image_id, one.parsed.text) for one in context.parsed_captions)
        swaps: SwapPairs[MadeFoil] = SwapPairs(context.size)
        progress = context.start_stage("captions foiled", len(context.parsed_captions))
        captions = context.in_random_order(self.test)
        for start in range(0, len(captions), _AT_ONCE):
            if swaps.is_enough():
                break
            some = captions[start : start + _AT_ONCE]
            self._foil(context, funnel, swaps, attestation, pairs, some)
            progress(len(some))
        swaps.fill()
        kept = {one.caption.id for one in swaps.balanced()}
        for one in swaps.surplus():
            funnel.reject(NOT_DRAWN if one.caption.id in kept else ONE_SIDED, one.candidate)
        for one in swaps.balanced():
            funnel.keep(one.candidate)
            yield one

    def _foil(
        self,
        context: FoilingContext,
        funnel: Funnel,
        swaps: SwapPairs[MadeFoil],
        attestation: RelationAttestation,
        pairs: WordPairs,
        captions: Sequence[ParsedCaption],
    ) -> None:
        """Take the foils of some captions, whose sentences are scored at once."""
        captions = [one for one in context.well_written(funnel, captions) if _is_usual(one, pairs, funnel)]
        proposed = [self._propose(funnel, swaps, attestation, pairs, *one) for one in captions]
        places = [_Place.of(some) for all_ in proposed for some in all_]
        scores = context.span_ranker.score_many([one.asked for one in places])
        scored = iter(zip(places, scores, strict=True))
        for (caption, _), some in zip(captions, proposed, strict=True):
            ranked = [one for _ in some for one in self._rank(context, funnel, *next(scored))]
            for found in self._pass(context, funnel, ranked):
                swaps.add(found.word, found.foil_word, MadeFoil(caption, found), caption.id)

    def _propose(
        self,
        funnel: Funnel,
        swaps: SwapPairs[MadeFoil],
        attestation: RelationAttestation,
        pairs: WordPairs,
        caption: SourceCaption,
        parsed: ParsedText,
    ) -> list[list[FoilCandidate]]:
        """By span of a caption the candidates that the language model gets to rank."""
        proposed: list[FoilCandidate] = []
        for one in foil_relations(parsed, attestation, caption.image_id):
            if isinstance(one, Skipped):
                funnel.skip(one)
                continue
            funnel.propose()
            if pairs.find_slip(_words_about(one)):
                funnel.reject(SLIP, one)
            elif swaps.wants(one.word, one.foil_word):
                proposed.append(one)
            else:
                funnel.reject(ENOUGH, one)
        return self._shortlist(funnel, swaps, proposed)

    def _pass(self, context: FoilingContext, funnel: Funnel, ranked: list[FoilCandidate]) -> Iterator[FoilCandidate]:
        """The candidates of a caption that the filters pass; which of them is kept is decided by the balance."""
        for candidate, problem in zip(ranked, context.filters.problems(ranked), strict=True):
            if problem:
                funnel.reject(problem, candidate)
            else:
                yield candidate

    def _shortlist(
        self, funnel: Funnel, swaps: SwapPairs[MadeFoil], proposed: list[FoilCandidate]
    ) -> list[list[FoilCandidate]]:
        """For every span the three candidates whose swap lacks pairs most; of equal ones, the more usual."""
        kept = []
        for span in dict.fromkeys(one.caption_spans for one in proposed):
            some = [one for one in proposed if one.caption_spans == span]
            some.sort(key=lambda one: swaps.lead(one.word, one.foil_word))
            kept.append(some[:_MOST_RANKED])
            for one in some[_MOST_RANKED:]:
                funnel.reject(NOT_RANKED, one)
        return kept

    def _rank(
        self, context: FoilingContext, funnel: Funnel, place: _Place, scores: Sequence[float]
    ) -> list[FoilCandidate]:
        """For every length of the replacement the most probable one, where it is probable enough."""
        own, *others = scores
        words = place.asked.spans[1:]
        proposes = context.span_ranker.proposes(place.asked.gap, words)
        best: dict[int, float] = {}
        for word, score in zip(words, others, strict=True):
            length = len(word.split())
            best[length] = max(score, best.get(length, score))
        kept = []
        for one, word, score, is_proposed in zip(place.candidates, words, others, proposes, strict=True):
            if not is_proposed:
                funnel.reject(NOT_PROPOSED, one)
            elif score < own - _MOST_LOSS:
                funnel.reject(FAR, one)
            elif score < best[len(word.split())]:
                funnel.reject(NOT_BEST, one)
            else:
                kept.append(one)
        return kept


def _is_usual(one: ParsedCaption, pairs: WordPairs, funnel: Funnel) -> bool:
    """Whether all words of a caption stand next to each other in others, too; what does not is probably a slip."""
    slip = pairs.find_slip(words_of(one.parsed.text))
    if slip is not None:
        funnel.skip(Skipped(SLIP, f"{slip}: {one.parsed.text}"))
    return slip is None


def _words_about(candidate: FoilCandidate) -> list[str]:
    """The words of a foil that stand where it differs from its caption, and those next to them."""
    start, end = candidate.foil_spans[0]
    before, after = words_of(candidate.foil[:start])[:-1], words_of(candidate.foil[end:])
    return [*before[-_ABOUT:], *words_of(candidate.foil[start:end])[:-1], *after[:_ABOUT]]


RELATIONS = RelationsMaker()
