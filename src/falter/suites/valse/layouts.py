"""The layout in which scores on VALSE are released: ``instrument``, ``id``, ``type`` (caption or foil), ``score``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from falter.errors import UsageError
from falter.suites.valse.instruments import published_id

__all__ = ["LAYOUTS", "read_score_row"]

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
