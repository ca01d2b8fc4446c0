"""Small files in the released form of VALSE become the suite they describe, or are refused by name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from falter.core.errors import InputError, UsageError
from falter.core.files import sha256_of_file
from falter.data.items import Probe
from falter.data.model import Capabilities, Reply, Request
from falter.data.suite import open_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.runs.scoring import score_run
from falter.evaluation.score_options import ScoreOptions
from falter.generation.authoring.importer import HasItemFormats, import_suite, load_importer
from falter.generation.authoring.options import ImportOptions
from falter.suites.valse.options import ItemFormat, ValseOptions
from tests.cli.commands import falter


def entry(caption: str, foil: str, votes: int = 3, **more: Any) -> dict[str, Any]:
    return {
        "dataset": "visual7w",
        "image_file": "v7w_1.jpg",
        "caption": caption,
        "foil": foil,
        "classes": 0,
        "classes_foil": [2, 1],
        "mturk": {"foil": 3 - votes, "caption": votes, "other": 0},
        **more,
    }


class TakesTheFirst:
    """Whatever is asked, it takes the choice that comes first."""

    name = fingerprint = "first"
    capabilities = Capabilities(batch_size=8)

    def reply(self, batch: Sequence[Request]) -> list[Reply]:
        return [Reply(item_id=one.item_id, answer=(one.choices or ("",))[0]) for one in batch]


EXISTENCE = {
    "a": entry("There are no dogs.", "There are dogs.", 1),
    "b": entry("There are no cats.", "There are cats.", 3, provenance_of_foils="zero_to_something"),
    "c": entry("There are no cows.", "There are no cows.", 0),
    "d": entry("There is a man.", "There is no man.", 2, image_file="COCO_val2014_000000000042.jpg"),
}
PLURALS = {"a": entry("Some cats.", "Exactly one cat.", classes="cats", classes_foil=False, dataset="coco2017")}
FILES = {"existence.json": EXISTENCE, "plurals.json": PLURALS}


def release(folder: Path, files: dict[str, Any] = FILES) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, entries in files.items():
        (folder / name).write_text(entries if isinstance(entries, str) else json.dumps(entries))
    return folder


def imported(tmp_path: Path, item_format: ItemFormat = "match", **settings: Any) -> dict[str, Probe]:
    options = ImportOptions(release_options=ValseOptions(item_format=item_format), **settings)
    import_suite(load_importer("valse"), release(tmp_path / "in"), tmp_path / "out", options)
    return {probe.probe_id: probe for probe in open_suite(tmp_path / "out").probes()}


def test_a_pair_is_a_caption_and_its_foil(tmp_path: Path) -> None:
    probes = imported(tmp_path)
    assert len(probes) == 5
    caption, foil = probes["existence-b"].items
    assert (caption.text, foil.text) == ("There are no cats.", "There are cats.")
    assert (caption.gold, foil.gold) == ("yes", "no")
    assert {(item.task, item.expects, item.suite, item.test) for item in (caption, foil)} == {
        ("match", "prefer", "valse", "existence")
    }
    assert caption.image_id == "v7w_1.jpg"
    assert caption.facets == {
        "instrument": "existence",
        "piece": "existence",
        "valid": "yes",
        "unanimous": "yes",
        "dataset": "Visual7W",
        "direction": "none-to-some",
    }
    extra = json.loads(foil.extra or "")
    assert extra["votes"] == {"caption": 3, "foil": 0, "other": 0}
    assert (extra["key"], extra["classes"], extra["classes_foil"]) == ("b", 0, [2, 1])


def test_what_annotators_did_not_confirm_is_kept_and_marked(tmp_path: Path) -> None:
    probes = imported(tmp_path)
    marks = {name: [probe.original.facets[facet] for facet in ("valid", "unanimous")] for name, probe in probes.items()}
    assert marks["existence-a"] == ["no", "no"]
    assert marks["existence-d"] == ["yes", "no"]
    manifest = open_suite(tmp_path / "out").manifest
    assert (manifest.counts["valid"], manifest.counts["unanimous"], manifest.counts["equal_texts"]) == (3, 2, 1)


def test_published_ids_count_the_pairs_of_a_file_from_nought(tmp_path: Path) -> None:
    probes = imported(tmp_path)
    ids = {name: [item.source_id for item in probe.items] for name, probe in probes.items()}
    assert ids["existence-a"] == ["existence:0:caption", "existence:0:foil"]
    assert ids["existence-d"] == ["existence:3:caption", "existence:3:foil"]
    assert ids["plurals-a"] == ["plurals:0:caption", "plurals:0:foil"]


def test_a_test_bears_the_papers_name(tmp_path: Path) -> None:
    names = {"counting-hard.json": "counting-balanced", "coreference-hard.json": "coreference-clean"}
    release(tmp_path / "in", {name: {"k": entry("x", "y", classes="yes", classes_foil="no")} for name in names})
    import_suite(load_importer("valse"), tmp_path / "in", tmp_path / "out")
    suite = open_suite(tmp_path / "out")
    assert {item.test for item in suite.items()} == set(names.values())
    assert {item.facets.get("direction") for item in suite.items()} == {None, "yes-to-no"}


def test_as_a_choice_both_orders_are_asked(tmp_path: Path) -> None:
    probes = imported(tmp_path, item_format="choice")
    assert "existence-c" not in probes
    first, second = probes["existence-b"].items
    assert first.choices == ("There are no cats.", "There are cats.")
    assert second.choices == ("There are cats.", "There are no cats.")
    assert first.gold == second.gold == "There are no cats."
    assert {(item.task, item.expects, item.suite) for item in (first, second)} == {("answer", "same", "valse-choice")}
    assert first.item_id != second.item_id


def test_a_model_that_takes_the_first_is_shown_to_lean(tmp_path: Path) -> None:
    imported(tmp_path, item_format="choice")
    run = run_suite(open_suite(tmp_path / "out"), TakesTheFirst(), tmp_path / "run")
    found = {
        one.measure: one.value for one in score_run(run, ScoreOptions(n_resamples=0)) if one.group.test == "existence"
    }
    # Two of the three pairs with different texts are valid.
    assert (found["pairs"], found["first_choice_rate"], found["acc"], found["cons"]) == (2, 1, 0.5, 0)


def test_pictures_are_found_by_name_at_any_depth(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    (pictures / "visual7w" / "images").mkdir(parents=True)
    (pictures / "coco" / "val2017").mkdir(parents=True)
    (pictures / "coco" / "back").symlink_to(pictures, target_is_directory=True)
    Image.new("RGB", (8, 8), "red").save(pictures / "visual7w" / "images" / "v7w_1.jpg")
    Image.new("RGB", (8, 8), "blue").save(pictures / "coco" / "val2017" / "000000000042.jpg")
    probes = imported(tmp_path, image_dir=pictures)
    assert probes["existence-b"].original.image == "images/v7w_1.jpg"
    renamed = probes["existence-d"].original
    assert renamed.image_sha256 == sha256_of_file(pictures / "coco" / "val2017" / "000000000042.jpg")
    assert open_suite(tmp_path / "out").manifest.counts["pictures_not_found"] == 0


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        import_suite(load_importer("valse"), release(tmp_path / "in"), tmp_path / name)
    for file in ("items.parquet", "suite.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"a": {"dataset"', "is not a JSON object"),
        ("[]", "is not a JSON object"),
        ("{}", "holds no entries"),
        (json.dumps({"a": {"caption": "x"}}), "a: is not an entry of VALSE"),
        (json.dumps({"a": entry("x", " ")}), "a: has an empty foil"),
        (json.dumps({"a": entry("x", "y", mturk={"caption": "3", "foil": 0, "other": 0})}), "a: is not an entry"),
        (json.dumps({"a": entry("x", "y", mturk={"caption": 3, "foil": -1, "other": 0})}), "negative number of votes"),
        (json.dumps({"a": entry("x", "y", image_file="../up.jpg")}), "names no picture"),
        (b"\xff\xfe{".decode("latin-1"), "is not a JSON object"),
    ],
)
def test_broken_files_are_refused_by_name(tmp_path: Path, content: str, told: str) -> None:
    release(tmp_path / "in", {"relations.json": content})
    with pytest.raises(InputError, match=told) as caught:
        import_suite(load_importer("valse"), tmp_path / "in", tmp_path / "out")
    assert caught.value.path.endswith("relations.json")
    assert not (tmp_path / "out").exists()


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no file of VALSE"):
        import_suite(load_importer("valse"), release(tmp_path / "in", {"notes.json": {}}), tmp_path / "out")


def test_the_command_tells_what_it_brought_in(tmp_path: Path) -> None:
    folder = release(tmp_path / "in")
    result = falter("import", "valse", str(folder), "--out", str(tmp_path / "out"))
    assert "existence: 4 pairs" in result.stdout
    assert "1 foils equal their captions" in result.stderr
    assert "9 of the 11 instruments are not there" in result.stderr
    other = falter("import", "carets", str(folder), "--out", str(tmp_path / "c"), "--item-format", "choice")
    assert other.returncode == 2
    assert "no such option: --item-format" in other.stderr
    importer = load_importer("valse")
    assert isinstance(importer, HasItemFormats)
    with pytest.raises(UsageError, match="match or choice"):
        importer.with_format("riddle")
