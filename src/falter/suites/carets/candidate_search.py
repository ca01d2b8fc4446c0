"""Finding what may be asked of scene after scene, in several workers at once, and why a test stays thin.

What is found is kept for later passes. What the objects of the images lack is counted for the strata that few images
give.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from falter.core.plugins import load_plugins
from falter.data.items import YES_NO
from falter.generation.askable.source_habits import SourceHabits
from falter.generation.authoring.generator import GenerateContext
from falter.generation.english import Grammar, Ontology, default_grammar
from falter.generation.scene import Scene, SceneGraph
from falter.generation.sources import HasScenes
from falter.suites.carets.questions import QUESTION_TYPES, QuestionType, SceneInputs
from falter.suites.carets.questions.protocol import Cells
from falter.suites.carets.quotas import StratumKey
from falter.suites.carets.stratum import StratumSampler

MOST_IMAGES = 1000
"""Causes are counted over so many images at the most."""


def is_thin(stratum: StratumSampler, images: int) -> bool:
    """Whether a stratum has less than was wanted or, without a size, pairs from less than half of the images."""
    return not stratum.full if stratum.wanted is not None else 2 * stratum.num_images < images


class CauseCounts:
    """The causes met in each stratum, counted once for each of the first images."""

    def __init__(self) -> None:
        self._met: dict[StratumKey, dict[str, int]] = {}
        self._places: dict[StratumKey, set[int]] = {}

    def add(self, place: int, key: StratumKey, causes: Counter[str]) -> None:
        """Count what was met in the image at a place, unless it was counted before."""
        places = self._places.setdefault(key, set())
        if place < MOST_IMAGES and place not in places:
            places.add(place)
            met = self._met.setdefault(key, {})
            for cause, times in causes.items():
                met[cause] = met.get(cause, 0) + times

    def not_counted(
        self, thin: Mapping[str, Sequence[StratumKey]], images: int
    ) -> Iterator[tuple[int, list[StratumKey]]]:
        """The places of images that were not searched for some of the strata, with these."""
        keys = sorted({key for wanted in thin.values() for key in wanted})
        for place in range(min(images, MOST_IMAGES)):
            missing = [key for key in keys if place not in self._places.get(key, ())]
            if missing:
                yield place, missing

    def by_test(self, thin: Mapping[str, Sequence[StratumKey]]) -> dict[str, dict[str, dict[str, int]]]:
        """By test and question type the causes why its strata are thin, each with how often it was met."""
        return {test: _causes_by_type(wanted, self._met) for test, wanted in thin.items()}


def causes_in(inputs: SceneInputs, form: str, question: QuestionType, cells: Cells) -> Counter[str]:
    """Why one image gave no more: what the question type counted or, where it counts nothing, the answers lacking."""
    if inputs.causes:
        return inputs.causes
    # Types that ask whether something is there look at images, not at objects.
    lacking = [cell for group in question.balance_groups for cell in group if not cells.get(cell)]
    if not lacking:
        return inputs.causes
    sure = [answer for answer in YES_NO if not inputs.things(form, answer)]
    where = " in a relation to something named uniquely" if form == "related" else ""
    what = {
        "yes": f"have nothing that is surely there{where}",
        "no": f"have nothing that surely is not there{where}",
    }
    return Counter([f"images {what[sure[0]] if sure else 'lack one of the answers'}"])


def _causes_by_type(
    keys: Sequence[StratumKey], met: Mapping[StratumKey, Mapping[str, int]]
) -> dict[str, dict[str, int]]:
    causes: dict[str, Counter[str]] = {}
    for key in keys:
        known = causes.setdefault(key.type, Counter())
        for cause, count in met.get(key, {}).items():
            # The two forms of a type meet the same objects: they are counted once, by the form that lacks more.
            known[cause] = max(known[cause], count)
    return {name: dict(known.most_common()) for name, known in causes.items() if known}


Found = dict[StratumKey, Cells]

MOST_KEPT = 60_000
"""How many candidates are kept for later passes; what is not kept is searched for again."""


class SearchRequest(NamedTuple):
    """An image at its place among all, and the strata to find candidates for."""

    place: int
    image: str
    keys: Sequence[StratumKey]


class CandidateSearch:
    """Finds the candidates of a source's images; those of an image and a stratum are the same in every pass."""

    def __init__(self, source: HasScenes, habits: SourceHabits, seed: int, context: GenerateContext) -> None:
        self._source = source
        self._habits = habits
        self._seed = seed
        self._context = context
        self._scenes: dict[int, Scene] = {}
        self._kept: dict[tuple[int, StratumKey], Cells] = {}
        self._room = MOST_KEPT
        self.causes = CauseCounts()
        """Why images gave few candidates, as far as they were searched."""

    def find(self, wanted: Iterable[SearchRequest]) -> Iterator[tuple[int, Scene, Found]]:
        """The place, the scene and the candidates of each image that may have some; the same with any executor."""
        ontology = self._context.grammar().ontology
        waiting: deque[_Waiting] = deque()
        state = partial(_load_finder, self._context.plugin_dirs, self._habits, self._seed)
        for searched in self._context.executor.map(_search, self._requests(wanted, waiting), state=state):
            while not waiting[0].is_searched:
                yield waiting.popleft().as_known(ontology)
            known = waiting.popleft()
            for key, causes in searched.causes.items():
                self.causes.add(known.place, key, causes)
            scene = known.scene or searched.scene or Scene(known.graph, ontology)
            yield known.place, scene, {**known.found, **searched.found}
        for known in waiting:
            yield known.as_known(ontology)

    def _requests(self, wanted: Iterable[SearchRequest], waiting: deque[_Waiting]) -> Iterator[_Request]:
        """What has to be searched; all images that may have something wait in order for their turn."""
        for place, image, keys in wanted:
            found = {key: self._kept[place, key] for key in keys if (place, key) in self._kept}
            missing = [key for key in keys if key not in found]
            if not missing and not any(cell for cells in found.values() for cell in cells.values()):
                continue
            scene = self._scenes.get(place)
            graph = self._source.scene(image) if scene is None else scene.graph
            if graph is None:
                continue
            waiting.append(_Waiting(place, graph, scene, found, bool(missing)))
            if missing:
                yield _Request(graph, missing)

    def keep(self, place: int, scene: Scene, found: Found, keys: Collection[StratumKey]) -> None:
        """Remember the candidates of some strata, where there is room for them."""
        for key in keys:
            cells = found.get(key)
            if cells is None or (place, key) in self._kept:
                continue
            many = sum(map(len, cells.values()))
            if many < self._room:
                self._room -= 1 + many
                self._kept[place, key] = cells
                # What a scene has worked out serves every pass.
                self._scenes[place] = scene

    def tell_causes(
        self, images: Sequence[str], thin: Mapping[str, Sequence[StratumKey]]
    ) -> dict[str, dict[str, dict[str, int]]]:
        """By test and question type why strata are thin; images that were not searched for them are searched now."""
        finder = _Finder(self._context.grammar(), self._habits, self._seed, {})
        for place, keys in self.causes.not_counted(thin, len(images)):
            graph = self._source.scene(images[place])
            if graph is not None:
                searched = finder.find(graph, keys)
                for key, causes in searched.causes.items():
                    self.causes.add(place, key, causes)
        return self.causes.by_test(thin)


