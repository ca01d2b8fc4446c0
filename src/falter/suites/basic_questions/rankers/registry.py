"""What a ranker is, how the first of its scores are taken, and the rankers by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from falter.core.errors import UsageError
from falter.core.progress import ProgressCallback, no_progress
from falter.core.registry import Registry
from falter.generation.nlp.encoders import Encoder, VectorCache

TOP = 21
"""How many basic questions a main question has in the paper: seven partitions of three."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Ranked(NamedTuple):
    """The nearest questions of the pool, best first: their places in it and their scores.

    Fewer than were wanted where the pool is smaller or no other question has anything in common with the main one.
    """

    indices: Integers
    scores: Floats
    certified: bool = True
    """Whether the ranking is known to be exact; only an optimisation can fail to know."""
    gap: float | None = None
    """The duality gap of an optimisation: how far, at most, its objective is from the best there is."""


class Ranker(Protocol):
    """Orders a pool of questions by their likeness to main questions."""

    name: str

    @property
    def signature(self) -> str:
        """Its name and everything that decides its scores."""
        ...

    def fit(self, pool: Sequence[str]) -> None:
        """Take in the pool."""
        ...

    def rank(self, queries: Sequence[str], top: int = TOP) -> Iterator[Ranked]:
        """The best of the pool for each query, in the order of the queries."""
        ...


def best_of(scores: npt.NDArray[np.floating], top: int) -> Ranked:
    """The highest scores above zero, equal ones in the order of the pool.

    >>> best_of(np.array([0.5, 0.0, 0.9, 0.5]), 2).indices.tolist()
    [2, 0]
    """
    if top < len(scores):
        least = np.partition(scores, len(scores) - top)[len(scores) - top]
        above = np.flatnonzero(scores > least)
        level = np.flatnonzero(scores == least)[: top - len(above)]
        chosen = np.sort(np.concatenate([above, level]))
    else:
        chosen = np.arange(len(scores))
    chosen = chosen[scores[chosen] > 0]
    chosen = chosen[np.argsort(-scores[chosen], kind="stable")]
    return Ranked(chosen.astype(np.int64), scores[chosen].astype(np.float64))


class RankerSettings(msgspec.Struct, kw_only=True):
    """What a ranker may need; those that count words need nothing."""

    encoder: Encoder | None = None
    lam: float = 1e-6
    signed: bool = False
    device: str = "cpu"
    rankings: Path | None = None
    cache: VectorCache | None = None
    progress: ProgressCallback = no_progress
    """Told how many texts are encoded."""
    ranked: ProgressCallback = no_progress
    """Told how many queries are ranked, by a ranker that ranks many at once."""


def _bleu(order: int) -> Callable[[RankerSettings], Ranker]:
    def make(_: RankerSettings) -> Ranker:
        from falter.suites.basic_questions.rankers.word_rankers import BleuRanker

        return BleuRanker(order)

    return make


def _rouge(_: RankerSettings) -> Ranker:
    from falter.suites.basic_questions.rankers.word_rankers import RougeRanker

    return RougeRanker()


def _cider(_: RankerSettings) -> Ranker:
    from falter.suites.basic_questions.rankers.word_rankers import CiderRanker

    return CiderRanker()


def _meteor(_: RankerSettings) -> Ranker:
    from falter.suites.basic_questions.rankers.meteor import MeteorRanker

    return MeteorRanker()


def _bm25(_: RankerSettings) -> Ranker:
    from falter.suites.basic_questions.rankers.word_rankers import Bm25Ranker

    return Bm25Ranker()


def _encoder(settings: RankerSettings) -> Encoder:
    if settings.encoder is None:
        raise UsageError("this ranker needs an encoder: give --encoder, e.g. --encoder minilm")
    return settings.encoder


def _lasso(settings: RankerSettings) -> Ranker:
    from falter.suites.basic_questions.rankers.embedding_rankers import LassoQuestionRanker

    return LassoQuestionRanker(
        _encoder(settings),
        settings.lam,
        signed=settings.signed,
        device=settings.device,
        rankings=settings.rankings,
        cache=settings.cache,
        progress=settings.progress,
        ranked=settings.ranked,
    )


def _cosine(settings: RankerSettings) -> Ranker:
    from falter.suites.basic_questions.rankers.embedding_rankers import CosineRanker

    return CosineRanker(_encoder(settings), settings.cache, settings.progress)


RANKERS: Registry[Callable[[RankerSettings], Ranker]] = Registry("ranker", "falter.rankers")
RANKERS.add("lasso", _lasso)
RANKERS.add("bleu-1", _bleu(1))
RANKERS.add("bleu-2", _bleu(2))
RANKERS.add("bleu-3", _bleu(3))
RANKERS.add("bleu-4", _bleu(4))
RANKERS.add("rouge-l", _rouge)
RANKERS.add("cider", _cider)
RANKERS.add("meteor", _meteor)
RANKERS.add("cosine", _cosine)
RANKERS.add("bm25", _bm25)


def make_ranker(name: str, settings: RankerSettings) -> Ranker:
    """A ranker by its name."""
    return RANKERS.get(name)(settings)
