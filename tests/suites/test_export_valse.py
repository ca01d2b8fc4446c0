"""Captions and foils in VALSE's format: what is written is read again as the same pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.api.importing import import_suite
from falter.api.reporting import export
from falter.core.errors import InputError, UsageError
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.data.votes import Vote, write_votes
from tests.cli.in_process import falter_here

pytestmark = pytest.mark.bundle("valse")

ENTRY = {"dataset": "visual7w", "image_file": "v7w_1.jpg", "mturk": {"foil": 1, "caption": 2, "other": 0}}


def test_released_files_come_back_with_the_same_items(tmp_path: Path) -> None:
    released = {
        "existence.json": {
            "a": ENTRY | {"caption": "No dogs.", "foil": "Dogs.", "classes": 0, "classes_foil": [2, 1]},
            "b": ENTRY
            | {"caption": "No men.", "foil": "Men.", "classes_foil": True, "provenance_of_foils": "zero_to_something"},
        },
        "relations.json": {
            "c": ENTRY | {"dataset": "coco_2017", "caption": "On it.", "foil": "In it.", "original_split": "val"}
        },
        "plurals.json": {
            "d": ENTRY
            | {
                "dataset": "coco2017",
                "caption": "A cat.",
                "foil": "Cats.",
                "foil_method": "checklist method, change NP to PL",
            }
        },
    }
    (tmp_path / "files").mkdir()
    for name, entries in released.items():
        (tmp_path / "files" / name).write_text(json.dumps(entries))
    first = import_suite("valse", tmp_path / "files", out=tmp_path / "first")
    assert export(first, "valse", out=tmp_path / "again") == {name: len(one) for name, one in released.items()}
    second = import_suite("valse", tmp_path / "again", out=tmp_path / "second")
    assert second.manifest.items_sha256 == first.manifest.items_sha256
    written = json.loads((tmp_path / "again/relations.json").read_text())["c"]
    assert {name: written[name] for name in released["relations.json"]["c"]} == released["relations.json"]["c"]


def made(folder: Path) -> Suite:
    with create_suite(folder, SuiteManifest(name="valse")) as writer:
        for number, test in enumerate(("plurality", "binding of colors")):
            shared: dict[str, Any] = {
                "suite": "valse",
                "test": test,
                "probe_id": f"pair-{number}",
                "task": "match",
                "expects": "prefer",
                "image": ImageRef("images/../shelf/17.jpg"),
                "facets": {"piece": "plurality", "direction": "sg2pl", "dataset": "mine"},
                "extra": json.dumps({"classes": "cat", "classes_foil": "cats"}),
            }
            foils = [Item.make(text=f"Cats {one}.", gold="no", variant=one, **shared) for one in range(1, number + 2)]
            writer.add(Probe((Item.make(text="A cat.", gold="yes", **shared), *foils)))
    return open_suite(folder)


def test_made_pairs_are_written_with_their_votes(tmp_path: Path) -> None:
    suite = made(tmp_path / "suite")
    answers = {"ann": "caption", "bob": "both", "eve": "caption"}
    write_votes(suite.folder, [Vote(annotator=who, answer=one, probe_id="pair-0") for who, one in answers.items()])
    written = export(suite.folder, "valse", out=tmp_path / "files")
    assert written == {"plurals.json": 1, "binding-of-colors.json": 2}
    (entry,) = json.loads((tmp_path / "files/plurals.json").read_text()).values()
    assert entry["mturk"] == {"foil": 0, "caption": 2, "other": 1}
    assert entry["image_file"] == "17.jpg"
    others = json.loads((tmp_path / "files/binding-of-colors.json").read_text())
    assert list(others) == ["pair-1-1", "pair-1-2"], "an entry has one foil"
    assert all("mturk" not in one for one in others.values())
    (pair,) = import_suite("valse", tmp_path / "files", out=tmp_path / "again").probes()
    assert [item.text for item in pair.items] == ["A cat.", "Cats 1."]
    assert pair.original.facets == {
        "instrument": "plurality",
        "piece": "plurality",
        "valid": "yes",
        "unanimous": "no",
        "dataset": "mine",
        "direction": "sg2pl",
    }


def test_pairs_without_votes_are_not_called_valid(tmp_path: Path) -> None:
    export(made(tmp_path / "suite"), "valse", out=tmp_path / "files")
    (pair,) = import_suite("valse", tmp_path / "files", out=tmp_path / "again").probes()
    assert "valid" not in pair.original.facets


def test_bad_use_is_one_line(tmp_path: Path) -> None:
    suite = made(tmp_path / "suite")
    with pytest.raises(UsageError, match="itself"):
        export(suite, "valse", out=suite.folder, overwrite=True)
    with create_suite(tmp_path / "questions", SuiteManifest(name="mine")) as writer:
        writer.add(Probe((Item.make(suite="mine", test="t", probe_id="1", text="Is it red?"),)))
    with pytest.raises(InputError, match="holds nothing"):
        export(tmp_path / "questions", "valse", out=tmp_path / "files")
    assert not (tmp_path / "files").exists()
    done = falter_here("export", suite.folder, "--to", "nothing", "--out", tmp_path / "files")
    assert done.code == 2 and "there are hf, inspect, lmms-eval, valse" in done.stderr
    done = falter_here("export", suite.folder, "--to", "valse", "--out", tmp_path / "files")
    assert done.code == 0 and "plurals.json: 1 entry" in done.stdout
