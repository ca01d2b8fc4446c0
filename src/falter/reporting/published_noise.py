"""The form of published figures about noise: accuracy by partition and answer type, and what VQABQ gains."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["NoiseNote", "NoiseTable", "PublishedVqabq"]

ByType = dict[str, float]
"""Accuracy in per cent by answer type, ``all`` among them."""


class NoiseNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is odd about a table, or about one system's figures in it."""

    text: str
    system: str | None = None
    measure: str | None = None


class NoiseTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By system the accuracy without noise (``original``) and with each partition (``1`` to ``7``)."""

    label: str
    source: str
    pool: Literal["general", "yesno"]
    ranker: str
    rows: dict[str, dict[str, ByType]]
    prepared: bool = True
    """Whether repeated and main questions were taken out of the pool."""
    standard: dict[str, dict[str, ByType]] = {}
    """The same on the whole test set, where printed."""
    r_scores: dict[str, float] = {}
    notes: tuple[NoiseNote, ...] = ()


class _Spread(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    mean: float
    deviation: float


class _Compared(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    without: ByType
    with_: ByType = msgspec.field(name="with")


class PublishedVqabq(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Statistics of the scores, how many basic questions were appended, and accuracy without and with them."""

    source: str
    system: str
    scores: dict[str, _Spread]
    thresholds: tuple[float, float, float]
    appended: dict[str, int]
    dev: _Compared
    standard: _Compared
