"""Registries find what packages add under the name of their group."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from falter.core.errors import UsageError
from falter.core.registry import Registry


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


def test_an_entry_point_with_one_of_our_names_is_refused(site: Path) -> None:
    install(site, "falter.new_things", "pi", "math:e")
    with pytest.raises(UsageError) as caught:
        Registry[float]("thing", "falter.new_things", {"pi": "math:pi"}).names()
    assert str(caught.value) == (
        "the entry point 'pi' of pi in the group falter.new_things has the name of a thing that exists already "
        "(Falter's own): rename it, or uninstall the package"
    )


def test_two_packages_cannot_have_one_name(site: Path) -> None:
    for package, value in (("first", "math:pi"), ("second", "math:e")):
        install(site / package, "falter.new_things", "mine", value)
        (site / package / "mine-1.0.dist-info").rename(site / f"{package}-1.0.dist-info")
        (site / f"{package}-1.0.dist-info" / "METADATA").write_text(f"Name: {package}\nVersion: 1.0\n")
    registry: Registry[float] = Registry("thing", "falter.new_things", {})
    with pytest.raises(UsageError, match="has the name of a thing that exists already"):
        registry.get("mine")
