"""The templates of imSitu, with their slips, give sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.nlp.wordnet_there import needs_wordnet

from falter.generation.nlp import load_wordnet
from falter.suites.valse.foiling.situations import SituationPattern, read_abstract

FILE = Path(__file__).parents[2] / "../shared/data/imsitu/generation_templates.tab"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not FILE.is_file(), reason="needs ../shared/data/imsitu beside the checkout"),
    needs_wordnet,
]


def test_nearly_all_templates_with_two_roles_are_read() -> None:
    rows = [line.split("\t") for line in FILE.read_text().splitlines() if line.strip()]
    assert len(rows) == 654
    wordnet = load_wordnet()
    read = {verb: read_abstract(verb, abstract, wordnet) for verb, abstract in rows}
    patterns = {verb: one for verb, one in read.items() if isinstance(one, SituationPattern)}
    assert len(patterns) > 540
    assert list(read.values()).count("WordNet does not have the verb") <= 5
    said = {verb: patterns[verb].write("man", "wall").text for verb in ("riding", "tattooing", "glaring", "grimacing")}
    assert said == {
        "riding": "A man rides a wall.",
        "tattooing": "A man tattoos a wall.",
        "glaring": "A man glares at a wall.",
        "grimacing": "A man grimaces because of a wall.",
    }
