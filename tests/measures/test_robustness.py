"""RAD for every suite of pairs, on request, and the rules by which an open answer is correct."""

from __future__ import annotations

from pathlib import Path

import pytest

import falter
from falter.evaluation.measures import measures_for
from falter.evaluation.measures.scoring import score_tables
from falter.evaluation.score_options import ScoreOptions, VqaRule
from tests.measures.tables import items_of, probe, replies_of, write

TEN = ("red",) * 5 + ("maroon",) * 3 + ("pink",) * 2


def test_it_is_scored_on_request_alone() -> None:
    assert not [one.name for one in measures_for(["s"]) if one.name.startswith("rad_")]
    probes = [probe(f"p{number}", "same", ["yes", "yes"]) for number in range(4)]
    said = {"p0.0": "yes", "p0.1": "yes", "p1.0": "yes", "p1.1": "no", "p2.0": "no", "p2.1": "yes", "p3.0": "no"}
    replies = replies_of({**said, "p3.1": "no"})
    plain = {one.measure for one in score_tables(items_of(*probes), replies)}
    assert "rad_forward" not in plain
    asked = score_tables(items_of(*probes), replies, measures=measures_for(["s"], {"rad_forward", "rad_backward"}))
    found = {one.measure: one for one in asked}
    assert plain | {"rad_forward", "rad_backward"} == set(found)
    # Two originals are right, and two variants; one pair is right as a whole.
    assert (found["rad_forward"].value, found["rad_forward"].n) == (0.5, 2)
    assert (found["rad_backward"].value, found["rad_backward"].n) == (0.5, 2)
    assert "correct:above-half" in found["rad_forward"].signature


@pytest.mark.parametrize(
    ("rule", "right"),
    [("vqa-v2", {"red", "maroon", "pink"}), ("min3", {"red", "maroon", "pink"}), ("exact", {"red"}), ("any", set(TEN))],
)
def test_the_rule_decides_which_originals_are_correct(rule: VqaRule, right: set[str]) -> None:
    words = ["red", "maroon", "pink", "blue"]
    probes = [
        probe(word, "each", ["red", "yes"], suite="rad", choices=None, answers=[TEN, None], test="color")
        for word in words
    ]
    replies = replies_of({f"{word}.{side}": word if side == 0 else "yes" for word in words for side in (0, 1)})
    found = {one.measure: one for one in score_tables(items_of(*probes), replies, ScoreOptions(vqa_rule=rule))}
    assert found["rad_forward"].n == len(right)
    assert found["acc_original"].value == len(right) / 4
    assert f"rule:{rule}" in found["rad_forward"].signature


def test_one_person_is_enough_for_any_and_most_must_agree_for_exact() -> None:
    answers = ("red",) * 9 + ("pink",)
    asked = [probe("p", "each", ["red", "yes"], suite="rad", choices=None, answers=[answers, None])]
    correct = {}
    for rule in ("vqa-v2", "exact", "any"):
        scored = score_tables(items_of(*asked), replies_of({"p.0": "pink", "p.1": "yes"}), ScoreOptions(vqa_rule=rule))
        correct[rule] = next(one.value for one in scored if one.measure == "acc_original")
    assert correct == {"vqa-v2": 0.0, "exact": 0.0, "any": 1.0}


def test_the_command_scores_it_for_any_suite(tmp_path: Path) -> None:
    write(tmp_path / "suite", *(probe(f"p{number}", "different", ["yes", "no"]) for number in range(3)))
    run = falter.run(tmp_path / "suite", "builtin:always-yes", out=tmp_path / "run")
    assert [one.value for one in falter.score(run, measures=["rad_forward"]).runs[0].scores] == [0.0]
    assert "rad_forward" not in {one.measure for one in falter.score(run).runs[0].scores}
    (result,) = falter.check(run, ["s.t.rad_forward>=50%"])
    assert not result.passed
