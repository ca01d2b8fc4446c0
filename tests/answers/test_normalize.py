"""The normalization of answers, against results of the official VQA evaluation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.data.normalize import CONTRACTIONS, normalize, normalize_vqa

OFFICIAL = [
    ("Yes.", "yes"),
    ("The two dogs", "2 dogs"),
    ("an apple", "apple"),
    ("A", ""),
    ("none", "0"),
    ("Ten", "10"),
    ("eleven", "eleven"),
    ("1,000", "1000"),
    ("1,000 red-brown cows", "1000 redbrown cows"),
    ("2.5", "2.5"),
    ("2.5.", "2.5"),
    (".5", ".5"),
    ("5 p.m.", "5 pm"),
    ("red, white", "red white"),
    ("red,white", "red white"),
    ("red,white, blue", "redwhite blue"),
    ("black/white", "black white"),
    ("black / white", "black white"),
    ("T-shirt", "t shirt"),
    ("dont", "don't"),
    ("couldnt've", "couldn't've"),
    ("couldn'tve", "couldn't've"),
    ("theyre", "they're"),
    ("Im", "im"),
    ("shes", "shes"),
    ("oclock", "o'clock"),
    ("twas", "'twas"),
    ("yalld've", "yalld've"),
    ("y'alld've", "y'all'd've"),
    ("somebody'd", "somebodyd"),
    ("what's that?", "what's that"),
    ("$2", "$2"),
    ("50%", "50%"),
    ("new\nyork\t", "new york"),
    ("  two   cats ", "2 cats"),
    ("(left)", "left"),
    ("", ""),
    ("." * 40, "." * 8),
]


@pytest.mark.parametrize(("text", "expected"), OFFICIAL)
def test_same_as_the_official_evaluation(text: str, expected: str) -> None:
    assert normalize_vqa(text) == expected


def test_an_answer_that_is_an_article_stays() -> None:
    assert normalize("A") == normalize("a.") == "a"
    assert normalize("A") != normalize("B")
    assert normalize("the") == "the"


def test_the_table_of_contractions_has_the_official_size() -> None:
    assert len(CONTRACTIONS) == 114


@given(st.text())
def test_twice_is_once(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@given(st.text(alphabet="ab1 ,.-;/_'\n\tonetwo", max_size=40))
def test_twice_is_once_for_punctuation(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_case_does_not_matter(text: str) -> None:
    assert normalize(text.upper()) == normalize(text.lower())
