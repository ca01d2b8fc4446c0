"""The released captions of existence and counting are read, and foiled as the release foils them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.generation.english.rewrites.count_statements import read_count_statement

FOLDER = Path(__file__).parents[2] / "../shared/data/valse"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/data/valse beside the checkout"),
]
COUNTING = ("counting-hard", "counting-small-quant", "counting-adversarial")


def entries(*names: str) -> list[dict[str, Any]]:
    return [entry for name in names for entry in json.loads((FOLDER / f"{name}.json").read_text()).values()]


def test_nine_of_ten_captions_are_read_and_written_back_the_same() -> None:
    captions = [entry["caption"] for entry in entries("existence", *COUNTING)]
    assert len(captions) == 3290
    read = [(caption, statement) for caption in captions if (statement := read_count_statement(caption)) is not None]
    assert all(statement.write() == caption for caption, statement in read)
    assert len(read) >= 0.97 * len(captions)


def test_the_number_that_is_read_is_the_class_of_the_release() -> None:
    for entry in entries(*COUNTING):
        statement = read_count_statement(entry["caption"])
        if statement is not None:
            assert statement.quantity.number == entry["classes"], entry["caption"]


def test_with_the_number_of_the_foil_they_are_the_foil() -> None:
    same = total = 0
    for entry in entries(*COUNTING):
        statement = read_count_statement(entry["caption"])
        if statement is not None:
            total += 1
            changed = statement.change(statement.quantity._replace(number=entry["classes_foil"]))
            same += changed is not None and changed.write() == entry["foil"]
    assert same >= 0.97 * total
