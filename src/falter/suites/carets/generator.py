"""Making CARETS probes: candidates from each scene, a balanced choice among them, a question and its change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import NamedTuple

from falter.authoring.generator import GenerateContext, GenerateOptions
from falter.authoring.options import ImageOptions
from falter.authoring.question_builder import GroundedQuestion, QuestionBuilder
from falter.cooccurrence import load_table
from falter.errors import UsageError
from falter.parallel import stateless
from falter.probes import ImageRef, Item, Probe
from falter.scene import Scene, SceneGraph, query_to_json
from falter.sources import HasCategories, HasScenes, Source, require_scenes
from falter.suites.carets.candidate_search import SearchRequest, find_candidates
from falter.suites.carets.obfuscated_images import PendingProbe, render_obfuscations
from falter.suites.carets.options import CaretsOptions
from falter.suites.carets.perturbations import (
    CARETS_TESTS,
    CaretsTest,
    HasFacets,
    ObfuscationTest,
    OntologyTest,
    PaperOntologyTest,
)
from falter.suites.carets.questions import QUESTION_TYPES
from falter.suites.carets.questions.candidates import Cells
from falter.suites.carets.questions.cooccurrence import CooccurrenceCounts
from falter.suites.carets.scarcity import MOST_IMAGES, count_causes, is_thin
from falter.suites.carets.sizes import StratumKey, stratum_sizes
from falter.suites.carets.spread import ImageShare, ImageTurns
from falter.suites.carets.stratum import Pair, StratumSampler, TestTally

__all__ = ["CARETS", "Carets"]

YES_NO = ("yes", "no")
_PASSES = 12
_STRICT_PASSES = 2
"""Passes over the images of a sized suite in which a stratum takes only the balance group that is due."""


class Carets:
    """Pairs of questions about scene graphs; see the page on CARETS for what differs from the paper."""

    requires: tuple[type, ...] = (HasScenes,)

    def tests(self) -> Sequence[str]:
        return CARETS_TESTS.names()

    def probes(self, source: Source, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:
        source = require_scenes(source)
        grammar = context.grammar()
        categories = source.categories if isinstance(source, HasCategories) else None
        cooccurrence = CooccurrenceCounts(source.scenes(), grammar.ontology, categories)
        if not cooccurrence.kinds:
            raise UsageError("the source has no scene graph with a known object: give a source with scene graphs")
        if cooccurrence.unknown:
            context.rejected["an object's name is not in the ontology"] += cooccurrence.unknown.total()
        if context.manifest is not None:
            context.manifest.parameters["cooccurrence_sha256"] = load_table().sha256
        images = list(source.image_ids())
        Random(f"{options.seed}|images").shuffle(images)
        session = _Session(source, options, context, QuestionBuilder(grammar, context.rejected), cooccurrence, images)
        tests = [CARETS_TESTS.get(name)() for name in options.tests or self.tests()]
        wanted = options.suite_options
        if isinstance(wanted, CaretsOptions) and wanted.direction == "paper":
            tests = [PaperOntologyTest() if isinstance(test, OntologyTest) else test for test in tests]
            if context.manifest is not None:
                context.manifest.parameters["direction"] = wanted.direction
        yield from session.text_probes([test for test in tests if not isinstance(test, ObfuscationTest)])
        for test in tests:
            if isinstance(test, ObfuscationTest):
                yield from session.obfuscation_probes(test)


class _Session(NamedTuple):
    """What all tests of one order share."""

    source: HasScenes
    options: GenerateOptions
    context: GenerateContext
    builder: QuestionBuilder
    cooccurrence: CooccurrenceCounts
    images: list[str]

    def text_probes(self, tests: list[CaretsTest]) -> Iterator[Probe]:
        """The probes of tests that change the question."""
        samplers = [_TestSampler(test, self) for test in tests]
        for sampler, pair, graph, image in self._pairs(samplers):
            yield sampler.probe(pair, graph, image)

    def obfuscation_probes(self, test: CaretsTest) -> Iterator[Probe]:
        """The probes of a test that changes the image; the images are made in other processes."""
        rejected, image_dir = self.context.rejected, self.context.image_dir
        if image_dir is None or self.options.images == "none":
            rejected[f"{test.name}: needs pictures, and a suite to put its own into"] += 1
            return
        wanted = self.options.suite_options
        color = (wanted.rgb() if isinstance(wanted, ImageOptions) else None) or self._mean_color()
        if color is None:
            rejected[f"{test.name}: the source has no pictures"] += 1
            return
        sampler = _TestSampler(test, self)
        pending = (
            PendingProbe(sampler.probe(pair, graph, image), pair.boxes, Path(image.path), color, image_dir)
            for sampler, pair, graph, image in self._pairs([sampler])
            if image.path is not None
        )
        for made in self.context.executor.map(render_obfuscations, pending, state=stateless, chunk=4):
            if isinstance(made, str):
                rejected[f"{test.name}: {made}"] += 1
            else:
                yield made

    def _mean_color(self) -> tuple[int, int, int] | None:
        from falter.images.obfuscation import dataset_mean_color

        found = [image for image in self.images if self.context.find_image(image) is not None]
        paths = [path for image in found if (path := self.source.image_path(image)) is not None]
        try:
            return dataset_mean_color(sorted(paths), skip_damaged=True)
        except ValueError:
            return None

    def _pairs(self, samplers: list[_TestSampler]) -> Iterator[_SampledPair]:
        owners = {id(stratum): sampler for sampler in samplers for stratum in sampler.strata}
        # One stratum of each test after the other, so that an image's turn goes to different tests.
        strata = [
            one for row in zip_longest(*(sampler.strata for sampler in samplers)) for one in row if one is not None
        ]
        for number in range(_PASSES):
            before = sum(stratum.made for stratum in strata)
            turns = ImageTurns(strata, len(self.images), number=number)
            for place, scene, cells in self._search(turns):
                for stratum, pair, image in self._from_image(turns, place, scene, cells, owners, number):
                    yield _SampledPair(owners[id(stratum)], pair, scene.graph, image)
                if all(stratum.full for stratum in strata):
                    return
            if not turns.sized or (number > 0 and sum(stratum.made for stratum in strata) == before):
                break
        self._tell_causes(samplers)
        for stratum in strata:
            if stratum.wanted is not None and not stratum.full:
                where = f"{owners[id(stratum)].test.name}, {stratum.key.type}, {stratum.key.form}"
                self.context.rejected[f"{where}: wanted, and more than these scenes can carry"] += (
                    stratum.wanted - stratum.made
                )

    def _tell_causes(self, samplers: list[_TestSampler]) -> None:
        """Put why tests stay thin into the manifest."""
        thin = {
            sampler.test.name: [one.key for one in sampler.strata if is_thin(one, len(self.images))]
            for sampler in samplers
        }
        thin = {test: keys for test, keys in thin.items() if keys}
        if self.context.manifest is None or not thin:
            return
        graphs = (graph for image in self.images[:MOST_IMAGES] if (graph := self.source.scene(image)) is not None)
        causes = count_causes(graphs, thin, self.context.grammar(), self.cooccurrence, self.options.seed)
        self.context.manifest.counts.setdefault("scarce", {}).update(causes)

    def _search(self, turns: ImageTurns) -> Iterator[tuple[int, Scene, dict[StratumKey, Cells]]]:
        """The images of a pass that may give something, with their candidates."""
        wanted = (
            SearchRequest(place, graph, keys)
            for place, image in enumerate(self.images)
            if (keys := turns.keys(place)) and (graph := self.source.scene(image)) is not None
        )
        return find_candidates(wanted, self.cooccurrence, self.options.seed, self.context)

    def _from_image(
        self,
        turns: ImageTurns,
        place: int,
        scene: Scene,
        cells: dict[StratumKey, Cells],
        owners: dict[int, _TestSampler],
        number: int,
    ) -> Iterator[tuple[StratumSampler, Pair, ImageRef]]:
        """The pairs that one image gives in one pass: a group to each stratum in turn, as long as it has some."""
        image_id = scene.graph.image_id
        image: ImageRef | None = None
        draws: dict[str, Random] = {}
        share = ImageShare(turns, place)
        waiting = turns.strata(place)
        while waiting and not share.spent:
            willing: list[StratumSampler] = []
            for stratum in waiting:
                found = cells.get(stratum.key)
                if not found or not any(found.values()) or not share.allows(stratum):
                    continue
                image = image or self.context.image(image_id)
                if image is None:
                    return
                name = owners[id(stratum)].test.name
                rng = draws.setdefault(name, Random(f"{self.options.seed}|{name}|{image_id}|{number}"))
                pairs = stratum.take(found, scene, rng, strict=turns.sized and number < _STRICT_PASSES)
                if pairs:
                    share.take(stratum)
                    willing.append(stratum)
                for pair in pairs:
                    yield stratum, pair, image
            waiting = willing


class _TestSampler:
    """The strata of one test, and its probes."""

    def __init__(self, test: CaretsTest, session: _Session) -> None:
        self.test = test
        self.obfuscations = test.obfuscations if isinstance(test, ObfuscationTest) else ()
        self._builder = session.builder
        self.made = 0
        questions = {name: QUESTION_TYPES.get(name)() for name in test.types}
        keys = [StratumKey(name, form) for name, question in questions.items() for form in question.forms]
        wanted = stratum_sizes(test.name, keys, session.options.size)
        tally = TestTally()
        self.strata = [
            StratumSampler(test, questions[key.type], key.form, session.builder, wanted[key], tally)
            for key in keys
            if wanted[key] != 0
        ]

    def probe(self, pair: Pair, graph: SceneGraph, image: ImageRef) -> Probe:
        """The items of a pair; a test that obfuscates images has a variant for each obfuscation."""
        probe_id = f"{self.test.name}-{graph.image_id}-{self.made}"
        self.made += 1
        variants = [(pair.variant, {"obfuscation": name}) for name in self.obfuscations] or [(pair.variant, {})]
        told = self.test.facets(*pair[:2], self._builder) if isinstance(self.test, HasFacets) else {}
        kind = pair.original.template.type
        shared = {"type": kind, "form": pair.original.template.form, **pair.facets, **told}
        return Probe(
            tuple(
                self._item(probe_id, number, question, image, {**shared, **own})
                for number, (question, own) in enumerate([(pair.original, {}), *variants])
            )
        )

    def _item(
        self,
        probe_id: str,
        number: int,
        question: GroundedQuestion,
        image: ImageRef,
        facets: dict[str, str],
    ) -> Item:
        offered = question.slots.get("c")
        choices = offered if isinstance(offered, tuple) else YES_NO
        binary = choices == YES_NO
        return Item.make(
            suite="carets",
            test=self.test.name,
            probe_id=probe_id,
            variant=number,
            expects=self.test.expects,
            image=image,
            text=question.text,
            gold=question.answer,
            choices=choices,
            meaning=query_to_json(question.meaning),
            facets={
                **facets,
                "template": question.template.id,
                "choices": facets.get("choices", "binary"),
                "question": "binary" if binary else "multi-choice",
                **({"answer": question.answer} if binary else {"place": str(choices.index(question.answer) + 1)}),
            },
        )


class _SampledPair(NamedTuple):
    sampler: _TestSampler
    pair: Pair
    graph: SceneGraph
    image: ImageRef


CARETS = Carets()
