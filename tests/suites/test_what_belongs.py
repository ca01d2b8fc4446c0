"""What is asked for and what is offered belongs in the image."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from falter.generation.askable.source_habits import SourceHabits
from falter.generation.english import default_grammar
from falter.generation.scene import Box, ObjectDescription, Scene, SceneGraph, SceneObject
from falter.suites.carets.questions import QUESTION_TYPES, SceneInputs
from falter.suites.carets.questions.protocol import ChoiceCandidate
from tests.suites.test_plausible import graph

GRAMMAR = default_grammar()
ONTOLOGY = GRAMMAR.ontology
SEEDS = range(10)
# fmt: off
CATEGORIES = frozenset((
    "airplane", "apple", "backpack", "banana", "bed", "bench", "bicycle", "boat", "bottle", "bus", "car", "cat",
    "chair", "clock", "cow", "cup", "dog", "elephant", "fork", "frisbee", "giraffe", "handbag", "horse", "knife",
    "microwave", "motorcycle", "orange", "oven", "person", "refrigerator", "sheep", "sink", "skateboard", "ski",
    "snowboard", "sofa", "spoon", "surfboard", "tie", "toaster", "toilet", "train", "truck", "zebra",
    "fire hydrant", "remote control", "teddy bear", "traffic light",
))
# fmt: on


def inputs(
    here: SceneGraph, *others: SceneGraph, categories: frozenset[str] | None = None, seed: int = 0
) -> SceneInputs:
    if categories is not None:
        here = msgspec.structs.replace(here, categories=categories)
    return SceneInputs(Scene(here, ONTOLOGY), GRAMMAR, SourceHabits([here, *others], ONTOLOGY, categories), seed)


def denied(here: SceneGraph, *others: SceneGraph, categories: frozenset[str] | None = CATEGORIES) -> set[str]:
    """The kinds that are asked for and absent, over some seeds."""
    return {
        one.kind
        for seed in SEEDS
        for one in inputs(here, *others, categories=categories, seed=seed).things("single", "no")
    }


def complete(place: str, *names: str) -> SceneGraph:
    """A scene of a place whose annotation leaves nothing out."""
    here = graph("-".join((place, *names)), *((name, ()) for name in names))
    return msgspec.structs.replace(here, location=place, complete=frozenset({"objects"}))


def test_a_zebra_has_no_toaster_beside_it_and_a_poor_image_gives_nothing() -> None:
    assert denied(graph("1", ("zebra", ()), ("zebra", ()))) == {"giraffe"}
    assert denied(graph("1", ("clock", ()))) == set()


def test_a_fixture_is_asked_for_where_its_room_is() -> None:
    meal = graph("1", ("fork", ()), ("knife", ()), ("cup", ()), ("pizza", ()))
    kitchen = graph("1", ("sink", ()), ("refrigerator", ()), ("cabinet", ()))
    assert not denied(meal) & {"oven", "refrigerator", "microwave", "sink"}
    assert denied(kitchen) & {"oven", "microwave"}


def test_toys_and_what_is_called_like_a_color_are_not_asked_for() -> None:
    assert not denied(graph("1", ("bed", ()), ("cat", ())), categories=CATEGORIES) & {"teddy bear"}
    assert "orange" not in denied(graph("1", ("train", ())))


def test_in_a_drawn_place_is_asked_for_what_such_places_have() -> None:
    kitchen = complete("kitchen", "table", "cup", "broom")
    others = [complete("kitchen", "table", "ladder", kind) for kind in ("apple", "banana", "bowl", "bottle")]
    garden = complete("garden", "rabbit", "flower", "sofa")
    # One of them is not complete: something in it may show an image.
    open_one = msgspec.structs.replace(complete("kitchen", "television"), complete=frozenset())
    found = denied(kitchen, *others, garden, open_one, categories=None)
    assert {"ladder", "apple", "banana", "bowl", "bottle"} <= found
    assert not found & {"rabbit", "flower", "sofa", "oven", "refrigerator"}


@pytest.mark.parametrize(
    ("here", "offered"),
    [
        (("car", "truck", "traffic light"), {"bus", "motorcycle", "bicycle", "train"}),
        (("boat", "person"), set()),
        (("cat", "sofa", "bed"), {"dog"}),
    ],
)
def test_kinds_are_offered_that_could_be_in_the_image(here: tuple[str, ...], offered: set[str]) -> None:
    made = inputs(graph("1", *((name, ()) for name in here)), categories=CATEGORIES)
    asked = [
        one
        for form in ("single", "related")
        for cell in QUESTION_TYPES.get("object_choice")().candidates(made, form, Random(0)).values()
        for one in cell
        if isinstance(one, ChoiceCandidate)
    ]
    assert {other for one in asked for other in one.others} - set(here) <= offered
    assert bool(asked) == bool(offered)


def test_two_things_in_one_question_go_together() -> None:
    made = inputs(graph("1", ("motorcycle", ()), ("car", ())), categories=CATEGORIES)
    together = made.habits.pairs.go_together
    for name in ("conjunctive_verification", "disjunctive_verification"):
        cells = QUESTION_TYPES.get(name)().candidates(made, "single", Random(0))
        assert cells["TF"]
        for one in cells["TF"]:
            x, y = one.slots["x"], one.slots["y"]
            assert isinstance(x, ObjectDescription) and isinstance(y, ObjectDescription)
            assert together(x.kind, y.kind, None)
    assert not together("surfboard", "toilet", None)


@pytest.mark.parametrize(
    ("first", "second", "real", "drawn"),
    [
        ("airplane", "broom", False, False),
        ("scarf", "cat", False, False),
        ("frisbee", "dog", True, False),
        ("window", "zebra", False, False),
        ("bus", "woman", False, True),
        ("handbag", "woman", True, False),
        ("truck", "bus", True, True),
        ("sofa", "mirror", True, True),
        ("tower", "backpack", False, False),
    ],
)
def test_two_things_are_named_that_people_name_in_one_breath(first: str, second: str, real: bool, drawn: bool) -> None:
    counts = SourceHabits([graph("1", ("dog", ()))], ONTOLOGY)
    world = SourceHabits([complete("park", "dog")], ONTOLOGY)
    assert counts.pairs.are_of_one_sort(first, second) is real
    assert world.pairs.are_of_one_sort(first, second) is drawn


@pytest.mark.parametrize(
    ("first", "second", "chosen_between"),
    [
        ("car", "truck", True),
        ("cow", "sheep", True),
        ("oven", "sink", True),
        ("knife", "spoon", True),
        ("knife", "cup", False),
        ("pan", "glass", False),
        ("chair", "oven", False),
        ("person", "refrigerator", False),
        ("laptop", "apple", False),
        ("airplane", "truck", False),
    ],
)
def test_people_choose_between_things_of_one_sort(first: str, second: str, chosen_between: bool) -> None:
    counts = SourceHabits([graph("1", ("dog", ()))], ONTOLOGY)
    assert counts.pairs.are_alternatives(first, second) is chosen_between
    assert counts.pairs.are_alternatives(second, first) is chosen_between


def test_both_things_of_a_disjunction_are_never_there() -> None:
    made = inputs(graph("1", ("car", ()), ("truck", ())), categories=CATEGORIES)
    cells = QUESTION_TYPES.get("disjunctive_verification")().candidates(made, "single", Random(0))
    assert set(cells) == {"TF", "FT", "FF"}
    assert cells["TF"] and cells["FF"]


def test_a_disjunction_is_of_a_sort_that_an_image_has_yes_and_no_for() -> None:
    # No two absent animals are asked for beside the dog; cars and trucks are there for both answers.
    made = inputs(graph("1", ("dog", ()), ("motorcycle", ())), categories=CATEGORIES)
    cells = QUESTION_TYPES.get("disjunctive_verification")().candidates(made, "single", Random(0))
    asked = {cell: {str(one.slots["x"].kind) for one in found} for cell, found in cells.items()}  # type: ignore[union-attr]
    assert asked["FF"] >= {"car", "truck"} and asked["TF"] == {"motorcycle"}
    assert "cat" not in asked["FT"]


def test_what_is_like_something_there_is_asked_for() -> None:
    assert denied(graph("1", ("cow", ()), ("cow", ())), categories=CATEGORIES) >= {"horse", "sheep"}
    # One that is alone, on a beach or in a street, makes no other likely.
    assert not denied(graph("1", ("cow", ())), categories=CATEGORIES) & {"horse", "sheep"}
    assert "bathtub" not in denied(graph("1", ("oven", ()), ("sink", ()), ("refrigerator", ())))
    assert "baseball bat" not in denied(graph("1", ("racket", ()), ("chair", ())), categories=CATEGORIES)


def test_vehicles_are_those_of_the_way_that_is_there() -> None:
    street = graph("1", ("car", ()), ("truck", ()), ("traffic light", ()))
    station = graph("1", ("train", ()), ("train", ()))
    assert denied(street) & {"bus", "bicycle", "motorcycle"}
    assert not denied(street) & {"train", "boat", "airplane"}
    assert not denied(station) & {"car", "bus", "truck"}


def test_two_things_are_named_plainly_or_by_what_both_have() -> None:
    question = QUESTION_TYPES.get("conjunctive_verification")()
    things = (("fence", ("brown",)), ("horse", ("white",)), ("cow", ("white",)), ("sheep", ("black",)))
    made = inputs(graph("1", *things))
    found = [one for seed in SEEDS for one in question.candidates(made, "single", Random(seed))["TT"]]
    named = {tuple(sorted(one.slots[slot].describe() for slot in "xy")) for one in found}  # type: ignore[union-attr]
    assert named >= {("white cow", "white horse"), ("cow", "horse"), ("fence", "horse")}
    assert not any("fence" in one and len(" ".join((one, other)).split()) > 2 for one, other in named) and not named & {
        ("black sheep", "white horse"),
        ("horse", "white cow"),
    }


def test_drawn_things_are_asked_for_by_colors_that_people_see_them_in() -> None:
    drawn = SourceHabits([complete("park", "dog")], ONTOLOGY)
    assert drawn.looks.is_asked_for("red", "truck") and drawn.looks.is_asked_for("metal", "truck")
    assert not drawn.looks.is_asked_for("purple", "truck")
    # Little is said of towers; what is said of buildings tells.
    assert not drawn.looks.is_asked_for("purple", "tower")
    assert SourceHabits([graph("1", ("dog", ()))], ONTOLOGY).looks.is_asked_for("purple", "truck")


def test_drawn_things_are_asked_for_by_materials_that_are_known_of_them() -> None:
    drawn = SourceHabits([complete("park", "dog")], ONTOLOGY)
    assert drawn.looks.is_asked_for("wood", "ladder") and drawn.looks.is_asked_for("metal", "ladder")
    assert not drawn.looks.is_asked_for("plastic", "ladder")
    # Of watering cans no material is known.
    assert drawn.looks.is_asked_for("plastic", "watering can")
    assert SourceHabits([graph("1", ("dog", ()))], ONTOLOGY).looks.is_asked_for("plastic", "ladder")


def test_what_is_mostly_of_metal_has_colors_of_metal() -> None:
    values = inputs(graph("1", ("spoon", ("silver",)))).habits.values
    assert values.takes("spoon", "silver") and values.takes("spoon", "black")
    assert not values.takes("spoon", "orange")


def test_how_usual_a_question_is_weighs_against_the_answer() -> None:
    made = inputs(graph("1", ("car", ()), ("truck", ()), ("traffic light", ())))
    yes, no = (made.levels("single", answer, ("bus",)) for answer in ("yes", "no"))
    assert [weight for weight, _ in yes] == [-weight for weight, _ in no]
    elephant = made.levels("single", "yes", ("elephant",))
    assert yes[1][0] > elephant[1][0]  # a bus is more plausible in a street
    # What the question names is not there for whoever guesses.
    assert made.levels("two", "yes", ("car", "truck"))[1] == made.levels("two", "yes", ("truck", "car"))[1]


def test_in_a_close_up_nothing_else_is_looked_for() -> None:
    far = graph("1", ("refrigerator", ()))
    thing = msgspec.structs.replace(far.objects["0"], box=Box(0, 0, 96, 96))
    near = msgspec.structs.replace(far, objects={"0": thing})
    assert denied(far, categories=CATEGORIES) >= {"sink", "oven"}
    assert denied(near, categories=CATEGORIES) <= {"person"}


def placed(image: str, *things: tuple[str, Box]) -> SceneGraph:
    """Things where they are in an image of 100 by 100."""
    here = graph(image, *((name, ()) for name, _ in things))
    objects = {key: msgspec.structs.replace(here.objects[key], box=things[int(key)][1]) for key in here.objects}
    return msgspec.structs.replace(here, width=100, height=100, objects=objects)


NEAR, FAR = Box(10, 10, 60, 60), Box(10, 10, 9, 9)


@pytest.mark.parametrize(
    ("things", "asked"),
    [
        ((("scissors", NEAR),), False),
        ((("carrot", NEAR), ("dining table", NEAR)), False),
        ((("bowl", Box(0, 0, 90, 60)), ("dog", FAR)), False),
        ((("bed", Box(0, 0, 95, 95)),), False),
        ((("clock", FAR),), True),
        ((("bowl", NEAR), ("chair", FAR)), True),
        ((("bench", NEAR),), True),
    ],
)
def test_nobody_looks_for_people_in_a_still_life_or_a_close_up(
    things: tuple[tuple[str, Box], ...], asked: bool
) -> None:
    people = [graph(str(number), ("person", ()), ("chair", ())) for number in range(2, 5)]
    here = inputs(placed("1", *things), *people, categories=CATEGORIES)
    assert ("person" in here.surroundings.absent_people) == asked


def test_a_ridden_animal_makes_no_other_likely() -> None:
    horses = (("horse", Box(10, 40, 40, 40)), ("horse", Box(55, 40, 40, 40)))
    riders, walkers = ("person", Box(25, 20, 15, 40)), ("person", Box(25, 30, 15, 55))
    assert "sheep" in denied(placed("1", *horses, walkers))
    assert "sheep" not in denied(placed("1", *horses, riders))


def test_nobody_asks_for_the_color_that_all_of_a_kind_have() -> None:
    colors = ("red", "white", "blue", "yellow", "red", "black")
    scenes = [
        msgspec.structs.replace(
            graph(f"{number}", ("truck", ("red",)), ("bus", (color,)), ("car", (color,))),
            location="park",
            complete=frozenset({"objects"}),
        )
        for number, color in enumerate(colors)
    ]
    cells = QUESTION_TYPES.get("attribute_choice")().candidates(inputs(*scenes), "single", Random(0))
    asked = {one.slots["x"] for cell in cells.values() for one in cell}
    assert asked == {ObjectDescription(kind, definite=True) for kind in ("bus", "car")}


def test_whether_people_choose_between_two_things_weighs_against_the_answer() -> None:
    street = inputs(graph("1", ("car", ()), ("bus", ()), ("stop sign", ())))
    car, bus, sign = (ObjectDescription(kind) for kind in ("car", "bus", "stop sign"))
    alike, others = (set(street.blind_pair_features(car, one)) for one in (bus, sign))
    assert "=alike:1" in alike - others and "=alike:0" in others - alike


def test_clothes_need_a_wearer_and_refrigerators_a_kitchen() -> None:
    dressed = graph("1", ("woman", (), ("wearing", 1)), ("dress", ()))
    surroundings = inputs(graph("2", ("man", ())), dressed).surroundings
    assert not surroundings._has_wearer_for("dress")
    assert inputs(graph("2", ("woman", ())), dressed).surroundings._has_wearer_for("dress")
    shop = graph("1", ("refrigerator", ()), ("refrigerator", ()), ("refrigerator", ()), ("bottle", ()))
    assert not denied(shop) & {"oven", "microwave", "sink"}


def test_parts_of_what_is_there_are_not_asked_for() -> None:
    street = inputs(graph("1", ("car", ()), ("wheel", ()), ("roof", ()), ("building", ())))
    assert street.surroundings.is_part_of_another("wheel")
    assert not street.surroundings.is_part_of_another("roof")


def test_no_word_that_says_little_is_named() -> None:
    table = inputs(graph("1", ("food", ("green",)), ("meat", ()), ("hand", ("large",)), ("apple", ("green",))))
    assert {one.kind for one in table.things("single", "yes")} <= {"apple", "fruit"}


def test_wider_words_are_those_that_people_say() -> None:
    words = inputs(graph("1", ("dog", ()))).habits.wider_words
    assert all(words.is_said(one) for one in ("animal", "person", "vehicle", "fruit", "bird", "bag", "adult", "food"))
    vague = ("accessory", "device", "container", "furniture", "clothing", "sporting equipment", "appliance", "toy")
    assert not any(words.is_said(one) for one in vague)


def test_a_boat_is_called_no_vehicle() -> None:
    words = inputs(graph("1", ("dog", ()))).habits.wider_words
    assert words.is_said_of("bus", "vehicle") and words.is_said_of("cat", "animal")
    assert not any(words.is_said_of(one, "vehicle") for one in ("boat", "sailboat", "train", "airplane"))
    here = graph("1", ("boat", ("white",)), ("dog", ()), ("sand", ()))
    assert "vehicle" not in {
        one.slots[slot].kind  # type: ignore[union-attr]
        for seed in SEEDS
        for cell in QUESTION_TYPES.get("ontology_verification")()
        .candidates(inputs(here, seed=seed), "single", Random(seed))
        .values()
        for one in cell
        for slot in ("x", "other")
    }


def test_a_flower_is_no_white_plant_for_the_ontology_test() -> None:
    here = graph("1", ("flower", ("white",)), ("grass", ()), ("dog", ("white",)))
    cells = QUESTION_TYPES.get("ontology_verification")().candidates(inputs(here), "single", Random(0))
    wider = {
        (one.kind, one.attributes)
        for made in cells["yes"]
        for one in made.slots.values()
        if isinstance(one, ObjectDescription)
    }
    assert ("animal", ("white",)) in wider
    assert ("plant", ("white",)) not in wider


def test_a_doing_that_needs_an_object_is_offered_of_nobody_who_is_not_said_to_do_it() -> None:
    here = graph("1", ("man", ("walking",)), ("dog", ("running",)), ("grass", ()))
    rider = graph("2", ("woman", ("riding",)))
    values = inputs(here, rider).habits.values
    for kind in ("man", "dog"):
        assert not set(values.of_family("action", kind, Random(0))) & {"flying", "riding", "driving"}
    assert "riding" in values.of_family("action", "woman", Random(0))


def test_what_is_offered_of_an_action_suits_the_place() -> None:
    kitchen = graph("1", ("woman", ("walking",)), ("oven", ()), ("sink", ()), ("refrigerator", ()))
    surroundings = inputs(kitchen).surroundings
    assert surroundings.fits("cooking") and surroundings.fits("eating")
    assert not any(surroundings.fits(one) for one in ("swimming", "skiing", "surfing", "grazing"))


def test_people_are_denied_in_a_source_that_is_full_of_them() -> None:
    room = graph("1", ("bed", ()), ("chair", ()))
    people = [graph(str(number), ("person", ()), ("chair", ())) for number in range(2, 5)]
    assert "person" in denied(room, *people)
    assert "person" not in denied(room)


def test_nobody_is_looked_for_beside_something_by_what_they_do() -> None:
    boxes = {"bus": Box(160, 80, 180, 170), "person": Box(400, 150, 40, 110), "street": Box(0, 230, 500, 103)}
    objects = {name: SceneObject(id=name, name=name, box=box) for name, box in boxes.items()}
    here = SceneGraph(image_id="1", width=500, height=333, objects=objects)
    assert inputs(here).surroundings.could_be("passenger")
    question = QUESTION_TYPES.get("ontology_verification")()
    kinds = {
        one.slots[slot].kind  # type: ignore[union-attr]
        for seed in range(60)
        for cell in question.candidates(inputs(here, seed=seed), "related", Random(seed)).values()
        for one in cell
        for slot in ("x", "other")
    }
    assert "vehicle" in kinds
    assert not any(ONTOLOGY.kinds[kind].role for kind in kinds), kinds
