"""Makes the pairs of an instrument from the scenes of a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from falter.authoring.scene_things import SceneThings
from falter.english import default_grammar
from falter.english.grammar import captions_over
from falter.scene import Scene, query_to_json
from falter.sources import HasScenes, require_scenes
from falter.suites.valse.foiling.candidate import FoilCandidate, Skipped, SourceCaption
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil
from falter.suites.valse.foiling.funnel import Funnel
from falter.suites.valse.scene_foils.contrast import CaptionWriter, Contrast, FoiledScene, Proposer, changed_span
from falter.suites.valse.scene_foils.mirroring import KnownFoil, mirror
from falter.suites.valse.scene_foils.source_facts import SourceFacts

__all__ = ["SceneFoilMaker"]

UNSETTLED = "the scene does not settle both texts"
ALIKE = "both texts are true, or both are false"
AMBIGUOUS = "a text can be read in another way too"
NOT_MIRRORED = "no other image has the foil as its caption"
NOT_NEEDED = "more pairs than are wanted"
NO_CONTRAST = "the image shows nothing that the instrument is about"
_MOST_PER_IMAGE = 40
"""Contrasts of one image that are looked at."""


class SceneFoilMaker:
    """Makes pairs of one instrument, each in both directions."""

    requires: tuple[type, ...] = (HasScenes,)

    def __init__(self, test: str, piece: str, paper_size: int, propose: Proposer, *, both_ways: bool = True) -> None:
        self.test = test
        self.piece = piece
        self.paper_size = paper_size
        self._propose = propose
        self._both_ways = both_ways

    def make(self, context: FoilingContext, funnel: Funnel) -> Iterator[MadeFoil]:
        found = list(self._known_foils(context, funnel))
        rng = context.rng(self.test, "mirror")
        if self._both_ways:
            groups: Iterator[tuple[KnownFoil, ...]] = mirror(found, rng)
        else:
            groups = ((one,) for one in rng.sample(found, len(found)))
        made: Counter[str] = Counter()
        kept: set[int] = set()
        mirrored = 0
        for group in groups:
            mirrored += len(group)
            if context.size is not None and len(kept) + len(group) > max(len(group), context.size):
                continue
            for one in group:
                kept.add(id(one))
                candidate = make_candidate(one)
                caption_id = f"{one.image_id}-{made[one.image_id]}"
                made[one.image_id] += 1
                funnel.keep(candidate)
                yield MadeFoil(SourceCaption(caption_id, one.image_id, one.caption.text), candidate)
        # What is mirrored and not needed is not told apart one by one.
        funnel.rejected[NOT_NEEDED] += mirrored - len(kept)
        funnel.rejected[NOT_MIRRORED] += len(found) - mirrored
        funnel.rejected += Counter()

    def _known_foils(self, context: FoilingContext, funnel: Funnel) -> Iterator[KnownFoil]:
        source = require_scenes(context.source)
        grammar = default_grammar()
        writer = CaptionWriter(captions_over(grammar))
        facts = context.share("scene facts", lambda: SourceFacts(source.scenes(), grammar.ontology))
        for graph in source.scenes():
            things = SceneThings(Scene(graph, grammar.ontology), grammar.ontology, facts.prior)
            rng = context.rng(self.test, graph.image_id)
            yield from self._of_scene(FoiledScene(things, writer, facts, rng), funnel)

    def _of_scene(self, scene: FoiledScene, funnel: Funnel) -> Iterator[KnownFoil]:
        graph, writer = scene.things.scene.graph, scene.writer
        proposed = list(dict.fromkeys(self._propose(scene)))
        funnel.captions += 1
        if not proposed:
            funnel.skip(Skipped(NO_CONTRAST, graph.image_id))
        for contrast in scene.rng.sample(proposed, min(len(proposed), _MOST_PER_IMAGE)):
            funnel.propose()
            first, second = (one.meaning.evaluate(scene.things.scene) for one in contrast[:2])
            if first is None or second is None:
                funnel.reject(UNSETTLED, _show(contrast))
            elif first == second:
                funnel.reject(ALIKE, _show(contrast))
            elif not (writer.reads_back(contrast.first) and writer.reads_back(contrast.second)):
                funnel.reject(AMBIGUOUS, _show(contrast))
            else:
                yield KnownFoil.from_contrast(graph.image_id, contrast, first_is_true=first)


def _show(contrast: Contrast) -> FoilCandidate:
    return make_candidate(KnownFoil.from_contrast("", contrast, first_is_true=True))


def make_candidate(one: KnownFoil) -> FoilCandidate:
    """The pair as the other makers of foils give it, with the queries that it was written from."""
    caption, foil = one.caption, one.foil
    return FoilCandidate(
        caption=caption.text,
        foil=foil.text,
        caption_spans=changed_span(caption.text, foil.text),
        foil_spans=changed_span(foil.text, caption.text),
        word=one.word,
        foil_word=one.foil_word,
        facets={"form": one.form} if one.form else {},
        caption_meaning=query_to_json(caption.meaning),
        foil_meaning=query_to_json(foil.meaning),
    )
