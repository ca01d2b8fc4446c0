"""Situations of a source that two roles tell: who does what to whom, as most annotators say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from falter.files import read_yaml
from falter.nlp import WordNet, load_wordnet
from falter.sources import HasSituations, Situation, require
from falter.suites.valse.foiling.candidate import Skipped, SourceCaption
from falter.suites.valse.foiling.context import FoilingContext
from falter.suites.valse.foiling.funnel import Funnel
from falter.suites.valse.foiling.situation_sentences import SituationPattern, read_abstract
from falter.suites.valse.foiling.unlikely_actions import is_unlikely

__all__ = ["Filler", "ReadSituation", "Situations", "verb_list"]

UNLIKELY = "hardly anybody does that to such a thing"


class Filler(NamedTuple):
    """What fills a role: a synset and its noun."""

    synset: str
    noun: str


class ReadSituation(NamedTuple):
    """A situation with its two fillers and the pattern of its verb; the caption is the sentence."""

    caption: SourceCaption
    pattern: SituationPattern
    agent: Filler
    other: Filler


class Situations:
    """All situations of a source that can be said, in an order that the seed decides, and what fills whose roles."""

    def __init__(self, context: FoilingContext, funnel: Funnel) -> None:
        self._source = require(context.source, HasSituations, funnel.test)  # type: ignore[type-abstract]
        self.wordnet: WordNet = load_wordnet()
        context.note("wordnet", f"{self.wordnet.version} from {self.wordnet.where}")
        self._patterns: dict[str, SituationPattern | str] = {}
        self.read: list[ReadSituation] = []
        self.agents: dict[str, set[str]] = defaultdict(set)
        """By verb the synsets of agents."""
        self.others: dict[str, set[str]] = defaultdict(set)
        self.patterns: dict[str, SituationPattern] = {}
        """By the infinitive of a verb how it is said."""
        for situation in self._source.situations():
            funnel.captions += 1
            found = self._read(situation)
            if isinstance(found, str):
                funnel.skip(Skipped(found, f"{situation.verb}: {situation.image_id}"))
                continue
            verb = found.pattern.verb
            self.patterns.setdefault(verb, found.pattern)
            if self.patterns[verb] != found.pattern:
                funnel.skip(Skipped("another abstract of the same verb is used", found.caption.text))
                continue
            self.read.append(found)
            self.agents[verb].add(found.agent.synset)
            self.others[verb].add(found.other.synset)
        context.rng("situations", "order").shuffle(self.read)

    def _read(self, situation: Situation) -> ReadSituation | str:
        pattern = self._pattern(situation.verb)
        if isinstance(pattern, str):
            return pattern
        synsets = [_agreed(situation.frames, role) for role in (pattern.agent, pattern.other)]
        if None in synsets:
            return "annotators do not agree on what fills a role"
        if "" in synsets:
            return "a role is not filled"
        fillers = [Filler(synset, noun) for synset in synsets if synset and (noun := self._noun(synset))]
        if len(fillers) != 2:
            return "a synset has no noun"
        if any(one.noun in verb_words("vague") for one in fillers):
            return "a filler says too little"
        agent, other = fillers
        if is_unlikely(self.wordnet, pattern.verb, agent.synset, other.synset):
            return UNLIKELY
        text = pattern.write(agent.noun, other.noun).text
        return ReadSituation(SourceCaption(situation.image_id, situation.image_id, text), pattern, agent, other)

    def _pattern(self, verb: str) -> SituationPattern | str:
        if verb not in self._patterns:
            abstract = self._source.abstract(verb)
            self._patterns[verb] = (
                "the source has no abstract of the verb"
                if abstract is None
                else read_abstract(verb, abstract, self.wordnet)
            )
        return self._patterns[verb]

    def _noun(self, synset: str) -> str | None:
        """The noun of the source, else the first of WordNet; names and signs are none."""
        sense = None if (known := self._source.noun(synset)) else self.wordnet.sense_by_id(synset)
        noun = known or (str(sense.lemma_names()[0]) if sense is not None else "")
        noun = noun.replace("_", " ").strip()
        return noun if noun and noun.replace(" ", "").replace("-", "").isalpha() and noun.islower() else None

    def are_kinds(self, one: Filler, other: Filler) -> bool:
        """Whether two fillers are the same, or one is a kind of the other."""
        if one.noun == other.noun or one.synset == other.synset:
            return True
        senses = [self.wordnet.sense_by_id(filler.synset) for filler in (one, other)]
        if None in senses:
            found = self.wordnet.is_kind_of([one.noun], [other.noun]), self.wordnet.is_kind_of([other.noun], [one.noun])
            return None in found or True in found
        first, second = senses
        return self.wordnet.are_below([first], [second]) or self.wordnet.are_below([second], [first])

    def is_likely(self, pattern: SituationPattern, agent: Filler, other: Filler) -> bool:
        """Whether an agent may do what a verb says to another; unlikely ones are no foils."""
        return not is_unlikely(self.wordnet, pattern.verb, agent.synset, other.synset)

    def can_fill(self, filler: Filler, known: set[str]) -> bool:
        """Whether a role whose fillers are known can have this one: it had it, or it has people, and this is one."""
        if filler.synset in known:
            return True
        return self._is_person(filler.synset) and any(map(self._is_person, known))

    def _is_person(self, synset: str) -> bool:
        return _is_person(self.wordnet, synset)


@lru_cache(maxsize=65536)
def _is_person(wordnet: WordNet, synset: str) -> bool:
    sense: Any = wordnet.sense_by_id(synset)
    people = wordnet.sense_by_id("n00007846")
    return sense is not None and people is not None and wordnet.are_below([sense], [people])


def _agreed(frames: Sequence[dict[str, str]], role: str) -> str | None:
    """The synset that most annotators gave; None where there is none, empty where most gave none."""
    given = Counter(frame.get(role, "") for frame in frames)
    (synset, votes), *_ = given.most_common(1)
    return synset if 2 * votes > len(frames) else None


@lru_cache(maxsize=8)
def verb_words(name: str) -> frozenset[str]:
    """All words of a list of ``verbs.yaml``."""
    return frozenset().union(*verb_list(name))


@lru_cache(maxsize=8)
def verb_list(name: str) -> list[frozenset[str]]:
    """Groups of verbs: see ``verbs.yaml``."""
    path = Path(__file__).parent / "verbs.yaml"
    lists = read_yaml(path, dict[str, list[list[str]]], what="a file of lists of verbs", plain_words=True)
    return [frozenset(group) for group in lists[name]]
