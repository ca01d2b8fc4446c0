"""A folder of one's own adds tests, sources and words without a fork."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from falter.core.errors import InputError, UsageError
from falter.core.plugins import load_plugins, plugin_hashes, register
from falter.core.registry import Registry
from falter.suites.carets.perturbations import CARETS_TESTS


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    """What a test registers is gone after it."""
    with CARETS_TESTS.restored():
        yield


REGISTERS = """
from falter.core.plugins import register
from falter.suites.carets.perturbations import CARETS_TESTS

@register(CARETS_TESTS, "{name}")
class Mine:
    name = "{name}"
"""


def test_a_python_file_registers_what_it_brings_once(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(REGISTERS.format(name="of-my-own"))
    before = CARETS_TESTS.names()
    assert load_plugins([tmp_path]) == (tmp_path.resolve(),)
    assert load_plugins([tmp_path]) == (tmp_path.resolve(),), "twice is once"
    assert sorted(set(CARETS_TESTS.names()) - set(before)) == ["of-my-own"]
    assert CARETS_TESTS.get("of-my-own").name == "of-my-own"


def test_a_taken_name_is_bad_use(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(REGISTERS.format(name="negation"))
    with pytest.raises(UsageError, match="named 'negation' already"):
        load_plugins([tmp_path])


@pytest.mark.parametrize("text", ["import nothing_of_that_name", "def (", "1 / 0", "raise ValueError('no')"])
def test_a_file_that_fails_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    with pytest.raises(InputError, match="failed when loaded") as caught:
        load_plugins([tmp_path])
    assert caught.value.path == str(path.resolve())


def test_what_is_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        load_plugins([tmp_path / "nothing"])


def test_a_folder_is_marked_by_its_name_and_by_what_counts_in_it(tmp_path: Path) -> None:
    def mark(folder: str, files: dict[str, str]) -> str:
        for name, text in files.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (only,) = plugin_hashes([tmp_path / folder])
        return only

    words = {"kinds.yaml": "llama: {is: animal}", "templates/mine.yaml": "type: x", "mine.py": "a = 1"}
    first = mark("one/words", words)
    assert first.startswith("words:")
    assert mark("two/words", words) == first, "not the place, but the content"
    assert mark("two/words", {"notes.txt": "not read"}) == first
    for name, text in words.items():
        assert mark(f"{name}-changed/words", {**words, name: text + " "}) != first
    renamed = {name.replace("kinds", "kinds-more"): text for name, text in words.items()}
    assert mark("renamed/words", renamed) != first


def test_a_registry_names_what_there_is() -> None:
    registry: Registry[object] = Registry(
        "colour", "falter.no_such_group", {"odd": "falter.nowhere:thing", "bad": "falter:no"}
    )
    register(registry, "red")(object())
    assert registry.names() == ["bad", "odd", "red"]
    assert "red" in registry
    assert "blue" not in registry
    with pytest.raises(UsageError, match="unknown colour 'blue': there are bad, odd, red"):
        registry.get("blue")
    for name in ("odd", "bad"):
        with pytest.raises(UsageError, match="cannot be loaded"):
            registry.get(name)
