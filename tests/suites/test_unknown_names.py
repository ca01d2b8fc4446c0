"""Scene graphs with names that the ontology lacks: the names are told, and the file to add them to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import falter
from falter.core.errors import UsageError


def write_graphs(folder: Path, *names: str) -> Path:
    places = {name: {"x": 30 * number, "y": 1, "w": 20, "h": 20} for number, name in enumerate(names)}
    objects = {str(n): {"name": name, **at, "attributes": []} for n, (name, at) in enumerate(places.items())}
    graph = {"width": 100, "height": 100, "objects": {n: {**one, "relations": []} for n, one in objects.items()}}
    folder.mkdir()
    (folder / "val_sceneGraphs.json").write_text(json.dumps({"1": graph}))
    return folder


def test_names_that_are_all_unknown_are_told(tmp_path: Path) -> None:
    source = write_graphs(tmp_path / "own", "zorblax", "flibber")
    with pytest.raises(UsageError, match=r"lacks flibber, zorblax: add them to a file kinds.yaml.*--plugin-dir"):
        falter.generate("carets", f"gqa:{source}", out=tmp_path / "suite", size=5)


def test_the_line_that_is_told_adds_a_name(tmp_path: Path) -> None:
    source = write_graphs(tmp_path / "own", "zorblax", "dog")
    suite = falter.generate("carets", f"gqa:{source}", out=tmp_path / "suite", size=5, images="none")
    (note,) = suite.manifest.notes
    line = note.partition("such as '")[2].partition("'")[0]
    assert line == "zorblax: {is: thing}"
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "kinds.yaml").write_text(line)
    words = [tmp_path / "words"]
    known = falter.generate("carets", f"gqa:{source}", out=tmp_path / "known", size=5, images="none", plugins=words)
    assert known.manifest.notes == []
