"""Foils that are made from captions: the pairs, the funnel, and what never stops it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import falter
from falter.core.errors import UsageError
from falter.data.suite import Suite
from tests.suites.captions import HOSTILE, SHAPES, write_captions

pytest.importorskip("spacy", reason="parsing needs spaCy")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("plurality")
    source = write_captions(folder, *HOSTILE)
    return falter.generate("valse", source, out=folder / "suite", instrument=("plurality",), images="none")


def test_pairs_are_captions_and_foils(suite: Suite) -> None:
    probes = list(suite.probes())
    assert len(probes) > 20
    for probe in probes:
        caption, foil = probe.items
        assert (caption.task, caption.expects, caption.gold, foil.gold) == ("match", "prefer", "yes", "no")
        assert caption.facets == foil.facets
        assert caption.facets["instrument"] == "plurality"
        extra = json.loads(caption.extra or "")
        for text, spans in ((caption.text, extra["caption_spans"]), (foil.text, extra["foil_spans"])):
            (start, end), *_ = spans
            assert text[start:end].lower().startswith(("exactly one ", "a single ", "some ", "a number of "))
        start, end = extra["caption_spans"][0]
        (own,) = [one for one in (*SHAPES, *HOSTILE) if " ".join(one.split()) == extra["original_caption"]]
        assert caption.text[end:] in " ".join(own.split())


def test_both_directions_have_as_many(suite: Suite) -> None:
    directions = [probe.original.facets["direction"] for probe in suite.probes()]
    assert directions.count("sg2pl") == directions.count("pl2sg") > 10


def test_one_pair_a_caption(suite: Suite) -> None:
    captions = [json.loads(probe.original.extra or "")["caption_id"] for probe in suite.probes()]
    assert len(captions) == len(set(captions))


def test_the_funnel_adds_up_and_is_shown(suite: Suite) -> None:
    funnel = suite.manifest.counts["funnel"]["plurality"]
    assert funnel["captions"] == len(SHAPES) + len(HOSTILE)
    assert funnel["candidates"] == funnel["kept"] + sum(funnel["rejected"].values())
    assert funnel["kept"] == suite.manifest.counts["tests"]["plurality"]["probes"]
    assert funnel["skipped"]["the caption has no word"] == 2
    assert funnel["skipped"]["the caption has too many tokens"] == 1
    assert funnel["skipped"]["the caption is in capitals"] == 1
    shown = str(falter.inspect(suite.folder))
    assert f"{funnel['kept']} kept" in shown
    # Long samples go over several lines.
    assert funnel["samples"]["kept"][0] in " ".join(shown.split())


def test_the_manifest_names_what_was_used(suite: Suite) -> None:
    parameters = suite.manifest.parameters
    assert (parameters["tests"], parameters["tokenizer"], parameters["max_tokens"]) == (["plurality"], "words", 80)
    assert "spaCy" in parameters["parser"]


def test_equal_bytes_whatever_the_workers(suite: Suite, tmp_path: Path) -> None:
    source = write_captions(tmp_path, *HOSTILE)
    again = falter.generate("valse", source, out=tmp_path / "suite", tests=("plurality",), images="none", workers=2)
    for name in ("items.parquet", "suite.json"):
        assert (again.folder / name).read_bytes() == (suite.folder / name).read_bytes()


def test_a_smaller_size_is_a_part_of_a_larger_one(suite: Suite, tmp_path: Path) -> None:
    source = write_captions(tmp_path, *HOSTILE)
    few = falter.generate("valse", source, out=tmp_path / "few", instrument=("plurality",), size=10, images="none")
    texts = {probe.original.text for probe in few.probes()}
    assert len(texts) == 10
    assert texts <= {probe.original.text for probe in suite.probes()}


def test_an_instrument_that_there_is_not(tmp_path: Path) -> None:
    source = write_captions(tmp_path)
    with pytest.raises(UsageError, match="no foils can be made for the instrument 'rhythm'"):
        falter.generate("valse", source, out=tmp_path / "x", instrument=("rhythm",), images="none")
    with pytest.raises(UsageError, match="give one of them"):
        falter.generate(
            "valse", source, out=tmp_path / "x", tests=("plurality",), instrument=("plurality",), images="none"
        )


def test_a_source_without_any_image_is_told_unless_none_is_asked_for(suite: Suite, tmp_path: Path) -> None:
    source = write_captions(tmp_path)
    copied = falter.generate("valse", source, out=tmp_path / "copied", instrument=("plurality",), size=2)
    assert [one.image for probe in copied.probes() for one in probe.items] == [None] * 4
    assert copied.manifest.notes == [
        "No image of the source was found, so the suite has none; --images none says that this is meant."
    ]
    assert suite.manifest.notes == []
