"""What reading knows of words is what the ontology says today."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import msgspec
import pytest

from falter.evaluation.answers.open_answers.word_relations import DATA, WordRelations, are_disjoint, is_imitation
from falter.generation.english import load_ontology

SCRIPT = Path(__file__).parents[2] / "scripts" / "freeze_word_relations.py"


def test_the_frozen_relations_are_those_of_the_ontology(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("freeze_word_relations", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.write(script.freeze(), tmp_path / "now.json")
    frozen = msgspec.json.decode(DATA.read_bytes(), type=WordRelations)
    now = msgspec.json.decode((tmp_path / "now.json").read_bytes(), type=WordRelations)
    for part in ("kinds", "names", "families", "excludes"):
        assert getattr(frozen, part) == getattr(now, part), "run python scripts/freeze_word_relations.py"
    assert (tmp_path / "now.json").read_bytes() == DATA.read_bytes()


@pytest.mark.parametrize("first", ["dog", "player", "toy", "vehicle", "food"])
def test_kinds_exclude_each_other_as_in_the_ontology(first: str) -> None:
    ontology = load_ontology()
    assert [kind for kind in ontology.kinds if are_disjoint(first, kind)] == [
        kind for kind in ontology.kinds if ontology.are_disjoint(first, kind)
    ]
    assert [kind for kind in ontology.kinds if is_imitation(kind, ("toy", first))] == [
        kind for kind in ontology.kinds if ontology.is_imitation(kind, ("toy", first))
    ]
