"""The rankers by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from falter.errors import UsageError
from falter.nlp.encoders import Encoder, VectorCache
from falter.progress import ProgressCallback, no_progress
from falter.registry import Registry
from falter.suites.basic_questions.rankers.protocol import Ranker

__all__ = ["RANKERS", "RankerSettings", "make_ranker"]


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
        from falter.suites.basic_questions.rankers.bleu import BleuRanker

        return BleuRanker(order)

    return make


def _rouge(_: RankerSettings) -> Ranker:
    from falter.suites.basic_questions.rankers.rouge import RougeRanker

    return RougeRanker()


def _cider(_: RankerSettings) -> Ranker:
    from falter.suites.basic_questions.rankers.cider import CiderRanker

    return CiderRanker()


def _meteor(_: RankerSettings) -> Ranker:
    from falter.suites.basic_questions.rankers.meteor import MeteorRanker

    return MeteorRanker()


def _bm25(_: RankerSettings) -> Ranker:
    from falter.suites.basic_questions.rankers.bm25 import Bm25Ranker

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


RANKERS: Registry[Callable[[RankerSettings], Ranker]] = Registry("ranker", "falter.rankers", {})
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
