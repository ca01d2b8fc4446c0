"""Each rule of the reading finds the text that stands beside it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from falter.evaluation.answers import doubt, lexicon
from falter.evaluation.answers.doubt import is_hedged, is_idle, is_unable, withdraws, without_courtesies
from falter.evaluation.answers.lexicon import LEAD_INS, Phrase, compile_rules
from falter.evaluation.answers.yes_no import parse_polarity

TABLES = doubt.RULES | lexicon.RULES
READINGS: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys(("doubt", "refusal", "talk", "acceptance"), withdraws),
    **dict.fromkeys(("demand", "supposition"), is_idle),
    "hedge": is_hedged,
    "unable": is_unable,
    "courtesy": lambda text: without_courtesies(f"{text}. yes") == "yes",
    "affirmation": lambda text: parse_polarity(text) == "yes",
    "denial": lambda text: parse_polarity(text) == "no",
    "lead_in": lambda text: LEAD_INS.match(text) is not None,
}


def test_each_table_is_read() -> None:
    assert TABLES.keys() == READINGS.keys()


@pytest.mark.parametrize("kind", sorted(TABLES))
def test_each_rule_finds_its_example(kind: str) -> None:
    missed = [rule.example for rule in TABLES[kind] if not compile_rules([rule]).search(rule.example)]
    assert missed == []


@pytest.mark.parametrize("kind", sorted(TABLES))
def test_each_example_is_read_so(kind: str) -> None:
    misread = [rule.example for rule in TABLES[kind] if not READINGS[kind](rule.example)]
    assert misread == []


def test_a_plain_statement_is_of_no_kind() -> None:
    kinds = [kind for kind, reads in READINGS.items() if reads("two dogs run on a beach")]
    assert kinds == []


def test_rules_are_tried_in_order() -> None:
    pattern = compile_rules([Phrase("abc", "ab"), Phrase("abc", "abc")], before="<", after=".*")
    assert pattern.pattern == "<ab|abc.*"
