"""Words that the ontology lacks, placed in it by WordNet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from falter.english import Ontology
from falter.english.words import pluralize
from falter.nlp.wordnet import WordNet

__all__ = ["kinds_from_wordnet"]


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
