"""What a sentence encoder is, how one is loaded by its spec, and the encoders that need no downloads.

These give each word and run of words a random direction of its own, drawn from its letters. A text's vector is the
weighted sum of the directions of what is in it. By Johnson and Lindenstrauss' lemma, inner products of such sums are
close to those of the counts themselves, at a width that a solver can work with. Directions come from a hash of the
feature (SHAKE-128), not from a random generator: they are the same on every machine.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from falter.core.errors import UsageError
from falter.core.files import sha256_of_bytes
from falter.core.progress import ProgressCallback, no_progress
from falter.core.registry import Registry

Vectors = npt.NDArray[np.float32]


class Encoder(Protocol):
    """Turns texts into vectors of one width; which encoder it is belongs to the signature of what is made with it."""

    name: str
    """How it is called in tables and manifests."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever a text would get another vector."""
        ...

    def fit(self, texts: Sequence[str]) -> None:
        """Learn from the texts that will be searched (how rare words are); most encoders know all they need."""
        ...

    def encode(self, texts: Sequence[str], progress: ProgressCallback = no_progress) -> Vectors:
        """One row a text, in order."""
        ...


def check_vectors(vectors: Vectors, *, name: str, texts: int, width: int | None = None) -> Vectors:
    """The vectors, or a refusal where they cannot be compared: other in number or width, or not numbers."""
    if vectors.ndim != 2 or len(vectors) != texts:
        raise UsageError(f"the encoder {name} gave vectors of shape {vectors.shape} for {texts} texts")
    if width is not None and vectors.shape[1] != width:
        raise UsageError(f"the encoder {name} gave vectors of width {vectors.shape[1]} where others have {width}")
    bad = ~np.isfinite(vectors).all(axis=1)
    if bad.any():
        raise UsageError(
            f"the encoder {name} gave {int(bad.sum())} vectors with NaN or infinity, the first for text "
            f"{int(np.argmax(bad))}: check the weights or the file of vectors"
        )
    return vectors


ENCODERS: Registry[Callable[[str], Encoder]] = Registry("encoder", "falter.encoders")


def load_encoder(spec: str) -> Encoder:
    """An encoder by its spec: ``hashing``, ``tfidf``, ``minilm``, ``st:ID_OR_FOLDER``, ``vectors:FILE``.

    A folder by itself is taken for a model of sentence-transformers, a ``.npy`` or ``.parquet`` for vectors, and what
    has a slash in it for a published id.
    """
    name, _, rest = spec.partition(":")
    if name in ENCODERS:
        return ENCODERS.get(name)(rest)
    if spec.endswith((".npy", ".parquet")):
        return ENCODERS.get("vectors")(spec)
    if "/" in spec or Path(spec).is_dir():
        return ENCODERS.get("st")(spec)
    raise UsageError(f"unknown encoder {spec!r}: there are {', '.join(ENCODERS.names())}")


WIDTH = 384
_BATCH = 4096
_WORD = re.compile(r"\w+", re.UNICODE)
_PIECE = 4
_MARK = "\x1f"


def text_features(text: str) -> Counter[str]:
    """Words, pairs of neighboring words, and pieces of four letters, each with how often it occurs.

    A text without a letter or digit is told by its signs alone.

    >>> sorted(text_features("A cat"))[:3]
    ['g:^cat', 'g:cat$', 'p:a cat']
    """
    words = _WORD.findall(text.casefold()) or text.split()
    found = Counter(f"w:{word}" for word in words)
    found.update(f"p:{one} {two}" for one, two in pairwise(words))
    for word in words:
        framed = f"^{word}$"
        if len(framed) > _PIECE:
            found.update(f"g:{framed[start : start + _PIECE]}" for start in range(len(framed) - _PIECE + 1))
    return found


_SHARE = {"w": 1.0, "p": 0.7, "g": 0.3}
"""How much a feature of each sort counts: words most, pieces of words, which tell relatives, least."""


