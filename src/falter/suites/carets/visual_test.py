"""The visual test for a released suite: its questions again, over obfuscated images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from falter.authoring.importer import HasObjectIds
from falter.images.obfuscation import DEFAULT_MEAN_COLOR, OBFUSCATIONS, dataset_mean_color
from falter.parallel import Executor, Inline, stateless
from falter.probes import Item, Probe
from falter.scene import Box
from falter.sources import Source, require_scenes
from falter.suites.carets.obfuscated_images import PendingProbe, reason_to_leave_out, render_obfuscations

__all__ = ["VisualTestBuilder", "VisualTestOptions"]

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
