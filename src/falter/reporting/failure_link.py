"""The address of failed pairs within the report: its filters, as the page's script reads them."""

from __future__ import annotations

from urllib.parse import urlencode

from falter.safe import escape_invisible

__all__ = ["failure_link"]

_LONGEST = 200
"""Names in the page are cut after so many characters."""


def failure_link(
    *,
    suite: str = "",
    test: str = "",
    wrong: str = "",
    right: str = "",
    outcome: str = "",
    facet: str = "",
    value: str = "",
) -> str:
    """The failed pairs that these filters leave; models by name.

    >>> failure_link(test="negation", wrong="B", right="A")
    '#failures?test=negation&wrong=B&right=A'
    """
    given = {"suite": suite, "test": test, "wrong": wrong, "right": right, "outcome": outcome}
    given |= {"facet": facet, "value": value} if facet else {}
    shown = {
        name: escape_invisible(text[:_LONGEST] if name == "value" else text, one_line=True)
        for name, text in given.items()
        if text
    }
    return "#failures" + (f"?{urlencode(shown)}" if shown else "")
