"""Words for the names in a source that the ontology lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from falter.english import Ontology
from falter.nlp import kinds_from_wordnet, load_wordnet
from falter.sources import Source, require_scenes

__all__ = ["add_words"]


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
