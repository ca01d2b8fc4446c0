"""What the user chose for this suite, read from texts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from falter.errors import UsageError
from falter.suites.basic_questions.rankers import RANKERS

__all__ = ["PAPER_THRESHOLDS", "Band", "Place", "PoolKind", "Settings", "Thresholds", "read_thresholds"]

Place = Literal["after", "before", "around", "chat"]
PoolKind = Literal["general", "yesno"]
Thresholds = tuple[float, float, float]
Band = tuple[float, float]

PAPER_THRESHOLDS: Thresholds = (0.60, 0.58, 0.41)
BANDS: tuple[Band, ...] = ((0.8, 1.0), (0.6, 0.8), (0.4, 0.6), (0.2, 0.4))


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All options of the suite, checked."""

    pool: tuple[str, ...] = ()
    pool_kind: PoolKind = "general"
    rankers: tuple[str, ...] = ("lasso",)
    encoder: str = "minilm"
    lam: float = 1e-6
    signed: bool = False
    solver_device: str = "cpu"
    vectors_cache: Path | None = None
    ranking_cache: Path | None = None
    keep_duplicates: bool = False
    ranking: Path | None = None
    place: Place = "after"
    max_words: int | None = None
    bands: tuple[Band, ...] = BANDS
    thresholds: Thresholds | Literal["auto"] = PAPER_THRESHOLDS

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Settings:
        """The settings from what was given on the command line."""
        rankers = tuple(dict.fromkeys(given.get("ranker") or ("lasso",)))
        for name in rankers:
            if name not in RANKERS:
                raise UsageError(f"unknown ranker {name!r}: there are {', '.join(RANKERS.names())}")
        if given.get("ranking") and (given.get("pool") or given.get("ranker")):
            raise UsageError("--ranking brings its basic questions with it: leave out --pool and --ranker")
        cache, ranking, kept = (given.get(name) for name in ("vectors-cache", "ranking", "ranking-cache"))
        return cls(
            pool=tuple(given.get("pool") or ()),
            pool_kind=_one_of("pool-kind", given.get("pool-kind", "general"), PoolKind),
            rankers=rankers,
            encoder=given.get("encoder", "minilm"),
            lam=read_lambda(given.get("lambda", "1e-6")),
            signed=bool(given.get("signed")),
            solver_device=given.get("solver-device", "cpu"),
            vectors_cache=None if cache is None else Path(cache),
            ranking_cache=None if kept is None else Path(kept),
            keep_duplicates=bool(given.get("keep-duplicates")),
            ranking=None if ranking is None else Path(ranking),
            place=_one_of("place", given.get("place", "after"), Place),
            max_words=_whole("max-words", given.get("max-words")),
            bands=tuple(_band(text) for text in given.get("similarity") or ()) or BANDS,
            thresholds=read_thresholds(given["thresholds"]) if "thresholds" in given else PAPER_THRESHOLDS,
        )


def _one_of(option: str, value: str, kinds: Any) -> Any:
    known = get_args(kinds)
    if value not in known:
        raise UsageError(f"--{option} {value!r} is not one of {', '.join(known)}")
    return value


def _number(option: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"--{option} {text!r} is not a number") from None
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - only NaN differs from itself
        raise UsageError(f"--{option} {text!r} is not a number")
    return value


def read_lambda(text: str) -> float:
    """A penalty: any number above zero."""
    value = _number("lambda", text)
    if value <= 0:
        raise UsageError(f"--lambda {text} is not above zero")
    return value


def _whole(option: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise UsageError(f"--{option} {text!r} is not a number of words")
    return int(text)


def _band(text: str) -> Band:
    low, colon, high = text.partition(":")
    if not colon:
        raise UsageError(f"--similarity {text!r} is not LO:HI, e.g. 0.4:0.6")
    band = (_number("similarity", low), _number("similarity", high))
    if not -1 <= band[0] < band[1] <= 1:
        raise UsageError(f"--similarity {text}: a band goes from lower to higher, between -1 and 1")
    return band


def read_thresholds(text: str) -> Thresholds | Literal["auto"]:
    """Three thresholds between 0 and 1, or ``auto``."""
    if text == "auto":
        return "auto"
    parts = [_number("thresholds", part) for part in text.split(",")]
    if len(parts) != 3 or not all(0 <= part <= 1 for part in parts):
        raise UsageError(f"--thresholds {text!r} is neither three numbers from 0 to 1 (S1,S2,S3) nor auto")
    return parts[0], parts[1], parts[2]
