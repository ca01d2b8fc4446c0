"""The options of basic questions, declared once: for ``falter generate``, ``rank``, Python and the manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from falter.core.errors import UsageError
from falter.generation.authoring.options import Positive

NoisePosition = Literal["after", "before", "around", "chat"]
PoolType = Literal["general", "yesno"]
Thresholds = tuple[float, float, float]
Band = tuple[float, float]

PAPER_THRESHOLDS: Thresholds = (0.60, 0.58, 0.41)
_LASSO = ("--ranker lasso", "no --ranker")
BANDS: tuple[Band, ...] = ((0.8, 1.0), (0.6, 0.8), (0.4, 0.6), (0.2, 0.4))


class RankingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a pool of questions is gathered and ranked."""

    pool: Annotated[
        tuple[str, ...],
        Meta(
            description="Source of the basic questions; may be repeated. Default: questions of --from not drawn.",
            extra={"metavar": "SOURCE"},
        ),
    ] = ()
    pool_type: Annotated[
        PoolType,
        Meta(
            description="All questions of the pool, or its yes/no questions. Default: general.",
        ),
    ] = "general"
    ranker: Annotated[
        tuple[str, ...],
        Meta(
            description="Ranker: lasso, bleu-1 to bleu-4, rouge-l, cider, meteor, cosine or bm25; may be repeated. "
            "Default: lasso.",
            extra={"metavar": "NAME"},
        ),
    ] = ()
    encoder: Annotated[
        str,
        Meta(
            description="Sentence encoder for lasso, cosine and distractors: minilm, tfidf, hashing, st:ID_OR_FOLDER "
            "or vectors:FILE. Default: minilm.",
            extra={"metavar": "SPEC"},
        ),
    ] = "minilm"
    lam: Annotated[
        float,
        Meta(
            description="Penalty of lasso, above 0. Default: 1e-6.",
            extra={"option": "--lambda", "metavar": "X", "needs": _LASSO},
        ),
    ] = 1e-6
    signed: Annotated[bool, Meta(description="Allow negative coefficients in lasso.", extra={"needs": _LASSO})] = False
    solver_device: Annotated[
        str,
        Meta(
            description="Device of the lasso solver: cpu or cuda; does not change the ranking. Default: cpu.",
            extra={"metavar": "DEVICE", "needs": _LASSO},
        ),
    ] = "cpu"
    vectors_cache: Annotated[
        Path | None, Meta(description="Folder for sentence vectors, read and written.", extra={"metavar": "DIR"})
    ] = None
    ranking_cache: Annotated[
        Path | None,
        Meta(
            description="Folder for lasso's rankings, written as they come and resumed.",
            extra={"metavar": "DIR", "needs": _LASSO},
        ),
    ] = None
    keep_duplicates: Annotated[bool, Meta(description="Keep repeated and main questions in the pool.")] = False

    def __post_init__(self) -> None:
        from falter.suites.basic_questions.rankers import RANKERS

        for name in self.ranker:
            if name not in RANKERS:
                raise UsageError(f"unknown ranker {name!r}: there are {', '.join(RANKERS.names())}")
        if not 0 < self.lam < float("inf"):
            raise UsageError(f"--lambda {self.lam:g} is not a number above zero")

    @property
    def rankers(self) -> tuple[str, ...]:
        """The rankers, each once."""
        return tuple(dict.fromkeys(self.ranker)) or ("lasso",)


class BasicQuestionsOptions(RankingOptions, frozen=True, kw_only=True):
    """All options of the suite."""

    ranked_file: Annotated[
        Path | None,
        Meta(
            description="Take basic questions from this ranked data set instead of a pool.",
            extra={"metavar": "FILE"},
        ),
    ] = None
    noise_position: Annotated[
        NoisePosition,
        Meta(description="Position of the basic questions. Default: after."),
    ] = "after"
    max_words: Annotated[
        Positive | None,
        Meta(description="Omit variants with more words; the paper means 26.", extra={"metavar": "N"}),
    ] = None
    similarity_band: Annotated[
        tuple[str, ...],
        Meta(
            description="A band of cosines for the test distractors; may be repeated. Default: four from 0.2 to 1.",
            extra={"metavar": "LO:HI", "needs": ("--test distractors", "no --test")},
        ),
    ] = ()
    thresholds: Annotated[
        str,
        Meta(
            description="Thresholds of Algorithm 1 for vqabq; auto takes them from these rankings. "
            "Default: 0.60,0.58,0.41, as in the paper.",
            extra={"metavar": "S1,S2,S3|auto", "needs": ("--test vqabq", "no --test")},
        ),
    ] = "0.60,0.58,0.41"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ranked_file is not None and (self.pool or self.ranker):
            raise UsageError("--ranked-file brings its basic questions with it: leave out --pool and --ranker")
        self.bands()
        read_thresholds(self.thresholds)

    def bands(self) -> tuple[Band, ...]:
        """The bands of cosines as numbers."""
        return tuple(_band(text) for text in self.similarity_band) or BANDS


def _number(option: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"{option} {text!r} is not a number") from None
    if not float("-inf") < value < float("inf"):
        raise UsageError(f"{option} {text!r} is not a number")
    return value


def _band(text: str) -> Band:
    low, colon, high = text.partition(":")
    if not colon:
        raise UsageError(f"--similarity-band {text!r} is not LO:HI, e.g. 0.4:0.6")
    band = (_number("--similarity-band", low), _number("--similarity-band", high))
    if not -1 <= band[0] < band[1] <= 1:
        raise UsageError(f"--similarity-band {text}: a band goes from lower to higher, between -1 and 1")
    return band


def read_thresholds(text: str) -> Thresholds | Literal["auto"]:
    """Three thresholds between 0 and 1, or ``auto``."""
    if text == "auto":
        return "auto"
    parts = [_number("--thresholds", part) for part in text.split(",")]
    if len(parts) != 3 or not all(0 <= part <= 1 for part in parts):
        raise UsageError(f"--thresholds {text!r} is neither three numbers from 0 to 1 (S1,S2,S3) nor auto")
    return parts[0], parts[1], parts[2]
