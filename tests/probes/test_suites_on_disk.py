"""Suites are written whole or not at all, and read back as they were written."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integrity.sealing import accept_items, edit_manifest

from falter.core.errors import FalterError, InputError, UsageError
from falter.core.files import sha256_of_file
from falter.data.items import ImageRef, Item, Probe, Turn
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import ROWS_A_GROUP, create_suite

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
maybe = st.one_of(st.none(), texts)
many = st.one_of(st.none(), st.lists(texts, max_size=3).map(tuple))


@st.composite
def probes(draw: st.DrawFn) -> list[Probe]:
    found = []
    for number in range(draw(st.integers(1, 4))):
        items = [
            Item(
                probe_id=f"p{number}",
                variant=variant,
                item_id=draw(texts),
                suite="suite",
                test=f"t{number % 2}",
                role="variant" if variant else "original",
                expects=draw(st.sampled_from(["same", "different", "each", "prefer"])),
                task=draw(st.sampled_from(["answer", "match"])),
                text=draw(texts),
                gold=draw(st.one_of(maybe, st.sampled_from(["yes", "no"]))),
                image=draw(maybe),
                image_id=draw(maybe),
                image_sha256=draw(maybe),
                context=draw(st.one_of(st.none(), st.lists(st.builds(Turn, texts, texts), max_size=2).map(tuple))),
                answers=draw(many),
                choices=draw(many),
                meaning=draw(maybe),
                source_id=draw(maybe),
                facets=draw(st.dictionaries(texts, texts, max_size=3)),
                extra=draw(maybe),
            )
            for variant in range(draw(st.integers(1, 3)))
        ]
        found.append(Probe(tuple(items)))
    return found


def item(number: int, variant: int = 0, **more: Any) -> Item:
    fields: dict[str, Any] = {
        "probe_id": f"p{number}",
        "variant": variant,
        "item_id": f"i{number}-{variant}",
        "suite": "s",
        "test": "t",
        "role": "variant" if variant else "original",
        "expects": "same",
        "task": "answer",
        "text": "Is there a dog?",
        "gold": "yes",
    }
    return Item(**fields | more)


def write(folder: Path, some: list[Probe], **more: Any) -> Path:
    with create_suite(folder, SuiteManifest(name="s"), **more) as writer:
        for probe in some:
            writer.add(probe)
    return folder


@settings(max_examples=60, deadline=None)
@given(probes())
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, some: list[Probe]) -> None:
    folder = write(tmp_path_factory.mktemp("suites") / "suite", some)
    suite = open_suite(folder)
    assert list(suite.probes()) == some
    assert suite.item_count == sum(len(probe.items) for probe in some) == suite.manifest.counts["items"]
    assert len(suite) == len(some) == len(list(suite))
    assert suite.manifest.counts["probes"] == len(some)
    assert suite.fingerprint == sha256_of_file(folder / "items.parquet")
    again = write(folder.parent / "again", some)
    for name in ("items.parquet", "suite.json"):
        assert (folder / name).read_bytes() == (again / name).read_bytes()


def test_an_error_in_the_block_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="stop"), create_suite(tmp_path / "suite", SuiteManifest(name="s")) as writer:
        writer.add(Probe((item(0),)))
        raise RuntimeError("stop")
    assert list(tmp_path.iterdir()) == []


def test_an_error_while_overwriting_keeps_the_old_suite(tmp_path: Path) -> None:
    folder = write(tmp_path / "suite", [Probe((item(0),))])
    with (
        pytest.raises(KeyboardInterrupt),
        create_suite(folder, SuiteManifest(name="new"), overwrite=True) as writer,
    ):
        writer.add(Probe((item(1),)))
        raise KeyboardInterrupt
    assert [probe.probe_id for probe in open_suite(folder).probes()] == ["p0"]
    assert [path.name for path in tmp_path.iterdir()] == ["suite"]


def test_a_full_folder_is_only_replaced_when_told(tmp_path: Path) -> None:
    folder = write(tmp_path / "suite", [Probe((item(0),))])
    with pytest.raises(UsageError, match="not empty"):
        write(folder, [Probe((item(1),))])
    write(folder, [Probe((item(1),))], overwrite=True)
    assert [probe.probe_id for probe in open_suite(folder).probes()] == ["p1"]
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty", [Probe((item(2),))])
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is a file"):
        write(tmp_path / "file", [Probe((item(2),))], overwrite=True)


@pytest.mark.parametrize(
    "items",
    [
        (),
        (item(0, 1),),
        (item(0), item(0, 2)),
        (item(0), item(1, 1)),
        (item(0), item(0, 1, test="other")),
        (item(0), item(0, 1, role="original")),
        (item(0, 0, role="variant"),),
    ],
)
def test_probes_that_break_the_model_are_refused(tmp_path: Path, items: tuple[Item, ...]) -> None:
    with pytest.raises(FalterError):
        write(tmp_path / "suite", [Probe(items)])
    assert list(tmp_path.iterdir()) == []


def test_a_newer_format_asks_for_an_upgrade(tmp_path: Path) -> None:
    folder = write(tmp_path / "suite", [Probe((item(0),))])
    manifest = json.loads((folder / "suite.json").read_text())
    (folder / "suite.json").write_text(json.dumps({**manifest, "format": 99, "falter": "9.9", "name": ["new", "form"]}))
    with pytest.raises(InputError, match=r"newer version \(9.9, format 99.*upgrade falter"):
        open_suite(folder)
    edit_manifest(folder / "suite.json", **{**manifest, "something": "later"})
    assert open_suite(folder).name == "s"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"name": 3}', "\x00"])
def test_a_broken_manifest_is_named(tmp_path: Path, text: str) -> None:
    folder = write(tmp_path / "suite", [Probe((item(0),))])
    (folder / "suite.json").write_text(text)
    with pytest.raises(InputError, match=r"suite\.json: is not a suite manifest"):
        open_suite(folder)


def test_what_is_no_suite_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no suite\.json"):
        open_suite(tmp_path)
    folder = write(tmp_path / "suite", [Probe((item(0),))])
    data = (folder / "items.parquet").read_bytes()
    for wrong in (b"", b"not Parquet at all", data[: len(data) // 2]):
        (folder / "items.parquet").write_bytes(wrong)
        with pytest.raises(InputError, match=r"items\.parquet: is damaged or was edited.*generate or import the suite"):
            open_suite(folder)
        accept_items(folder)
        with pytest.raises(InputError, match="cannot be read as Parquet"):
            open_suite(folder)
    (folder / "items.parquet").unlink()
    with pytest.raises(InputError, match="cannot be read: No such file"):
        open_suite(folder)


def test_missing_columns_are_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "suite", [Probe((item(0),))])
    table = pq.read_table(folder / "items.parquet").drop_columns(["gold", "facets"])
    pq.write_table(table, folder / "items.parquet")
    accept_items(folder)
    with pytest.raises(InputError, match="lacks the columns gold, facets"):
        open_suite(folder)


def test_rows_are_written_group_by_group(tmp_path: Path) -> None:
    """One row group is held at a time, so that memory does not grow with the suite."""
    number = 3 * ROWS_A_GROUP + 5
    folder = write(tmp_path / "suite", [Probe((item(one),)) for one in range(number)])
    metadata = pq.ParquetFile(folder / "items.parquet").metadata
    assert metadata.num_rows == number
    assert metadata.num_row_groups == 4
    assert max(metadata.row_group(group).num_rows for group in range(4)) <= ROWS_A_GROUP
    assert sum(1 for _ in open_suite(folder).probes()) == number


def test_other_tools_read_the_rows(tmp_path: Path) -> None:
    original = item(0, context=(Turn("a", "hello"),), choices=("yes", "no"), facets={"form": "single", "a": "b"})
    folder = write(tmp_path / "suite", [Probe((original, item(0, 1)))])
    frame = pl.read_parquet(folder / "items.parquet")
    assert frame["choices"].to_list() == [["yes", "no"], None]
    assert frame["facets"].to_list()[0] == [{"name": "a", "value": "b"}, {"name": "form", "value": "single"}]
    assert frame["context"].to_list()[0] == [{"speaker": "a", "text": "hello"}]
    assert frame.schema["variant"] == pl.Int32
    assert pq.read_table(folder / "items.parquet").num_rows == 2
    assert not (set(frame.columns) ^ set(Item.__struct_fields__))


def test_pictures_are_brought_in_once_and_under_their_own_names(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.jpg").write_text(name)
    with create_suite(tmp_path / "suite", SuiteManifest(name="s")) as writer:
        first = writer.add_image(tmp_path / "a" / "1.jpg")
        second = writer.add_image(tmp_path / "b" / "1.jpg")
        assert first == "images/1.jpg" == writer.add_image(tmp_path / "a" / "1.jpg")
        assert second != first
        assert writer.add_image(tmp_path / "a" / "1.jpg", how="none") is None
        assert writer.add_image(tmp_path / "a" / "1.jpg", how="link") == str((tmp_path / "a" / "1.jpg").resolve())
        with pytest.raises(InputError, match="cannot be copied"):
            writer.add_image(tmp_path / "nothing.jpg")
        writer.add(Probe((item(0, image=first), item(0, 1, image=second))))
    suite = open_suite(tmp_path / "suite")
    paths = [suite.image_path(one) for one in suite.items()]
    assert [path.read_text() for path in paths if path is not None] == ["a", "b"]
    assert suite.image_path(item(0)) is None


@given(texts, texts, maybe, many)
def test_an_id_stands_for_what_a_model_sees(text: str, other: str, sha256: str | None, choices: Any) -> None:
    def make(**fields: Any) -> Item:
        shown = {"text": text, "image": ImageRef(None, sha256=sha256), "choices": choices}
        return Item.make(**{"suite": "s", "test": "t", "probe_id": "p", **shown, **fields})

    one = make()
    assert one.item_id == one.seen_id()
    assert one.item_id == make(suite="x", test="y", probe_id="z", variant=3, gold="no", facets={"a": "b"}).item_id
    assert (one.item_id == make(image=ImageRef("any", "any.jpg", sha256)).item_id) == (sha256 is not None)
    changes: list[dict[str, Any]] = [
        {"task": "match"},
        {"choices": ("a", "b", "c", "d")},
        {"image": ImageRef(None, sha256="other bytes, longer than any drawn")},
        {"context": (Turn("a", "b"),)},
        {"variant": 1, "text": f"{text}?"},
    ]
    for change in changes:
        assert one.item_id != make(**change).item_id
        assert one.change(**change) == make(**change)
    assert (one.item_id == make(text=other).item_id) == (text == other)


def test_an_image_is_named_by_its_file_and_hashed(tmp_path: Path) -> None:
    (tmp_path / "cat.jpg").write_bytes(b"bytes")
    image = ImageRef.from_file(tmp_path / "cat.jpg")
    assert image == ImageRef("cat", tmp_path / "cat.jpg", hashlib.sha256(b"bytes").hexdigest())
    shown = Item.make(suite="s", test="t", probe_id="p", text="Is there a cat?", image=image)
    assert (shown.image, shown.image_id, shown.image_sha256) == (str(image.path), "cat", image.sha256)
    placed = shown.change(image="images/cat.jpg")
    assert (placed.image, placed.item_id) == ("images/cat.jpg", shown.item_id)
    assert Probe.of(shown, shown.change(variant=1)).variants[0].role == "variant"
