"""Strings and lists of strings as dense integers, encoded once when a table is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

NONE = -1
"""The code of a null."""

_WIDEST_TABLE = 1 << 24
_LONGEST_LIST = int(np.iinfo(np.uint8).max)

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Vocabulary:
    """Words in the order they were met, each with its number; ``normal_form`` maps a word to what is numbered."""

    def __init__(self, normal_form: Callable[[str], str] | None = None) -> None:
        self._normal_form = normal_form
        self._codes: dict[str, int] = {}
        self._known: dict[str, int] = {}
        self._apart: set[str] = set()

    @property
    def words(self) -> list[str]:
        """The words by number."""
        return list(self._codes)

    def code(self, word: str) -> int:
        """The number of a word; a new word gets a new number."""
        known = self._known.get(word)
        if known is None:
            form = word if self._normal_form is None else self._normal_form(word)
            if word in self._apart and (spelling := word.strip().casefold()) != form:
                # No normal form holds this mark.
                form = f"{form}\0{spelling}"
            known = self._codes.setdefault(form, len(self._codes))
            self._known[word] = known
        return known

    def keep_apart(self, words: Iterable[str]) -> None:
        """Number words by their spelling from now on, but for one that is its own normal form."""
        self._apart.update(words)
        for word in self._apart:
            self._known.pop(word, None)

    def encode(self, column: pa.ChunkedArray | pa.Array, change: Callable[[str], str] | None = None) -> Codes:
        """The numbers of a column of strings, dictionary-encoded or not; a null is :data:`NONE`.

        ``change`` makes of a word another one, whose number it gets.
        """
        whole = _one_dictionary(column)
        words = [word if word is not None else "" for word in whole.dictionary.to_pylist()]
        words = words if change is None else [change(word) for word in words]
        table = np.array([*(self.code(word) for word in words), NONE], dtype=np.int32)
        indices = pc.fill_null(whole.indices, len(words)) if whole.null_count else whole.indices
        return np.asarray(table[indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)])


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
    """Number the distinct rows of non-negative integer columns, in their order: the number of each row, and the rows.

    The second array has one row per distinct row: shape (distinct, columns).
    """
    if not columns:
        raise ValueError("there are no columns to number")
    tops = [int(column.max()) + 1 if len(column) else 1 for column in columns]
    codes, found = dense(columns[0].astype(np.int64), tops[0])
    rows = np.arange(tops[0], dtype=np.int64)[:, None][found]
    for column, size in zip(columns[1:], tops[1:], strict=True):
        keys = codes.astype(np.int64) * size + column
        codes, found = dense(keys, len(rows) * size)
        rows = np.concatenate([rows[found // size], (found % size)[:, None]], axis=1)
    return codes, rows


class EqualLengths(NamedTuple):
    """Items whose lists have the same length: their rows, and the words of their lists by position."""

    rows: Integers | slice
    positions: list[Codes]


@dataclass(frozen=True, slots=True)
class Lists:
    """One list of words per item: its length (at most 255 words count), and all words one list after the other."""

    lengths: Bytes
    words: Codes

    @classmethod
    def from_column(
        cls, column: pa.ChunkedArray, words: Vocabulary, change: Callable[[str], str] | None = None
    ) -> Lists:
        """The lists of a column of strings; ``change`` makes of a word another one."""
        if column.null_count == len(column):
            return cls(np.zeros(len(column), dtype=np.uint8), np.zeros(0, dtype=np.int32))
        lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy()
        codes = words.encode(pc.list_flatten(column), change)
        if lengths.max() > _LONGEST_LIST:
            position = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            codes = codes[position < _LONGEST_LIST]
        return cls(np.minimum(lengths, _LONGEST_LIST).astype(np.uint8), codes)

    def by_length(self) -> Iterator[EqualLengths]:
        """The items that have a list, grouped by the length of the list."""
        occurring = np.flatnonzero(np.bincount(self.lengths, minlength=1))
        if len(occurring) == 1 and occurring[0]:
            length = int(occurring[0])
            yield EqualLengths(slice(None), [self.words[position::length] for position in range(length)])
            return
        ends = np.cumsum(self.lengths, dtype=np.int64)
        for length in map(int, occurring[occurring > 0]):
            rows = np.flatnonzero(self.lengths == length)
            starts = ends[rows] - length
            yield EqualLengths(rows, [self.words[starts + position] for position in range(length)])

    def repeating(self) -> Integers:
        """The items whose list has a word twice."""
        found = [np.zeros(0, dtype=np.int64)]
        every = np.arange(len(self.lengths))
        for rows, positions in self.by_length():
            ordered = np.sort(np.stack(positions, axis=1), axis=1)
            found.append(every[rows][(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)])
        return np.concatenate(found)

    def code(self) -> Codes:
        """The number of each list among those that occur; 0 for no list."""
        codes = np.zeros(len(self.lengths), dtype=np.int32)
        known = 1
        for rows, positions in self.by_length():
            own, found = code_rows([words + 1 for words in positions])
            codes[rows] = own + known
            known += len(found)
        return codes

    def take(self, rows: npt.NDArray[np.integer]) -> Lists:
        """The lists of some items."""
        lengths = self.lengths[rows]
        starts = (np.cumsum(self.lengths, dtype=np.int64) - self.lengths)[rows]
        total = np.cumsum(lengths, dtype=np.int64)
        within = np.arange(total[-1] if len(total) else 0) - np.repeat(total - lengths, lengths)
        return Lists(lengths, self.words[np.repeat(starts, lengths) + within])
