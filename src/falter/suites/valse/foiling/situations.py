"""Situations of a source that two roles tell: who does what to whom, as most annotators say, and as sentences.

A sentence is written through the verb's abstract: "the AGENT drinks a LIQUID from a CONTAINER at a PLACE" has the
agent, a verb, and the words before every other role. It has the agent and the first of the others: "A woman drinks
water." Actions that hardly anybody would believe are left out, as ``unlikely.yaml`` says.

As the paper's footnote 13 does with GPT-2 and GRUEN, the forms of a sentence ("A man pushes a cart.", "A man is pushing
a cart.") are ranked by a language model. The best one is kept if it is grammatical and not less probable than
:data:`LEAST_NATURAL`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from falter.core.files import read_yaml
from falter.generation.english.rewrites.conditions import is_plural_noun, with_article
from falter.generation.english.words import third_person
from falter.generation.nlp import WordNet, load_wordnet
from falter.generation.nlp.span_ranking import Gap
from falter.generation.sources import HasSituations, Situation, require
from falter.suites.valse.foiling.candidates import Funnel, Skipped, SourceCaption
from falter.suites.valse.foiling.context import FoilingContext

Form = Literal["simple", "progressive"]
"""How a verb is said: "pushes", or "is pushing"."""

_ROLE = re.compile(r"[A-Z][A-Z0-9-]*[A-Z0-9]|Agentpart")
_DETERMINERS = frozenset({"the", "a", "an", "some", "then"})
"""Words before a role that the noun brings itself; "then" is how imSitu's templates misspell one of them."""
_POSSESSIVES = frozenset({"their", "its", "his", "her", "them", "themselves"})
_PLACES = frozenset({"place", "location"})


class Sentence(NamedTuple):
    """A sentence, and where its verb and its two nouns are."""

    text: str
    agent: tuple[int, int]
    verb: tuple[int, int]
    other: tuple[int, int]


class SituationPattern(NamedTuple):
    """How a verb is said of two roles."""

    agent: str
    verb: str
    link: str
    """The words between the verb and the other role."""
    other: str
    participle: str = ""
    """The verb as the source names it, where that is its present participle."""

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms in which the verb can be said."""
        return ("simple", "progressive") if self.participle else ("simple",)

    def write(self, agent: str, other: str, form: Form = "simple") -> Sentence:
        """The sentence about two nouns, each with its article; the verb agrees with the first."""
        subject, object_ = _with_determiner(agent), _with_determiner(other)
        is_plural = is_plural_noun(agent)
        if form == "progressive":
            verb = f"{'are' if is_plural else 'is'} {self.participle}"
        else:
            verb = self.verb if is_plural else third_person(self.verb)
        start = len(subject) + 1
        middle = f"{verb} {self.link}".rstrip()
        text = f"{subject[0].upper()}{subject[1:]} {middle} {object_}."
        end = start + len(middle)
        return Sentence(text, (0, start - 1), (start, end), (end + 1, end + 1 + len(object_)))


def _with_determiner(noun: str) -> str:
    return f"some {noun}" if is_plural_noun(noun) else with_article(noun)


def read_abstract(verb: str, abstract: str, wordnet: WordNet) -> SituationPattern | str:
    """The pattern of a verb, or why it has none. Slips of the abstract ("tattooed", "begging") become the present."""
    words = abstract.replace(",", " ").split()
    roles = [place for place, word in enumerate(words) if _ROLE.fullmatch(word)]
    if not roles or any(word.lower() not in _DETERMINERS for word in words[: roles[0]]):
        return "the abstract of the verb does not begin with a role"
    others = [place for place in roles[1:] if words[place].lower() not in _PLACES]
    if not others:
        return "the verb has one role besides the place"
    first, other = roles[0], others[0]
    if other != roles[1]:
        return "the place stands between the roles"
    said, *link = [word.lower() for word in words[first + 1 : other]] or [""]
    if not _POSSESSIVES.isdisjoint(link) or words[other].lower().endswith("part"):
        return "the other role is a part of the agent"
    base = wordnet.verb_base(said) or wordnet.verb_base(verb)
    if base is None:
        return "WordNet does not have the verb"
    link = [word for word in link if word not in _DETERMINERS]
    participle = verb.lower() if verb.lower().endswith("ing") and wordnet.verb_base(verb) == base else ""
    return SituationPattern(words[first].lower(), base, " ".join(link), words[other].lower(), participle)


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


LEAST_NATURAL = -10.6
"""The least mean log-probability of a word, in nats: 99 % of the released captions of actions have more."""
UNGRAMMATICAL = "the sentence is not grammatical enough"
UNNATURAL = "the sentence is not natural enough"


class Realiser:
    """Chooses forms; what was chosen for two nouns and a verb is kept."""

    def __init__(self, context: FoilingContext) -> None:
        self._context = context
        self._chosen: dict[tuple[str, str, str], tuple[Form, str]] = {}

    def choose(self, situation: ReadSituation) -> tuple[Form, str]:
        """The form in which a situation is said, and why it is not said at all, or an empty text."""
        key = (situation.agent.noun, situation.pattern.verb, situation.other.noun)
        if key not in self._chosen:
            self._chosen[key] = self._choose(situation)
        return self._chosen[key]

    def problem(self, situation: ReadSituation) -> str:
        """Why a situation is not said, if that was asked already."""
        key = (situation.agent.noun, situation.pattern.verb, situation.other.noun)
        return self._chosen[key][1] if key in self._chosen else ""

    def _choose(self, situation: ReadSituation) -> tuple[Form, str]:
        pattern = situation.pattern
        texts = {form: pattern.write(situation.agent.noun, situation.other.noun, form).text for form in pattern.forms}
        scores = self._context.sentence_ranker.score(Gap("", ""), list(texts.values()))
        natural = {form: score / len(texts[form].split()) for form, score in zip(texts, scores, strict=True)}
        best = max(texts, key=lambda form: natural[form])
        if natural[best] < LEAST_NATURAL:
            return best, UNNATURAL
        (score,) = self._context.grammaticality_model.score([texts[best]])
        return best, UNGRAMMATICAL if score < self._context.min_grammaticality else ""
