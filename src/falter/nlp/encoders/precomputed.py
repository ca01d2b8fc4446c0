"""Vectors that were computed elsewhere: a Parquet file of texts and vectors, or a ``.npy`` with its texts beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from falter.errors import InputError, UsageError
from falter.files import read_array, read_parquet, read_text, sha256_of_file
from falter.nlp.encoders.protocol import Vectors, check_vectors
from falter.progress import ProgressCallback, no_progress

__all__ = ["PrecomputedEncoder", "precomputed_encoder"]


class PrecomputedEncoder:
    """Looks texts up; one that the file lacks is an error, for nobody can say what its vector would be."""

    def __init__(self, path: Path, texts: Sequence[str], vectors: Vectors) -> None:
        if len(texts) != len(vectors):
            raise InputError(path, f"has {len(vectors)} vectors for {len(texts)} texts", hint="write one for each")
        self.name = f"vectors:{path.name}"
        self._path = path
        self._vectors = check_vectors(vectors, name=self.name, texts=len(texts))
        self._row = {text: row for row, text in reversed(list(enumerate(texts)))}

    @property
    def fingerprint(self) -> str:
        return f"vectors:{sha256_of_file(self._path)[:16]}"

    def fit(self, texts: Sequence[str]) -> None:
        """Nothing is learned."""

    def encode(self, texts: Sequence[str], progress: ProgressCallback = no_progress) -> Vectors:
        lacking = [text for text in texts if text not in self._row]
        if lacking:
            raise InputError(
                self._path,
                f"lacks the vectors of {len(lacking)} texts, the first is {lacking[0]!r}",
                hint="encode the questions of the pool and the main ones, as the data set writes them",
            )
        rows = self._vectors[[self._row[text] for text in texts]]
        progress(len(texts))
        return np.ascontiguousarray(rows)


def precomputed_encoder(rest: str) -> PrecomputedEncoder:
    """Vectors of your own: ``vectors:FILE.parquet`` (columns text, vector), or ``vectors:FILE.npy`` with FILE.txt."""
    if not rest:
        raise UsageError("vectors: needs a file, e.g. vectors:questions.parquet")
    path = Path(rest)
    if not path.is_file():
        raise InputError(path, "there is no such file of vectors")
    return _load_npy(path) if path.suffix == ".npy" else _load_parquet(path)


def _load_npy(path: Path) -> PrecomputedEncoder:
    beside = path.with_suffix(".txt")
    if not beside.is_file():
        raise InputError(path, f"has no texts beside it: {beside.name} is missing", hint="write one text a line")
    vectors = read_array(path, what="an array of vectors")
    texts = read_text(beside, max_bytes=4 << 30).split("\n")
    if texts and texts[-1] == "":
        texts.pop()
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        raise InputError(path, f"has shape {vectors.shape} of {vectors.dtype}, not a row of numbers per text")
    return PrecomputedEncoder(path, texts, vectors.astype(np.float32))


def _load_parquet(path: Path) -> PrecomputedEncoder:
    import pyarrow as pa

    schema = pa.schema(
        [pa.field("text", pa.string(), nullable=False), pa.field("vector", pa.list_(pa.float64()), nullable=False)]
    )
    table = read_parquet(path, schema, hint="write Parquet with the columns text and vector")
    if pa.compute.list_flatten(table["vector"]).null_count:
        raise InputError(path, "has a vector with a gap", hint="write a number in every place")
    rows = table["vector"].to_pylist()
    if not rows:
        raise InputError(path, "holds no vectors", hint="write one per text")
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise InputError(path, f"has vectors of different widths ({min(widths)} to {max(widths)})")
    return PrecomputedEncoder(path, table["text"].to_pylist(), np.array(rows, dtype=np.float32).reshape(len(rows), -1))
