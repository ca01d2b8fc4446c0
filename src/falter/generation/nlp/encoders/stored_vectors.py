"""Vectors in files: those kept by encoder and text once computed, and those that were computed elsewhere.

Vectors from elsewhere are a Parquet file of texts and vectors, or a ``.npy`` with its texts beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from falter.core.errors import InputError, UsageError
from falter.core.files import (
    atomic_file,
    read_archive,
    read_array,
    read_parquet,
    read_text,
    sha256_of_bytes,
    sha256_of_file,
)
from falter.core.progress import ProgressCallback, no_progress
from falter.generation.nlp.encoders.encoder import Encoder, Vectors, check_vectors

_KEY = 16
_AT_ONCE = 16_384


class VectorCache:
    """A folder of vectors: for each encoder numbered shards of keys and rows, written once and never changed."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError(folder, "is not a folder for vectors", hint="give another folder")
        self.folder = folder
        self._loaded: dict[Path, tuple[dict[bytes, int], Vectors | None]] = {}

    def encode(self, encoder: Encoder, texts: Sequence[str], progress: ProgressCallback = no_progress) -> Vectors:
        """The vectors of texts: those already here are read, the others computed and kept."""
        place = self.folder / sha256_of_bytes(encoder.fingerprint.encode())[:24]
        known, kept = self._loaded.get(place) or self._load(place)
        keys = [_key(text) for text in texts]
        missing = list(dict.fromkeys(key for key in keys if key not in known))
        progress(len(texts) - len(missing))
        first = {key: row for row, key in reversed(list(enumerate(keys)))}
        for start in range(0, len(missing), _AT_ONCE):
            some = missing[start : start + _AT_ONCE]
            width = None if kept is None else kept.shape[1]
            wanted = [texts[first[key]] for key in some]
            new = check_vectors(encoder.encode(wanted, progress), name=encoder.name, texts=len(some), width=width)
            known |= {key: len(known) + number for number, key in enumerate(some)}
            kept = new if kept is None else np.concatenate([kept, new])
            self._store(place, some, new)
        self._loaded[place] = known, kept
        if kept is None:
            return encoder.encode([])
        return kept[[known[key] for key in keys]]

    def _load(self, place: Path) -> tuple[dict[bytes, int], Vectors | None]:
        known: dict[bytes, int] = {}
        rows: list[Vectors] = []
        for path in sorted(place.glob("*.npz")):
            shard = read_archive(path, ["keys", "vectors"], what="a shard of vectors", hint="remove it")
            keys, vectors = shard["keys"], shard["vectors"]
            if keys.ndim != 2 or vectors.ndim != 2 or len(keys) != len(vectors):
                raise InputError(path, "is not a shard of vectors: it has not one key per vector", hint="remove it")
            begin = len(known)
            fresh = [(row, bytes(key)) for row, key in enumerate(keys) if bytes(key) not in known]
            known |= {key: begin + number for number, (_, key) in enumerate(fresh)}
            rows.append(vectors[[row for row, _ in fresh]])
        rows = [some for some in rows if len(some)]
        if len({some.shape[1] for some in rows}) > 1:
            raise InputError(place, "has vectors of different widths", hint="remove the folder")
        return known, np.concatenate(rows) if rows else None

    @staticmethod
    def _store(place: Path, keys: Sequence[bytes], vectors: Vectors) -> None:
        table: npt.NDArray[np.uint8] = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), _KEY)
        # The name follows from what is in it: two that compute the same write the same file.
        name = sha256_of_bytes(table.tobytes())[:24]
        with atomic_file(place / f"{name}.npz") as stream:
            np.savez(stream, keys=table, vectors=vectors)


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY).digest()


def encode_texts(
    encoder: Encoder,
    texts: Sequence[str],
    cache: VectorCache | None = None,
    progress: ProgressCallback = no_progress,
) -> Vectors:
    """The vectors of texts, through a cache where there is one; each different text is encoded once."""
    if cache is not None:
        return cache.encode(encoder, texts, progress)
    distinct = list(dict.fromkeys(texts))
    vectors = check_vectors(encoder.encode(distinct, progress), name=encoder.name, texts=len(distinct))
    if len(distinct) == len(texts):
        return vectors
    row = {text: number for number, text in enumerate(distinct)}
    return vectors[[row[text] for text in texts]]


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
