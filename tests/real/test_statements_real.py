"""Questions of the released CARETS files, worded by others, become statements that mean what was asked."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from falter.generation.english.statements import statements

FOLDER = Path(__file__).parents[2] / "../shared/data/carets"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/data/carets beside the checkout"),
]

SAMPLE = 100


def rows(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{name}_test.json").read_text())
    return found


@pytest.mark.parametrize("sort", ["", "_conjunction", "_disjunction", "_rel"])
def test_a_question_and_its_negation_swap_their_statements(sort: str) -> None:
    by_id = {row["question_id"]: row["sent"] for row in rows(f"object_verification{sort}_negation")}
    negated = sorted(name for name in by_id if name.endswith("-n") and name.removesuffix("-n") in by_id)
    said = [
        (statements().for_question(by_id[name.removesuffix("-n")]), statements().for_question(by_id[name]))
        for name in Random(0).sample(negated, SAMPLE)
    ]
    read = [(one, other) for one, other in said if one is not None and other is not None]
    assert len(read) > 0.7 * SAMPLE
    for one, other in read:
        assert one["yes"] != one["no"]
        assert (one["yes"], one["no"]) == (other["no"], other["yes"])


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("action_choice_symmetric", 0.7),
        ("action_choice_rel_template", 0.6),
        ("attribute_choice_rel_template", 0.6),
        ("attribute_verification_antonym", 0.95),
        ("object_choice_rel_symmetric", 0.5),
        ("object_verification_rel_template", 0.8),
    ],
)
def test_most_questions_are_read_and_say_each_of_their_choices(name: str, share: float) -> None:
    read = 0
    for row in Random(0).sample(rows(name), SAMPLE):
        options = [value for key, value in row["assignment"].items() if "options" in key]
        choices = tuple(options[0]) if options else ("yes", "no")
        said = statements().for_question(row["sent"], choices)
        if said is None:
            continue
        read += 1
        assert tuple(said) == choices
        assert set(row["label"]) <= set(said)
        assert len(set(said.values())) == len(choices)
    assert read >= share * SAMPLE
