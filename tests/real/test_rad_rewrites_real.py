"""RAD reads the questions of the published VQA v2 files, and what it writes from them is read back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from falter.data.sources import open_source
from falter.suites.rad.augmentations import DEFAULT_TESTS, rewrites

FOLDER = Path(__file__).parents[2] / "../shared/data/vqa-v2"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/data/vqa-v2 beside the checkout"),
    pytest.mark.bundle("rad"),
]


def test_most_questions_of_the_papers_forms_are_rewritten() -> None:
    asked: Counter[str] = Counter()
    read: Counter[str] = Counter()
    unread_back = []
    for number, question in enumerate(open_source(f"vqa:{FOLDER}").questions()):
        for test in DEFAULT_TESTS:
            rewrite = rewrites()[test]
            if not rewrite.is_asked(question.text):
                continue
            asked[test] += 1
            found = rewrite.read(question.text)
            read[test] += found is not None
            answer = question.answer or ""
            text = None if found is None or number % 5 else found.write(answer)
            if found is not None and text is not None and answer not in found.read_back(text):
                unread_back.append((question.text, answer, text))
    assert asked == {"color": 2414, "how-many": 15_874, "what-kind": 279}
    assert read["color"] / asked["color"] >= 0.95
    assert read["how-many"] / asked["how-many"] >= 0.85
    assert read["what-kind"] / asked["what-kind"] >= 0.75
    assert unread_back == []
