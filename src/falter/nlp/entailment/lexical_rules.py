"""Words in the place of others: synonyms and hypernyms follow, antonyms and disjoint kinds contradict."""

from __future__ import annotations

from falter.english import default_grammar
from falter.english.words.numbers import word_to_number
from falter.nlp.entailment.protocol import Judgement
from falter.nlp.wordnet import WordNet, load_wordnet

__all__ = ["LexicalRules"]

_COLORS = frozenset(
    {"red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray", "grey", "tan"}
)
_INDEFINITE = frozenset({"a", "an", "some", "any"})
_SAME_COLORS = frozenset({frozenset({"gray", "grey"}), frozenset({"tan", "brown"})})


class LexicalRules:
    """Compares the words of a difference."""

    def __init__(self, wordnet: WordNet | None = None) -> None:
        self._wordnet = wordnet or load_wordnet()
        self._ontology = default_grammar().ontology

    def compare(self, old: tuple[str, ...], new: tuple[str, ...]) -> Judgement:
        """What the new words are to the old ones; words that both have are not looked at."""
        left = tuple(word for word in old if word not in new)
        right = tuple(word for word in new if word not in old)
        if not right:
            return Judgement("entailment", "the hypothesis says less")
        if not left:
            return Judgement("neutral", "the hypothesis says more")
        numbers = word_to_number(left[-1]), word_to_number(right[-1])
        if numbers[0] is not None and right[-1] in _INDEFINITE:
            return Judgement("entailment", "a number, and at least one")
        if left[-1] in _INDEFINITE and numbers[1] is not None:
            return Judgement("neutral", "at least one, and a number")
        if None not in numbers:
            alike = numbers[0] == numbers[1]
            return Judgement("entailment" if alike else "contradiction", f"{left[-1]} and {right[-1]}")
        return self._compare_words(" ".join(left), " ".join(right))

    def _compare_kinds(self, old: str, new: str) -> Judgement:
        """What the ontology says of two nouns that it knows."""
        if self._ontology.is_a(old, new):
            return Judgement("entailment", f"{old} is a kind of {new}")
        if self._ontology.are_disjoint(old, new):
            return Judgement("contradiction", f"{old} and {new} exclude each other")
        return Judgement("neutral", f"{new} is a kind of {old}, or may be one")

    def _compare_words(self, old: str, new: str) -> Judgement:
        if old in _COLORS and new in _COLORS:
            alike = frozenset({old, new}) in _SAME_COLORS
            return Judgement("entailment" if alike else "contradiction", f"{old} and {new}")
        kinds = self._ontology.kind_for_name(old), self._ontology.kind_for_name(new)
        if kinds[0] is not None and kinds[1] is not None:
            return self._compare_kinds(kinds[0], kinds[1])
        related = self._wordnet.relation(old, new)
        match related:
            case "synonym" | "hypernym":
                return Judgement("entailment", f"{new} is a {related} of {old}")
            case "hyponym" | "overlapping":
                return Judgement("neutral", f"{new} is a kind of {old}, or may be one")
            case "antonym" | "disjoint":
                return Judgement("contradiction", f"{old} and {new} exclude each other")
        return Judgement("neutral", f"nothing is known of {old} and {new}")
