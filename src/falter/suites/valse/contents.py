"""What ``falter inspect`` adds for VALSE: how far annotators confirmed the pairs, and what gives foils away."""

from __future__ import annotations

from falter.inspection.contents import ContentsTable
from falter.probes import Suite
from falter.suites.valse.foil_statistics import FoilStatistics, count_foils
from falter.suites.valse.funnel_contents import candidate_words, funnel_contents
from falter.suites.valse.printed_agreement import correlate_with_validity, printed_alphas

__all__ = ["contents"]


def contents(suite: Suite) -> list[ContentsTable]:
    """One row per test of captions and foils, and how the foils were made, where that was done here."""
    counters = count_foils(suite)
    if not counters:
        return []
    tests = {name: counter.contents() for name, counter in counters.items()}
    printed = printed_alphas(tests)
    for name, alpha in printed.items():
        tests[name].printed_alpha, tests[name].printed_alpha_valid = alpha
    before = candidate_words(suite)
    for name, words in before.items():
        if name in tests:
            tests[name].lexical_items_before, tests[name].js_before = words.lexical_items, words.js
    columns = {
        "pairs": [f"{one.instances:,}" for one in tests.values()],
        "valid": [_part(one.valid, one.instances) for one in tests.values()],
        "unanimous": [_part(one.unanimous, one.instances) for one in tests.values()],
        "lexical\nitems": [_lexical(one) for one in tests.values()],
        **_before_columns(tests),
        "JS": [_three_digits(one.js) for one in tests.values()],
        "JS\nvalid": [_three_digits(one.js_valid) for one in tests.values()],
        "longer\ntext": [_percent(one.longer_text) for one in tests.values()],
        "shorter\ntext": [_percent(one.shorter_text) for one in tests.values()],
    }
    note = (
        "Lexical items: different words in which captions and foils differ (captions / foils). JS: how far apart "
        "these are distributed, 0 to 1. Longer, shorter text: what choosing by length alone scores, in per cent."
    )
    if printed:
        columns |= {
            "alpha,\nprinted": [_three_digits(one.printed_alpha) for one in tests.values()],
            "alpha valid,\nprinted": [_three_digits(one.printed_alpha_valid) for one in tests.values()],
        }
        over_all, over_valid = correlate_with_validity(tests, printed)
        note += (
            "\nAlpha: agreement of annotators as the paper prints it; the release has counts of votes alone."
            f"\nIts rank correlation with the share of valid pairs: {over_all:.3f}, over valid pairs {over_valid:.3f}."
        )
    table = ContentsTable(name="foils", title="captions and foils", rows=dict(tests), columns=columns, note=note)
    return [table, *funnel_contents(suite)]


def _before_columns(tests: dict[str, FoilStatistics]) -> dict[str, list[str]]:
    """What candidates were like before filters and balance; no column where no foils were made."""
    if all(one.js_before is None for one in tests.values()):
        return {}
    items = [one.lexical_items_before for one in tests.values()]
    return {
        "items before\nfilters": ["–" if number is None else f"{number:,}" for number in items],
        "JS before\nfilters": [_three_digits(one.js_before) for one in tests.values()],
    }


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
