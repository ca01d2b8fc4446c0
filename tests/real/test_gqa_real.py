"""Real scene graphs of GQA, beside the checkout, are read and answer questions."""

from __future__ import annotations

import ast
import csv
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from falter.data.sources import open_source
from falter.generation.english import default_grammar
from falter.generation.english.question_reader import question_reader
from falter.generation.scene import Count, Exists, ObjectDescription, OnSide, Scene, query_from_json, query_to_json
from falter.generation.scene.programs import query_from_program
from falter.generation.sources.gqa import GqaSource

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = Path(__file__).parents[2] / "../shared/data/gqa"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/data/gqa beside the checkout"),
]


@pytest.fixture(scope="module")
def source() -> GqaSource:
    opened = open_source(f"gqa:graphs={FOLDER / 'scene_graphs.json'},questions={FOLDER / 'questions_with_graphs.json'}")
    assert isinstance(opened, GqaSource)
    return opened


def test_every_real_graph_is_read(source: GqaSource) -> None:
    graphs = list(source.scenes())
    assert len(graphs) == 21
    for graph in graphs:
        assert graph.objects
        assert graph.complete == frozenset()
        for thing in graph.objects.values():
            assert thing.name == thing.name.strip().lower() != ""
            assert 0 <= thing.box.x < thing.box.right <= graph.width
            assert 0 <= thing.box.y < thing.box.bottom <= graph.height
            assert all(one.target in graph.objects for one in thing.relations)


def test_real_graphs_answer_queries(source: GqaSource) -> None:
    ontology = default_grammar().ontology
    answers: dict[str | None, int] = {}
    for graph in source.scenes():
        scene = Scene(graph, ontology)
        for thing in graph.objects.values():
            lexeme = ontology.lexeme(thing.name)
            if lexeme is not None:
                # What is seen in a mirror alone is unknown.
                found = Exists(ObjectDescription(lexeme[0])).answer(scene)
                assert found != "no"
                answers[found] = answers.get(found, 0) + 1
    assert answers["yes"] > 30 * answers.get(None, 0)
    answers.clear()
    for graph in source.scenes():
        scene = Scene(graph, ontology)
        for kind, record in ontology.kinds.items():
            selection = ObjectDescription(kind, number="singular" if record.number == "count" else record.number)
            answer = Exists(selection).answer(scene)
            answers[answer] = answers.get(answer, 0) + 1
            count = Count(selection).answer(scene)
            assert count is None or (int(count) > 0) == (answer == "yes")
            OnSide(selection, "left").answer(scene)
    assert answers["yes"] > 20
    # Where a picture has a thing of a name that no file of the ontology knows, nothing can be ruled out.
    assert answers[None] > 20


def test_real_questions_that_are_read_get_the_published_answer(source: GqaSource) -> None:
    grammar = default_grammar()
    agreed = asked = 0
    for question in source.questions():
        graph = source.scene(question.image_id)
        readings = grammar.parse(question.text)
        if graph is None or len(readings) != 1 or question.answer not in ("yes", "no"):
            continue
        answer = readings[0].answer(Scene(graph, grammar.ontology))
        if answer is not None:
            asked += 1
            agreed += answer == question.answer
    assert agreed == asked


@pytest.mark.parametrize("name", ["questions_testdev_half", "questions_val_sample", "questions_with_graphs"])
def test_the_programs_of_real_questions_become_queries(name: str) -> None:
    questions = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    lexeme = default_grammar().ontology.lexeme
    for record in questions.values():
        query = query_from_program(record["semantic"], lexeme)
        assert query_from_json(query_to_json(query)) == query


@pytest.fixture(scope="module")
def readings() -> ModuleType:
    """The script that writes the page on how real questions are read."""
    spec = importlib.util.spec_from_file_location("readings", DOCS / "generate_gqa_readings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_texts_of_real_questions_are_read_as_their_programs_say(readings: ModuleType) -> None:
    found = readings.measure()
    total, read = found.total.total(), found.read.total()
    assert total == 2248
    assert found.programs.total() >= 0.95 * total
    assert read >= 0.97 * total
    assert found.agree.total() >= 0.98 * read
    for kind, number in found.total.items():
        if number >= 20:
            assert found.read[kind] >= 0.9 * number, kind
            assert found.agree[kind] >= 0.9 * found.read[kind], kind


def test_the_page_on_how_real_questions_are_read_is_up_to_date(readings: ModuleType) -> None:
    assert readings.PAGE.read_text("utf-8") == readings.page(), "run python docs/generate_gqa_readings.py"


def test_other_real_questions_are_read() -> None:
    """Questions that published replies were given to, without those that have programs."""
    known = {
        record["question"]
        for name in ("questions_testdev_half", "questions_val_sample", "questions_with_graphs")
        for record in json.loads((FOLDER / f"{name}.json").read_text("utf-8")).values()
    }
    with (FOLDER.parent / "gqa-replies/gqa_predictions_even_images.csv").open(encoding="utf-8", newline="") as file:
        asked = [ast.literal_eval(row["question"])["question"] for row in csv.DictReader(file)]
    others = [one for one in asked if one not in known]
    assert len(others) > 800
    assert sum(question_reader().read(one) is not None for one in others) >= 0.97 * len(others)
