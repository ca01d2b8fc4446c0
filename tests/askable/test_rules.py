"""The rules of what may be asked: every record is whole, says where it comes from, and is read by somebody."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

import falter
from falter.generation.askable import rules
from falter.generation.askable.belonging import ABSENCE, OFFER, SIBLING
from falter.generation.english import default_grammar

ROOT = Path(falter.__file__).parent
READ = re.compile(r'rules\.(?:number|numbers|whole|words|group|groups)\(\s*"([a-z-]+)"')
RULES = {name: rule for file in rules.rule_files().values() for name, rule in file.rules.items()}


def test_every_rule_is_used_and_every_rule_that_is_used_is_there() -> None:
    used = {name for path in ROOT.rglob("*.py") for name in READ.findall(path.read_text(encoding="utf-8"))}
    assert used == set(RULES)


def test_a_name_stands_for_one_rule() -> None:
    assert sum(len(file.rules) for file in rules.rule_files().values()) == len(RULES)


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_says_what_it_is_and_why(name: str) -> None:
    rule = RULES[name]
    assert rule.says.endswith((".", ").")), rule.says
    assert rule.reason.endswith((".", ").")), rule.reason
    if "not measured" in rule.reason and "chosen by hand" in rule.reason.lower():
        assert rule.origin in ("hand", "reading")


def test_words_of_rules_are_those_of_the_ontology() -> None:
    ontology = default_grammar().ontology
    known = {*ontology.kinds, *ontology.family_by_value, *ontology.families, *ontology.relations}
    known |= {relation.relation_class for relation in ontology.relations.values()}
    said = {
        word
        for rule in RULES.values()
        for value in (rule.value, *rule.values.values())
        if isinstance(value, list)
        for word in value
    }
    assert said - known == set()


@pytest.mark.parametrize(
    "record",
    [
        {"says": "A rule.", "origin": "hand", "reason": "None."},
        {"says": "A rule.", "origin": "hand", "reason": "None.", "value": 1, "values": {"one": 2}},
        {"says": "A rule.", "origin": "hand", "reason": "None.", "value": 1, "differs": "It does not."},
        {"says": "A rule.", "origin": "taste", "reason": "None.", "value": 1},
        {"says": "A rule.", "origin": "hand", "value": 1},
    ],
)
def test_records_that_are_not_whole_are_refused(record: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(record, rules.Rule)


def test_a_rule_is_read_as_what_it_is() -> None:
    with pytest.raises(TypeError, match="words"):
        rules.number("little-said")
    with pytest.raises(TypeError, match="a number"):
        rules.words("usual-color-share")
    with pytest.raises(TypeError, match="by case"):
        rules.whole("common-images")
    with pytest.raises(KeyError):
        rules.number("no-such-rule")


def test_what_is_offered_may_be_less_at_home_than_what_is_denied() -> None:
    assert OFFER.mean < SIBLING.mean < ABSENCE.mean
    assert OFFER.each < ABSENCE.each
