"""What stays visible in the visual test shows what the question is about, and does not tell the answer."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import mean
from typing import NamedTuple

import pytest

from falter.data.items import Item
from falter.data.sources import open_source
from falter.data.suite import open_suite
from falter.generation.authoring.question_builder import GroundedQuestion
from falter.generation.english import default_grammar
from falter.generation.scene import (
    And,
    Box,
    Exists,
    ObjectDescription,
    Or,
    Query,
    Scene,
    SceneGraph,
    SceneObject,
    query_from_json,
)
from falter.generation.sources import require_scenes
from falter.suites.carets.obfuscation import Region, enclosing_region, pixel_regions, visible_share
from falter.suites.carets.perturbations import VERIFICATIONS, VisualTest
from falter.suites.carets.visual_test import choose_foreground, reason_to_leave_out
from tests.suites.conftest import World
from tests.suites.made import make_suite, write_pictures

_EACH = 400
"""Questions of a type and answer."""


class Shown(NamedTuple):
    """What is visible for one question."""

    boxes: list[Box]
    anchors: list[Box]
    regions: list[Region]
    graph: SceneGraph

    @property
    def share(self) -> float:
        return visible_share(self.regions, self.graph.width, self.graph.height)

    @property
    def cropped(self) -> float:
        return visible_share([enclosing_region(self.regions)], self.graph.width, self.graph.height)


ByStratum = dict[tuple[str, str], dict[str, list[Shown]]]


def descriptions(query: Query) -> list[ObjectDescription]:
    if isinstance(query, And | Or):
        return [found for part in query.of for found in descriptions(part)]
    assert isinstance(query, Exists)
    return [query.of]


def questions(world: World) -> Iterator[Item]:
    drawn: dict[tuple[str, ...], list[Item]] = defaultdict(list)
    for probe in world.suite.probes():
        item = probe.original
        if item.test == "rephrase" and item.facets["type"] in VERIFICATIONS:
            drawn[item.facets["type"], item.facets["form"], str(item.gold)].append(item)
    for _, items in sorted(drawn.items()):
        yield from Random(0).sample(items, min(_EACH, len(items)))


@pytest.fixture(scope="module")
def shown(world: World) -> ByStratum:
    """By type, form and answer what is visible for questions of the world."""
    source = require_scenes(open_source(world.source))
    grammar = default_grammar()
    found: ByStratum = defaultdict(lambda: defaultdict(list))
    for item in questions(world):
        graph = source.scene(str(item.image_id))
        assert graph is not None
        assert item.meaning is not None
        scene = Scene(graph, grammar.ontology)
        query = query_from_json(item.meaning)
        template = grammar.templates_for(item.facets["type"], "plain", item.facets["form"])[0]
        slots = dict(zip("xy", descriptions(query), strict=False))
        question = GroundedQuestion(
            template=template, slots=dict(slots), text=item.text, meaning=query, answer=str(item.gold)
        )
        boxes = VisualTest().foreground(question, scene, Random(item.item_id))
        anchors = [
            thing.box
            for one in slots.values()
            if one.relation is not None
            for thing, fits in scene.objects_for(one.relation.to)
            if fits
        ]
        regions = pixel_regions(boxes, graph.width, graph.height)
        found[item.facets["type"], item.facets["form"]][str(item.gold)].append(Shown(boxes, anchors, regions, graph))
    assert sum(len(items) for by_answer in found.values() for items in by_answer.values()) > 800
    return found


def order(first: list[float], second: list[float]) -> float:
    """How often a value of the first is above one of the second, a tie counted half."""
    return mean((one > other) + (one == other) / 2 for one in first for other in second)


def test_the_object_of_a_relation_is_always_visible(shown: ByStratum) -> None:
    related = [
        one for (_, form), found in shown.items() if form == "related" for both in found.values() for one in both
    ]
    assert len(related) > 200
    assert all(one.anchors and set(one.anchors) <= set(one.boxes) for one in related)


def test_what_is_visible_is_independent_of_the_answer(shown: ByStratum) -> None:
    for stratum, found in shown.items():
        yes, no = found["yes"], found["no"]
        # Two standard errors of the difference, over this many questions.
        assert abs(mean(len(one.boxes) for one in yes) - mean(len(one.boxes) for one in no)) < 0.15, stratum
        assert 0.4 < order([len(one.boxes) for one in yes], [len(one.boxes) for one in no]) < 0.6, stratum
        assert 0.37 < order([one.share for one in yes], [one.share for one in no]) < 0.63, stratum
        assert 0.37 < order([one.cropped for one in yes], [one.cropped for one in no]) < 0.63, stratum


@pytest.mark.parametrize(
    ("boxes", "reason"),
    [
        ([Box(0, 0, 400, 190)], "95 % of the image or more would stay visible"),
        ([Box(0, 0, 200, 200), Box(150, 0, 250, 190)], "95 % of the image or more would stay visible"),
        ([Box(0, 0, 40, 40), Box(360, 160, 40, 40)], "95 % of the image or more would be left after cropping"),
        ([Box(0, 0, 200, 200), Box(100, 100, 250, 80)], None),
        ([Box(500, 0, 40, 40)], "lies outside the image of 400x200"),
    ],
)
def test_images_that_would_hide_next_to_nothing_are_left_out(boxes: list[Box], reason: str | None) -> None:
    graph = SceneGraph(image_id="1", width=400, height=200, objects={})
    found = reason_to_leave_out(boxes, graph)
    assert found == reason or (reason is not None and found is not None and reason in found)


def test_the_generator_says_how_many_images_would_hide_too_little(tmp_path: Path) -> None:
    source = write_pictures(tmp_path / "gqa", 3)
    path = tmp_path / "gqa" / "val_sceneGraphs.json"
    graphs = json.loads(path.read_text())
    filled = list(graphs)[:2]
    for graph in (graphs[image] for image in filled):
        for thing in graph["objects"].values():
            thing |= {"x": 0, "y": 0, "w": graph["width"], "h": graph["height"]}
    path.write_text(json.dumps(graphs))
    manifest = make_suite(source, tmp_path / "out", tests=("visual",), size=30, images="copy")
    assert manifest.counts["refused"]["visual: 95 % of the image or more would stay visible"] > 5
    assert {probe.original.image_id for probe in open_suite(tmp_path / "out").probes()} == set(graphs) - set(filled)


def test_images_may_have_other_names_than_their_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = write_pictures(tmp_path / "gqa", 3)
    for path in sorted((tmp_path / "gqa" / "images").iterdir()):
        path.rename(path.with_name(f"COCO_val2014_{path.name}"))
    folder = tmp_path / "gqa" / "images"
    monkeypatch.setattr(type(open_source(spec)), "image_path", lambda _, image: folder / f"COCO_val2014_{image}.jpg")
    manifest = make_suite(spec, tmp_path / "out", tests=("visual",), size=2, images="copy")
    assert manifest.counts["probes"] == 2


def test_what_is_called_so_stays_visible_rather_than_what_is_of_the_kind() -> None:
    tower, building = Box(300, 0, 30, 200), Box(50, 100, 200, 100)
    objects = {
        name: SceneObject(id=name, name=name, box=box) for name, box in (("tower", tower), ("building", building))
    }
    scene = Scene(SceneGraph(image_id="1", width=400, height=300, objects=objects), default_grammar().ontology)
    for seed in range(8):
        assert choose_foreground([ObjectDescription("building")], scene, Random(seed)) == [building]
        assert choose_foreground([ObjectDescription("tower")], scene, Random(seed)) == [tower]
