"""Folders of runs stand for the runs in them."""

from __future__ import annotations

from pathlib import Path

from falter.api.paths import find_runs


def test_runs_in_folders_of_folders_are_found_in_order_and_a_run_is_not_searched(tmp_path: Path) -> None:
    for name in ("b", "a/two", "a/one", "deep/er/still/run", ".hidden", "b/inside"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "run.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    found = [str(one.relative_to(tmp_path)) for one in find_runs(tmp_path)]
    assert found == ["a/one", "a/two", "b", "deep/er/still/run"]
    assert find_runs(tmp_path / "b") == [tmp_path / "b"]
    assert find_runs(tmp_path / "empty") == [tmp_path / "empty"]
    assert find_runs(tmp_path / "absent") == [tmp_path / "absent"]
