"""What ``--overwrite`` may replace: a folder that holds what the command writes, nothing else, and nothing it reads."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from falter.core.errors import FalterError, UsageError

NameTest = Callable[[str], bool]
"""Whether a file, by its path in the folder with slashes, is one that the command writes."""

_SHOWN = 3
_COUNTED = 10_000
"""So many files are counted before a folder is said to hold more; chosen by hand, not measured."""


class FolderKind(NamedTuple):
    """How to recognise a folder that a command writes."""

    name: str
    """With its article, as messages say it: ``a suite``."""
    own_files: Callable[[Path], NameTest | None]
    """Which files of a folder are its own; None where it is no such folder, a :class:`FalterError` where damaged."""


def kind_of_names(name: str, required: Sequence[str], *further: str) -> FolderKind:
    """A kind whose folders hold all ``required`` files, and besides only those that match a regular expression."""

    def own_files(folder: Path) -> NameTest | None:
        if not all((folder / one).is_file() for one in required):
            return None
        return lambda path: path in required or any(re.fullmatch(pattern, path) for pattern in further)

    return FolderKind(name, own_files)


def check_replaceable(folder: Path, kind: FolderKind, *, shown_as: Path) -> None:
    """Refuse a folder that is not of this kind, or that holds more than folders of this kind do."""
    try:
        is_own = kind.own_files(folder)
        problem = f"it is not {kind.name}"
    except FalterError as error:
        is_own, problem = None, f"it is not a whole one of the kind, {kind.name} ({error})"
    if is_own is None:
        _refuse(shown_as, _files(folder), problem)
    else:
        foreign = (path for path in _files(folder) if not is_own(path))
        _refuse(shown_as, foreign, f"{kind.name} has no such files")


def refuse_other_names(folder: Path, new: Path, *, shown_as: Path) -> None:
    """Refuse a folder that holds a file which the new folder would not write again, or of which it misses some.

    This is for folders of which nothing says what they are: they are recognised by what takes their place.
    """
    missing = next((path.name for path in sorted(new.iterdir()) if not (folder / path.name).exists()), None)
    if missing is None:
        foreign = (path for path in _files(folder) if not (new / path).is_file())
        _refuse(shown_as, foreign, "this command does not write such files")
    else:
        _refuse(shown_as, _files(folder), f"it was not written by this command: it has no {missing}")


def _refuse(folder: Path, paths: Iterator[str], problem: str) -> None:
    names = list(islice(paths, _COUNTED + 1))
    if not names:
        return
    count = "1 file" if len(names) == 1 else f"{len(names):,} files"
    if len(names) > _COUNTED:
        count = f"more than {_COUNTED:,} files"
    shown = ", ".join(ascii(name)[1:-1] for name in names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    raise UsageError(
        f"{folder} is not replaced: --overwrite would delete {count} ({shown}), and {problem}; move them away, or "
        "choose another folder"
    )


def _files(folder: Path, prefix: str = "") -> Iterator[str]:
    """The files below a folder, links among them; one that cannot be listed is an error."""
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError as error:
        raise UsageError(f"{folder} cannot be listed, so it is not replaced: {error.strerror}") from error
    for entry in entries:
        name = f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path), f"{name}/")
        elif entry.is_file(follow_symlinks=False):
            yield name
        else:
            # No command writes links or pipes: the slash keeps them from passing for a file of the same name.
            yield f"{name}/"


def refuse_inputs(folder: Path, inputs: Iterable[Path], searched: Iterable[Path] = ()) -> None:
    """Refuse to replace a folder that is, holds or is inside what the command reads; links are followed.

    It may be inside folders that are ``searched`` for images: what is used of them is checked file by file.
    """
    target = folder.resolve()
    for given in inputs:
        relation = "is or holds" if _is_within(given, target) else "is inside"
        if relation != "is inside" or _is_within(target, given.resolve()):
            raise UsageError(f"{folder} is not replaced: it {relation} {given}, which is read; choose another folder")
    for given in searched:
        if _is_within(given, target):
            raise UsageError(f"{folder} is not replaced: it is or holds {given}, which is read; choose another folder")


def refuse_input_file(path: Path, files: Iterable[Path], folders: Iterable[tuple[Path, FolderKind]] = ()) -> None:
    """Refuse to write over a file that the same command reads, by itself or as part of a folder of its kind."""
    if not path.exists():
        return
    for file in files:
        if file.exists() and path.samefile(file):
            raise UsageError(f"{path} is not replaced: it is read by this command; choose another file")
    for folder, kind in folders:
        is_own = kind.own_files(folder) if _is_within(path, folder.resolve()) else None
        if is_own is not None and is_own(path.resolve().relative_to(folder.resolve()).as_posix()):
            raise UsageError(f"{path} is not replaced: it is part of {folder}, which is read; choose another file")


def refuse_current_folder(folder: Path) -> None:
    """Refuse to replace the folder in which the command runs, or one above it."""
    if _is_within(Path.cwd(), folder.resolve()):
        raise UsageError(f"{folder} is or holds the folder in which this command runs; choose another folder")


def _is_within(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or in it, whatever they are called: links and letter case do not matter."""
    real = path.resolve()
    try:
        wanted = folder.stat()
    except OSError:
        return real.is_relative_to(folder)
    for one in (real, *real.parents):
        try:
            if os.path.samestat(one.stat(), wanted):
                return True
        except OSError:
            continue
    return False


def exchange(first: Path, second: Path) -> bool:
    """Let two paths change places in one step; False where the system or the file system cannot."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        names = os.fsencode(first), os.fsencode(second)
        if sys.platform == "linux":
            here, exchange_flag = -100, 2  # AT_FDCWD, RENAME_EXCHANGE of linux/fs.h
            return bool(libc.renameat2(here, names[0], here, names[1], exchange_flag) == 0)
        if sys.platform == "darwin":
            return bool(libc.renamex_np(*names, 2) == 0)  # RENAME_SWAP of sys/stdio.h
    except (OSError, AttributeError, TypeError):
        pass
    return False
