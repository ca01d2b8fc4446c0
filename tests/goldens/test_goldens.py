"""Suites have the bytes, and runs the replies and scores, that they had before the code was restructured.

After a change that is meant: ``python -m tests.goldens.regenerate``, and say in the changelog what changed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.goldens.records import Key, Printed, Records, differences, read_records, rename_keys, write_records
from tests.goldens.scenarios import DATA, SCENARIOS

SHOWN = 20

SCENARIOS_AND_TABLES = sorted(
    {
        (name, key.table)
        for name in SCENARIOS
        if not name.startswith("real_")
        for key in read_records(DATA / f"{name}.jsonl")
    },
    key=lambda one: (one[1], one[0]),
)
"""By table first, so that processes that share the tests begin with different scenarios."""


def check_table(name: str, table: str, found: Records) -> None:
    """Compare one table of a scenario with its golden one."""
    golden = {key: value for key, value in read_records(DATA / f"{name}.jsonl").items() if key.table == table}
    lines = list(differences(golden, {key: value for key, value in found.items() if key.table == table}))
    more = f"\nand {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    assert not lines, f"{len(lines)} of {len(golden)} differ:\n" + "\n".join(lines[:SHOWN]) + more


@pytest.mark.slow
@pytest.mark.parametrize(("name", "table"), SCENARIOS_AND_TABLES)
def test_nothing_has_changed(found: Callable[[str], Records], name: str, table: str) -> None:
    check_table(name, table, found(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({name for name, _ in SCENARIOS_AND_TABLES}))
def test_there_is_no_table_without_a_golden_one(found: Callable[[str], Records], name: str) -> None:
    assert {key.table for key in found(name)} == {table for other, table in SCENARIOS_AND_TABLES if other == name}


GROUP = {"suite": "carets", "test": "order", "facet": "form", "value": "single"}
SIGNATURE = "falter:0.2|carets:order|form=single|rule:vqa-v2|n:26|seed:0"


def score(**more: Any) -> dict[str, Any]:
    return {"measure": "acc", "group": GROUP, "value": 1 / 3, "low": 0.25, "high": None, "n": 26} | {
        "signature": SIGNATURE,
        "reason": None,
        **more,
    }


def printed_scores(*rows: dict[str, Any], **more: Any) -> Records:
    printed = Printed()
    printed.scores([{"run": "runs/blind", "scores": list(rows), **more}])
    return printed.records


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    records = printed_scores(
        score(),
        score(measure="cons", signature=SIGNATURE.replace("seed:0", "image:none|seed:0")),
        score(measure="r_score", value=None),
    )
    records[Key("files", "suite", "", "items.parquet")] = "abc"
    write_records(tmp_path / "golden.jsonl", records)
    assert read_records(tmp_path / "golden.jsonl") == records
    acc = records[Key("scores", "blind", "carets.order[form=single]", "acc")]
    assert acc == [0.333333333333, 0.25, None, 26, "rule:vqa-v2|seed:0"]
    assert Key("r_score", "blind", "carets.order[form=single]", "r_score") in records


def test_a_difference_names_the_place_the_old_value_and_the_new() -> None:
    golden = printed_scores(score(), score(measure="cons"))
    found = printed_scores(score(value=0.34, n=27), score(measure="c_acc"))
    assert list(differences(golden, found)) == [
        "scores / blind / carets.order[form=single] / acc: value was 0.333333333333, is 0.34, n was 26, is 27, "
        "signature was rule:vqa-v2|seed:0, is rule:vqa-v2|n:26|seed:0",
        "scores / blind / carets.order[form=single] / c_acc: is new: "
        "[0.333333333333, 0.25, None, 26, 'rule:vqa-v2|seed:0']",
        "scores / blind / carets.order[form=single] / cons: is missing, was "
        "[0.333333333333, 0.25, None, 26, 'rule:vqa-v2|seed:0']",
    ]


def test_numbers_may_differ_beyond_the_twelfth_digit_and_not_before() -> None:
    golden = printed_scores(score(value=0.123456789012))
    assert not list(differences(golden, printed_scores(score(value=0.1234567890124999))))
    assert not list(differences(golden, printed_scores(score(value=0.1234567890126))))
    assert list(differences(golden, printed_scores(score(value=0.12345678902))))
    assert list(differences(golden, printed_scores(score(value=None))))


def test_old_and_new_names_of_keys_are_the_same() -> None:
    old = {"needs_no_picture": {"beside": "a", "scores": [{"normal": 1, "blind": 2, "share": 3}]}, "every": 4}
    new = {
        "image_ablation": {"with_image_run": "a", "scores": [{"with_image": 1, "ablated": 2, "retained": 3}]},
        "all_prompts": 4,
    }
    assert rename_keys(old) == rename_keys(new) == new
