"""Suites that people build themselves: written, checked, refused in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from PIL import Image

from falter.core.errors import FalterError, InputError, UsageError
from falter.core.files import sha256_of_file
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import open_suite
from falter.data.suite_writing import write_suite


def pair(number: int, **fields: Any) -> Probe:
    shared: dict[str, Any] = {
        "suite": "mine",
        "test": "capitals",
        "probe_id": f"capitals-{number}",
        "gold": "yes",
        "choices": ("yes", "no"),
        **fields,
    }
    text = f"Is there a dog in image {number}?"
    return Probe.of(Item.make(text=text, **shared), Item.make(text=text.upper(), variant=1, **shared))


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "photos" / "dog.png"
    path.parent.mkdir()
    Image.new("RGB", (4, 4), "red").save(path)
    return path


def test_probes_become_a_suite(tmp_path: Path, image: Path) -> None:
    probes = (pair(number, image=ImageRef("dog", image)) for number in range(3))
    suite = write_suite(probes, str(tmp_path / "suite"), name="mine", title="Mine", licence="CC-BY-4.0", citation="Me")
    assert repr(suite) == "Suite('mine', tests: capitals; 3 probes, 6 items, 1 image; licence: CC-BY-4.0)"
    assert (suite.manifest.title, suite.manifest.citation) == ("Mine", "Me")
    assert len(suite) == len(list(suite)) == 3
    first = next(iter(suite)).original
    assert (first.image, first.image_id, first.image_sha256) == ("images/dog.png", "dog", sha256_of_file(image))
    assert first.item_id == first.seen_id(), "the id follows the bytes of the image"
    assert sorted(path.name for path in (tmp_path / "suite" / "images").iterdir()) == ["dog.png"]
    frame = suite.to_polars()
    assert isinstance(frame, pl.DataFrame)
    assert frame.height == suite.item_count == 6
    again = write_suite(suite, tmp_path / "again", name="mine")
    assert list(again) == list(suite)
    assert (tmp_path / "again" / "images" / "dog.png").read_bytes() == image.read_bytes()


def test_images_may_be_linked_or_left_out(tmp_path: Path, image: Path) -> None:
    linked = write_suite([pair(0, image=ImageRef(None, image))], tmp_path / "a", name="mine", images="link")
    without = write_suite([pair(0, image=ImageRef(None, image))], tmp_path / "b", name="mine", images="none")
    shown = [next(suite.items()) for suite in (linked, without)]
    assert [one.image for one in shown] == [str(image.resolve()), None]
    assert shown[0].item_id == shown[1].item_id
    assert shown[0].image_id == sha256_of_file(image)[:16], "images without an id still form clusters"
    assert not (tmp_path / "b" / "images").exists()


def test_what_cannot_be_scored_is_refused_and_nothing_is_written(tmp_path: Path, image: Path) -> None:
    stale = Probe((msgspec.structs.replace(pair(0).original, text="Something else?"),))
    swapped = Probe((pair(0).variants[0], pair(0).original))
    wrong: list[tuple[list[Any], type[FalterError], str]] = [
        ([], UsageError, "there is no probe to write"),
        ([pair(1), pair(1)], UsageError, "two probes have the id 'capitals-1'"),
        ([pair(1), pair(2, suite="other")], UsageError, "its suite is 'other', not 'mine'"),
        ([pair(1, gold="maybe")], UsageError, "the gold answer 'maybe' is not among the choices"),
        ([stale], UsageError, r"change items with item\.change"),
        ([swapped], FalterError, "variants must count 0, 1, 2"),
        ([pair(1).original], UsageError, "a suite is made of probes"),
        ([Probe(())], UsageError, "a suite is made of probes"),
        ([pair(1, image=ImageRef("x", tmp_path / "none.png"))], InputError, "cannot be read"),
        ([pair(1, image=ImageRef("x", image, "0" * 64))], InputError, "the hashes differ"),
    ]
    for probes, error, problem in wrong:
        with pytest.raises(error, match=problem) as raised:
            write_suite(probes, tmp_path / "suite", name="mine")
        assert "\n" not in str(raised.value)
        assert not (tmp_path / "suite").exists()
    write_suite([pair(1)], tmp_path / "suite", name="mine")
    with pytest.raises(UsageError, match="already exists and is not empty"):
        write_suite([pair(2)], tmp_path / "suite", name="mine")
    write_suite([pair(2)], tmp_path / "suite", name="mine", overwrite=True)
    assert [probe.probe_id for probe in open_suite(str(tmp_path / "suite"))] == ["capitals-2"]
