"""Tables name a run so that no two are mixed, and rank those that can be compared."""

from __future__ import annotations

from pathlib import Path

import falter
from tests.reporting.test_what_is_true import Model, run, write


def test_one_model_on_two_suites_keeps_its_name_and_no_table_has_its_other_runs(tmp_path: Path) -> None:
    suites = [write(tmp_path / name, name) for name in ("mine", "other")]
    runs = [run(suite, tmp_path / f"{suite.name}-{name}", Model(name)) for suite in suites for name in ("one", "two")]
    runs.append(run(suites[0], tmp_path / "alone", Model("alone")))
    found = falter.score(runs, n_resamples=0)
    assert {row.model for row in found.rows} == {"one", "two", "alone"}
    table = str(found)
    mine, other = table.index("mine:"), table.index("other:")
    assert "alone" in table[mine:other] and "alone" not in table[other : table.index("Percent")]


def test_runs_of_one_name_are_told_apart_however_deep_their_folders_differ(tmp_path: Path) -> None:
    suite = write(tmp_path / "suite")
    old = run(suite, tmp_path / "old" / "carets", Model("mine", wrong=range(10)))
    new = run(suite, tmp_path / "new" / "carets", Model("mine"))
    found = falter.score([old, new], n_resamples=0)
    assert {row.model for row in found.rows} == {"mine (old/carets)", "mine (new/carets)"}


def test_parts_and_control_runs_are_not_ranked_among_whole_runs(tmp_path: Path) -> None:
    suite = write(tmp_path / "suite")
    runs = [
        run(suite, tmp_path / "good", Model("good")),
        run(suite, tmp_path / "weak", Model("weak", wrong=range(10))),
        run(suite, tmp_path / "part", Model("part"), limit=12),
        run(suite, tmp_path / "blind", Model("good"), image_input="none"),
    ]
    ((names, _),) = falter.score(runs, n_resamples=50).rankings
    assert names == ["good", "weak"]
    ((names, _),) = falter.score([runs[0], runs[2]], n_resamples=50).rankings
    assert names == ["good", "part"], "the pairs of the part are what there is"


def test_overlap_of_models_with_long_names_fits_80_columns(tmp_path: Path) -> None:
    suite = write(tmp_path / "suite")
    long = "organization/vision-language-model-{}-instruct-chatty-8b-preview-2025-01"
    runs = [run(suite, tmp_path / name, Model(long.format(name))) for name in ("one", "two")]
    assert max(map(len, str(falter.compare(runs, what="overlap")).splitlines())) <= 80
