"""Which verbs are foils of each other: antonyms, or at least no synonyms, hypernyms or hyponyms by WordNet."""

from __future__ import annotations

from functools import lru_cache

from falter.nlp import WordNet
from falter.suites.valse.foiling.situations import verb_list

__all__ = ["are_exclusive"]


@lru_cache(maxsize=65536)
def are_exclusive(wordnet: WordNet, verb: str, other: str) -> bool:
    """Whether a verb is a foil of another; of those that may be true at the same time, only antonyms are."""
    relation = wordnet.relation(verb, other)
    together = any(verb in group and other in group for group in verb_list("together"))
    return relation == "antonym" or (relation == "disjoint" and not together)
