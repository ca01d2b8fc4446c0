"""The rankers give what the libraries give, and the same order whatever the pool holds."""

from __future__ import annotations

import math
import re
from collections import Counter
from random import Random

import numpy as np
import pytest

from falter.core.errors import UsageError
from falter.generation.nlp import load_wordnet
from falter.generation.nlp.encoders import load_encoder
from falter.suites.basic_questions.rankers import RANKERS, Ranked, RankerSettings, make_ranker
from falter.suites.basic_questions.rankers.registry import best_of
from falter.suites.basic_questions.rankers.word_rankers import tokenize

WORDS = re.findall(
    r"\w+",
    "what is the a color of dog dogs car cars truck how many people are there man men woman standing stands sitting on "
    "in red big large picture photo why running does this",
)
BY_WORDS = ("bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-l", "cider", "meteor", "bm25")


def made_up(rng: Random, longest: int = 11) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, longest))).capitalize() + "?"


@pytest.fixture(scope="module")
def pool() -> list[str]:
    rng = Random("pool")
    return [made_up(rng) for _ in range(300)] + ["Dog?", "zebra", "", "?!", "😀 😀", " ".join(WORDS * 16)]


@pytest.fixture(scope="module")
def queries() -> list[str]:
    rng = Random("queries")
    return [made_up(rng) for _ in range(25)] + ["What?", "An ostrich, perhaps?", " ".join(WORDS * 3)]


def fitted(name: str, pool: list[str]) -> object:
    ranker = make_ranker(name, RankerSettings(encoder=load_encoder("hashing:64")))
    ranker.fit(pool)
    return ranker


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_bleu_is_that_of_sacrebleu(order: int, pool: list[str], queries: list[str]) -> None:
    bleu = pytest.importorskip("sacrebleu.metrics").BLEU(
        max_ngram_order=order, effective_order=True, tokenize="none", force=True
    )
    ranker = fitted(f"bleu-{order}", pool)
    for query in queries:
        reference = " ".join(tokenize(query))
        expected = [bleu.sentence_score(" ".join(tokenize(text)), [reference]).score / 100 for text in pool]
        assert ranker.scores(query) == pytest.approx(expected, abs=1e-12)  # type: ignore[attr-defined]


def test_rouge_is_that_of_rouge_score(pool: list[str], queries: list[str]) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rougeL"])
    plain = [text for text in pool if text.isascii()]
    ranker = fitted("rouge-l", plain)
    for query in queries[::3] + queries[-3:]:
        expected = [scorer.score(query, text)["rougeL"].fmeasure for text in plain]
        found = ranker.scores(query)  # type: ignore[attr-defined]
        for text, one, other in zip(plain, found, expected, strict=True):
            # The library has no word in "?!"; here it is a sign of its own, which no query has.
            assert one == pytest.approx(other, abs=1e-12), (query, text)


def test_meteor_is_that_of_nltk(pool: list[str], queries: list[str]) -> None:
    meteor = pytest.importorskip("nltk.translate.meteor_score")
    pool = pool[::3]
    ranker = fitted("meteor", pool)
    try:
        reader = load_wordnet()._reader
    except UsageError:
        pytest.skip("needs WordNet")
    for query in queries[::4] + queries[-3:]:
        words = tokenize(query)
        expected = np.array([meteor.single_meteor_score(words, tokenize(text), wordnet=reader) for text in pool])
        for place, text in enumerate(pool):
            own = ranker.score(words, tokenize(text))  # type: ignore[attr-defined]
            assert own == pytest.approx(expected[place], abs=1e-12), (query, text)
        wanted = best_of(np.round(expected, 12), 21)
        (found,) = ranker.rank([query])  # type: ignore[attr-defined]
        assert found.scores == pytest.approx(wanted.scores, abs=1e-11)
        assert found.indices.tolist() == wanted.indices.tolist()


def cider_by_hand(query: str, pool: list[str]) -> list[float]:
    def runs(text: str, size: int) -> Counter[tuple[str, ...]]:
        words = tokenize(text)
        return Counter(tuple(words[start : start + size]) for start in range(len(words) - size + 1))

    totals = [0.0] * len(pool)
    for size in (1, 2, 3, 4):
        documents = [runs(text, size) for text in pool]
        having = Counter(run for document in documents for run in document)

        def vector(counts: Counter[tuple[str, ...]], having: Counter[tuple[str, ...]] = having) -> dict[object, float]:
            rarity = {run: math.log(len(pool)) - math.log(max(having[run], 1)) for run in counts}
            return {run: times * rarity[run] for run, times in counts.items()}

        own = vector(runs(query, size))
        for place, document in enumerate(documents):
            other = vector(document)
            product = sum(weight * other.get(run, 0.0) for run, weight in own.items())
            norms = math.sqrt(sum(w * w for w in own.values()) * sum(w * w for w in other.values()))
            totals[place] += product / norms if norms else 0.0
    return [10 * total / 4 for total in totals]


def test_cider_is_the_mean_cosine_of_rare_runs(pool: list[str], queries: list[str]) -> None:
    ranker = fitted("cider", pool)
    for query in queries[::4] + queries[-3:]:
        assert ranker.scores(query) == pytest.approx(cider_by_hand(query, pool), abs=1e-9)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [*BY_WORDS, "cosine"])
def test_the_order_is_by_score_then_by_place(name: str, pool: list[str], queries: list[str]) -> None:
    ranker = fitted(name, pool + pool[:40])
    for found in ranker.rank(queries, 15):  # type: ignore[attr-defined]
        keys = list(zip(-found.scores, found.indices, strict=True))
        assert keys == sorted(keys)
        assert len(found.indices) <= 15
        assert (found.scores > 0).all()
        assert len(set(found.indices)) == len(found.indices)


@pytest.mark.parametrize("name", [*BY_WORDS, "cosine"])
def test_odd_questions_and_small_pools(name: str) -> None:
    ranker = fitted(name, ["Is it red?", "", "😀", "Is it blue?"])
    found: list[Ranked] = list(ranker.rank(["", "😀", "Is it", "zzz qqq"]))  # type: ignore[attr-defined]
    assert found[0].indices.size == 0, "a question without words is like none"
    assert found[1].indices[0] == 2
    assert {0, 3} <= set(found[2].indices.tolist())
    if name != "cosine":
        assert found[3].indices.size == 0
    alone = fitted(name, ["only one here"])
    # In a pool of one question no word is rarer than another, so that CIDEr has nothing to go by.
    assert [len(one.indices) for one in alone.rank(["one"])] == [0 if name == "cider" else 1]  # type: ignore[attr-defined]


def test_a_signature_names_what_decides() -> None:
    settings = RankerSettings(encoder=load_encoder("hashing:64"), lam=1e-4)
    signatures = {make_ranker(name, settings).signature for name in RANKERS.names()}
    assert len(signatures) == len(RANKERS.names()) == 10
    assert "lasso|lambda:0.0001|nonnegative|encoder:hashing:64" in signatures


def test_unknown_rankers_and_missing_encoders_are_named() -> None:
    with pytest.raises(UsageError, match="unknown ranker 'tfidf'"):
        make_ranker("tfidf", RankerSettings())
    with pytest.raises(UsageError, match="--encoder"):
        make_ranker("cosine", RankerSettings())
