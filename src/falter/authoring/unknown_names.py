"""What to tell of objects whose names the ontology lacks: which they are, and where they can be added."""

from __future__ import annotations

from collections import Counter

__all__ = ["unknown_names_hint", "unknown_names_note"]

_SHOWN = 8


def unknown_names_hint(names: Counter[str]) -> str:
    """Where to add names, with a line for the first of them.

    >>> unknown_names_hint(Counter(llama=2))
    "add them to a file kinds.yaml, in lines such as 'llama: {is: thing}', and give its folder with --plugin-dir"
    """
    first = min(names, key=lambda name: (-names[name], name))
    line = f"{first}: {{is: thing}}"
    return f"add them to a file kinds.yaml, in lines such as {line!r}, and give its folder with --plugin-dir"


def unknown_names_note(names: Counter[str]) -> str:
    """The names that are unknown, the most frequent first."""
    order = sorted(names, key=lambda name: (-names[name], name))
    more = f" and {len(order) - _SHOWN:,} more" if len(order) > _SHOWN else ""
    return f"the ontology lacks {', '.join(name[:40] for name in order[:_SHOWN])}{more}"
