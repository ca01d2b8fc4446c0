"""Registries find what packages add under the name of their group, and for one version under its old name."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

from falter.english import GRAMMAR_FOLDERS
from falter.errors import UsageError
from falter.registry import Registry


def install(folder: Path, group: str, name: str, value: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {value}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    assert str(tmp_path) in sys.path
    return tmp_path


def test_an_old_group_is_accepted_with_a_warning(site: Path) -> None:
    install(site, "falter.old_things", "one", "math:pi")
    install(site, "falter.new_things", "two", "math:e")
    registry: Registry[float] = Registry("thing", "falter.new_things", {}, old_group="falter.old_things")
    with pytest.warns(FutureWarning, match=r"falter\.old_things are now called falter\.new_things.* one"):
        assert registry.names() == ["one", "two"]
    assert registry.get("one") == pytest.approx(3.14159, abs=1e-5)


@pytest.mark.parametrize("group", ["falter.new_things", "falter.old_things"])
def test_an_entry_point_with_one_of_our_names_is_refused(site: Path, group: str) -> None:
    install(site, group, "pi", "math:e")
    registry: Registry[float] = Registry("thing", "falter.new_things", {"pi": "math:pi"}, old_group="falter.old_things")
    with warnings.catch_warnings(), pytest.raises(UsageError) as caught:
        warnings.simplefilter("ignore")
        registry.names()
    assert str(caught.value) == (
        f"the entry point 'pi' of pi in the group {group} has the name of a thing that exists already (Falter's own): "
        "rename it, or uninstall the package"
    )


def test_two_packages_cannot_have_one_name(site: Path) -> None:
    for package, value in (("first", "math:pi"), ("second", "math:e")):
        install(site / package, "falter.new_things", "mine", value)
        (site / package / "mine-1.0.dist-info").rename(site / f"{package}-1.0.dist-info")
        (site / f"{package}-1.0.dist-info" / "METADATA").write_text(f"Name: {package}\nVersion: 1.0\n")
    registry: Registry[float] = Registry("thing", "falter.new_things", {})
    with pytest.raises(UsageError, match="has the name of a thing that exists already"):
        registry.get("mine")


def test_without_an_old_group_or_without_its_entries_nothing_warns(site: Path) -> None:
    install(site, "falter.old_things", "one", "math:pi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain: Registry[float] = Registry("thing", "falter.new_things", {"pi": "math:pi"})
        assert plain.names() == ["pi"]
        unused: Registry[float] = Registry("thing", "falter.new_things", {}, old_group="falter.older_things")
        assert unused.names() == []
    with pytest.raises(UsageError, match="unknown thing 'one'"):
        plain.get("one")


def test_folders_of_grammar_data_had_another_group(site: Path) -> None:
    install(site, "falter.english", "mine", "my_words:FOLDER")
    again: Registry[Path] = Registry(
        GRAMMAR_FOLDERS.noun, GRAMMAR_FOLDERS.group, {}, old_group=GRAMMAR_FOLDERS._old_group
    )
    with pytest.warns(FutureWarning, match=r"falter\.english are now called falter\.grammar"):
        assert again.names() == ["mine"]
