"""Making CARETS probes: candidates from each scene, a balanced choice among them, a question and its change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from falter.core.errors import UsageError
from falter.core.executors import stateless
from falter.data.images import Source
from falter.data.items import ImageRef, Probe
from falter.generation.askable.source_habits import SourceHabits
from falter.generation.authoring.generator import GenerateContext, unknown_names_hint, unknown_names_note
from falter.generation.authoring.options import GenerateOptions, ImageOptions
from falter.generation.authoring.question_builder import QuestionBuilder
from falter.generation.cooccurrence import load_table
from falter.generation.scene import Scene, SceneGraph
from falter.generation.sources import HasCategories, HasScenes, require_scenes
from falter.suites.carets.candidate_search import CandidateSearch, SearchRequest, is_thin
from falter.suites.carets.options import CaretsOptions
from falter.suites.carets.perturbations import (
    CARETS_TESTS,
    CaretsTest,
    ObfuscationTest,
    OntologyTest,
    Pair,
    PaperOntologyTest,
)
from falter.suites.carets.questions.protocol import Cells
from falter.suites.carets.quotas import StratumKey
from falter.suites.carets.sampler import TestSampler
from falter.suites.carets.visual_test import PendingProbe, render_obfuscations

_PASSES = 12


class Carets:
    """Pairs of questions about scene graphs; see the page on CARETS for what differs from the paper."""

    requires: tuple[type, ...] = (HasScenes,)

    def tests(self) -> Sequence[str]:
        return CARETS_TESTS.names()

    def probes(self, source: Source, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:
        source = require_scenes(source)
        grammar = context.grammar()
        categories = source.categories if isinstance(source, HasCategories) else None
        habits = SourceHabits(source.scenes(), grammar.ontology, categories)
        unknown = habits.counts.unknown
        if not habits.counts.kinds and unknown:
            told = f"the source has no object with a known name: {unknown_names_note(unknown)}"
            raise UsageError(f"{told}: {unknown_names_hint(unknown)}")
        if not habits.counts.kinds:
            raise UsageError("the source has no scene graph with an object: give a source with scene graphs")
        if unknown:
            context.rejected["an object's name is not in the ontology"] += unknown.total()
            if context.manifest is not None:
                context.manifest.notes.append(f"{unknown_names_note(unknown)}: {unknown_names_hint(unknown)}")
        if context.manifest is not None:
            context.manifest.parameters["cooccurrence_sha256"] = load_table().sha256
        images = list(source.image_ids())
        Random(f"{options.seed}|images").shuffle(images)
        search = CandidateSearch(source, habits, options.seed, context)
        session = _Session(source, options, context, QuestionBuilder(grammar, context.rejected), search, images)
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
    search: CandidateSearch
    images: list[str]

    def text_probes(self, tests: list[CaretsTest]) -> Iterator[Probe]:
        """The probes of tests that change the question."""
        samplers = [TestSampler(test, self.builder, self.options) for test in tests]
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
        sampler = TestSampler(test, self.builder, self.options)
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
        from falter.suites.carets.obfuscation import dataset_mean_color

        found = [image for image in self.images if self.context.find_image(image) is not None]
        paths = [path for image in found if (path := self.source.image_path(image)) is not None]
        try:
            return dataset_mean_color(sorted(paths), skip_damaged=True)
        except ValueError:
            return None

    def _pairs(self, samplers: list[TestSampler]) -> Iterator[_SampledPair]:
        for number in range(_PASSES):
            going = [sampler for sampler in samplers if sampler.start_pass(len(self.images), number)]
            if not going:
                break
            for place, scene, cells in self._search(going):
                image: ImageRef | None = None
                for sampler in going:
                    for pair in sampler.take(place, scene, cells, self.options.seed, number):
                        image = image or self.context.image(scene.graph.image_id)
                        if image is not None:
                            yield _SampledPair(sampler, pair, scene.graph, image)
                again = {key for sampler in going for key in sampler.wanted_again(number)}
                self.search.keep(place, scene, cells, again)
        self._tell_causes(samplers)
        for sampler in samplers:
            for stratum in sampler.strata:
                if stratum.wanted is not None and not stratum.full:
                    where = f"{sampler.test.name}, {stratum.key.type}, {stratum.key.form}"
                    self.context.rejected[f"{where}: wanted, and more than these scenes can carry"] += (
                        stratum.wanted - stratum.made
                    )

    def _tell_causes(self, samplers: list[TestSampler]) -> None:
        """Put why tests stay thin into the manifest."""
        thin = {
            sampler.test.name: [one.key for one in sampler.strata if is_thin(one, len(self.images))]
            for sampler in samplers
        }
        thin = {test: keys for test, keys in thin.items() if keys}
        if self.context.manifest is None or not thin:
            return
        causes = self.search.tell_causes(self.images, thin)
        self.context.manifest.counts.setdefault("scarce", {}).update(causes)

    def _search(self, samplers: list[TestSampler]) -> Iterator[tuple[int, Scene, dict[StratumKey, Cells]]]:
        """The images of a pass that may give something, with their candidates."""
        wanted = (
            SearchRequest(place, image, keys)
            for place, image in enumerate(self.images)
            if (keys := sorted({key for sampler in samplers for key in sampler.turns.keys(place)}))
            and self._may_show(image)
        )
        return self.search.find(wanted)

    def _may_show(self, image: str) -> bool:
        """Whether the image is there, or not needed; counted where it is not."""
        return self.options.images == "none" or self.context.image(image) is not None


class _SampledPair(NamedTuple):
    sampler: TestSampler
    pair: Pair
    graph: SceneGraph
    image: ImageRef


CARETS = Carets()
