"""What a question is changed to: things that people would ask about there, joined and related as things are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from falter.data.sources import open_source
from falter.generation.askable.scene_things import SceneThings
from falter.generation.askable.source_habits import SourcePrior
from falter.generation.authoring.perturbing import Atom, QuestionRewriter
from falter.generation.english import default_grammar
from falter.generation.english.question_reader import question_reader
from falter.generation.scene import Number, ObjectDescription, Scene
from falter.generation.sources import HasScenes
from falter.suites.contrast_sets import question_tests
from falter.suites.contrast_sets.changes import turning_changes
from falter.suites.contrast_sets.image_sets import blind_features
from falter.suites.contrast_sets.originals import fits_bare
from tests.suites.made import write_graphs

pytestmark = pytest.mark.bundle("contrast-sets")

Box = tuple[int, int, int, int]
Look = Callable[..., SceneThings]
Relations = dict[str, list[tuple[str, str]]]


def graph(things: dict[str, tuple[str, Box, tuple[str, ...]]], relations: Relations | None = None) -> dict[str, Any]:
    """A graph 100 wide and high: by id the name, the box and the attributes."""
    related = relations or {}
    objects = {
        key: {
            "name": name,
            "x": box[0],
            "y": box[1],
            "w": box[2],
            "h": box[3],
            "attributes": list(attributes),
            "relations": [{"name": verb, "object": target} for verb, target in related.get(key, [])],
        }
        for key, (name, box, attributes) in things.items()
    }
    return {"width": 100, "height": 100, "objects": objects}


@pytest.fixture
def look(tmp_path: Any) -> Look:
    """What one scene offers, where all that "the" may mean is annotated."""

    def load(drawn: dict[str, Any], *others: dict[str, Any], complete: str = "referents") -> SceneThings:
        graphs = {str(number): one for number, one in enumerate((drawn, *others), start=1)}
        source = open_source(f"{write_graphs(tmp_path, graphs).replace(':', ':folder=')},complete={complete}")
        assert isinstance(source, HasScenes)
        ontology = default_grammar().ontology
        scene = source.scene("1")
        assert scene is not None
        return SceneThings(Scene(scene, ontology), ontology, SourcePrior(source.scenes(), ontology))

    return load


def variants(question: str, things: SceneThings, *atoms: Atom) -> dict[str, str]:
    """The texts of all variants, with their answers."""
    reader = question_reader()
    parse = reader.read(question)
    assert parse is not None
    gold = things.answer(parse.meaning)
    assert gold is not None
    rewriter = QuestionRewriter(reader)
    test = question_tests.tests_for(parse, things.ontology)[0]
    found = turning_changes(parse, gold, test, atoms or ("object",), things)
    written = {rewriter.write(question, parse, one.change): one.answer for one in found}
    return {text: answer for text, answer in written.items() if text is not None}


LEFT, RIGHT, MIDDLE = (5, 40, 20, 30), (75, 40, 20, 30), (42, 40, 16, 30)


def test_the_middle_has_no_side_and_several_have_none(look: Look) -> None:
    things = look(
        graph(
            {
                "1": ("dog", LEFT, ()),
                "2": ("chair", RIGHT, ()),
                "3": ("lamp", MIDDLE, ()),
                "4": ("bottle", (70, 5, 10, 20), ()),
                "5": ("bottle", (85, 5, 10, 20), ()),
                "6": ("clock", (70, 70, 10, 10), ()),
            }
        )
    )
    found = variants("On which side is the dog?", things)
    assert found == {
        "On which side is the chair?": "right",
        "On which side is the clock?": "right",
    }


def test_a_color_is_asked_of_one_thing_with_one_color(look: Look) -> None:
    things = look(
        graph(
            {
                "1": ("dog", LEFT, ("brown",)),
                "2": ("chair", RIGHT, ("red",)),
                "3": ("umbrella", MIDDLE, ("red", "white")),
                "4": ("cup", (70, 5, 10, 20), ("blue",)),
                "5": ("cup", (85, 5, 10, 20), ("green",)),
                "6": ("clock", (70, 70, 10, 10), ()),
                "7": ("cabinet", (20, 70, 10, 10), ("brown",)),
            }
        )
    )
    assert variants("What color is the dog?", things) == {"What color is the chair?": "red"}


def test_what_is_worn_is_known_to_be_worn_and_beside_nothing(look: Look) -> None:
    things = look(
        graph(
            {
                "1": ("man", LEFT, ()),
                "2": ("hat", (10, 35, 10, 8), ()),
                "3": ("skateboard", RIGHT, ()),
                "4": ("dog", (50, 60, 20, 20), ()),
            },
            {"1": [("wearing", "2"), ("to the left of", "3")], "3": [("to the right of", "1")]},
        ),
        graph(
            {
                "1": ("scarf", LEFT, ()),
                "2": ("backpack", RIGHT, ()),
                "3": ("bench", MIDDLE, ()),
                "4": ("ball", LEFT, ()),
            }
        ),
        complete="referents+objects+wearing",
    )
    worn = variants("Is the man wearing a hat?", things)
    assert worn
    assert set(worn.values()) == {"no"}
    assert not any("skateboard" in text or "dog" in text for text in worn)
    beside = variants("Is the man to the left of a skateboard?", things)
    assert beside
    assert not any(word in text for text in beside for word in ("hat", "scarf"))


def test_joined_nouns_have_one_number(look: Look) -> None:
    things = look(
        graph(
            {"1": ("table", LEFT, ()), "2": ("glasses", RIGHT, ()), "3": ("cup", MIDDLE, ()), "4": ("pants", LEFT, ())}
        )
    )
    singular = variants("Is there a cup or a fork?", things)
    assert singular
    assert not any(word in text for text in singular for word in ("glasses", "pants", "scissors"))
    plural = variants("Do you see glasses or forks?", things)
    assert plural
    assert not any(" or a" in text or " a " in text for text in plural)


def test_a_meal_is_not_asked_for_beside_what_it_consists_of(look: Look) -> None:
    things = look(
        graph({"1": ("meal", LEFT, ()), "2": ("plate", RIGHT, ()), "3": ("rice", MIDDLE, ()), "4": ("spoon", LEFT, ())})
    )
    found = variants("Is there any knife or box?", things)
    assert any("rice" in text for text in found)
    assert not any("meal" in text for text in found)


def test_a_kind_is_neither_wider_nor_narrower_than_what_is_there(
    look: Look,
) -> None:
    things = look(graph({"1": ("woman", LEFT, ()), "2": ("car", RIGHT, ()), "3": ("bench", MIDDLE, ())}))
    ontology = things.ontology
    reader = question_reader()
    parse = reader.read("Is there a car or a horse?")
    assert parse is not None
    changes = turning_changes(parse, "yes", "or", ("object",), things)
    assert changes
    for one in changes:
        before, after = one.change.names
        assert all(ontology.are_disjoint(after, kind) for kind in ("woman", "car", "bench", "horse", before))


def test_the_relation_is_among_what_a_reader_without_the_image_sees(
    look: Look,
) -> None:
    things = look(graph({"1": ("man", LEFT, ()), "2": ("hat", LEFT, ())}, {"1": [("wearing", "2")]}))
    parse = question_reader().read("Is the man wearing a hat?")
    assert parse is not None
    seen = blind_features(parse.meaning, things)
    assert {"wearing", "man wearing", "wearing hat", "the man", "a hat"} <= set(seen)


def seen_of(question: str, things: SceneThings) -> dict[str, list[int]]:
    """By scale the steps that a question reaches, of those that rise with how usual its things are."""
    parse = question_reader().read(question)
    assert parse is not None
    found: dict[str, list[int]] = {}
    for feature in blind_features(parse.meaning, things):
        scale, _, step = feature.partition(":")
        if scale in ("=rarest", "=usual", "=fit"):
            found.setdefault(scale, []).append(int(step))
    return found


def test_of_several_things_a_reader_sees_every_step_up_to_how_usual_they_are(look: Look) -> None:
    things = look(graph({"1": ("table", LEFT, ()), "2": ("straw", MIDDLE, ()), "3": ("chair", RIGHT, ())}))
    common, rare = (seen_of(text, things) for text in ("Is there a table or a chair?", "Is there a straw or a chair?"))
    for scale, steps in common.items():
        assert steps == list(range(steps[0], steps[0] + len(steps)))
        assert rare[scale][0] == steps[0]
    # The rarer of two is what tells; with single steps the two would have nothing in common.
    assert len(rare["=rarest"]) < len(common["=rarest"])
    assert set(rare["=rarest"]) < set(common["=rarest"])
    assert seen_of("Is there a table near the chair?", things) == {}


def test_what_is_seen_more_seldom_than_by_chance_beside_what_is_there_is_not_denied(look: Look) -> None:
    slope = (
        *("backpack", "glove", "goggles", "helmet", "jacket", "man", "mountain", "pants", "person", "pole", "ski"),
        *("ski lift", "skier", "sky", "snow", "snowboard", "tree"),
    )
    things = look(graph({str(place): (name, MIDDLE, ()) for place, name in enumerate(slope)}))
    assert {"flag", "fence"} <= set(things.absent)
    assert "traffic light" not in things.absent
    assert all(things.plausible(kind) >= 0 for kind in things.absent)


def test_an_absent_thing_fits_less_than_the_counts_say_that_it_is_chosen_by(look: Look) -> None:
    furniture = [("table", LEFT, ()), ("chair", MIDDLE, ())]
    without = look(graph({str(place): one for place, one in enumerate(furniture)}))
    # What is there adds nothing to how a kind fits but itself, which does not count.
    beside = look(graph({str(place): one for place, one in enumerate((*furniture, ("lamp", RIGHT, ())))}))
    assert without.plausible("lamp") == beside.plausible("lamp")
    texts = "Is there a lamp or a car?"
    absent, present = (len(seen_of(texts, things)["=fit"]) for things in (without, beside))
    # A car fits a little worse or better beside a lamp too.
    by_car = beside.plausible("car") - without.plausible("car")
    assert present - absent == pytest.approx(12 * (0.12 + by_car) / 2, abs=1)
    assert present > absent


@pytest.mark.parametrize(
    ("form", "number", "fits"),
    [
        ("Do you see any {bare x} or {bare y} there?", "singular", False),
        ("Do you see any {bare x} or {bare y} there?", "plural", True),
        ("Is there any {bare x} or {bare y}?", "singular", True),
        ("Is there either a {bare x} or {bare y}?", "singular", False),
        ("Do you see any {bare x} {r} {np y}?", "mass", True),
    ],
)
def test_any_before_one_thing_is_asked_with_is_there(form: str, number: Number, fits: bool) -> None:
    assert fits_bare(form, "x", ObjectDescription("dog", number=number)) is fits
