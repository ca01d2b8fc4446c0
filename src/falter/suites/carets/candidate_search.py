"""Finding what may be asked of scene after scene, in several workers at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from falter.authoring.generator import GenerateContext
from falter.english import Grammar, default_grammar
from falter.plugins import load_plugins
from falter.scene import Scene, SceneGraph
from falter.suites.carets.questions import QUESTION_TYPES, SceneInputs
from falter.suites.carets.questions.candidates import Cells
from falter.suites.carets.questions.cooccurrence import CooccurrenceCounts
from falter.suites.carets.sizes import StratumKey

__all__ = ["SearchRequest", "find_candidates"]

Found = dict[StratumKey, Cells]


class SearchRequest(NamedTuple):
    """A graph at its place among the images, and the strata to find candidates for."""

    place: int
    graph: SceneGraph
    keys: Sequence[StratumKey]


def find_candidates(
    requests: Iterable[SearchRequest], cooccurrence: CooccurrenceCounts, seed: int, context: GenerateContext
) -> Iterator[tuple[int, Scene, Found]]:
    """Each graph as a scene, with its place and the candidates of the strata; the same with any executor."""
    ontology = context.grammar().ontology
    state = partial(_load_finder, context.plugin_dirs, cooccurrence, seed)
    for searched in context.executor.map(_search, requests, state=state):
        yield searched.place, searched.scene or Scene(searched.graph, ontology), searched.found


class _Finder(NamedTuple):
    """What a worker keeps between scenes."""

    grammar: Grammar
    cooccurrence: CooccurrenceCounts
    seed: int

    def find(self, scene: Scene, keys: Sequence[StratumKey]) -> Found:
        inputs = SceneInputs(scene, self.grammar, self.cooccurrence, self.seed)
        found: Found = {}
        for key in keys:
            rng = Random(f"{self.seed}|candidates|{scene.graph.image_id}|{key.type}|{key.form}")
            found[key] = QUESTION_TYPES.get(key.type)().candidates(inputs, key.form, rng)
        return found


class _Searched(NamedTuple):
    """What was found in a graph; the scene stays where it was built, for its ontology is large."""

    place: int
    graph: SceneGraph
    found: Found
    scene: Scene | None

    def __reduce__(self) -> tuple[object, ...]:
        return _Searched, (self.place, self.graph, self.found, None)


def _load_finder(plugin_dirs: tuple[Path, ...], cooccurrence: CooccurrenceCounts, seed: int) -> _Finder:
    # A question type of a plugin is known in a new process only when the plugin is loaded there too.
    load_plugins(plugin_dirs)
    return _Finder(default_grammar(*plugin_dirs), cooccurrence, seed)


def _search(finder: _Finder, request: SearchRequest) -> _Searched:
    scene = Scene(request.graph, finder.grammar.ontology)
    return _Searched(request.place, request.graph, finder.find(scene, request.keys), scene)