class HashingEncoder:
    """Every feature weighs the same in every collection of texts."""

    def __init__(self, width: int = WIDTH, seed: int = 0) -> None:
        if width < 8:
            raise UsageError(f"an encoder of width {width} cannot tell texts apart: use 8 or more")
        self.width = width
        self.seed = seed
        self.name = f"hashing:{width}" if seed == 0 else f"hashing:{width}:{seed}"
        self._directions: dict[str, npt.NDArray[np.float64]] = {}

    @property
    def fingerprint(self) -> str:
        return f"{self.name}|features:1"

    def fit(self, texts: Sequence[str]) -> None:
        """Nothing is learned."""

    def weight(self, feature: str, times: int) -> float:
        """How much a feature that occurs so often in a text adds."""
        return _SHARE[feature[0]] * (1 + math.log(times))

    def encode(self, texts: Sequence[str], progress: ProgressCallback = no_progress) -> Vectors:
        vectors = np.zeros((len(texts), self.width), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            some = texts[start : start + _BATCH]
            for row, text in enumerate(some, start):
                total = np.zeros(self.width)
                # Added in the order of the features, so that the sum is the same to the last bit.
                for feature, times in sorted(text_features(text).items()):
                    total += self.weight(feature, times) * self._direction(feature)
                length = math.sqrt(math.fsum((total * total).tolist()))
                if length > 0:
                    vectors[row] = total / length
            progress(len(some))
        return vectors

    def _direction(self, feature: str) -> npt.NDArray[np.float64]:
        known = self._directions.get(feature)
        if known is None:
            digest = hashlib.shake_128(f"{self.seed}{_MARK}{feature}".encode("utf-8", "surrogatepass"))
            bits = np.unpackbits(np.frombuffer(digest.digest(-(-self.width // 8)), dtype=np.uint8))[: self.width]
            known = bits.astype(np.float64) * 2 - 1
            if len(self._directions) < 1 << 16:
                self._directions[feature] = known
        return known


class TfidfEncoder(HashingEncoder):
    """Rare features weigh more: their weight is the logarithm of how few of the prepared texts have them."""

    def __init__(self, width: int = WIDTH, seed: int = 0) -> None:
        super().__init__(width, seed)
        self.name = self.name.replace("hashing", "tfidf")
        self._seen: Counter[str] = Counter()
        self._texts = 0
        self._digest = ""

    @property
    def fingerprint(self) -> str:
        return f"{self.name}|features:1|texts:{self._digest}"

    def fit(self, texts: Sequence[str]) -> None:
        """Count in how many of the texts each feature is."""
        self._seen = Counter(feature for text in texts for feature in text_features(text))
        self._texts = len(texts)
        self._digest = sha256_of_bytes("\n".join(texts).encode("utf-8", "surrogatepass"))[:16]

    def weight(self, feature: str, times: int) -> float:
        if not self._texts:
            raise UsageError("tfidf must be fitted to the texts that will be searched; call fit() first")
        rarity = math.log((1 + self._texts) / (1 + self._seen[feature])) + 1
        return super().weight(feature, times) * rarity


def hashing_encoder(rest: str) -> HashingEncoder:
    """Words by a random direction each, without downloads: ``hashing`` or ``hashing:WIDTH[:SEED]``."""
    return HashingEncoder(*_numbers("hashing", rest))


def tfidf_encoder(rest: str) -> TfidfEncoder:
    """The same with rare words weighing more: ``tfidf`` or ``tfidf:WIDTH[:SEED]``."""
    return TfidfEncoder(*_numbers("tfidf", rest))


def _numbers(name: str, rest: str) -> list[int]:
    parts = rest.split(":") if rest else []
    if len(parts) > 2 or not all(part.isdigit() for part in parts):
        raise UsageError(f"{name}:{rest} is not an encoder: write {name}, {name}:WIDTH or {name}:WIDTH:SEED")
    return [int(part) for part in parts]
