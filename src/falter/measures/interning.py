"""Strings to dense integers, once, when a table is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["NONE", "Vocabulary", "code_rows", "dense"]

NONE = -1
"""The code of a null."""

_WIDEST_TABLE = 1 << 24

Codes = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]


class Vocabulary:
    """Words in the order met, each with its number; ``reading`` brings a word to the form that is numbered."""

    def __init__(self, reading: Callable[[str], str] | None = None) -> None:
        self._reading = reading
        self._codes: dict[str, int] = {}
        self._read: dict[str, int] = {}

    @property
    def words(self) -> list[str]:
        """The words by number."""
        return list(self._codes)

    def code(self, word: str) -> int:
        """The number of a word, a new one for a new word."""
        known = self._read.get(word)
        if known is None:
            form = word if self._reading is None else self._reading(word)
            known = self._codes.setdefault(form, len(self._codes))
            self._read[word] = known
        return known

    def encode(self, column: pa.ChunkedArray | pa.Array) -> Codes:
        """The numbers of a whole column of strings, dictionary-encoded or not; null is :data:`NONE`."""
        return self.encode_words(column)[0]

    def encode_words(self, column: pa.ChunkedArray | pa.Array) -> tuple[Codes, Codes, list[str]]:
        """The numbers of a column, and beside them the codes and the list of its words as they were written."""
        whole = _one_dictionary(column)
        written = [word if word is not None else "" for word in whole.dictionary.to_pylist()]
        table = np.array([*(self.code(word) for word in written), NONE], dtype=np.int32)
        indices = whole.indices
        if whole.null_count:
            indices = pc.fill_null(indices, len(written))
            raw = indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
            return table[raw], np.where(raw == len(written), NONE, raw).astype(np.int32), written
        raw = indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
        return table[raw], raw, written


def _one_dictionary(column: pa.ChunkedArray | pa.Array) -> pa.DictionaryArray:
    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if pa.types.is_null(chunked.type):
        chunked = chunked.cast(pa.string())
    if not pa.types.is_dictionary(chunked.type):
        if not (pa.types.is_string(chunked.type) or pa.types.is_large_string(chunked.type)):
            chunked = chunked.cast(pa.large_string())
        chunked = chunked.dictionary_encode()
    combined = chunked.unify_dictionaries().combine_chunks()
    if isinstance(combined, pa.ChunkedArray):
        combined = combined.chunk(0) if combined.num_chunks else pa.array([], type=chunked.type)
    return combined


def dense(keys: Integers, top: int) -> tuple[Codes, Integers]:
    """Number the distinct keys in 0..top-1 from 0 upwards: the number of each row, and the keys by number."""
    if top <= max(_WIDEST_TABLE, 4 * len(keys)):
        present = np.zeros(top, dtype=bool)
        present[keys] = True
        found = np.flatnonzero(present)
        table = np.zeros(top, dtype=np.int32)
        table[found] = np.arange(len(found), dtype=np.int32)
        return table[keys], found
    found, inverse = np.unique(keys, return_inverse=True)
    return inverse.astype(np.int32), found


def code_rows(columns: Sequence[npt.NDArray[np.integer]]) -> tuple[Codes, Integers]:
    """Number the distinct rows of some non-negative integer columns: the number of each row, and one row of each.

    The second array holds, for every distinct row, its values: shape (distinct, columns).
    """
    if not columns:
        raise ValueError("no columns to number")
    tops = [int(column.max()) + 1 if len(column) else 1 for column in columns]
    code = columns[0].astype(np.int64)
    top = tops[0]
    rows = np.arange(top, dtype=np.int64)[:, None]
    code32, found = dense(code, top)
    rows = rows[found]
    for column, size in zip(columns[1:], tops[1:], strict=True):
        keys = code32.astype(np.int64) * size + column
        code32, found = dense(keys, len(rows) * size)
        rows = np.concatenate([rows[found // size], (found % size)[:, None]], axis=1)
    return code32, rows
