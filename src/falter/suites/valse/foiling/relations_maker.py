"""The pairs of relations: proposals ranked by a language model, filtered, and balanced by swapping."""

from __future__ import annotations

from collections.abc import Iterator

from falter.nlp.parsing import ParsedText
from falter.nlp.span_ranking import Gap
from falter.sources import HasCaptions
from falter.suites.valse.foiling.candidate import FoilCandidate, Skipped, SourceCaption
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil
from falter.suites.valse.foiling.funnel import Funnel
from falter.suites.valse.foiling.relation_attestation import RelationAttestation
from falter.suites.valse.foiling.relations import foil_relations
from falter.suites.valse.foiling.swap_pairs import SwapPairs

__all__ = ["RELATIONS", "RelationsMaker"]

_MOST_LOSS = 6.0
"""Nats by which a foil may be less probable than its caption."""
_MOST_RANKED = 3
"""Candidates of a span that the language model gets to rank."""
NOT_RANKED = "three other prepositions are needed more"
NOT_PROPOSED = "not among the ten best of the language model"
FAR = "far less probable than the caption"
NOT_BEST = "another preposition is more probable"
ENOUGH = "enough pairs of this swap"
ONE_SIDED = "no pair of the opposite swap"


class RelationsMaker:
    """Goes through the captions in random order until enough pairs are balanced."""

    test = "relations"
    piece = "relations"
    paper_size = 614
    requires: tuple[type, ...] = (HasCaptions,)

    def make(self, context: FoilingContext, funnel: Funnel) -> Iterator[MadeFoil]:
        context.count_captions(funnel)
        attestation = RelationAttestation((one.caption.image_id, one.parsed) for one in context.parsed_captions)
        swaps: SwapPairs[MadeFoil] = SwapPairs(context.size)
        progress = context.start_stage("captions foiled", len(context.parsed_captions))
        for caption, parsed in context.in_random_order(self.test):
            progress(1)
            if swaps.is_enough():
                break
            found = self._choose(context, funnel, swaps, attestation, caption, parsed)
            if found is not None:
                swaps.add(found.word, found.foil_word, MadeFoil(caption, found))
        for one in swaps.surplus():
            funnel.reject(ONE_SIDED, one.candidate)
        for one in swaps.balanced():
            funnel.keep(one.candidate)
            yield one

    def _choose(
        self,
        context: FoilingContext,
        funnel: Funnel,
        swaps: SwapPairs[MadeFoil],
        attestation: RelationAttestation,
        caption: SourceCaption,
        parsed: ParsedText,
    ) -> FoilCandidate | None:
        """The candidate of a caption whose swap is wanted most, among those that the model and the filters pass."""
        proposed: list[FoilCandidate] = []
        for one in foil_relations(parsed, attestation, caption.image_id):
            if isinstance(one, Skipped):
                funnel.skip(one)
                continue
            funnel.propose()
            if swaps.wants(one.word, one.foil_word):
                proposed.append(one)
            else:
                funnel.reject(ENOUGH, one)
        proposed = self._shortlist(funnel, swaps, proposed)
        passed = []
        ranked = self._rank(context, funnel, proposed)
        for candidate, problem in zip(ranked, context.filters.problems(ranked), strict=True):
            if problem:
                funnel.reject(problem, candidate)
            else:
                passed.append(candidate)
        passed.sort(key=lambda one: swaps.lead(one.word, one.foil_word))
        for candidate in passed[1:]:
            funnel.reject("another phrase of the caption was drawn", candidate)
        return passed[0] if passed else None

    def _shortlist(
        self, funnel: Funnel, swaps: SwapPairs[MadeFoil], proposed: list[FoilCandidate]
    ) -> list[FoilCandidate]:
        """For every span the three candidates whose swap lacks pairs most; of equal ones, the more usual."""
        kept = []
        for span in dict.fromkeys(one.caption_spans for one in proposed):
            some = [one for one in proposed if one.caption_spans == span]
            some.sort(key=lambda one: swaps.lead(one.word, one.foil_word))
            kept += some[:_MOST_RANKED]
            for one in some[_MOST_RANKED:]:
                funnel.reject(NOT_RANKED, one)
        return kept

    def _rank(self, context: FoilingContext, funnel: Funnel, proposed: list[FoilCandidate]) -> list[FoilCandidate]:
        """For every span and length of the replacement, the most probable one, where it is probable enough."""
        kept = []
        for span in dict.fromkeys(one.caption_spans for one in proposed):
            some = [one for one in proposed if one.caption_spans == span]
            start, end = span[0]
            text = some[0].caption
            gap = Gap(text[:start], text[end:])
            words = [one.foil[one.foil_spans[0][0] : one.foil_spans[0][1]] for one in some]
            own, *scores = context.span_ranker.score(gap, [text[start:end], *words])
            proposes = context.span_ranker.proposes(gap, words)
            best: dict[int, float] = {}
            for word, score in zip(words, scores, strict=True):
                length = len(word.split())
                best[length] = max(score, best.get(length, score))
            for one, word, score, is_proposed in zip(some, words, scores, proposes, strict=True):
                if not is_proposed:
                    funnel.reject(NOT_PROPOSED, one)
                elif score < own - _MOST_LOSS:
                    funnel.reject(FAR, one)
                elif score < best[len(word.split())]:
                    funnel.reject(NOT_BEST, one)
                else:
                    kept.append(one)
        return kept


RELATIONS = RelationsMaker()
