"""Answers without a query for each candidate are those of the queries: yes, no, and unknown."""

from __future__ import annotations

from collections import Counter

import pytest

from falter.authoring.perturbing import DescribedSlot, described_slots, with_description
from falter.authoring.scene_things import SceneThings, SourcePrior
from falter.authoring.slot_answers import is_plain, slot_answers
from falter.english import Parse, default_grammar
from falter.english.question_reader import question_reader
from falter.scene import ObjectDescription, Query, Scene, SceneGraph
from falter.sources import open_source
from falter.sources.gqa import GqaSource
from falter.suites.contrast_sets import question_tests
from falter.world import write_world

pytestmark = pytest.mark.bundle("contrast-sets")


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


@pytest.mark.parametrize("is_complete", [True, False])
def test_the_answers_are_those_of_the_queries(world: GqaSource, is_complete: bool) -> None:
    ontology, reader = default_grammar().ontology, question_reader()
    prior = SourcePrior(world.scenes(), ontology)
    seen: Counter[tuple[str, str | None]] = Counter()
    shapes: Counter[tuple[str, str, int]] = Counter()
    by_image: dict[str, list[str]] = {}
    for question in world.questions():
        by_image.setdefault(question.image_id, []).append(question.text)
    for image, texts in by_image.items():
        graph = world.scene(image)
        assert graph is not None
        scene = Scene(graph if is_complete else incomplete(graph), ontology)
        things = SceneThings(scene, ontology, prior)
        for text in texts:
            parse = reader.read(text)
            tests = () if parse is None else question_tests.tests_for(parse, ontology)
            if parse is None or not set(tests) & set(question_tests.TESTS):
                continue
            for place in described_slots(parse):
                answers = slot_answers(parse, place, things)
                if answers is None or not (place.description.definite or not place.description.attributes):
                    continue
                shapes[tests[0], place.slot, place.depth] += 1
                for new in candidates(place, things):
                    query: Query = with_description(parse, place, kept(parse, place, new)).meaning
                    assert answers.answer(new) == query.answer(scene), (image, text, new.describe())
                    seen[tests[0], answers.answer(new)] += 1
    wanted = {"side", "color", "near", "or", "relation-object"} if is_complete else {"side", "color", "or"}
    assert {test for test, *_ in shapes} >= wanted
    for test in ("near", "or", "relation-object") if is_complete else ("or",):
        assert seen[test, "yes"] and seen[test, "no"]
    assert seen["side", "left"] and seen["side", "right"]
    assert any(answer is None for _, answer in seen)


def test_a_plain_description_names_a_kind_alone() -> None:
    assert is_plain(ObjectDescription("dog", number="plural", definite=True))
    assert not is_plain(ObjectDescription("dog", ("brown",)))
    assert not is_plain(ObjectDescription("dog", side="left"))
