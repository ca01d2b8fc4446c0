"""What large runs go through gives the same scores as what small ones do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from falter.data.items import Probe
from falter.data.suite import open_suite
from falter.evaluation.measures import counting
from falter.evaluation.measures.outcomes import coding, frame, grading
from falter.evaluation.measures.outcomes.frame import _facet_column
from falter.evaluation.measures.outcomes.reading import Facet
from falter.evaluation.measures.scoring import score_tables
from falter.evaluation.measures.statistics import bootstrap
from falter.evaluation.runs import open_run
from falter.evaluation.runs.asked import select_probes
from falter.evaluation.runs.scoring import outcomes_of_run, score_run
from falter.evaluation.score_options import ScoreOptions

from .tables import items_of, probe, replies_of, write
from .test_commands import make_run
from .test_reference import said, suites

LIMITS = [
    (grading, "_LARGEST_TABLE"),
    (coding, "_WIDEST_TABLE"),
    (frame, "_MOST_KEYS"),
    (counting, "_MOST_BINS"),
    (bootstrap, "_WIDEST_PACKING"),
    (bootstrap, "_COUNTS_AT_ONCE"),
]


@given(suites(), st.dictionaries(st.integers(0, 12).map("item{}".format), said, max_size=13))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_limit_changes_a_value(suite: list[Probe], replies: dict[str, str | None]) -> None:
    items, table = items_of(*suite), replies_of(replies)
    usual = score_tables(items, table, ScoreOptions(n_resamples=10))
    with pytest.MonkeyPatch.context() as patch:
        for module, name in LIMITS:
            patch.setattr(module, name, 1)
        narrow = score_tables(items, table, ScoreOptions(n_resamples=10))
    for one, other in zip(usual, narrow, strict=True):
        assert (one.measure, one.group, one.n) == (other.measure, other.group, other.n)
        assert one.value == (None if other.value is None else pytest.approx(other.value))
    plain = score_tables(items, table, ScoreOptions(n_resamples=0))
    assert [score.value for score in plain] == [score.value for score in usual]


def test_many_images_and_row_groups_from_disk(tmp_path: Path) -> None:
    number = 9000
    probes = [
        probe(f"p{n}", "same", ["red", "red"], choices=["red", "blue", f"colour {n % 7}"], image_id=f"i{n}")
        for n in range(number)
    ]
    write(tmp_path / "suite", *probes)
    replies = {item.item_id: "red" if n % 3 else "blue" for n, one in enumerate(probes) for item in one.items}
    run = open_run(make_run(tmp_path / "run", tmp_path / "suite", replies, name="x"))
    found = {score.measure: score for score in score_run(run)}
    assert found["acc"].value == pytest.approx(2 / 3)
    assert (found["acc"].high - found["acc"].low) == pytest.approx(2 * 1.96 * (2 / 9 / number) ** 0.5, rel=0.15)
    pairs = outcomes_of_run(run).table_of_pairs()
    assert pairs["original_correct"].mean() == pytest.approx(2 / 3)
    assert pairs["probe_id"].to_list() == [one.probe_id for one in probes]


def test_a_limited_run_is_scored_over_its_own_probes(tmp_path: Path) -> None:
    probes = [
        probe(f"p{n}", "same", ["yes", "yes"], image_id=f"i{n}", facets=[{"parity": str(n % 2)}] * 2) for n in range(30)
    ]
    write(tmp_path / "suite", *probes)
    asked = select_probes(open_suite(tmp_path / "suite"), limit=10, seed=0)
    replies = {item.item_id: "yes" for one in probes if one.probe_id in asked for item in one.items}
    folder = make_run(tmp_path / "run", tmp_path / "suite", replies, name="x", limit=10)
    run = open_run(folder)
    found = {(score.measure, score.group.value): score.value for score in score_run(run, ScoreOptions(by=("parity",)))}
    assert found["pairs", None] == 10
    assert found["pairs", "0"] + found["pairs", "1"] == 10
    assert len(outcomes_of_run(run).table_of_pairs()) == 10


def test_a_facet_that_no_item_has_is_a_column_of_nothing() -> None:
    for items in (3, 3000):
        column = _facet_column(Facet(np.full(items, -1, dtype=np.int32), ["a", "b"]))
        assert (len(column), column.null_count()) == (items, items)
