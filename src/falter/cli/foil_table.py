"""What tests of captions and foils hold, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from falter.cli.output import out

if TYPE_CHECKING:
    from falter.suites.valse.foil_statistics import FoilStatistics

__all__ = ["print_foils"]


def print_foils(tests: Mapping[str, FoilStatistics]) -> None:
    """One row a test: how far annotators confirmed it, and what would give foils away without a picture."""
    if not tests:
        return
    from rich.text import Text

    from falter.cli.tables import Column, print_columns

    columns = {
        "pairs": [f"{one.instances:,}" for one in tests.values()],
        "valid": [_part(one.valid, one.instances) for one in tests.values()],
        "unanimous": [_part(one.unanimous, one.instances) for one in tests.values()],
        "lexical\nitems": [_lexical(one) for one in tests.values()],
        "JS": [_three_digits(one.js) for one in tests.values()],
        "JS\nvalid": [_three_digits(one.js_valid) for one in tests.values()],
        "longer\ntext": [_percent(one.longer_text) for one in tests.values()],
        "shorter\ntext": [_percent(one.shorter_text) for one in tests.values()],
    }
    out.print("")
    print_columns(
        [Column("captions and foils", [Text(name) for name in tests])],
        [Column(name, [Text(cell) for cell in cells], right=True) for name, cells in columns.items()],
    )
    out.print(
        "Lexical items: different words in which captions and foils differ (captions / foils). JS: how far apart\n"
        "these are distributed, 0 to 1. Longer, shorter text: what choosing by length alone scores, in per cent."
    )


def _part(number: int | None, whole: int) -> str:
    return "–" if number is None else f"{number:,} ({100 * number / max(whole, 1):.1f} %)"


def _lexical(one: FoilStatistics) -> str:
    if one.lexical_items is None:
        return "–"
    return f"{one.lexical_items:,} ({one.lexical_items_captions:,} / {one.lexical_items_foils:,})"


def _three_digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"
