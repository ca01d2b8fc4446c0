"""The visual test: the same question over an image of which all but the foreground is hidden.

The objects that stay visible are as many for an absent object as for one that is there. For a released suite the test
asks its questions again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from math import hypot
from pathlib import Path
from random import Random
from typing import NamedTuple

from falter.core.errors import InputError
from falter.core.executors import Executor, Inline, stateless
from falter.core.files import sha256_of_bytes
from falter.data.images import Source
from falter.data.items import ImageRef, Item, Probe
from falter.generation.authoring.importer import HasObjectIds
from falter.generation.scene import Box, ObjectDescription, Scene, SceneGraph, SceneObject
from falter.generation.sources import require_scenes
from falter.suites.carets.obfuscation import (
    DEFAULT_MEAN_COLOR,
    OBFUSCATIONS,
    Obfuscation,
    dataset_mean_color,
    enclosing_region,
    pixel_regions,
    visible_share,
)
from falter.suites.carets.obfuscation.obfuscate import obfuscate

_MOST_VISIBLE = 0.95
"""An image of which more stays visible is no test."""

_OBFUSCATIONS: dict[str, Obfuscation] = {name: name for name in OBFUSCATIONS}


class PendingProbe(NamedTuple):
    """A probe whose variants still show the original image, and what each should show instead."""

    probe: Probe
    boxes: list[Box]
    image: Path
    mean_color: tuple[int, int, int]
    image_dir: Path


def reason_to_leave_out(boxes: list[Box], graph: SceneGraph) -> str | None:
    """Why images with these boxes visible would be no test, or cannot be made; None where they can."""
    width, height = graph.width, graph.height
    if width < 1 or height < 1:
        return None  # The size is not annotated.
    if not boxes:
        return "the scene graph has no boxes"
    try:
        regions = pixel_regions(boxes, width, height)
    except InputError as error:
        return error.problem
    if visible_share(regions, width, height) >= _MOST_VISIBLE:
        return "95 % of the image or more would stay visible"
    if visible_share([enclosing_region(regions)], width, height) >= _MOST_VISIBLE:
        return "95 % of the image or more would be left after cropping"
    return None


def render_obfuscations(_: None, pending: PendingProbe) -> Probe | str:
    """Render the images of a probe and put them into its items; or say why that is not possible."""
    names = [_OBFUSCATIONS[item.facets["obfuscation"]] for item in pending.probe.variants]
    try:
        rendered = obfuscate(pending.image, pending.boxes, names, mean_color=pending.mean_color)
    except InputError as error:
        return error.problem
    items = [pending.probe.original]
    for item, name in zip(pending.probe.variants, names, strict=True):
        digest = sha256_of_bytes(rendered[name])
        path = pending.image_dir / f"{pending.image.stem}-{digest[:16]}.jpg"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(rendered[name])
        items.append(item.change(image=ImageRef(item.image_id, path, digest)))
    return Probe(tuple(items))


TEST = "visual"
_NOT_SHARED = ("direction",)
"""Facets that tell of the published variant, which has no part in this test."""


class VisualTestOptions(NamedTuple):
    """What is wanted: the scene graphs with the boxes, and how many questions at the most (all when None)."""

    scenes: Source
    size: int | None = None
    executor: Executor = Inline()


class _VisualQuestion(NamedTuple):
    original: Item
    image: Path


class VisualTestBuilder:
    """Gathers the distinct questions of a release, then builds a probe of obfuscated images for each.

    What cannot be made is counted in ``refused`` by its reason, every question once.
    """

    def __init__(self, importer: HasObjectIds, options: VisualTestOptions) -> None:
        self._importer = importer
        self._options = options
        self._scenes = require_scenes(options.scenes)
        self._questions: dict[str, _VisualQuestion | None] = {}
        self.rejected: Counter[str] = Counter()

    def add(self, original: Item, image: Path | None) -> None:
        """Take note of a published question, with its image where that is found."""
        if original.item_id in self._questions:
            return
        self._questions[original.item_id] = None if image is None else _VisualQuestion(original, image)
        if image is None:
            self._reject("the picture is not at hand")

    def probes(self, image_dir: Path) -> Iterator[Probe]:
        """One probe for each question, with a variant for each obfuscation; the images are put into ``image_dir``."""
        questions = [one for one in self._questions.values() if one is not None]
        if not questions:
            return
        try:
            color = dataset_mean_color(sorted({one.image for one in questions}), skip_damaged=True)
        except ValueError:
            color = DEFAULT_MEAN_COLOR  # All are damaged: each question will be rejected for its image.
        pending = (
            PendingProbe(_probe(one.original), boxes, one.image, color, image_dir)
            for one, boxes in self._chosen(questions)
        )
        for rendered in self._options.executor.map(render_obfuscations, pending, state=stateless, chunk=4):
            if isinstance(rendered, str):
                self._reject(rendered)
            else:
                yield rendered

    def _chosen(self, questions: list[_VisualQuestion]) -> list[tuple[_VisualQuestion, list[Box]]]:
        """The questions that have boxes, in the release's order; where only some are wanted, drawn from all of it."""
        places = list(range(len(questions)))
        if self._options.size is not None:
            # An id is a hash of what is asked: their order is a draw that favours no file and no type.
            places.sort(key=lambda place: questions[place].original.item_id)
        chosen: dict[int, list[Box]] = {}
        for place in places:
            if self._options.size is not None and len(chosen) >= self._options.size:
                break
            boxes = self._boxes(questions[place].original)
            if boxes:
                chosen[place] = boxes
        return [(questions[place], chosen[place]) for place in sorted(chosen)]

    def _boxes(self, original: Item) -> list[Box]:
        """The boxes of the things that are there, and one drawn among the rest for each that is not."""
        graph = None if original.image_id is None else self._scenes.scene(original.image_id)
        if graph is None:
            return self._reject("the picture has no scene graph")
        ids = self._importer.objects_of(original)
        if not ids:
            return self._reject("the question names no object")
        present = list(dict.fromkeys(one for one in ids if one is not None))
        if any(one not in graph.objects for one in present):
            return self._reject("an object of the question has no box in the scene graph")
        others = sorted(set(graph.objects) - set(present))
        absent = min(ids.count(None), len(others))
        drawn = Random(f"{TEST}|{original.image_id}|{original.source_id}|{original.text}").sample(others, absent)
        boxes = [graph.objects[one].box for one in (*present, *drawn)]
        if not boxes:
            return self._reject("the scene graph has no boxes")
        reason = reason_to_leave_out(boxes, graph)
        return boxes if reason is None else self._reject(reason)

    def _reject(self, reason: str) -> list[Box]:
        self.rejected[f"{TEST}: {reason}"] += 1
        return []


