"""Vectors kept on disk by what they are vectors of: the encoder and the text's hash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from falter.errors import InputError
from falter.files import atomic_file, read_archive, sha256_of_bytes
from falter.nlp.encoders.protocol import Encoder, Vectors, check_vectors
from falter.progress import ProgressCallback, no_progress

__all__ = ["VectorCache", "encode_texts"]

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
