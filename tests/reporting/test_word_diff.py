"""The marking of differences."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from falter.evaluation.reporting.word_diff import word_diff

_words = st.lists(st.sampled_from(["is", "there", "no", "a", "Dog", "dog", " ", "  ", "?", "\n"]), max_size=12).map(
    " ".join
)


def _marked(segments: list) -> list[str]:
    return [segment.text for segment in segments if segment.changed]


def test_an_added_word_is_marked_in_the_text_that_has_it() -> None:
    one, other = word_diff("Is there a dog?", "Is there no dog?")
    assert _marked(one) == ["a"]
    assert _marked(other) == ["no"]


def test_equal_texts_have_no_marks() -> None:
    one, other = word_diff("Is there a dog?", "Is there a dog?")
    assert _marked(one) == _marked(other) == []


def test_case_is_no_difference_and_spaces_are_not_marked() -> None:
    one, other = word_diff("Dog or cat?", "dog  or cat?")
    assert _marked(one) == _marked(other) == []


def test_neighbouring_changes_are_one_mark() -> None:
    one, other = word_diff("Is there a red dog?", "Do you see a red dog?")
    assert _marked(one) == ["Is there"]
    assert _marked(other) == ["Do you see"]


def test_very_long_texts_are_not_compared_word_by_word() -> None:
    one, other = word_diff("a " * 5000, "b " * 5000)
    assert len(one) == len(other) == 1


@given(_words | st.text(max_size=60), _words | st.text(max_size=60))
def test_segments_give_the_texts_back_and_alternate(first: str, second: str) -> None:
    for text, segments in zip((first, second), word_diff(first, second), strict=True):
        assert "".join(segment.text for segment in segments) == text
        assert all(segment.text for segment in segments)
        assert all(a.changed != b.changed for a, b in pairwise(segments))


@given(_words, _words)
def test_what_is_not_marked_is_common_to_both(first: str, second: str) -> None:
    one, other = word_diff(first, second)
    common = ["".join(s.text for s in side if not s.changed).casefold().split() for side in (one, other)]
    assert common[0] == common[1]
