"""A user's own images are counted in halves, and no image has a part in its own scores."""

from __future__ import annotations

import pytest

from falter.generation.askable.source_habits import SourceHabits
from falter.generation.cooccurrence import (
    OWN_IMAGES,
    ImageCounts,
    Mentions,
    OwnImages,
    Plausibility,
    annotated_in,
    count_scenes,
    half_of,
    load_table,
)
from falter.generation.english import default_grammar
from falter.generation.scene import Box, Relation, SceneGraph, SceneObject

_ONTOLOGY = default_grammar().ontology


def _graph(image: str, *names: str, on: str = "sofa") -> SceneGraph:
    relations = (Relation("on", on),) if on in names else ()
    objects = {
        name: SceneObject(
            id=name,
            name=name,
            box=Box(0, 0, 9, 9),
            attributes=("brown",) if name == "dog" else (),
            relations=relations if name == "dog" else (),
        )
        for name in names
    }
    return SceneGraph(image_id=image, width=9, height=9, objects=objects)


def test_a_scene_graph_says_what_a_caption_would() -> None:
    said = annotated_in(_graph("1", "dog", "sofa", "no such thing"), _ONTOLOGY)
    assert said.kinds == {"dog", "sofa"}
    assert said.attributes == {("dog", "brown")}
    assert said.relations == {("dog", "on", "sofa")}


def test_images_are_counted_in_the_half_that_their_id_has() -> None:
    graphs = [_graph(str(number), "dog", "sofa") for number in range(40)]
    own = count_scenes(graphs, _ONTOLOGY)
    assert own.draw.images == sum(half_of(one.image_id) == 0 for one in graphs)
    assert own.draw.images + own.check.images == 40
    assert own.check.relations["dog", "on", "sofa"] == own.check.images
    assert not own.enough


def test_images_are_counted_once_they_are_enough() -> None:
    graphs = [_graph(str(number), "dog", "sofa") for number in range(OWN_IMAGES + 1)]
    own, counted = OwnImages(_ONTOLOGY), count_scenes(graphs, _ONTOLOGY)
    for graph in graphs[: OWN_IMAGES - 1]:
        own.add(graph)
    assert own.counts.draw.images == own.counts.check.images == 0
    for graph in graphs[OWN_IMAGES - 1 :]:
        own.add(graph)
    assert own.counts.enough
    for mine, all_counted in zip(own.counts, counted, strict=True):
        assert list(mine.rows()) == list(all_counted.rows())


@pytest.mark.parametrize("others", [["sofa", "cat"], ["oven"], ["sofa", "cat", "oven", "sheep"]])
def test_scores_without_an_image_are_those_of_counts_that_never_had_it(others: list[str]) -> None:
    images = [
        Mentions(frozenset({"dog", "sofa", "cat"}), frozenset({("dog", "brown")}), frozenset({("dog", "on", "sofa")})),
        Mentions(frozenset({"dog", "oven"}), frozenset({("dog", "black")}), frozenset()),
        Mentions(frozenset({"sofa", "cat", "sheep"}), frozenset({("cat", "brown")}), frozenset()),
    ]
    all_counts, fewer = ImageCounts(), ImageCounts()
    for image in (*images, *images[1:]):
        all_counts.add([image])
    for image in (*images[1:], *images[1:]):
        fewer.add([image])
    without = Plausibility(all_counts, _ONTOLOGY).without(images[0])
    never = Plausibility(fewer, _ONTOLOGY)
    for kind in ("dog", "sofa", "cat", "oven", "sheep"):
        assert without.frequency(kind) == never.frequency(kind)
        assert without.of_kind(kind, others) == pytest.approx(never.of_kind(kind, others), abs=1e-5)
        assert without.of_two(kind, "dog") == pytest.approx(never.of_two(kind, "dog"), abs=1e-5)
    for value in ("brown", "black"):
        assert without.of_value(value, others) == pytest.approx(never.of_value(value, others), abs=1e-5)
        assert without.times_said("dog", value) == never.times_said("dog", value)
    assert without.times_related("dog", "on", "sofa") == 0
    everything = [*without.most_plausible(others, lambda _: True, least=3, most=3)]
    assert everything == never.most_plausible(others, lambda _: True, least=3, most=3)


def test_a_large_source_adds_its_counts_and_a_small_one_does_not() -> None:
    graphs = [_graph(str(number), "penguin", "oven") for number in range(OWN_IMAGES)]
    small, large = (SourceHabits(graphs[:size], _ONTOLOGY) for size in (OWN_IMAGES - 1, OWN_IMAGES))
    table = load_table().draw
    drawn = [one for one in graphs if half_of(one.image_id) == 0]
    assert small.plausibility.counts is table
    assert large.plausibility.frequency("penguin") == table.kinds["penguin"] + len(drawn)
    assert large.plausibility.of_two("penguin", "oven") > 1 > small.plausibility.of_two("penguin", "oven")
    for one in (drawn[0], next(one for one in graphs if half_of(one.image_id) == 1)):
        own = half_of(one.image_id) == 0
        assert large.plausibility_in(one).frequency("penguin") == table.kinds["penguin"] + len(drawn) - own


def test_the_table_knows_what_values_go_with_and_what_kinds_take() -> None:
    table = load_table()
    for counts in (table.draw, table.check):
        plausibility = Plausibility(counts, _ONTOLOGY)
        assert plausibility.of_value("skiing", ["snow", "mountain"]) > 1 > plausibility.of_value("skiing", ["oven"])
        assert plausibility.of_relation("food", "on", "plate") > 1 > plausibility.of_relation("plate", "on", "food")
        assert counts.listed["horse", "brown"]
        assert not counts.listed["horse", "purple"]
    assert table.draw.listed == table.check.listed
