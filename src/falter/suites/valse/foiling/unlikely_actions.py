"""Actions that hardly anybody would believe: who does not do what to whom, as ``unlikely.yaml`` says."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from falter.files import read_yaml
from falter.nlp import WordNet

__all__ = ["is_unlikely"]


class _Unlikely(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    verbs: frozenset[str]
    agents: tuple[str, ...]
    others: tuple[str, ...]


@lru_cache(maxsize=65536)
def is_unlikely(wordnet: WordNet, verb: str, agent: str, other: str) -> bool:
    """Whether an agent hardly ever does this to another, both by their synsets: rabbits do not chase dogs."""
    return any(
        verb in one.verbs and _is_below(wordnet, agent, one.agents) and _is_below(wordnet, other, one.others)
        for one in _unlikely()
    )


def _is_below(wordnet: WordNet, synset: str, wider: tuple[str, ...]) -> bool:
    sense = wordnet.sense_by_id(synset)
    return sense is not None and wordnet.are_below([sense], [wordnet.sense_by_id(one) for one in wider])


@lru_cache(maxsize=1)
def _unlikely() -> list[_Unlikely]:
    path = Path(__file__).with_name("unlikely.yaml")
    return read_yaml(path, list[_Unlikely], what="a file of unlikely actions", plain_words=True)
