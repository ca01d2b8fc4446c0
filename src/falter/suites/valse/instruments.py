"""The eleven instruments of VALSE: their names in the release and in the paper, and where they stand in its tables.

Files of released scores name them too: each row has ``instrument``, ``id``, ``type`` (caption or foil) and ``score``.
All pairs together are broken down by piece, as in the paper's tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from falter.core.errors import UsageError
from falter.evaluation.measures.counting import MICRO, Summary


class Instrument(NamedTuple):
    """One instrument; ``file`` is the stem of its released file, ``test`` the name of its test in a suite."""

    file: str
    test: str
    piece: str
    entries: int
    """How many pairs its released file holds, confirmed or not."""


INSTRUMENTS = (
    Instrument("existence", "existence", "existence", 534),
    Instrument("plurals", "plurality", "plurality", 1000),
    # The release calls "hard" what the paper calls balanced, and in coreference what it calls clean.
    Instrument("counting-hard", "counting-balanced", "counting", 1000),
    Instrument("counting-small-quant", "counting-small", "counting", 1000),
    Instrument("counting-adversarial", "counting-adversarial", "counting", 756),
    Instrument("relations", "relations", "relations", 614),
    Instrument("action-replacement", "action-replacement", "actions", 779),
    Instrument("actant-swap", "actant-swap", "actions", 1042),
    Instrument("coreference-standard", "coreference-standard", "coreference", 916),
    Instrument("coreference-hard", "coreference-clean", "coreference", 141),
    Instrument("foil-it", "foil-it", "foil-it", 1000),
)
"""In the order of the paper's tables."""


def _first_numbers() -> dict[str, int]:
    """By file the number of its first pair, where the pairs of all files are counted in the order of their names."""
    numbers, before = {}, 0
    for instrument in sorted(INSTRUMENTS):
        numbers[instrument.file] = before
        before += instrument.entries
    return numbers


_FIRST = _first_numbers()
_FILES = {name: one.file for one in INSTRUMENTS for name in (one.test, one.file)}


def published_id(instrument: str, number: int, side: str) -> str:
    """The id of a caption or foil by its instrument and its place, from 0, in the file or in the whole release.

    Scores that go round for VALSE count the pairs of all files, in the order of the files' names. No file is as long as
    all those before it, so a number tells by itself which of the two it is.

    >>> published_id("existence", 3, "foil"), published_id("existence", 5637, "foil")
    ('existence:3:foil', 'existence:3:foil')
    """
    file = _FILES.get(instrument, instrument)
    first = _FIRST.get(file, 0)
    return f"{file}:{number - first if number >= first else number}:{side}"


_SIDES = ("caption", "foil")


def read_score_row(row: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The published id of a caption or a foil, under the release's name of the instrument or the paper's."""
    instrument, side = row.get("instrument"), row.get("type")
    if instrument is None or side is None:
        return None
    if side not in _SIDES:
        raise UsageError(f"type is caption or foil, not {side!r:.50}")
    if not isinstance(instrument, str):
        raise UsageError(f"an instrument is a name, not {instrument!r:.50}")
    number = row.get("id")
    if isinstance(number, str) and number.isascii() and number.isdigit():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise UsageError(f"the id of a pair of VALSE is its number from 0, not {number!r:.50}")
    return published_id(instrument, number, side), row


LAYOUTS = (read_score_row,)


SUMMARIES = (Summary(name=MICRO, how="pooled", facets=("piece",)),)
