"""Real graphs give enough sets; CARETS' antonym questions, in LXMERT's format, find their originals."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import falter
from falter.generation.english.question_reader import question_reader
from falter.suites.contrast_sets.released_questions import Link, Originals, read_questions

SHARED = Path(__file__).parents[2] / "../shared/data"
FILE = SHARED / "carets/attribute_verification_antonym_test.json"
GRAPHS = SHARED / "gqa/scene_graphs.json"
FEWEST = {"side": 50, "or": 50, "relation-object": 50, "relation": 50, "color": 25}

pytestmark = pytest.mark.real


@pytest.mark.skipif(not GRAPHS.is_file(), reason="needs ../shared/data/gqa beside the checkout")
def test_the_real_graphs_give_three_hundred_sets(tmp_path: Path) -> None:
    suite = falter.generate(
        "contrast-sets", f"gqa:graphs={GRAPHS},complete=referents", out=tmp_path / "suite", images="none", seed=0
    )
    sets = Counter(probe.original.test for probe in suite.probes())
    assert sets.total() >= 300
    assert {test: sets[test] >= fewest for test, fewest in FEWEST.items()} == dict.fromkeys(FEWEST, True)
    assert sets["near"] > 0


@pytest.mark.skipif(not FILE.is_file(), reason="needs ../shared/data/carets beside the checkout")
@pytest.mark.parametrize("ids", [True, False])
def test_released_questions_find_their_originals(ids: bool, tmp_path: Path) -> None:
    images = sorted({record["img_id"] for record in json.loads(FILE.read_text())})[:300]
    few = [record for record in json.loads(FILE.read_text()) if record["img_id"] in set(images)]
    (tmp_path / "few.json").write_text(json.dumps(few))
    problems: Counter[str] = Counter()
    questions = read_questions(tmp_path / "few.json", problems)
    originals = Originals([one for one in questions if not one.id.endswith("-a")], question_reader())
    found: Counter[str] = Counter()
    for question in questions:
        if question.id.endswith("-a"):
            link = originals.find(question if ids else question._replace(id=f"none {question.id}"))
            assert isinstance(link, str) or link.original.id == question.id.removesuffix("-a")
            found[link.how if isinstance(link, Link) else link] += 1
    assert not problems
    linked = found["id"] if ids else found["atom"] + found["words"]
    assert linked >= (found.total() if ids else 0.97 * found.total())
    assert found.total() > 300
