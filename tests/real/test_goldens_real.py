"""The released VALSE and CARETS, beside the checkout, have the bytes and scores that they had before."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.goldens.records import differences, read_records
from tests.goldens.scenarios import DATA, REAL, collect


@pytest.mark.real
@pytest.mark.parametrize(("name", "folders"), [("real_valse", ("valse", "valse-scores")), ("real_carets", ("carets",))])
def test_nothing_has_changed(name: str, folders: tuple[str, ...], tmp_path: Path) -> None:
    for folder in folders:
        if not (REAL / folder).is_dir():
            pytest.skip(f"needs ../shared/data/{folder} beside the checkout")
    lines = list(differences(read_records(DATA / f"{name}.jsonl"), collect(name, tmp_path)))
    assert not lines, f"{len(lines)} differ:\n" + "\n".join(lines[:20])
