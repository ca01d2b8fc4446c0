"""Finding what may be asked of scene after scene, in other processes where there are several workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from falter.authoring.generator import Order
from falter.english import Grammar, default_grammar
from falter.parallel import ordered_map
from falter.scene import Scene, SceneGraph
from falter.suites.carets.cooccurrence import Habits
from falter.suites.carets.questions import TYPES, Material
from falter.suites.carets.questions.candidates import Cells
from falter.suites.carets.sizes import Sort

__all__ = ["find_candidates"]

Found = dict[Sort, Cells]


def find_candidates(
    graphs: Iterable[SceneGraph], sorts: Sequence[Sort], habits: Habits, grammar: Grammar, order: Order
) -> Iterator[tuple[Scene, Found]]:
    """Each graph as a scene, with the candidates of every sort of question; the same for any number of workers."""
    if order.workers <= 1:
        finder = _Finder(grammar, habits, order.seed, sorts)
        for graph in graphs:
            scene = Scene(graph, grammar.ontology)
            yield scene, finder.find(scene)
        return
    for graph, found in ordered_map(
        _find_in_worker,
        graphs,
        workers=order.workers,
        initializer=_start_worker,
        initargs=(order.extend, habits, order.seed, sorts),
    ):
        yield Scene(graph, grammar.ontology), found


class _Finder(NamedTuple):
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


_finder: _Finder | None = None


def _start_worker(extend: tuple[Path, ...], habits: Habits, seed: int, sorts: Sequence[Sort]) -> None:
    global _finder  # noqa: PLW0603 - one for each process, set when it starts
    _finder = _Finder(default_grammar(*extend), habits, seed, sorts)


def _find_in_worker(graph: SceneGraph) -> tuple[SceneGraph, Found]:
    assert _finder is not None  # set by _start_worker in every process
    return graph, _finder.find(Scene(graph, _finder.grammar.ontology))
