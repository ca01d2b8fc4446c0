"""Finding what may be asked of scene after scene, in several workers at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from falter.english import Grammar, default_grammar
from falter.parallel import Executor
from falter.plugins import load_plugins
from falter.scene import Scene, SceneGraph
from falter.suites.carets.cooccurrence import Habits
from falter.suites.carets.questions import TYPES, Material
from falter.suites.carets.questions.candidates import Cells
from falter.suites.carets.sizes import Sort

__all__ = ["find_candidates"]

Found = dict[Sort, Cells]


def find_candidates(
    graphs: Iterable[SceneGraph],
    sorts: Sequence[Sort],
    habits: Habits,
    grammar: Grammar,
    *,
    seed: int,
    plugin_dirs: tuple[Path, ...],
    executor: Executor,
) -> Iterator[tuple[Scene, Found]]:
    """Each graph as a scene, with the candidates of every sort of question; the same with any executor."""
    state = partial(_load_finder, plugin_dirs, habits, seed, sorts)
    for searched in executor.map(_search, graphs, state=state):
        yield searched.scene or Scene(searched.graph, grammar.ontology), searched.found


class _Finder(NamedTuple):
    """What a worker keeps between scenes."""

    grammar: Grammar
    habits: Habits
    seed: int
    sorts: Sequence[Sort]

    def find(self, scene: Scene) -> Found:
        material = Material(scene, self.grammar, self.habits, self.seed)
        found: Found = {}
        for sort in self.sorts:
            rng = Random(f"{self.seed}|candidates|{scene.graph.image_id}|{sort.type}|{sort.form}")
            found[sort] = TYPES.get(sort.type)().candidates(material, sort.form, rng)
        return found


class _Searched(NamedTuple):
    """What was found in a graph; the scene stays where it was built, for its ontology is large."""

    graph: SceneGraph
    found: Found
    scene: Scene | None

    def __reduce__(self) -> tuple[object, ...]:
        return _Searched, (self.graph, self.found, None)


def _load_finder(plugin_dirs: tuple[Path, ...], habits: Habits, seed: int, sorts: Sequence[Sort]) -> _Finder:
    # A question type of a plugin is known in a new process only when the plugin is loaded there too.
    load_plugins(plugin_dirs)
    return _Finder(default_grammar(*plugin_dirs), habits, seed, sorts)


def _search(finder: _Finder, graph: SceneGraph) -> _Searched:
    scene = Scene(graph, finder.grammar.ontology)
    return _Searched(graph, finder.find(scene), scene)
