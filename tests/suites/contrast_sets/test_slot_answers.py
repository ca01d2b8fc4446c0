"""Answers without a query for each candidate are those of the queries: yes, no, and unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from falter.data.sources import open_source
from falter.generation.askable.naming import named, values_to_say
from falter.generation.askable.scene_things import SceneThings
from falter.generation.askable.source_habits import SourcePrior
from falter.generation.authoring.perturbing import (
    DescribedSlot,
    described_slots,
    is_plain,
    slot_answers,
    with_description,
)
from falter.generation.english import Parse, default_grammar
from falter.generation.english.question_reader import question_reader
from falter.generation.scene import AttributeOf, ObjectDescription, Query, Scene, SceneGraph, SideOf
from falter.generation.sources.gqa import GqaScenes, GqaSource
from falter.suites.contrast_sets import question_tests
from falter.suites.contrast_sets.originals import OriginalWriter
from falter.world.write_world import write_world

pytestmark = pytest.mark.bundle("contrast-sets")

REAL_GRAPHS = Path(__file__).parents[3] / "../shared/data/gqa/scene_graphs.json"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> GqaSource:
    folder = tmp_path_factory.mktemp("answers") / "world"
    write_world(folder, scenes=40, seed=4, images=False)
    source = open_source(f"gqa:{folder / 'train'}")
    assert isinstance(source, GqaSource)
    return source


def candidates(place: DescribedSlot, things: SceneThings) -> list[ObjectDescription]:
    """All that can be named where the noun is definite, else every kind in both numbers."""
    if place.description.definite:
        return [one.description for one in things.references]
    return [*things.kinds_in("singular"), *things.kinds_in("plural")]


def kept(parse: Parse, place: DescribedSlot, new: ObjectDescription) -> ObjectDescription:
    """A bare kind with what the question relates to it."""
    old = place.description
    return new if old.definite else ObjectDescription(new.kind, relation=old.relation, number=new.number)


def incomplete(graph: SceneGraph) -> SceneGraph:
    """The same scene where annotators named what they saw, and a coat tells of its wearer."""
    return SceneGraph(
        image_id=graph.image_id,
        width=graph.width,
        height=graph.height,
        objects=graph.objects,
        complete=frozenset({"referents"}),
    )


class Compared:
    """Answers without queries, held against those of the queries, and counted."""

    def __init__(self) -> None:
        self.seen: Counter[tuple[str, str | None]] = Counter()
        self.shapes: Counter[tuple[str, str, int]] = Counter()

    def compare(self, things: SceneThings, texts: Iterable[str]) -> None:
        """Compare all that may take the place of a noun in the questions about a scene."""
        for text in texts:
            parse = question_reader().read(text)
            tests = () if parse is None else question_tests.tests_for(parse, things.ontology)
            if parse is None or not set(tests) & set(question_tests.TESTS):
                continue
            for place in described_slots(parse):
                answers = slot_answers(parse, place, things)
                if answers is None or not (place.description.definite or not place.description.attributes):
                    continue
                self.shapes[tests[0], place.slot, place.depth] += 1
                for new in candidates(place, things):
                    query: Query = with_description(parse, place, kept(parse, place, new)).meaning
                    answer = answers.answer(new)
                    assert answer == query.answer(things.scene), (things.scene.graph.image_id, text, new.describe())
                    assert answers.always in (None, answer)
                    self.seen[tests[0], answer] += 1


@pytest.mark.parametrize("is_complete", [True, False])
def test_the_answers_are_those_of_the_queries(world: GqaSource, is_complete: bool) -> None:
    ontology, compared = default_grammar().ontology, Compared()
    prior = SourcePrior(world.scenes(), ontology)
    by_image: dict[str, list[str]] = {}
    for question in world.questions():
        by_image.setdefault(question.image_id, []).append(question.text)
    for image, texts in by_image.items():
        graph = world.scene(image)
        assert graph is not None
        scene = Scene(graph if is_complete else incomplete(graph), ontology)
        compared.compare(SceneThings(scene, ontology, prior), texts)
    wanted = {"side", "color", "near", "or", "relation-object"} if is_complete else {"side", "color", "or"}
    assert {test for test, *_ in compared.shapes} >= wanted
    seen = compared.seen
    for test in ("near", "or", "relation-object") if is_complete else ("or",):
        assert seen[test, "yes"] and seen[test, "no"]
    assert seen["side", "left"] and seen["side", "right"]
    assert any(answer is None for _, answer in seen)


@pytest.mark.real
@pytest.mark.skipif(not REAL_GRAPHS.is_file(), reason="needs ../shared/data/gqa beside the checkout")
def test_answers_and_names_on_real_graphs_are_those_of_the_queries() -> None:
    ontology, compared = default_grammar().ontology, Compared()
    source = open_source(f"gqa:graphs={REAL_GRAPHS},complete=referents")
    assert isinstance(source, GqaScenes)
    prior, writer = SourcePrior(source.scenes(), ontology), OriginalWriter(question_reader(), 0)
    for graph in source.scenes():
        things = SceneThings(Scene(graph, ontology), ontology, prior)
        compared.compare(things, [one.text for one in writer.write(things, list(question_tests.TESTS))])
        for complete in (frozenset[str](), graph.complete):
            things = SceneThings(Scene(replace(graph, complete=complete), ontology), ontology, prior)
            assert {one.description for one in things.references} == named_by_queries(things), graph.image_id
    assert compared.seen["or", "yes"] and compared.seen["or", "no"] and compared.seen["side", "left"]


def named_by_queries(things: SceneThings) -> set[ObjectDescription]:
    """All that "the ..." picks out with a noun of the annotation, alone or with one attribute."""
    scene, found = things.scene, set()
    for thing in scene.objects:
        bare = named(thing.name, things.ontology)
        if bare is None:
            continue
        one = replace(bare, definite=True)
        if scene.resolve(one) == (thing,):
            found.add(one)
            continue
        for value in values_to_say(thing, one.kind, things.ontology):
            narrower = replace(one, attributes=(value,))
            if scene.resolve(narrower) == (thing,):
                found.add(narrower)
                break
        several = replace(one, number="plural")
        if one.number == "singular" and not scene.may_be_unannotated(one.kind) and scene.resolve(several):
            found.add(several)
    return found


@pytest.mark.parametrize("is_complete", [True, False])
def test_what_can_be_named_is_what_queries_pick_out(world: GqaSource, is_complete: bool) -> None:
    ontology = default_grammar().ontology
    prior = SourcePrior(world.scenes(), ontology)
    attributed = 0
    for graph in world.scenes():
        things = SceneThings(Scene(graph if is_complete else incomplete(graph), ontology), ontology, prior)
        found = {one.description for one in things.references}
        assert found == named_by_queries(things), graph.image_id
        attributed += sum(bool(one.attributes) for one in found)
        for kind, described, side in things.sides:
            assert (kind, side) == (described.kind, SideOf(described).answer(things.scene))
        for _, described, color in things.colors:
            assert color == AttributeOf(described, ("color",)).answer(things.scene)
    assert attributed > 20


def test_a_plain_description_names_a_kind_alone() -> None:
    assert is_plain(ObjectDescription("dog", number="plural", definite=True))
    assert not is_plain(ObjectDescription("dog", ("brown",)))
    assert not is_plain(ObjectDescription("dog", side="left"))
