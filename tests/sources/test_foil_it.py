"""FOIL it! in its own format: foils find their captions, and what cannot be used is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import falter
from falter.core.errors import InputError
from falter.data.sources import open_source
from falter.generation.sources import HasFoils


def original(number: int, caption: str, image: int = 7) -> dict[str, Any]:
    words = {"target_word": "ORIG", "foil_word": "ORIG", "foil": False}
    return {"id": number, "image_id": image, "caption": caption, "foil_id": number * 10, **words}


def foil(number: int, caption: str, word: str, other: str, image: int = 7) -> dict[str, Any]:
    words = {"target_word": word, "foil_word": other, "foil": True}
    return {"id": number, "image_id": image, "caption": caption, "foil_id": number * 10 + 1, **words}


def write(folder: Path, *records: Any) -> Path:
    path = folder / "foilv1.0_test.json"
    path.write_text(json.dumps({"info": {}, "images": [], "annotations": records}))
    return folder


def test_a_foil_and_its_caption_have_the_same_id(tmp_path: Path) -> None:
    records = (foil(1, "A cat on a sofa.", "dog", "cat"), original(2, "A lamp."), original(1, "A dog on a sofa."))
    source = open_source(f"foil-it:{write(tmp_path, *records)}")
    assert isinstance(source, HasFoils)
    (one,) = source.foils()
    assert (one.image_id, one.caption, one.foil) == ("7", "A dog on a sofa.", "A cat on a sofa.")
    assert (one.word, one.foil_word) == ("dog", "cat")


def test_other_ids_are_paired_by_their_words(tmp_path: Path) -> None:
    records = (
        original(1, "A dog on a sofa."),
        foil(2, "a cat on a  sofa", "dog", "cat"),
        foil(3, "A cow.", "pig", "cow"),
    )
    source: Any = open_source(f"foil-it:{write(tmp_path, *records)}")
    assert [one.caption for one in source.foils()] == ["A dog on a sofa."]
    assert source.problems == {"the caption of a foil is missing": 1}


def test_pairs_of_the_instrument(tmp_path: Path) -> None:
    records = [
        original(1, "A dog on a sofa."),
        foil(1, "A  cat on a sofa.", "dog", "cat"),
        original(2, "two bottles", 8),
        foil(2, "two wine glasses", "bottle", "wine glass", 8),
        original(3, "The same.", 9),
        foil(3, "the same.", "x", "y", 9),
        original(4, "word " * 100, 10),
        foil(4, "other " * 100, "word", "other", 10),
        foil(1, "A cow on a sofa.", "dog", "cow"),
        original(5, "\U0001f600", 11),
        foil(5, "\U0001f601", "a", "b", 11),
    ]
    suite = falter.generate("valse", f"foil-it:{write(tmp_path, *records)}", out=tmp_path / "suite",
                            instrument=("foil-it",), images="none")  # fmt: skip
    pairs = {probe.items[0].text: probe for probe in suite.probes()}
    assert set(pairs) == {"A dog on a sofa.", "two bottles"}
    assert pairs["two bottles"].items[1].text == "two wine glasses"
    extra = json.loads(pairs["two bottles"].original.extra or "")
    assert (extra["caption_spans"], extra["foil_spans"]) == ([[4, 11]], [[4, 16]])
    funnel = suite.manifest.counts["funnel"]["foil-it"]
    assert funnel["rejected"] == {"another foil of the caption was drawn": 1}
    assert funnel["skipped"] == {
        "the foil is the same as its caption": 1,
        "the caption has too many tokens": 1,
        "the caption has no word": 1,
    }


def test_files_that_are_no_foil_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found none"):
        open_source(f"foil-it:{tmp_path}")
    with pytest.raises(InputError, match=r"annotations\[0\]"):
        open_source(f"foil-it:{write(tmp_path, {'id': 1})}")
    source: Any = open_source(f"foil-it:{write(tmp_path, original(1, 'A dog.'), 'x')}")
    assert source.problems == {"the record of an annotation is malformed": 1}
