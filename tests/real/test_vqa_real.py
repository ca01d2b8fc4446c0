"""The published VQA v2 files beside the checkout are read without loss."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from falter.data.sources import open_source

FOLDER = Path(__file__).parents[2] / "../shared/data/vqa-v2"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/data/vqa-v2 beside the checkout"),
]


def test_every_published_question_has_its_ten_answers() -> None:
    source = open_source(f"vqa:{FOLDER}")
    kinds: Counter[str | None] = Counter()
    count = 0
    for question in source.questions():
        count += 1
        kinds[question.answer_type] += 1
        assert question.answers is not None
        assert len(question.answers) == 10
        assert question.answer is not None
    assert count == 57_038
    assert set(kinds) == {"yes/no", "number", "other"}
    assert source.image_path(source.image_ids()[0]) is None
