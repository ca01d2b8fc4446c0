"""What words mean for each other, over the whole vocabulary."""

from __future__ import annotations

from pathlib import Path

import pytest

from falter.generation.english import default_grammar, load_ontology

ONTOLOGY = default_grammar().ontology
NOTHING: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("name", "kind", "verdict"),
    [
        ("hot dog", "food", True),
        ("hot dog", "animal", False),
        ("hot dog", "dog", False),
        ("pineapple", "apple", False),
        ("watermelon", "water", False),
        ("eggplant", "egg", False),
        ("teddy bear", "toy", True),
        ("polar bear", "bear", True),
        ("bear", "polar bear", None),
        ("fire truck", "truck", True),
        ("truck", "car", False),
        ("horse", "dog", False),
        ("kitten", "cat", True),
        ("butterfly", "bug", True),
        ("man", "person", True),
        ("person", "man", None),
        ("man", "woman", False),
        ("men", "person", True),
        ("lady", "woman", True),
        ("boy", "child", True),
        ("boy", "girl", False),
        ("player", "person", True),
        ("player", "man", None),
        ("man", "player", None),
        ("player", "horse", False),
        ("pitcher", "person", None),
        ("pitcher", "container", None),
        ("bike", "bicycle", None),
    ],
)
def test_what_is_a_kind_of_what(name: str, kind: str, verdict: bool | None) -> None:
    assert ONTOLOGY.is_of_kind(name, kind) is verdict


@pytest.mark.parametrize(
    ("likeness", "kind"),
    [("teddy bear", "bear"), ("toy car", "car"), ("rubber duck", "duck"), ("stuffed animal", "animal")],
)
def test_likenesses_are_not_surely_the_real_thing(likeness: str, kind: str) -> None:
    assert not ONTOLOGY.is_a(likeness, kind)
    assert ONTOLOGY.is_of_kind(likeness, kind) is not True


@pytest.mark.parametrize(
    ("has", "value", "verdict"),
    [
        ("red", "green", False),
        ("red", "red", True),
        ("tan", "beige", None),
        ("beige", "tan", None),
        ("tan", "red", False),
        ("navy", "blue", True),
        ("navy", "black", None),
        ("navy", "red", False),
        ("light blue", "blue", True),
        ("light blue", "dark blue", False),
        ("black and white", "black", None),
        ("black and white", "red", False),
        ("gray", "silver", None),
        ("red", "wood", None),
        ("wood", "metal", False),
        ("large", "huge", None),
        ("large", "small", False),
        ("closed", "shut", None),
        ("open", "shut", False),
    ],
)
def test_which_attributes_leave_others_open(has: str, value: str, verdict: bool | None) -> None:
    assert ONTOLOGY.has_attribute((has,), value, NOTHING) is verdict


def test_two_words_of_an_exclusive_family_are_both_true_when_both_are_annotated() -> None:
    assert ONTOLOGY.has_attribute(("black", "white"), "white", NOTHING) is True
    assert ONTOLOGY.has_attribute(("black", "white"), "red", NOTHING) is False
    assert ONTOLOGY.has_attribute(("tan", "white"), "beige", NOTHING) is None


def test_a_complete_family_leaves_nothing_open() -> None:
    color = frozenset({"color"})
    assert ONTOLOGY.has_attribute((), "red", color) is False
    assert ONTOLOGY.has_attribute(("tan",), "beige", color) is False
    assert ONTOLOGY.has_attribute(("navy",), "blue", color) is True
    assert ONTOLOGY.has_attribute((), "wood", color) is None


@pytest.mark.parametrize("declared", [NOTHING, frozenset({"color", "tone"})])
def test_what_has_a_pattern_may_have_a_second_color(declared: frozenset[str]) -> None:
    assert ONTOLOGY.has_attribute(("red", "striped"), "white", declared) is None
    assert ONTOLOGY.has_attribute(("red", "striped"), "red", declared) is True
    assert ONTOLOGY.has_attribute(("navy", "checkered"), "blue", declared) is True
    assert ONTOLOGY.has_attribute(("white", "dotted"), "dark colored", declared) is None
    assert ONTOLOGY.has_attribute(("red", "plain"), "white", declared) is False
    assert ONTOLOGY.has_attribute(("wood", "striped"), "metal", declared) is False


def test_exclusion_and_overlap_go_both_ways_and_exclude_each_other() -> None:
    words = ONTOLOGY.attributes
    for family in ONTOLOGY.families.values():
        for first in family.values:
            for second in family.values:
                assert words.exclude(first, second) == words.exclude(second, first)
                assert words.overlap(first, second) == words.overlap(second, first)
                if second in words.antonyms(first):
                    assert words.exclude(first, second), (first, second)


