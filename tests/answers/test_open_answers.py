"""Open answers: made-up replies that a careful person calls correct, and replies that nobody should."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.evaluation.answers.open_answers import find_oddity, is_careful_match, is_exact_match
from falter.evaluation.answers.open_answers.reply_claims import given_answer

CASES = [json.loads(line) for line in (Path(__file__).parent / "open_answers.jsonl").read_text("utf-8").splitlines()]
WORDS = st.sampled_from(("rope", "dog", "red", "right", "traffic light", "strawberry", "2", "wooden spoon", "sofa"))
QUESTION = "What is it?"
ROOT = Path(__file__).parents[2]


def is_correct(case: dict[str, Any]) -> bool:
    golds = case["gold"] if isinstance(case["gold"], list) else [case["gold"]]
    return any(is_careful_match(case["question"], gold, case["reply"]) for gold in golds)


def test_as_a_careful_person_judges() -> None:
    assert [case for case in CASES if is_correct(case) != case["correct"]] == []


@pytest.mark.parametrize("reply", ["5 feet 4 inches 2 inches", "1 hour 20 minutes 5 seconds", "1/0", "5 feet 0/0"])
def test_odd_quantities_are_judged(reply: str) -> None:
    assert not is_careful_match("How much is it?", "7 miles", reply)


def test_the_table_of_the_manual_is_true() -> None:
    lines = (ROOT / "docs" / "reference" / "open-answers.md").read_text("utf-8").splitlines()
    start = lines.index("| Question | Gold | Correct | Incorrect |") + 2
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:] if line.startswith("|")]
    assert len(rows) > 15
    misjudged = [
        (question, gold, reply)
        for question, gold, *replies in rows
        for verdict, cell in zip((True, False), replies, strict=True)
        for reply in cell.split("; ")
        if is_careful_match(question, gold, reply) != verdict
    ]
    assert misjudged == []


@pytest.mark.parametrize(
    ("gold", "reply", "same"),
    [
        ("5 m", "500 centimetres", True),
        ("5 m", "5000 km", False),
        ("1.5 hours", "90 minutes", True),
        ("5'4\"", "64 inches", True),
        ("1/4", "a quarter", True),
        ("2,500", "two thousand five hundred", True),
        ("2,500", "2.5", False),
        ("-3 °C", "minus 3 degrees Celsius", True),
        ("-3 °C", "3 °C", False),
        ("9 pm", "21:00", True),
        ("9 pm", "9:00", False),
        ("quarter to ten", "9:45", True),
        ("July 4, 2010", "7/4/2010", False),
        ("July 14, 2010", "7/14/2010", True),
    ],
)
def test_values_are_compared_and_not_words(gold: str, reply: str, *, same: bool) -> None:
    assert is_careful_match("What does it show?", gold, reply) == same


@pytest.mark.parametrize(
    "gold", ["may 16", "you cannot pass", "maybe baby", "10 m²", "½ cup", "#1", "n/a", "cannot tell"]
)
def test_a_gold_answer_word_for_word_is_correct(gold: str) -> None:
    assert is_careful_match("What does it say?", gold, gold)
    assert is_careful_match("What does it say?", gold, f"  {gold.upper()}\n")


def test_there_are_cases_of_both_kinds() -> None:
    verdicts = [case["correct"] for case in CASES]
    assert (verdicts.count(True) > 500, verdicts.count(False) > 500) == (True, True)


@pytest.mark.parametrize(
    ("gold", "reply", "equal"),
    [
        ("right", "Right", True),
        ("right", '{"answer": "RIGHT"}', True),
        ("right", '```json\n{"answer": "right"}\n```', True),
        ("right", 'I see it.\n\n{"answer": "right"}', True),
        ("right", "Right side", False),
        ("right", "right.", False),
        ("right", "", False),
        ("dog", "a dog", False),
    ],
)
def test_the_exact_rule_compares_letters_in_lower_case(gold: str, reply: str, *, equal: bool) -> None:
    assert is_exact_match(gold, reply) == equal


@pytest.mark.parametrize(
    ("reply", "oddity"),
    [
        ("No | g[DEBUG] idx=3 | pred=Left", "log text"),
        ('{"answer": "None"}', "no answer"),
        ("N/A", "no answer"),
        ("  ", "empty"),
        ('{"answer": ""}', "empty"),
        ("nonetheless", None),
        ("red", None),
    ],
)
def test_odd_replies_are_named(reply: str, oddity: str | None) -> None:
    assert find_oddity(reply) == oddity


@given(WORDS, st.sampled_from(("{}", "The {}.", "a {}", " {}\n", "**{}**", "Answer: {}", "It is {}.")))
def test_what_surrounds_an_answer_leaves_it_correct(gold: str, around: str) -> None:
    reply = around.format(gold)
    assert is_careful_match(QUESTION, gold, reply)
    assert is_careful_match(QUESTION, gold, json.dumps({"answer": reply}))
    assert is_careful_match(QUESTION, gold, reply.upper())


@given(WORDS, WORDS, st.sampled_from(("{} or {}", "{}, {}", "{} and {}", "{}/{}")))
def test_two_answers_are_never_one(gold: str, other: str, joined: str) -> None:
    if gold != other:
        assert not is_careful_match(QUESTION, gold, joined.format(gold, other))
        assert not is_careful_match(QUESTION, gold, joined.format(other, gold))


@given(WORDS, st.sampled_from(("maybe {}", "probably {}", "{}?", "possibly {}", "not {}", "no {}", "{}, not sure")))
def test_a_hedge_or_a_denial_is_never_correct(gold: str, hedge: str) -> None:
    assert not is_careful_match(QUESTION, gold, hedge.format(gold))


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_judged_without_a_fault(question: str, gold: str, reply: str) -> None:
    is_careful_match(question, gold, reply)
    assert is_exact_match(gold, reply) == (given_answer(reply).lower() == gold.strip().lower())
