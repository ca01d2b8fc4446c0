"""The form of the paper's figures on basic questions: accuracy by partition and answer type, and what VQABQ gains."""

from __future__ import annotations

from typing import Literal

import msgspec

from falter.errors import UsageError
from falter.reporting import Published

__all__ = ["NoiseTable", "PublishedFigures", "PublishedVqabq", "WithoutAndWith", "published_figures"]

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


class PublishedSpread(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The printed mean and standard deviation of a score."""

    mean: float
    deviation: float


class WithoutAndWith(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Accuracy without and with basic questions appended."""

    without: ByType
    with_: ByType = msgspec.field(name="with")


class PublishedVqabq(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Statistics of the scores, how many basic questions were appended, and accuracy without and with them."""

    source: str
    system: str
    scores: dict[str, PublishedSpread]
    thresholds: tuple[float, float, float]
    appended: dict[str, int]
    dev: WithoutAndWith
    standard: WithoutAndWith


class PublishedFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of the published figures that only this bundle reads."""

    noise: tuple[NoiseTable, ...]
    vqabq: PublishedVqabq

    def noise_table(self, pool: str, ranker: str, *, prepared: bool = True) -> NoiseTable | None:
        """The figures of a pool and ranker under noise."""
        wanted = (pool, ranker, prepared)
        return next((each for each in self.noise if (each.pool, each.ranker, each.prepared) == wanted), None)


def published_figures(paper: Published | None) -> PublishedFigures | None:
    """The paper's tables on noise and VQABQ."""
    if paper is None or not paper.extra:
        return None
    try:
        found = msgspec.convert(paper.extra, PublishedFigures)
    except msgspec.ValidationError as error:
        raise UsageError(f"the published figures on basic questions cannot be read: {error}") from error
    named = {name for table in found.noise for name in (*table.rows, *table.standard, *table.r_scores)}
    if unknown := sorted(named - set(paper.systems)):
        raise UsageError(
            f"the published figures on basic questions name the system {unknown[0]!r}, which is not listed"
        )
    return found
