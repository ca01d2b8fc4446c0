"""Names in a source that the ontology lacks, placed in it by WordNet."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from falter.english import Ontology
from falter.english.words import pluralize
from falter.nlp import WordNet, load_wordnet
from falter.sources import Source, require_scenes

__all__ = ["add_words", "kinds_from_wordnet"]


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
