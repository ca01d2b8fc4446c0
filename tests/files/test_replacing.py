"""``--overwrite`` replaces only what a command writes: foreign files, inputs and other folders stay as they are."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from falter.core.errors import FalterWarning, UsageError
from falter.core.files import FolderKind, atomic_folder, kind_of_names, refuse_full_folder, refuse_input_file

LETTERS = kind_of_names("a pair of letters", ("a", "b"), r"more/\d+")


def fill(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"old {name}")
    return folder


def tree(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def overwrite(path: Path, kind: FolderKind | None = LETTERS, inputs: tuple[Path, ...] = ()) -> None:
    with atomic_folder(path, overwrite=True, kind=kind, inputs=inputs) as folder:
        (folder / "a").write_text("new a")
        (folder / "b").write_text("new b")


def test_a_folder_of_the_kind_is_replaced_with_all_that_it_holds(tmp_path: Path) -> None:
    path = fill(tmp_path / "x", "a", "b", "more/1", "more/2")
    overwrite(path)
    assert tree(tmp_path) == {"x/a": "new a", "x/b": "new b"}


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("a", "b", "notes.txt"), "delete 1 file (notes.txt), and a pair of letters has no such files"),
        (("a", "b", "more/1", "more/c/d", "more/x"), r"delete 2 files (more/c/d, more/x)"),
        (("a",), "delete 1 file (a), and it is not a pair of letters"),
        (tuple(f"n/{number}" for number in range(9)), "delete 9 files (n/0, n/1, n/2, ...)"),
    ],
)
@pytest.mark.parametrize("kind", [LETTERS, None])
def test_a_folder_with_anything_else_is_refused_in_one_line_and_stays(
    tmp_path: Path, names: tuple[str, ...], words: str, kind: FolderKind | None
) -> None:
    path = fill(tmp_path / "x", *names)
    before = tree(tmp_path)
    with pytest.raises(UsageError) as refused:
        overwrite(path, kind)
    assert "\n" not in str(refused.value)
    assert "choose another folder" in str(refused.value)
    if kind is not None:
        assert words in str(refused.value)
    assert tree(tmp_path) == before
    assert [one.name for one in tmp_path.iterdir()] == ["x"]


def test_links_count_as_foreign_and_what_they_lead_to_stays(tmp_path: Path) -> None:
    path = fill(tmp_path / "x", "a", "b")
    fill(tmp_path / "photos", "1")
    (path / "more").symlink_to(tmp_path / "photos")
    with pytest.raises(UsageError, match="delete 1 file"):
        overwrite(path)
    assert (path / "more" / "1").read_text() == "old 1"


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    fill(tmp_path / "real", "a", "b")
    (tmp_path / "link").symlink_to("real")
    overwrite(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert tree(tmp_path / "real") == {"a": "new a", "b": "new b"}


@pytest.mark.parametrize("inputs", ["x", "x/more/1", "link", "link/more", ".", "absent/../x/a"])
def test_a_folder_that_is_holds_or_is_inside_an_input_is_refused(tmp_path: Path, inputs: str) -> None:
    path = fill(tmp_path / "x", "a", "b", "more/1")
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(UsageError, match="which is read"):
        overwrite(path, inputs=(tmp_path / inputs,))
    with pytest.raises(UsageError, match="which is read"):
        overwrite(tmp_path / "link", inputs=(tmp_path / inputs,))
    assert tree(path)["more/1"] == "old more/1"


def test_images_are_searched_around_a_folder_and_not_in_it(tmp_path: Path) -> None:
    path = fill(tmp_path / "x", "a", "b")
    refuse_full_folder(path, overwrite=True, kind=LETTERS, searched=[tmp_path])
    with pytest.raises(UsageError, match="which is read"):
        refuse_full_folder(path, overwrite=True, kind=LETTERS, searched=[path])


def test_the_folder_in_which_a_command_runs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fill(tmp_path / "x", "a", "b", "more/1")
    monkeypatch.chdir(path / "more")
    for name in (path, Path(".."), Path()):
        with pytest.raises(UsageError, match="in which this command runs"):
            overwrite(name)
    assert len(tree(path)) == 3


def appear_while_writing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del monkeypatch
    with atomic_folder(path, overwrite=True, kind=LETTERS) as folder:
        fill(folder, "a", "b")
        fill(path, "mine")


def appear_at_the_exchange(path: Path, monkeypatch: pytest.MonkeyPatch, *, can_exchange: bool = True) -> None:
    from falter.core.files import atomic

    exchange = atomic.exchange

    def late(first: Path, second: Path) -> bool:
        if first.name == "new" and not (path / "mine").exists():
            fill(path, "mine")
        return can_exchange and exchange(first, second)

    monkeypatch.setattr(atomic, "exchange", late)
    overwrite(path)


def appear_at_the_rename(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(FalterWarning, match="put back"):
        appear_at_the_exchange(path, monkeypatch, can_exchange=False)


@pytest.mark.parametrize("appear", [appear_while_writing, appear_at_the_exchange, appear_at_the_rename])
@pytest.mark.filterwarnings("ignore::falter.core.errors.FalterWarning")
def test_a_foreign_file_that_appears_meanwhile_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, appear: Callable[[Path, pytest.MonkeyPatch], None]
) -> None:
    path = fill(tmp_path / "x", "a", "b")
    with pytest.raises(UsageError, match="mine"):
        appear(path, monkeypatch)
    assert tree(tmp_path) == {"x/a": "old a", "x/b": "old b", "x/mine": "old mine"}


def test_a_file_that_appears_in_an_empty_folder_is_not_deleted(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.mkdir()
    with pytest.raises(UsageError, match="not empty"):  # noqa: SIM117
        with atomic_folder(path) as folder:
            fill(folder, "a")
            fill(path, "mine")
    assert tree(tmp_path) == {"x/mine": "old mine"}


@pytest.mark.skipif(os.name != "posix", reason="no locks")
def test_a_folder_that_another_process_writes_to_is_refused(tmp_path: Path) -> None:
    import fcntl

    path = fill(tmp_path / "x", "a", "b")
    handle = os.open(path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with pytest.raises(UsageError, match="another process"):
            overwrite(path)
    finally:
        os.close(handle)
    assert tree(path)["a"] == "old a"


def test_an_output_file_is_none_that_is_read(tmp_path: Path) -> None:
    path = fill(tmp_path / "x", "a", "b", "more/report.html")
    (tmp_path / "link").symlink_to(path / "a")
    for name in ("x/a", "link"):
        with pytest.raises(UsageError, match="is read"):
            refuse_input_file(tmp_path / name, [tmp_path / "x/a"])
        with pytest.raises(UsageError, match="is part of"):
            refuse_input_file(tmp_path / name, [], [(path, LETTERS)])
    refuse_input_file(path / "more/report.html", [tmp_path / "x/a"], [(path, LETTERS)])
    refuse_input_file(tmp_path / "x/absent", [tmp_path / "x/a"], [(path, LETTERS)])
