"""Names in a source that the ontology lacks: which they are, where they can be added, and placing them by WordNet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from falter.data.word_forms import pluralize
from falter.generation.english import Ontology
from falter.generation.nlp import WordNet, load_wordnet
from falter.generation.sources import Source, require_scenes

__all__ = ["add_words", "kinds_from_wordnet", "unknown_names_hint", "unknown_names_note"]

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


def add_words(source: Source, ontology: Ontology, folder: Path) -> dict[str, Any]:
    """Write ``FOLDER/kinds-wordnet.yaml`` with the kinds that WordNet gives, and say what was taken from where.

    The folder goes wherever words of one's own go, such as ``falter audit --plugin-dir``.
    """
    wordnet = load_wordnet()
    names = {thing.name for graph in require_scenes(source).scenes() for thing in graph.objects.values()}
    unknown = sorted(name for name in names if not ontology.knows(name))
    kinds = kinds_from_wordnet(unknown, ontology, wordnet)
    folder.mkdir()
    text = yaml.safe_dump(kinds, allow_unicode=True) if kinds else ""
    head = f"# Placed by WordNet {wordnet.version}: each below the nearest kind that the ontology has.\n"
    (folder / "kinds-wordnet.yaml").write_text(head + text, encoding="utf-8")
    return {"version": wordnet.version, "unknown": len(unknown), "kinds": len(kinds)}


def kinds_from_wordnet(names: Iterable[str], ontology: Ontology, wordnet: WordNet) -> dict[str, dict[str, Any]]:
    """Records, as in ``kinds*.yaml``, for those names that WordNet knows to be a kind of something in the ontology.

    It is put below the nearest known kind above the first sense of the word, as a role: WordNet does not say what two
    things may be at once, so nothing below the same kind is excluded. Where that kind has no ordinary singular, the new
    one is not asked about, for WordNet does not say whether it has.
    """
    kinds: dict[str, dict[str, Any]] = {}
    for name in sorted(set(names)):
        if ontology.knows(name):
            continue
        base = wordnet.base(name)
        # By first names alone: a trebuchet is an instrument, and "instrument" is another name of musical ones.
        above = None if base is None else wordnet.nearest(base, ontology.kinds.__contains__)
        if base is None or above is None or not ontology.kinds[above].parent_names:
            continue
        if base != name and ontology.knows(base):
            continue
        record = kinds.setdefault(base, {"is": above, "role": True})
        if name not in (base, pluralize(base)):
            record["plural"] = name
        if ontology.kinds[above].number != "count":
            record["askable"] = False
    return kinds
