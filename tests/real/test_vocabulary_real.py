"""The ontology covers GQA's vocabulary, and every disagreement with its class hierarchy is in the docs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from falter.generation.english import Ontology, load_ontology

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "../shared/data/gqa/vocabulary"
PAGE = ROOT / "docs" / "background" / "ontology-differences.md"
NO_KINDS = {"name", "thing", "object", "material", "flavor", "sport"}

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/data/gqa/vocabulary beside the checkout"),
]


@pytest.fixture(scope="module")
def ontology() -> Ontology:
    return load_ontology()


def words_of(name: str) -> list[str]:
    return [line for line in (FOLDER / name).read_text("utf-8").splitlines() if line and line != "<unk>"]


def test_every_word_is_known(ontology: Ontology) -> None:
    assert [name for name in words_of("name_gqa.txt") if not ontology.knows(name)] == []
    assert [value for value in words_of("attr_gqa.txt") if value not in ontology.family_by_value] == []
    assert [name for name in words_of("rel_gqa.txt") if name not in ontology.relations] == []


def test_every_name_has_a_path_to_the_root(ontology: Ontology) -> None:
    for name in words_of("name_gqa.txt"):
        lexeme = ontology.lexeme(name)
        assert lexeme is not None
        assert ontology.is_a(lexeme[0], "thing"), name


def listed(heading: str) -> set[tuple[str, str]]:
    """The class and name of every cell below a heading."""
    section = PAGE.read_text("utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]*) \|", section, flags=re.MULTILINE)
    return {(above, name) for above, names in rows for name in names.split(", ")}


def test_the_page_lists_every_difference(ontology: Ontology) -> None:
    hierarchy = json.loads((FOLDER / "class_hierarchy.json").read_text("utf-8"))
    found: dict[str, set[tuple[str, str]]] = {"Never": set(), "Open": set(), "Not words": set()}
    unknown = set()
    for above, names in hierarchy.items():
        if above in NO_KINDS:
            continue
        if not ontology.knows(above):
            unknown.add(above)
            continue
        for name in names:
            holds = ontology.is_of_kind(name, above)
            if not ontology.knows(name):
                found["Not words"].add((above, name))
            elif holds is not True:
                found["Never" if holds is False else "Open"].add((above, name))
    assert {above for above, _ in listed("Classes without a kind")} == unknown
    for heading, differences in found.items():
        assert listed(heading) == differences, heading
