"""Contrast sets as training questions: three formats of the same questions, none on an image that is evaluated on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.api.generating import generate
from falter.data.sources import open_source
from falter.data.suite import open_suite
from falter.generation.english import default_grammar
from falter.generation.inspection.contents import inspect_suite
from falter.generation.scene import Scene
from falter.generation.scene.programs import query_from_program
from falter.generation.sources.gqa import GqaScenes
from falter.suites.contrast_sets.released_questions import read_questions
from falter.world.compose import compose
from falter.world.write_questions import gqa_questions
from tests.suites.made import make_suite, raw_graphs, write_graphs

pytestmark = pytest.mark.bundle("contrast-sets")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_graphs(tmp_path_factory.mktemp("gqa"), raw_graphs(8))


@pytest.fixture(scope="module")
def suite(source: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("suite") / "out"
    make_suite(source, out, suite="contrast-sets", size=2)
    return out


@pytest.fixture(scope="module")
def written(source: str, suite: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("training")
    paths = {}
    for form in ("gqa", "lxmert", "mac"):
        wanted = {"format": form, "evaluation": [suite]}
        generate("contrast-sets", source, out=folder / form, training=wanted, per_question=2)
        paths[form] = folder / form / "train_contrast-sets_questions.json"
    return paths


def test_three_formats_hold_the_same_questions_on_other_images(suite: Path, written: dict[str, Path]) -> None:
    problems: Any = {}
    read = {form: read_questions(path, problems) for form, path in written.items()}
    assert read["gqa"] == read["lxmert"] == read["mac"]
    assert len(read["gqa"]) > 100
    tested = {item.image_id for item in open_suite(suite).items()}
    assert tested
    assert tested.isdisjoint(question.image_id for question in read["gqa"])


def test_programs_of_training_questions_compute_their_answers(source: str, written: dict[str, Path]) -> None:
    scenes, ontology = open_source(source), default_grammar().ontology
    assert isinstance(scenes, GqaScenes)
    graphs = {graph.image_id: Scene(graph, ontology) for graph in scenes.scenes()}
    records = json.loads(written["gqa"].read_text())
    for record in records.values():
        answer = query_from_program(record["semantic"], ontology.lexeme).answer(graphs[record["imageId"]])
        assert answer in (None, record["answer"]), record["question"]
    kinds = {record["types"]["detailed"] for record in records.values()}
    assert {"positionQuery", "directOf", "existOr", "existOrC", "relVerify", "relVerifyCo"} <= kinds


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """A source with questions of its own, and these."""
    folder = tmp_path_factory.mktemp("asked")
    questions = {key: one for index in range(3) for key, one in gqa_questions(compose(0, index), 0).items()}
    spec = write_graphs(folder, raw_graphs(3))
    (folder / "val_balanced_questions.json").write_text(json.dumps(questions))
    return spec, questions


def test_originals_of_gqa_keep_their_own_records(asked: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    spec, questions = asked
    generate("contrast-sets", spec, out=tmp_path, training={}, per_question=1)
    records = json.loads((tmp_path / "train_contrast-sets_questions.json").read_text())
    kept = {key for key in records if key in questions}
    assert len(kept) >= 5
    assert all(records[key] == questions[key] for key in kept)
    assert all(record["semantic"] for record in records.values())


def test_other_questions_have_the_types_of_gqa(asked: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    spec, questions = asked
    more = ("verify", "logical", "choose", "compare")
    generate("contrast-sets", spec, out=tmp_path, training={}, tests=more, per_question=2)
    records = json.loads((tmp_path / "train_contrast-sets_questions.json").read_text())
    types = {tuple(one["types"].values()) for key, one in records.items() if key not in questions}
    published = {
        ("verify", "obj"): {"exist", "existC", "existAttr", "existAttrC"},
        ("verify", "rel"): {"existRelS", "existRelSC"},
        ("verify", "attr"): {"verifyAttr", "verifyAttrC"},
        ("logical", "obj"): {"existAnd", "existAndC", "existOr", "existOrC"},
        ("choose", "attr"): {"chooseAttr"},
        ("choose", "rel"): {"relChooser"},
        ("compare", "attr"): {"twoSame", "twoSameC", "twoDifferent", "twoDifferentC"},
    }
    assert {structural for structural, _, _ in types} >= {"verify", "compare"}
    for structural, semantic, detailed in types:
        assert detailed in published[structural, semantic]


def test_the_share_of_the_source_that_has_sets_is_known(asked: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    spec, questions = asked
    make_suite(spec, tmp_path / "suite", suite="contrast-sets")
    suite = open_suite(tmp_path / "suite")
    assert suite.manifest.counts["coverage"] == {"images": 3, "questions": len(questions)}
    (table,) = inspect_suite(suite).tables
    assert table.rows["side"].share_of_questions == table.rows["side"].sets / len(questions)


def test_the_manifest_counts_what_the_file_holds(written: dict[str, Path]) -> None:
    manifest = json.loads((written["mac"].parent / "train_contrast-sets_training.json").read_text())
    counts = manifest["counts"]
    questions = json.loads(written["mac"].read_text())["questions"]
    assert counts["originals"] + counts["variants"] == len(questions) == sum(counts["questions"].values())
    assert manifest["format"] == "mac"
    assert counts["refused"]["the image is in the evaluation suite contrast-sets"] > 0
    assert set(counts["facets_of_variants"]["atom"]) == {"object", "relation"}


def test_inspection_counts_sets_by_size_and_by_what_was_changed(suite: Path) -> None:
    opened = open_suite(suite)
    (table,) = inspect_suite(opened).tables
    by_test: dict[str, list[int]] = {}
    for probe in opened.probes():
        by_test.setdefault(probe.original.test, []).append(len(probe.variants))
    assert set(table.rows) == set(by_test)
    for test, sizes in by_test.items():
        row = table.rows[test]
        assert row.sets == len(sizes)
        assert row.variants == sum(sizes) == sum(row.atoms.values())
        assert row.variants_at_most == {str(most): sum(min(size, most) for size in sizes) for most in (1, 3, 5)}
    assert set(table.rows["relation"].atoms) == {"relation"}
