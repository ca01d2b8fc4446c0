"""Counting images, writing the counts and reading them again; what the table of the package says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.generation.cooccurrence import ImageCounts, Mentions, Plausibility, half_of, load_table, write_table
from falter.generation.english import default_grammar

_KINDS = st.frozensets(st.sampled_from(["cat", "dog", "sofa", "oven", "sheep"]))


def _images(*images: set[str]) -> ImageCounts:
    counts = ImageCounts()
    for kinds in images:
        counts.add([Mentions(frozenset(kinds), frozenset(), frozenset())])
    return counts


def test_an_image_counts_once_for_all_that_is_said_of_it() -> None:
    counts = ImageCounts()
    said = Mentions(frozenset({"dog", "sofa"}), frozenset({("dog", "brown")}), frozenset({("dog", "on", "sofa")}))
    counts.add([said, said, Mentions(frozenset({"cat"}), frozenset(), frozenset())])
    assert counts.images == 1
    assert counts.kinds == {"dog": 1, "sofa": 1, "cat": 1}
    assert counts.together("sofa", "dog") == counts.together("dog", "sofa") == counts.together("cat", "sofa") == 1
    assert counts.attributes == {("dog", "brown"): 1}
    assert counts.relations == {("dog", "on", "sofa"): 1}


@settings(max_examples=25, deadline=None)
@given(first=st.lists(_KINDS, max_size=6), second=st.lists(_KINDS, max_size=6))
def test_counts_add_up(first: list[frozenset[str]], second: list[frozenset[str]]) -> None:
    both = _images(*map(set, (*first, *second)))
    total = _images(*map(set, first)).plus(_images(*map(set, second)))
    assert list(total.rows()) == list(both.rows())
    columns = (np.array(column, dtype=object) for column in zip(*both.rows(), strict=True))
    assert list(ImageCounts.from_columns(*columns).rows()) == list(both.rows())


def test_both_halves_come_back_from_the_file(tmp_path: Path) -> None:
    draw, check = _images({"cat", "dog"}, {"cat"}), _images({"dog", "oven"})
    write_table(draw, check, tmp_path / "counts.parquet")
    table = load_table(tmp_path / "counts.parquet")
    assert list(table.draw.rows()) == list(draw.rows())
    assert list(table.check.rows()) == list(check.rows())


def test_halves_are_even_and_steady() -> None:
    halves = [half_of(f"image {number}") for number in range(1000)]
    assert 450 < sum(halves) < 550
    assert halves[:8] == [half_of(f"image {number}") for number in range(8)]


def test_the_table_of_the_package_knows_what_goes_together() -> None:
    ontology = default_grammar().ontology
    table = load_table()
    for counts in (table.draw, table.check):
        plausibility = Plausibility(counts, ontology)
        assert plausibility.of_kind("oven", ["refrigerator", "counter"]) > 1
        assert plausibility.of_kind("oven", ["surfboard", "ocean"]) < 0
        assert plausibility.of_kind("giraffe", ["pizza"]) < plausibility.of_kind("giraffe", ["zebra"])
        assert plausibility.of_attribute("sky", "cloudy") > 1 > plausibility.of_attribute("cat", "cloudy")
        likely = plausibility.most_plausible(
            ["sink", "toilet"], lambda kind: kind not in ("sink", "toilet"), least=5, most=5
        )
        assert {"bathroom", "bathtub"} & set(likely)


def test_a_kind_that_was_never_counted_is_neither_plausible_nor_not() -> None:
    plausibility = Plausibility(_images({"cat", "dog"}), default_grammar().ontology)
    assert plausibility.of_kind("sheep", ["cat"]) == 0
    assert plausibility.of_kind("cat", []) == 0


def test_two_kinds_are_as_plausible_together_as_one_beside_the_other() -> None:
    plausibility = Plausibility(load_table().check, default_grammar().ontology)
    for first, second in (("oven", "sink"), ("surfboard", "oven"), ("dog", "animal"), ("dog", "dog")):
        assert plausibility.of_two(first, second) == plausibility.of_kind(first, [second])
    assert plausibility.of_two("dog", "animal") == 0
