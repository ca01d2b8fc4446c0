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

__all__ = ["find_candidates"]

Found = dict[StratumKey, Cells]


def find_candidates(
    graphs: Iterable[SceneGraph],
    keys: Sequence[StratumKey],
    cooccurrence: CooccurrenceCounts,
    seed: int,
    context: GenerateContext,
) -> Iterator[tuple[Scene, Found]]:
    """Each graph as a scene, with the candidates of every stratum; the same with any executor."""
    ontology = context.grammar().ontology
    state = partial(_load_finder, context.plugin_dirs, cooccurrence, seed, keys)
    for searched in context.executor.map(_search, graphs, state=state):
        yield searched.scene or Scene(searched.graph, ontology), searched.found


class _Finder(NamedTuple):
    """What a worker keeps between scenes."""

    grammar: Grammar
    cooccurrence: CooccurrenceCounts
    seed: int
    keys: Sequence[StratumKey]

    def find(self, scene: Scene) -> Found:
        inputs = SceneInputs(scene, self.grammar, self.cooccurrence, self.seed)
        found: Found = {}
        for key in self.keys:
            rng = Random(f"{self.seed}|candidates|{scene.graph.image_id}|{key.type}|{key.form}")
            found[key] = QUESTION_TYPES.get(key.type)().candidates(inputs, key.form, rng)
        return found


class _Searched(NamedTuple):
    """What was found in a graph; the scene stays where it was built, for its ontology is large."""

    graph: SceneGraph
    found: Found
    scene: Scene | None

    def __reduce__(self) -> tuple[object, ...]:
        return _Searched, (self.graph, self.found, None)


def _load_finder(
    plugin_dirs: tuple[Path, ...], cooccurrence: CooccurrenceCounts, seed: int, keys: Sequence[StratumKey]
) -> _Finder:
    # A question type of a plugin is known in a new process only when the plugin is loaded there too.
    load_plugins(plugin_dirs)
    return _Finder(default_grammar(*plugin_dirs), cooccurrence, seed, keys)


def _search(finder: _Finder, graph: SceneGraph) -> _Searched:
    scene = Scene(graph, finder.grammar.ontology)
    return _Searched(graph, finder.find(scene), scene)