@pytest.mark.parametrize(
    ("value", "opposites"),
    [
        ("short", {"tall", "long"}),
        ("old", {"young", "new"}),
        ("light", {"dark", "heavy"}),
        ("young", {"old"}),
        ("new", {"old"}),
    ],
)
def test_a_word_may_have_several_opposites(value: str, opposites: set[str]) -> None:
    assert set(ONTOLOGY.attributes.antonyms(value)) >= opposites
    for other in opposites:
        assert value in ONTOLOGY.attributes.antonyms(other)
        assert ONTOLOGY.has_attribute((other,), value, NOTHING) is False


def test_families_suit_kinds_and_their_members() -> None:
    assert ONTOLOGY.family_applies_to("color", "cup")
    assert not ONTOLOGY.family_applies_to("color", "man"), "nobody is asked what color a man is"
    assert ONTOLOGY.family_applies_to("mood", "man")
    assert not ONTOLOGY.family_applies_to("mood", "cup")
    assert ONTOLOGY.applies_to("red", "cup")
    assert not ONTOLOGY.applies_to("unheard of", "cup")


def test_every_family_and_relation_is_sound() -> None:
    known = set(ONTOLOGY.family_by_value)
    for name, family in ONTOLOGY.families.items():
        assert len(set(family.values)) == len(family.values), name
        for group in family.overlaps:
            assert set(group) <= set(family.values), (name, group)
        for pair in family.antonyms:
            assert set(pair) <= known, (name, pair)
    for name, record in ONTOLOGY.relations.items():
        assert not (record.symmetric and record.inverse), name


ADDED = """
families:
  color: {values: [teal blue], overlaps: [[teal blue, green]]}
  taste:
    label: taste
    values: [salty, bland, tart, zesty]
    applies_to: [food]
    not_applicable_to: [drink]
    overlaps: [[tart, zesty]]
    antonyms: [[salty, bland], [zesty, bland]]
  rumor: {values: [famed], askable: false}
implies: {zesty: [famed]}
attributive_only: [famed]
predicative_only: [zesty]
"""


def test_every_key_of_an_attribute_file_is_heard(tmp_path: Path) -> None:
    (tmp_path / "attributes-more.yaml").write_text(ADDED)
    (tmp_path / "kinds-more.yaml").write_text(
        "gizmo: {is: device, askable: false}\nwidget: {is: device, overlaps: [gizmo]}\ndoohickey: {is: widget}\n"
    )
    (tmp_path / "relations-more.yaml").write_text("eyeing: {class: action, askable: false, definite: false}\n")
    more = load_ontology([tmp_path])
    words = more.attributes
    assert words.overlap("teal blue", "green")
    assert words.exclude("teal blue", "red")
    assert more.families["color"].label == "color"
    assert more.family_applies_to("taste", "cake")
    assert not more.family_applies_to("taste", "coffee")
    assert more.has_attribute(("tart",), "zesty", NOTHING) is None
    assert more.has_attribute(("tart",), "salty", NOTHING) is False
    assert words.antonyms("bland") == ("salty", "zesty")
    assert more.has_attribute(("zesty",), "famed", NOTHING) is True
    assert more.families_by_label["taste"] == ["taste"]
    assert more.families["rumor"].label is None
    assert (more.families["taste"].askable, more.families["rumor"].askable) == (True, False)
    assert (words.is_attributive("famed"), words.is_predicative("famed")) == (True, False)
    assert (words.is_attributive("zesty"), words.is_predicative("zesty")) == (False, True)
    assert (words.is_attributive("tart"), words.is_predicative("tart")) == (True, True)
    assert (more.kinds["gizmo"].askable, more.kinds["widget"].askable) == (False, True)
    assert more.is_of_kind("doohickey", "gizmo") is None
    assert more.is_of_kind("doohickey", "cup") is False
    assert (more.relations["eyeing"].askable, more.relations["eyeing"].definite) == (False, False)


@pytest.mark.parametrize("part", ["wheel", "tire", "spoke", "window", "leaf", "nose", "sky", "dog"])
def test_wholes_are_whatever_has_such_a_part_or_a_part_with_it(part: str) -> None:
    """Looked for over all kinds again and again, until nothing is added."""
    having: set[str] = set()
    while True:
        parts = ONTOLOGY.ancestors(part).union(*(ONTOLOGY.ancestors(kind) for kind in having))
        found = {kind for kind, record in ONTOLOGY.kinds.items() if not parts.isdisjoint(record.parts)}
        if found == having:
            break
        having = found
    assert ONTOLOGY.possible_wholes(part) == NOTHING.union(*(ONTOLOGY.possible_kinds(kind) for kind in having))
