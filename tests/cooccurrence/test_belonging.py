"""Which kinds belong where others are."""

from __future__ import annotations

import pytest

from falter.generation.askable.belonging import ABSENCE, OFFER, Belonging
from falter.generation.cooccurrence import ImageCounts, Mentions, Plausibility, load_table
from falter.generation.english import default_grammar

ONTOLOGY = default_grammar().ontology


@pytest.fixture(scope="module")
def belonging() -> Belonging:
    """By the half of the package's table that questions are drawn by."""
    return Belonging(Plausibility(load_table().draw, ONTOLOGY), ONTOLOGY)


@pytest.mark.parametrize(
    ("here", "may", "may_not"),
    [
        (["zebra"], ["giraffe"], ["toaster", "dog", "skateboard"]),
        (["toilet", "sink"], ["mirror"], ["surfboard", "dog", "bus"]),
        (["car", "traffic light", "truck"], ["bus"], ["airplane", "boat", "sofa", "fire hydrant"]),
        (["oven", "refrigerator"], ["sink"], ["ball", "baseball", "tie"]),
        (["person", "ski", "snow"], ["mountain"], ["skateboard", "baseball bat", "video game"]),
        (["train"], ["car"], ["remote control", "apple", "toaster"]),
    ],
)
def test_what_belongs_and_what_does_not(
    belonging: Belonging, here: list[str], may: list[str], may_not: list[str]
) -> None:
    found = set(belonging.belonging(here))
    assert found >= set(may)
    assert not found & set(may_not)


def test_an_image_that_tells_nothing_has_nothing_that_belongs(belonging: Belonging) -> None:
    assert belonging.belonging([]) == {}
    assert "chair" not in belonging.belonging(["clock"])


def test_people_and_what_they_wear_tell_nothing_of_the_place(belonging: Belonging) -> None:
    assert belonging.belonging(["man", "hat", "glasses", "backpack", "umbrella"]) == {}
    kitchen = ["oven", "sink"]
    assert belonging.belonging(kitchen) == belonging.belonging([*kitchen, "hat", "wall"])


def test_what_is_rare_or_not_with_people_is_not_asked_for(belonging: Belonging) -> None:
    # Toasters go with ovens, and hardly an image has one; cats are where nobody else is.
    assert "toaster" not in belonging.belonging(["oven", "sink"])
    assert "cat" in belonging.belonging(["sofa", "laptop"])
    assert "cat" not in belonging.belonging(["sofa", "laptop", "woman"])


def test_what_is_annotated_may_be_far_from_home(belonging: Belonging) -> None:
    bathroom = ["sink", "bathroom", "mirror", "toothbrush"]
    assert belonging.of_kind("monkey", bathroom) < -1.2 < belonging.of_kind("towel", bathroom)
    assert belonging.of_kind("monkey", ["sink"]) == 0.0


def test_what_could_be_instead_need_not_belong_as_much(belonging: Belonging) -> None:
    street = ["car", "traffic light", "truck"]
    offered, asked = set(belonging.belonging(street, OFFER)), set(belonging.belonging(street, ABSENCE))
    assert offered > asked
    assert not offered & {"airplane", "boat"}


def test_a_rare_kind_belongs_where_its_like_does() -> None:
    """A toaster was counted with a microwave once, and never with a stove or a zebra."""
    counts = ImageCounts()
    kitchen, field = {"oven", "stove", "microwave", "sink"}, {"zebra", "grass", "giraffe", "tree"}
    for kinds in (kitchen, field):
        for number in range(60):
            counts.add([Mentions(frozenset(kinds - {sorted(kinds)[number % 4]}), frozenset(), frozenset())])
    counts.add([Mentions(frozenset({"toaster", "microwave", "oven"}), frozenset(), frozenset())])
    few = Belonging(Plausibility(counts, ONTOLOGY), ONTOLOGY)
    assert few.lift("toaster", "oven") > 0 > few.lift("toaster", "zebra")
    # Neither was seen with it, and chance alone tells nothing of so rare a kind.
    assert few.lift("toaster", "stove") > few.lift("toaster", "zebra") + 1


def test_kinds_of_one_sort_are_no_company_by_being_alike(belonging: Belonging) -> None:
    assert belonging.lift("ski", "snowboard") > 1
    assert belonging.lift("ski", "skateboard") < 0
    assert belonging.lift("racket", "baseball mitt") < 0


def test_what_people_do_depends_on_where_they_are(belonging: Belonging) -> None:
    assert belonging.of_value("swimming", ["ocean", "beach"]) > 0 > belonging.of_value("swimming", ["kitchen", "oven"])
    assert belonging.of_value("cooking", ["kitchen", "oven"]) > 0 > belonging.of_value("cooking", ["field", "grass"])


def test_kinds_are_alike_that_are_found_in_such_surroundings(belonging: Belonging) -> None:
    assert belonging.likeness("car", "bus") > 0.4 > 0.2 > belonging.likeness("boat", "bicycle")
    assert belonging.likeness("dog", "cat") > 0.2 > belonging.likeness("airplane", "truck")


def test_people_may_be_nearly_anywhere(belonging: Belonging) -> None:
    assert "person" in belonging.usual(["road", "building", "tree"])
    assert "skateboard" not in belonging.usual(["road", "building", "tree"])
