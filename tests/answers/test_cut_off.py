"""Texts that end at the limit of tokens: only an answer that came whole is read."""

from __future__ import annotations

import pytest

from falter.data.items import YES_NO
from falter.evaluation.answers import parse_answer
from falter.evaluation.answers.reply_reading import read_reply

COLORS = ("red", "blue")


@pytest.mark.parametrize(
    ("text", "choices", "answer"),
    [
        ("Yes, there is a", YES_NO, "yes"),
        ("Yes", YES_NO, "yes"),
        ("No. The dog", YES_NO, "no"),
        ("Red, because the", COLORS, "red"),
        ("Yes, the man is", None, "yes"),
        ("A dog. It is sitting on the", None, "dog"),
        ('{"answer": "dog"} I chose', None, "dog"),
        ("<answer>dog</answer> since", None, "dog"),
        ("<think>A cat?</think>No, the", YES_NO, "no"),
    ],
)
def test_an_answer_before_the_cut_is_read(text: str, choices: tuple[str, ...] | None, answer: str) -> None:
    read = read_reply("answer", choices, text, cut_off=True)
    assert (read.status, read.answer) == ("ok", answer)


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("", None),
        ("hot", None),
        ("The man is holding a hot", None),
        ("The image shows a man in a park. He is", None),
        ('{"answer": "hot', None),
        ('{"reasoning": "I see", "answer": "Rig', ("right", "left")),
        ("<think>Yes, the picture shows", YES_NO),
        ("<think>Red. So the answer is red.", COLORS),
        ("hot", ("hot", "hot dog")),
        ("re", COLORS),
        ("Let me look, the answer is either yes or", YES_NO),
        ("Yes, wait, no, the", YES_NO),
        ("<answer>yes", YES_NO),
    ],
)
def test_half_a_thought_is_truncated(text: str, choices: tuple[str, ...] | None) -> None:
    read = read_reply("answer", choices, text, cut_off=True)
    assert (read.status, read.answer) == ("truncated", None)


@pytest.mark.parametrize("text", ["<think>It may be red", "<|channel|>analysis<|message|>It is red"])
def test_a_text_that_ends_within_a_thought_is_truncated_whoever_cut_it(text: str) -> None:
    assert read_reply("answer", COLORS, text).status == "truncated"


@pytest.mark.parametrize("text", ["red", "Perhaps.", "<think>Hm</think>blue", "", "neither of them, I fear"])
def test_other_texts_are_read_as_ever(text: str) -> None:
    parsed = parse_answer(text, COLORS)
    assert read_reply("answer", COLORS, text) == (parsed.status, parsed.answer)
