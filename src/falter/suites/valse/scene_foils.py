"""Foils from scene graphs: makes pairs of a caption that a scene makes true and a foil that it makes false.

A source tells what it says anywhere of a kind: only that can be true of one image and false of another. Pairs come in
both directions: each text is as often a caption as a foil, so that no text tells which one it is."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import NamedTuple

from falter.generation.askable import rules
from falter.generation.askable.scene_things import SceneThings
from falter.generation.askable.source_habits import SourcePrior
from falter.generation.english import Grammar, Ontology, Template, default_grammar
from falter.generation.english.grammar import captions_over
from falter.generation.english.open_slots import SlotValue
from falter.generation.scene import ObjectDescription, Query, Scene, SceneGraph, query_to_json
from falter.generation.sources import HasScenes, require_scenes
from falter.suites.valse.foiling.candidates import FoilCandidate, Funnel, Skipped, SourceCaption, Spans
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil


class SourceFacts:
    """The values and relations that are annotated of each kind, and what usually goes together."""

    def __init__(self, graphs: Iterable[SceneGraph], ontology: Ontology) -> None:
        self.ontology = ontology
        self._values: dict[str, set[str]] = defaultdict(set)
        self._relations: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.prior = SourcePrior(map(self._count, graphs), ontology)

    def _count(self, graph: SceneGraph) -> SceneGraph:
        kinds = {key: self.ontology.kind_for_name(thing.name) for key, thing in graph.objects.items()}
        for key, thing in graph.objects.items():
            kind = kinds[key]
            if kind is None:
                continue
            self._values[kind].update(thing.attributes)
            for relation in thing.relations:
                target = kinds.get(relation.target)
                if target is not None:
                    self._relations[kind, target].add(relation.name)
        return graph

    def values(self, kind: str, family: str) -> list[str]:
        """The values of a family that things of a kind have in the source, in order."""
        return sorted(self._values[kind].intersection(self.ontology.families[family].values))

    def relations(self, subject: str, target: str, *classes: str) -> list[str]:
        """The relations of some classes that are annotated between two kinds."""
        records = self.ontology.relations
        return sorted(
            name
            for name in self._relations[subject, target]
            if name in records and records[name].askable and records[name].relation_class in classes
        )


ALIKE = rules.number("alike-in-meaning")


class SceneStatement(NamedTuple):
    """A sentence with its meaning."""

    text: str
    meaning: Query


class Contrast(NamedTuple):
    """Two statements, the words in which they differ, and by which form of sentence they were written."""

    first: SceneStatement
    second: SceneStatement
    words: tuple[str, str]
    form: str = ""


class CaptionWriter:
    """Writes statements by the templates of captions, and reads each back."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self._reads: dict[str, tuple[Query, ...]] = {}

    def say(self, template: str, **slots: SlotValue) -> SceneStatement:
        """The statement of a template with these slots; of its negation where the id ends with ``.negated``."""
        found: Template = self.grammar.template(template)
        return SceneStatement(found.render(slots), found.meaning(slots))

    def reads_back(self, statement: SceneStatement) -> bool:
        """Whether the text means what it was written from, and nothing else."""
        if statement.text not in self._reads:
            self._reads[statement.text] = self.grammar.parse(statement.text)
        return self._reads[statement.text] == (statement.meaning,)


class FoiledScene(NamedTuple):
    """What an instrument works with: a scene, what its source says, and random numbers for this scene alone."""

    things: SceneThings
    writer: CaptionWriter
    facts: SourceFacts
    rng: Random


Proposer = Callable[[FoiledScene], Iterator[Contrast]]
"""The contrasts of one instrument for a scene; which statement is true, and whether that is settled, is open."""


def changed_span(text: str, other: str) -> Spans:
    """From the first to the last word of a text that differ from another; a word before what only one of them has.

    >>> changed_span("The cat is on the mat.", "The cat is under the mat.")
    ((11, 13),)
    >>> changed_span("The cat is red.", "The cat is not red."), changed_span("The cat is not red.", "The cat is red.")
    (((8, 10),), ((8, 14),))
    """
    words, others = text.rstrip(".").split(" "), other.rstrip(".").split(" ")
    most = min(len(words), len(others))
    before = next((place for place in range(most) if words[place] != others[place]), most)
    after = next((place for place in range(most - before) if words[-1 - place] != others[-1 - place]), most - before)
    if before + after == most and before:
        before -= 1
    start = sum(len(word) + 1 for word in words[:before])
    return ((start, start + len(" ".join(words[before : len(words) - after]))),)


def share_a_word(first: ObjectDescription, second: ObjectDescription) -> bool:
    """Whether two kinds have a word in common ("street", "street sign"), which reads badly in one sentence."""
    return not set(first.kind.split()).isdisjoint(second.kind.split())


class KnownFoil(NamedTuple):
    """A statement that is true of an image and one that is false, with the words in which they differ."""

    image_id: str
    caption: SceneStatement
    foil: SceneStatement
    word: str
    foil_word: str
    form: str

    @classmethod
    def from_contrast(cls, image_id: str, contrast: Contrast, *, first_is_true: bool) -> KnownFoil:
        """The contrast, the true statement first."""
        first, second, words, form = contrast
        if first_is_true:
            return cls(image_id, first, second, *words, form)
        return cls(image_id, second, first, words[1], words[0], form)

    @property
    def key(self) -> tuple[str, str]:
        """What is balanced: the two texts."""
        return self.caption.text, self.foil.text

    @property
    def stratum(self) -> str:
        """What a suite should have equally many of."""
        return self.form or " / ".join(sorted((self.word, self.foil_word)))


def mirror(found: Iterable[KnownFoil], rng: Random) -> Iterator[tuple[KnownFoil, KnownFoil]]:
    """Two foils at a time: the caption of the one is the foil of the other.

    Strata take turns; within one, every two texts come once before any come twice.
    """
    waiting: dict[tuple[str, str], list[KnownFoil]] = defaultdict(list)
    for one in found:
        waiting[one.key].append(one)
    turns: dict[str, list[tuple[int, float, tuple[KnownFoil, KnownFoil]]]] = defaultdict(list)
    for key in sorted(waiting):
        for number, couple in enumerate(_couples(key, waiting, rng)):
            turns[couple[0].stratum].append((number, rng.random(), couple))
    queues = {name: deque(sorted(ones, key=lambda one: one[:2])) for name, ones in sorted(turns.items())}
    while queues:
        for queue in queues.values():
            yield queue.popleft()[2]
        queues = {name: queue for name, queue in queues.items() if queue}


def _couples(
    key: tuple[str, str], waiting: dict[tuple[str, str], list[KnownFoil]], rng: Random
) -> Iterator[tuple[KnownFoil, KnownFoil]]:
    """The foils of a key, each with one of the mirrored key; where that is the same key, with the next."""
    there = waiting[key]
    if key == key[::-1]:
        there = rng.sample(there, len(there))
        yield from zip(there[::2], there[1::2], strict=False)
    elif key < key[::-1] and key[::-1] in waiting:
        back = waiting[key[::-1]]
        yield from zip(rng.sample(there, len(there)), rng.sample(back, len(back)), strict=False)


UNSETTLED = "the scene does not settle both texts"
EQUALLY_TRUE = "both texts are true, or both are false"
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
                funnel.reject(EQUALLY_TRUE, _show(contrast))
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
