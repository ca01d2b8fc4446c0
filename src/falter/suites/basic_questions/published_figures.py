"""The form of the paper's figures on basic questions: accuracy by partition and answer type, and what VQABQ gains."""

from __future__ import annotations

import msgspec

from falter.core.errors import UsageError
from falter.evaluation.reporting import Published

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
    rows: dict[str, dict[str, ByType]]
    standard: dict[str, dict[str, ByType]] = {}
    """The same on the whole test set, where printed."""
    r_scores: dict[str, float] = {}
    notes: tuple[NoiseNote, ...] = ()
    source: str = ""
    tests: tuple[str, ...] = ()


class WithoutAndWith(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Accuracy without and with basic questions appended."""

    without: ByType
    with_: ByType = msgspec.field(name="with")


class PublishedVqabq(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many basic questions were appended, and accuracy without and with them."""

    system: str
    thresholds: tuple[float, float, float]
    appended: dict[str, int]
    dev: WithoutAndWith
    standard: WithoutAndWith
    source: str = ""
    tests: tuple[str, ...] = ()


class PublishedFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of the published figures that only this bundle reads."""

    noise: tuple[NoiseTable, ...]
    vqabq: tuple[PublishedVqabq, ...]

    def noise_table(self, test: str) -> NoiseTable | None:
        """The figures of a test under noise."""
        return next((one for one in self.noise if test in one.tests), None)


def published_figures(paper: Published | None) -> PublishedFigures | None:
    """The paper's tables on noise and VQABQ, as far as they describe the suite."""
    if paper is None or not paper.extra:
        return None
    told = {
        name: [{"source": one.source, "tests": one.tests, **one.figures} for one in tables]
        for name, tables in paper.extra.items()
    }
    try:
        found = msgspec.convert(told, PublishedFigures)
    except msgspec.ValidationError as error:
        raise UsageError(f"the published figures on basic questions cannot be read: {error}") from error
    named = {name for table in found.noise for name in (*table.rows, *table.standard, *table.r_scores)}
    if unknown := sorted(named - set(paper.systems)):
        raise UsageError(
            f"the published figures on basic questions name the system {unknown[0]!r}, which is not listed"
        )
    return found