def _probe(original: Item) -> Probe:
    """The question as an original and, still with the same image, as a variant for each obfuscation."""
    facets = {name: value for name, value in original.facets.items() if name not in _NOT_SHARED}
    first = original.change(probe_id=f"{TEST}-{original.probe_id}", test=TEST, expects="same", facets=facets)
    variants = (
        first.change(variant=number, facets={**facets, "obfuscation": name})
        for number, name in enumerate(OBFUSCATIONS, start=1)
    )
    return Probe.of(first, *variants)


_NEAREST_KEPT = 3
"""A stand-in is drawn from so many objects nearest to the object of the relation, where none has that relation."""


def choose_foreground(descriptions: Iterable[ObjectDescription], scene: Scene, rng: Random) -> list[Box]:
    """The boxes of what is described and of what that is related to.

    How many there are does not depend on the answer. The object of a relation is always among them. Of what is said to
    be there, one object is shown, or two in the plural: objects that fit, those that are called so first; else objects
    of that kind ("a red cup" is denied of the blue one); else others that stand in for it. Of what is taken to be there
    ("the cup"), all is shown.
    """
    shown: dict[str, SceneObject] = {}
    for description in descriptions:
        related = description.relation
        anchors = [] if related is None else _fitting(related.to, scene)
        shown |= {anchor.id: anchor for anchor in anchors}
        fitting = _fitting(description, scene)
        if description.definite and fitting:
            shown |= {thing.id: thing for thing in fitting}
            continue
        missing = 2 if description.number == "plural" else 1
        kind = [thing for thing, is_one in scene.objects_of_kind(description.kind) if is_one]
        alike = [] if related is None else _related(related.name, anchors, scene)
        # Of a house and a lattice tower, the house is what "a building" makes one think of.
        so_called = [thing for thing in fitting if scene.ontology.kind_for_name(thing.name) == description.kind]
        for pool in (so_called, fitting, kind, alike, _near(anchors, scene, shown), scene.objects):
            free = [thing for thing in pool if thing.id not in shown]
            drawn = rng.sample(free, min(missing, len(free)))
            shown |= {thing.id: thing for thing in drawn}
            missing -= len(drawn)
    return [thing.box for thing in shown.values()]


def _fitting(description: ObjectDescription, scene: Scene) -> list[SceneObject]:
    return [thing for thing, fits in scene.objects_for(description) if fits]


def _related(relation: str, anchors: Sequence[SceneObject], scene: Scene) -> list[SceneObject]:
    """What is related to the anchors as the absent object would be."""
    return [thing for thing in scene.objects if any(scene.holds(thing, relation, anchor) for anchor in anchors)]


def _near(anchors: Sequence[SceneObject], scene: Scene, shown: Container[str]) -> list[SceneObject]:
    """Some of what is nearest to the anchors, and no part of them."""
    if not anchors:
        return []
    free = [
        thing
        for thing in scene.objects
        if thing.id not in shown and not any(_is_inside(thing.box, anchor.box) for anchor in anchors)
    ]
    free.sort(key=lambda thing: min(_distance(thing.box, anchor.box) for anchor in anchors))
    return free[:_NEAREST_KEPT]


def _is_inside(inner: Box, outer: Box) -> bool:
    return outer.x <= inner.x and outer.y <= inner.y and inner.right <= outer.right and inner.bottom <= outer.bottom


def _distance(first: Box, second: Box) -> float:
    """Between the centers: by their edges, what fills the image would be near everything."""
    return hypot(first.x - second.x + (first.w - second.w) / 2, first.y - second.y + (first.h - second.h) / 2)
