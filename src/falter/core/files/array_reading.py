"""Reading NumPy arrays: no pickles, and no array that claims to be larger than its file."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from falter.core.errors import InputError
from falter.core.files.opening import open_regular

if TYPE_CHECKING:
    import numpy.typing as npt

_MAX_BYTES = 16 << 30
_BAD = (
    *(OSError, ValueError, KeyError, EOFError, TypeError, SyntaxError, RuntimeError, NotImplementedError),
    *(zipfile.BadZipFile, zlib.error, struct.error, tokenize.TokenError),
)


def read_array(path: Path, *, what: str = "a NumPy array", hint: str = "") -> npt.NDArray[Any]:
    """The array of a ``.npy`` file."""
    with open_regular(path, hint=hint, max_bytes=_MAX_BYTES) as stream:
        size = path.stat().st_size
        try:
            return _read(stream, size)
        except (*_BAD, MemoryError, OverflowError) as error:
            raise _bad(path, what, error, None, hint) from error


class ArrayArchive:
    """An open ``.npz`` file; an array is read when it is asked for."""

    def __init__(self, path: Path, *, what: str = "a NumPy archive", hint: str = "") -> None:
        self.path, self._what, self._hint = path, what, hint
        self._stream = open_regular(path, hint=hint)
        try:
            self._zip = zipfile.ZipFile(self._stream)
            self.names = frozenset(name.removesuffix(".npy") for name in self._zip.namelist())
        except (*_BAD, OverflowError, MemoryError) as error:
            self._stream.close()
            raise _bad(path, what, error, None, hint) from error

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        try:
            member = self._zip.getinfo(f"{name}.npy")
            with self._zip.open(member) as stream:
                return _read(stream, member.file_size)
        except (*_BAD, MemoryError, OverflowError) as error:
            raise _bad(self.path, self._what, error, name, self._hint) from error

    def close(self) -> None:
        """Let go of the file."""
        self._zip.close()
        self._stream.close()


def read_archive(
    path: Path, names: Sequence[str], *, what: str = "a NumPy archive", hint: str = ""
) -> dict[str, npt.NDArray[Any]]:
    """Some arrays of a ``.npz`` file, all of which it must have."""
    archive = ArrayArchive(path, what=what, hint=hint)
    try:
        return {name: archive[name] for name in names}
    finally:
        archive.close()


def _bad(path: Path, what: str, error: BaseException, record: str | None, hint: str) -> InputError:
    problem = "it is larger than the memory that is free" if isinstance(error, MemoryError) else str(error)
    return InputError(path, f"is not {what}: {' '.join(problem.split()):.300}", record=record, hint=hint)


def _read(stream: IO[bytes], size: int) -> npt.NDArray[Any]:
    """An array whose header agrees with the bytes that there are."""
    import numpy as np
    from numpy.lib import format as npy

    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"version {version} of the format is not known")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran_order, dtype = read_header(stream)
    if dtype.hasobject:
        raise ValueError("it holds Python objects")
    wanted = prod(shape) * dtype.itemsize
    if wanted > size or any(length < 0 for length in shape):
        raise ValueError(f"its header asks for {wanted:,} bytes, and it has {size:,}")
    data = stream.read(wanted)
    if len(data) != wanted:
        raise ValueError("it breaks off")
    # A copy, since an array over bytes cannot be written to.
    array = np.frombuffer(data, dtype=dtype).copy() if wanted else np.empty(prod(shape), dtype)
    return array.reshape(shape, order="F" if fortran_order else "C")
