"""Captions of one's own, and captions of COCO by themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falter.core.errors import InputError, UsageError
from falter.data.sources import open_source
from falter.generation.sources import HasCaptions, HasDialogues


def test_rows_become_captions_of_their_image(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text('image,caption\ndog.jpg," A dog. "\ncat,A cat.\ndog.jpg,"A ""good"" dog 🐕"\n,No image.\nfox,\n')
    (tmp_path / "cat.png").write_bytes(b"x")
    source = open_source(f"captions:{file}")
    assert isinstance(source, HasCaptions)
    assert not isinstance(source, HasDialogues)
    assert source.image_ids() == ["dog.jpg", "cat"]
    assert source.captions("dog.jpg") == ["A dog.", 'A "good" dog 🐕']
    assert source.captions("nowhere") == []
    assert source.problems == {"the row has no image": 1, "the row has no caption": 1}
    assert source.image_path("cat") == tmp_path / "cat.png"
    assert source.image_path("../cat.png") is None


def test_questions_become_dialogues_of_one_round(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    rows = [{"image": "1", "text": "A dog.", "question": "Is it brown?", "answer": "yes"}, {"image": "2", "text": "B."}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    source = open_source(f"captions:file={file},caption=text")
    assert isinstance(source, HasDialogues)
    (dialogue,) = source.dialogues()
    assert (dialogue.image_id, dialogue.caption) == ("1", "A dog.")
    assert [(one.question, one.answer) for one in dialogue.rounds] == [("Is it brown?", "yes")]
    assert isinstance(source, HasCaptions)
    assert source.captions("2") == ["B."]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("mine.csv", "image,words\n1,A dog.\n", "lacks the columns caption"),
        ("mine.csv", "image,caption\n", r"mine.csv: has no row with an image and a caption \("),
        ("mine.csv", "image,caption\n,\n", "line 2: has no row with an image and a caption; the first: the row has no"),
        (
            "mine.csv",
            "image,caption\n1,A dog, on a bench\n",
            "line 2: .*the first: the row has another number of fields",
        ),
        ("mine.jsonl", '{"image": 1, "caption": ["A dog."]}\n', "line 1: .*the first: the row has no caption"),
        ("mine.txt", "A dog.", "none of the endings"),
    ],
)
def test_a_file_that_is_no_table_of_captions(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said):
        open_source(f"captions:{tmp_path / name}")


def test_settings_that_there_are_not() -> None:
    with pytest.raises(UsageError, match="captions has no setting 'colour'"):
        open_source("captions:colour=red")
    with pytest.raises(UsageError, match="coco-captions has no setting"):
        open_source("coco-captions:instances=x")
    with pytest.raises(InputError, match="does not exist"):
        open_source("captions:nowhere.csv")


def test_captions_of_coco_by_themselves(tmp_path: Path) -> None:
    file = tmp_path / "captions_val2017.json"
    file.write_text(json.dumps({"annotations": [{"image_id": 7, "caption": "A dog."}]}))
    source = open_source(f"coco-captions:{file}")
    assert isinstance(source, HasCaptions)
    assert source.captions("7") == ["A dog."]
