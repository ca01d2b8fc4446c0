"""Captions and foils of a suite: counts, distributions, and what length gives away."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from falter.data.suite import open_suite
from falter.generation.authoring.importer import import_suite, load_importer
from falter.generation.inspection.contents import inspect_suite
from falter.generation.inspection.foil_pairs import jensen_shannon
from tests.cli.commands import falter

from .test_import_valse import entry, release

ENTRIES = {
    "a": entry("two cats", "one cat", classes="cats", classes_foil="cat"),
    "b": entry("a dog", "many dogs", classes="dog", classes_foil="dogs"),
    "c": entry("a cat", "a cat", 0, classes="cat", classes_foil="cat"),
    "d": entry("a fox", "a cat", 2, classes="fox", classes_foil=["cat", "dog"]),
}


def suite_of(tmp_path: Path, entries: dict[str, Any]) -> Path:
    import_suite(load_importer("valse"), release(tmp_path / "in", {"plurals.json": entries}), tmp_path / "suite")
    return tmp_path / "suite"


def test_counted_by_hand(tmp_path: Path) -> None:
    (table,) = inspect_suite(open_suite(suite_of(tmp_path, ENTRIES))).tables
    contents = table.rows["plurality"]
    assert contents is not None
    assert (contents.instances, contents.valid, contents.unanimous, contents.equal_texts) == (4, 3, 2, 1)
    # Captions: cats, dog, cat, fox; foils: cat (three times), dogs, dog.
    assert (contents.lexical_items, contents.lexical_items_captions, contents.lexical_items_foils) == (5, 4, 3)
    captions, foils = [1, 1, 1, 1, 0], [0, 1, 3, 0, 1]
    assert contents.js == pytest.approx(jensenshannon(captions, foils, 2))
    # Of the valid ones "two cats" is longer, "a dog" shorter, and "a fox" as long as its foil.
    assert contents.longer_text == pytest.approx(1.5 / 3)
    assert contents.shorter_text == pytest.approx(1.5 / 3)


def test_the_command_shows_it(tmp_path: Path) -> None:
    shown = falter("inspect", suite_of(tmp_path, ENTRIES)).stdout
    assert "3 (75.0 %)" in shown
    assert "5 (4 / 3)" in shown


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.lists(st.integers(0, 20), min_size=1, max_size=8))
def test_the_divergence_is_that_of_scipy(one: list[int], two: list[int]) -> None:
    size = max(len(one), len(two))
    one, two = one + [0] * (size - len(one)), two + [0] * (size - len(two))
    counters = [Counter({str(place): number for place, number in enumerate(counts) if number}) for counts in (one, two)]
    found = jensen_shannon(*counters)
    if not sum(one) or not sum(two):
        assert found is None
    else:
        assert found == pytest.approx(jensenshannon(one, two, 2), abs=1e-7)
