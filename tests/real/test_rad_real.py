"""Real VisDial and ConVQA files: everything in them is read, linked or counted."""

from __future__ import annotations

from pathlib import Path

import pytest

import falter
from falter.data.sources import open_source
from falter.generation.sources import HasProblems, require_questions

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = [
    pytest.mark.real,
    pytest.mark.bundle("rad"),
    pytest.mark.skipif(not (DATA / "visdial").is_dir(), reason="no published data beside the checkout"),
]


def test_every_round_of_visdial_is_a_question_with_a_hundred_options() -> None:
    source = open_source(f"visdial:{DATA / 'visdial'}")
    questions = list(require_questions(source).questions())
    assert len(questions) == 970
    assert {len(one.choices or ()) for one in questions} == {100}
    assert all(one.answer in (one.choices or ()) for one in questions)
    assert [len(one.context or ()) for one in questions[:10]] == list(range(1, 21, 2))
    assert isinstance(source, HasProblems)
    assert not source.problems


def test_every_question_of_convqa_is_linked_or_counted(tmp_path: Path) -> None:
    suite = falter.import_suite("convqa", DATA / "convqa", out=tmp_path / "suite", split="all")
    counts = suite.manifest.counts
    refused = counts["refused"]
    assert counts["read"] == 22_416 + 6_751
    assert counts["tests"]["convqa-l"]["probes"] == 2_003 - refused["convqa-l: a set of one question"]
    originals = sum(test["probes"] for test in counts["tests"].values())
    # Of a set of which one question is left, this one is the question that is not used.
    assert originals + counts["linked"] + sum(refused.values()) == counts["read"]
