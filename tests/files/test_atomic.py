"""Files and folders appear whole or not at all, whenever the process that writes them is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from falter.core.errors import FalterWarning
from falter.core.files import atomic_file, atomic_folder, restore_folder, write_atomically

WRITER = """
import os, signal, sys
from pathlib import Path
from falter.core.files import atomic_folder, atomic_file
path, moment = Path(sys.argv[1]), sys.argv[2]
die = lambda: os.kill(os.getpid(), signal.SIGKILL)
import falter.core.files.atomic as atomic
exchange = atomic.exchange
def exchange_and_die(first, second):
    if moment == "before the exchange":
        die()
    done = exchange(first, second)
    if moment == "after the exchange":
        die()
    return done
atomic.exchange = (lambda first, second: False) if "rename" in moment else exchange_and_die
replace, calls = Path.replace, []
def counted(self, target):
    done = replace(self, target)
    calls.append(target)
    if moment == f"after rename {len(calls)}":
        die()
    return done
Path.replace = counted
if moment == "in a file":
    with atomic_file(path / "report.html") as stream:
        stream.write(b"half")
        stream.flush()
        die()
with atomic_folder(path, overwrite=True) as folder:
    (folder / "items").write_text("new")
    if moment == "while writing":
        die()
    if moment == "waiting":
        print("ready", flush=True)
        sys.stdin.read()
"""


def write(path: Path, moment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), moment], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def write_old(path: Path) -> None:
    with atomic_folder(path) as folder:
        (folder / "items").write_text("old")


def contents(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("moment", "left"),
    [
        *(("while writing", "old"), ("before the exchange", "old"), ("after the exchange", "new")),
        # What becomes of it where a system cannot exchange two names.
        *(("after rename 1", "old"), ("after rename 2", "new")),
    ],
)
def test_a_killed_overwrite_leaves_one_whole_folder_and_no_rest(tmp_path: Path, moment: str, left: str) -> None:
    path = tmp_path / "suite"
    write_old(path)
    killed = write(path, moment)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    if moment == "after rename 1":
        assert not path.exists()
        with pytest.warns(FalterWarning, match="suite was put back"):
            restore_folder(path)
    assert contents(path) == {"items": left}
    write_old(tmp_path / "another")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["another", "suite"], "any later command tidies up"


def test_the_next_command_puts_the_old_folder_back_before_it_looks(tmp_path: Path) -> None:
    path = tmp_path / ("long" * 30)
    write_old(path)
    write(path, "after rename 1").communicate()
    (tmp_path / ("long" * 29 + "other")).mkdir()
    with pytest.warns(FalterWarning, match="was put back"), pytest.raises(ValueError, match="already exists"):
        write_old(path)
    assert contents(path) == {"items": "old"}


def test_what_a_living_process_writes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "suite"
    living = write(path, "waiting")
    assert living.stdout is not None
    assert living.stdout.readline() == "ready\n"
    write_old(tmp_path / "another")
    restore_folder(path)
    living.communicate("go on")
    assert living.returncode == 0
    assert contents(path) == {"items": "new"}


def test_a_rest_of_the_version_before_is_put_back_too(tmp_path: Path) -> None:
    (tmp_path / ".suite.tmp-abcd1234").mkdir()
    write_old(tmp_path / ".suite.tmp-abcd1234" / "old")
    with pytest.warns(FalterWarning, match="was put back"):
        restore_folder(tmp_path / "suite")
    assert contents(tmp_path / "suite") == {"items": "old"}


def test_files_that_a_killed_process_left_are_removed_by_the_next_that_writes_them(tmp_path: Path) -> None:
    write(tmp_path, "in a file").communicate()
    assert [one.name[:17] for one in tmp_path.iterdir()] == [".report.html.tmp-"]
    (tmp_path / ".other.tmp-program").touch()
    with atomic_file(tmp_path / "report.html") as stream:
        write_atomically(tmp_path / "second.html", "x")
        stream.write(b"whole")
    assert contents(tmp_path) == {"report.html": "whole", "second.html": "x", ".other.tmp-program": ""}


def test_an_interrupt_between_the_renames_puts_the_old_folder_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "suite"
    write_old(path)
    monkeypatch.setattr("falter.core.files.atomic.exchange", lambda first, second: False)
    replace = Path.replace

    def interrupted(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.warns(FalterWarning, match="was put back"), pytest.raises(KeyboardInterrupt):  # noqa: SIM117
        with atomic_folder(path, overwrite=True) as folder:
            (folder / "items").write_text("new")
    assert contents(tmp_path) == {"suite/items": "old"}
    assert [one.name for one in tmp_path.iterdir()] == ["suite"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may have no exchange of names")
def test_a_folder_that_is_replaced_has_its_name_at_every_moment(tmp_path: Path) -> None:
    path = tmp_path / "suite"
    write_old(path)
    writer = """
import sys
from pathlib import Path
from falter.core.files import atomic_folder
for number in range(100):
    with atomic_folder(Path(sys.argv[1]), overwrite=True) as folder:
        (folder / "items").write_text(f"new {number}")
"""
    process = subprocess.Popen([sys.executable, "-c", writer, str(path)])
    looked = missing = 0
    while process.poll() is None:
        looked += 1
        missing += not (path / "items").exists()
    assert (process.returncode, missing, looked > 0) == (0, 0, True)
    assert contents(tmp_path) == {"suite/items": "new 99"}
