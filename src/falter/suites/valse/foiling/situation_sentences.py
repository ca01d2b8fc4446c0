"""Situations as sentences: two roles of a verb, written through the verb's abstract.

"the AGENT drinks a LIQUID from a CONTAINER at a PLACE" has the agent, a verb, and the words before every other role. A
sentence has the agent and the first of the others: "A woman drinks water."
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from falter.english.rewrites.conditions import is_plural_noun, with_article
from falter.english.words import third_person
from falter.nlp import WordNet

__all__ = ["Form", "Sentence", "SituationPattern", "read_abstract"]

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
