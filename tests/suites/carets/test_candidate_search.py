"""Candidates that are kept for later passes are those that a new search would find."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from falter.data.suite import open_suite
from falter.suites.carets import candidate_search
from tests.suites.made import make_suite, raw_graphs, write_graphs


def graphs() -> dict[str, dict[str, Any]]:
    """Scenes of which but a few have attributes, so that choices of these are thin."""
    made = raw_graphs(9)
    for graph in list(made.values())[3:]:
        for thing in graph["objects"].values():
            thing["attributes"] = []
    return made


@pytest.mark.parametrize("options", [{"tests": ("order",)}, {"size": 40, "tests": ("rephrase", "antonym")}])
def test_what_is_kept_changes_nothing_but_the_number_of_searches(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_graphs(tmp_path / "gqa", graphs())
    searched: list[tuple[str, str]] = []
    find = candidate_search._search

    def search(finder: Any, request: Any) -> Any:
        searched.extend((request.graph.image_id, str(key)) for key in request.keys)
        return find(finder, request)

    monkeypatch.setattr(candidate_search, "_search", search)
    kept = make_suite(source, tmp_path / "kept", **options)
    with_room = len(searched)
    searched.clear()
    monkeypatch.setattr(candidate_search, "MOST_KEPT", 0)
    searched_again = make_suite(source, tmp_path / "searched again", **options)
    assert with_room < len(searched)
    assert list(open_suite(tmp_path / "kept").items()) == list(open_suite(tmp_path / "searched again").items())
    assert kept.counts == searched_again.counts
