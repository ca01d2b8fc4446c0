"""Replies as chat models write them, each with what a careful person reads in it.

Every case was written before the reader was tuned on it. ``held_out.jsonl`` was written last; 114 of its 116 cases were
read rightly before any of its failures was looked at. ``chat.jsonl`` has replies that are more than an answer: polite,
rude, reasoning, wrapped; of the 153 that were written last, 146 were read rightly at first.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.data.normalize import normalize
from falter.evaluation.answers import READER_VERSION, Parsed, parse_answer

HERE = Path(__file__).parent
NO_ANSWER = ("hedges", "refusals", "no answer", "doubts", "contradictions")
"""Parts of the names of families in which nothing may be read where a person reads nothing."""

DIGEST = {"3": "424fafff4befab21"}
"""What the reader of a version makes of all cases. If this fails, the reader reads otherwise: raise its version."""


def read_cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def read(case: dict[str, Any]) -> Parsed:
    return parse_answer(case["text"], case["choices"])


def is_right(case: dict[str, Any]) -> bool:
    found = read(case)
    if found.kind != case["kind"] or found.kind == "unparsed":
        return found.kind == case["kind"]
    if found.kind == "choice":
        return found.answer == case["answer"]
    return normalize(found.answer or "") == normalize(case["answer"])


def describe(cases: Iterable[dict[str, Any]]) -> str:
    return "\n".join(f"{case['family']}: {case['text']!r} is {case['answer']}, not {read(case)}" for case in cases)


@pytest.mark.parametrize(
    ("name", "fewest", "share"),
    [("cases.jsonl", 1500, 0.99), ("held_out.jsonl", 100, 0.98), ("chat.jsonl", 1200, 0.985)],
)
def test_replies_are_read_as_a_careful_person_reads_them(name: str, fewest: int, share: float) -> None:
    cases = read_cases(name)
    assert len(cases) >= fewest
    assert len(Counter(case["family"] for case in cases)) > 5
    wrong = [case for case in cases if not is_right(case)]
    assert len(wrong) <= (1 - share) * len(cases), describe(wrong)


def test_no_hedge_and_no_refusal_is_read_as_an_answer() -> None:
    cases = [case for case in read_cases("cases.jsonl") if any(part in case["family"] for part in NO_ANSWER)]
    without = [case for case in cases if case["kind"] == "unparsed"]
    assert len(without) > 400
    wrong = [case for case in without if read(case).kind != "unparsed"]
    assert not wrong, describe(wrong)


def test_a_chat_without_an_answer_is_never_read_as_a_choice() -> None:
    without = [case for case in read_cases("chat.jsonl") if case["kind"] == "unparsed"]
    assert len(without) > 300
    wrong = [case for case in without if read(case).kind == "choice"]
    assert not wrong, describe(wrong)


def test_every_example_of_a_report_of_misreadings_is_read_rightly() -> None:
    cases = [case for case in read_cases("cases.jsonl") if case["family"] == "issue"]
    wrong = [case for case in cases if not is_right(case)]
    assert len(cases) == 32
    assert not wrong, describe(wrong)


def test_the_version_changes_with_what_is_read() -> None:
    results = [read(case) for name in ("cases.jsonl", "held_out.jsonl", "chat.jsonl") for case in read_cases(name)]
    assert hashlib.sha256(repr(results).encode()).hexdigest()[:16] == DIGEST[READER_VERSION]


INNER = [
    *("{}", "**{}**", "*{}*", "__{}__", "`{}`", '"{}"', "'{}'", "“{}”", "({})", "[{}]", "{}.", "{}!", "{}。", "{}！"),
    *("<b>{}</b>", "<p>{}</p>", "> {}", "- {}", "# {}", "{} 👍", "✅ {}", "<answer>{}</answer>", "<answer>{}"),
    *(
        "<|begin_of_box|>{}<|end_of_box|>",
        "\\boxed{{{}}}",
        "$\\boxed{{\\text{{{}}}}}$",
        '{{"answer": "{}"}}',
        "Answer: {}",
    ),
    *("The answer is {}.", "**Answer:** {}", "### Answer\n{}", "Final answer: {}", "<CONCLUSION>{}</CONCLUSION>"),
]
OUTER = [
    *("{}", " {}\n", "\n\n{}", "\ufeff{}", "\u200b{}\u200b", "{}\u2060", "```\n{}\n```", "```text\n{}\n```"),
    *("{}<|im_end|>", "{}</s>", "{}<|eot_id|>", "<|im_start|>assistant\n{}<|im_end|>", "<s>{}</s>", "{}<end_of_turn>"),
    *(
        "<think>hm</think>{}",
        "<think>no, not yes</think>\n\n{}",
        "◁think▷ yes or no? ◁/think▷{}",
        "thought\n</think>{}",
    ),
    *("<thinking>a</thinking>{}", "<reasoning>The answer is no or b</reasoning>{}", "[THINK]A?[/THINK]{}"),
    "<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>{}",
    *("Assistant: {}", "{}\n\nQuestion: Is it blue?\nAnswer: no", "{}\nUser: Why?\nAssistant: yes"),
]
ANSWERS = [
    *((answer, ("yes", "no")) for answer in ("yes", "no", "Yes", "No", "YES")),
    *((answer, ("dog", "cat")) for answer in ("dog", "a cat", "A", "(B)", "B. cat", "option 2", "the first", "Dog")),
    *((answer, ("red", "dark red", "blue")) for answer in ("red", "dark red", "C", "3")),
    *((answer, ("1", "2", "3")) for answer in ("2", "three")),
]


@given(st.sampled_from(ANSWERS), st.sampled_from(INNER), st.sampled_from(OUTER))
def test_markup_around_an_answer_never_changes_it(answer: tuple[str, tuple[str, ...]], inner: str, outer: str) -> None:
    text, choices = answer
    expected = parse_answer(text, choices)
    assert expected.kind == "choice"
    assert parse_answer(outer.format(inner.format(text)), choices) == expected
