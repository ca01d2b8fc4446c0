"""The audit of foils: read back, the caption must be true of the scene of its image, and the foil false."""

from __future__ import annotations

from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

from falter.english import default_grammar
from falter.errors import UsageError
from falter.probes import Item, Probe
from falter.scene import And, Scene
from falter.sources import HasScenes, Source, require_scenes
from falter.suites.valse.statement_reading import Statement, StatementReader

if TYPE_CHECKING:
    from falter.scene.query import AnyQuery

__all__ = ["audit"]

_PLACES = {
    "indoors": frozenset({"indoors", "kitchen", "bedroom", "living room", "bathroom", "dining room", "office"}),
    "outdoors": frozenset(
        {"outdoors", "park", "garden", "street", "railroad", "beach", "farm", "zoo", "snow field", "lake", "field"}
    ),
}
"""Annotated places that are surely inside of a building, or surely not."""


def audit(probe: Probe, source: Source | None) -> str | None:
    """What is wrong with the labels of a pair, or an empty text; None where no scene settles both, or one is not read.

    Pairs that were written from queries are checked item by item, without this.
    """
    if probe.original.meaning is not None:
        if source is None:
            raise UsageError("labels of foils from scenes are derived again from them; pass --scenes SOURCE")
        require_scenes(source)
        return None
    if probe.original.task != "match" or not isinstance(source, HasScenes):
        return None
    scene = _scene_of(probe.original, source)
    if scene is None:
        return None
    read = [_reader().read(item.text) for item in probe.items]
    answers = [None if one is None else _answer(one, scene) for one in read]
    if any(answer not in (None, item.gold == "yes") for item, answer in zip(probe.items, answers, strict=True)):
        return "the scene gives another answer"
    return None if None in answers else ""


@cache
def _reader() -> StatementReader:
    return StatementReader(default_grammar())


def _scene_of(item: Item, source: HasScenes) -> Scene | None:
    """The scene of an image; some formats name images by their files."""
    name = item.image_id or ""
    graph = source.scene(name) or source.scene(PurePath(name).stem)
    return None if graph is None else Scene(graph, default_grammar().ontology)


def _answer(statement: Statement, scene: Scene) -> bool | None:
    found = And(tuple(cast("AnyQuery", one) for one in statement.queries)).evaluate(scene)
    if found is False or not statement.location:
        return found
    shown = next((name for name, places in _PLACES.items() if scene.graph.location in places), None)
    if shown is not None and shown != statement.location:
        return False
    return None if shown is None else found