class _Waiting(NamedTuple):
    """An image whose turn comes, and what is known of it."""

    place: int
    graph: SceneGraph
    scene: Scene | None
    found: Found
    is_searched: bool

    def as_known(self, ontology: Ontology) -> tuple[int, Scene, Found]:
        return self.place, self.scene or Scene(self.graph, ontology), self.found


class _Request(NamedTuple):
    """A graph, and the strata to find candidates for."""

    graph: SceneGraph
    keys: Sequence[StratumKey]


class _Searched(NamedTuple):
    """What was found in a graph, and why not more; the scene stays where it was built, for its ontology is large."""

    found: Found
    causes: dict[StratumKey, Counter[str]]
    scene: Scene | None

    def __reduce__(self) -> tuple[object, ...]:
        return _Searched, (self.found, self.causes, None)


class _Finder(NamedTuple):
    """What a worker keeps between scenes."""

    grammar: Grammar
    habits: SourceHabits
    seed: int
    types: dict[str, type[QuestionType]]

    def question(self, name: str) -> QuestionType:
        """A question type by its name, which is looked up once."""
        known = self.types.get(name)
        if known is None:
            known = self.types[name] = QUESTION_TYPES.get(name)
        return known()

    def find(self, graph: SceneGraph, keys: Sequence[StratumKey]) -> _Searched:
        scene = Scene(graph, self.grammar.ontology)
        inputs = SceneInputs(scene, self.grammar, self.habits, self.seed)
        found: Found = {}
        causes: dict[StratumKey, Counter[str]] = {}
        for key in keys:
            question = self.question(key.type)
            inputs.causes = Counter()
            rng = Random(f"{self.seed}|candidates|{graph.image_id}|{key.type}|{key.form}")
            found[key] = question.candidates(inputs, key.form, rng)
            causes[key] = causes_in(inputs, key.form, question, found[key])
        return _Searched(found, causes, scene)


def _load_finder(plugin_dirs: tuple[Path, ...], habits: SourceHabits, seed: int) -> _Finder:
    # A question type of a plugin is known in a new process only when the plugin is loaded there too.
    load_plugins(plugin_dirs)
    return _Finder(default_grammar(*plugin_dirs), habits, seed, {})


def _search(finder: _Finder, request: _Request) -> _Searched:
    return finder.find(request.graph, request.keys)
