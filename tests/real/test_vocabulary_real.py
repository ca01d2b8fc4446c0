"""Every word of GQA's vocabulary, beside the checkout, is in the ontology."""

from __future__ import annotations

from pathlib import Path

import pytest

from falter.english import english

FOLDER = Path(__file__).parents[2] / "../shared/data/gqa/vocabulary"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/data/gqa/vocabulary beside the checkout"),
]


def words(name: str) -> list[str]:
    """The words of a list, without the mark for an unknown one."""
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() not in ("", "<unk>")]


def test_every_object_has_a_kind_with_a_path_to_the_root() -> None:
    ontology = english().ontology
    names = words("name_gqa.txt")
    assert len(names) >= 1_702
    lost = [name for name in names if not ontology.knows(name)]
    assert lost == []
    for name in names:
        lexeme = ontology.lexeme(name)
        assert lexeme is not None
        kind = lexeme[0]
        path = [kind]
        while parents := ontology.kinds[path[-1]].parent_names:
            path.append(parents[0])
        assert path[-1] == "thing", path
        assert ontology.kind_of(name, "thing") is True
        assert ontology.kind_of(name, kind) is True


def test_every_attribute_has_a_family() -> None:
    ontology = english().ontology
    values = words("attr_gqa.txt")
    assert len(values) >= 617
    assert [value for value in values if value not in ontology.family_of] == []


def test_every_relation_has_an_entry() -> None:
    ontology = english().ontology
    names = words("rel_gqa.txt")
    assert len(names) >= 310
    assert [name for name in names if name not in ontology.relations] == []
