"""SWiG and imSitu in their own formats; records that cannot be used are counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import InputError, UsageError
from falter.data.sources import open_source
from falter.generation.sources import HasSituations

FRAME = {"agent": "n10287213", "liquid": "", "container": "n02876657", "place": ""}
ABSTRACT = "the AGENT drinks a LIQUID from a CONTAINER at a PLACE"
SPACE = {
    "verbs": {
        "drinking": {"framenet": "Ingestion", "abstract": "the AGENT drinks a LIQUID from a CONTAINER at a PLACE"}
    },
    "nouns": {"n10287213": {"gloss": ["man", "adult male"], "def": "..."}, "n1": {"gloss": []}},
}


def write(folder: Path, records: Any, space: Any = SPACE) -> Path:
    (folder / "dev.json").write_text(json.dumps(records))
    if space is not None:
        (folder / "imsitu_space.json").write_text(json.dumps(space))
    return folder


def test_situations_with_their_verbs_and_nouns(tmp_path: Path) -> None:
    record = {"verb": "drinking", "height": 5, "width": 6, "bb": {"agent": [1, 2, 3, 4]}, "frames": [FRAME] * 3}
    write(tmp_path, {"drinking_1.jpg": record})
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "drinking_1.jpg").write_bytes(b"x")
    for name in ("swig", "imsitu"):
        source = open_source(f"{name}:{tmp_path}")
        assert isinstance(source, HasSituations)
        (situation,) = source.situations()
        assert (situation.image_id, situation.verb, situation.frames) == ("drinking_1.jpg", "drinking", (FRAME,) * 3)
        assert source.image_path("drinking_1.jpg") == tmp_path / "images" / "drinking_1.jpg"
        assert source.image_path("../dev.json") is None
        assert source.abstract("drinking") == ABSTRACT
        assert source.abstract("flying") is None
        assert [source.noun(one) for one in ("n10287213", "n1", "n2")] == ["man", None, None]


def test_abstracts_from_a_file_of_templates(tmp_path: Path) -> None:
    write(tmp_path, {"a.jpg": {"verb": "poking", "frames": [FRAME]}}, None)
    (tmp_path / "templates.tab").write_bytes(b"poking\tAGENT poked OBJECT at PLACE\r\n\nbroken\npoking\tAGENT pokes\n")
    source: Any = open_source(f"swig:frames={tmp_path / 'dev.json'},templates={tmp_path / 'templates.tab'}")
    assert source.abstract("poking") == "AGENT poked OBJECT at PLACE"
    assert source.problems == {"the line of a template is malformed": 1}


def test_what_cannot_be_used_is_counted(tmp_path: Path) -> None:
    good = {"verb": "drinking", "frames": [FRAME]}
    odd = {
        "a": good,
        "b": {"verb": 3},
        "c": "x",
        "d": {"verb": "drinking", "frames": []},
        "e": {**good, "frames": [[]]},
    }
    source: Any = open_source(f"swig:{write(tmp_path, odd)}")
    assert source.image_ids() == ["a"]
    assert source.problems == {"the record of an image is malformed": 3, "the image has no frame": 1}


def test_files_that_are_no_swig(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds none of train\.json"):
        open_source(f"swig:{tmp_path}")
    with pytest.raises(InputError, match="does not exist"):
        open_source(f"swig:frames={tmp_path / 'no.json'}")
    with pytest.raises(UsageError, match="no setting 'colour'"):
        open_source("swig:colour=red")
    with pytest.raises(InputError, match=r"dev\.json.*'?a"):
        open_source(f"swig:{write(tmp_path, {'a': {'verb': None}})}")
    with pytest.raises(InputError, match="SWiG's format"):
        open_source(f"swig:{write(tmp_path, [1])}")
    with pytest.raises(InputError, match="imSitu's space file"):
        open_source(f"swig:{write(tmp_path, {}, {'verbs': 3})}")
