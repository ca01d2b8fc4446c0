"""Bundles: slots that load when used, names that are taken once, and what happens without one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from falter.core.bundle import BUNDLES, Bundles, SuiteBundle, bundle_of
from falter.core.errors import UsageError
from falter.core.plugins import load_plugins
from falter.suites import BUILT_IN, SUITES


@pytest.fixture
def registered() -> Iterator[Bundles]:
    """The registry, with whatever a test adds taken out again."""
    with BUNDLES.restored():
        yield BUNDLES


def test_a_slot_is_loaded_when_it_is_used_and_an_empty_one_gives_what_it_holds() -> None:
    bundle = SuiteBundle(name="x", title="X", package="email", generator=".message:Message", measures="math:pi")
    assert bundle.get("generator").__name__ == "Message"
    assert bundle.get("measures") == pytest.approx(3.14159, abs=1e-5)
    assert bundle.get("audit") is None
    assert bundle.get("panels") == ()


@pytest.mark.parametrize("target", ["no_such_module:thing", "math:no_such_thing", ".message:Message", "text"])
def test_a_slot_that_cannot_be_loaded_names_slot_and_bundle(target: str) -> None:
    with pytest.raises(UsageError, match=r"slot 'generator' of the bundle 'broken'"):
        SuiteBundle(name="broken", title="Broken", generator=target).get("generator")


def test_one_entry_of_a_mapping_is_loaded_by_its_key() -> None:
    bundle = SuiteBundle(name="x", title="X", importers={"one": "math:pi", "two": "math:absent"})
    assert bundle.get("importers", "one") == pytest.approx(3.14159, abs=1e-5)
    with pytest.raises(UsageError, match="slot 'importers two' of the bundle 'x'"):
        bundle.get("importers", "two")
    with pytest.raises(UsageError, match="no importers 'three'; available: one, two"):
        bundle.get("importers", "three")


@pytest.mark.bundle("basic-questions", "carets", "valse")
def test_every_slot_of_every_bundle_of_ours_can_be_loaded() -> None:
    assert len(BUNDLES.available()) >= 3
    for bundle in BUNDLES.available():
        for slot in ("generator", "options", "audit", "contents", "measures", "summaries", "layouts", "panels"):
            bundle.get(slot)
        for slot in ("importers", "training", "functions"):
            for key in getattr(bundle, slot):
                bundle.get(slot, key)
        for command in bundle.commands:
            assert callable(bundle.load_command(command))
        if bundle.published:
            assert bundle.path(bundle.published).is_file()


def test_a_bundle_answers_for_its_own_name_or_for_the_suites_it_lists(registered: Bundles) -> None:
    registered.add("plain", SuiteBundle(name="plain", title="Plain"))
    registered.add("several", SuiteBundle(name="several", title="Several", suites=("one", "two")))
    assert bundle_of("plain") is registered.get("plain")
    assert bundle_of("two") is registered.get("several")
    assert bundle_of("several") is None


def test_a_name_that_is_taken_is_refused(registered: Bundles) -> None:
    registered.add("plain", SuiteBundle(name="plain", title="Plain"))
    with pytest.raises(UsageError, match="'plain'"):
        registered.add("plain", SuiteBundle(name="plain", title="Another", suites=("another",)))
    with pytest.raises(UsageError, match="belongs to 'plain'"):
        registered.add("other", SuiteBundle(name="other", title="Other", suites=("plain",)))


def test_a_bundle_that_is_left_out_is_unknown_and_comes_back() -> None:
    name = BUNDLES.names()[0]
    with BUNDLES.without(name):
        assert name not in BUNDLES
        assert name not in BUNDLES.names()
        assert bundle_of(name) is None
        with pytest.raises(UsageError, match="unknown suite"):
            BUNDLES.get(name)
    assert BUNDLES.get(name).name == name


def test_a_bundle_that_cannot_be_loaded_is_left_out_with_a_note(
    registered: Bundles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registered._entries, "broken", "no_such_package:BUNDLE")
    monkeypatch.setitem(registered._entries, "thing", "math:pi")
    monkeypatch.setattr(registered, "problems", {})
    names = [bundle.name for bundle in registered.available()]
    assert "broken" not in names
    assert "thing" not in names
    assert "no_such_package" in registered.problems["broken"]
    assert "not a SuiteBundle" in registered.problems["thing"]


def test_a_file_of_a_plugin_folder_that_binds_a_bundle_adds_it(registered: Bundles, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from falter.core.bundle import SuiteBundle\n"
        "BUNDLE = SuiteBundle(name='mine', title='Mine', package=__name__, published='figures.yaml')\n"
    )
    load_plugins([tmp_path])
    assert registered.get("mine").title == "Mine"
    assert registered.get("mine").path("figures.yaml") == tmp_path / "figures.yaml"


def test_the_suites_of_our_bundles_are_found_without_importing_the_others() -> None:
    there = [name for name in BUILT_IN if name in BUNDLES]
    declared = {suite: name for name in there for suite in BUNDLES.get(name).suite_names}
    assert declared == {suite: name for suite, name in SUITES.items() if name in there}
