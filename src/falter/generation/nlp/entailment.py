"""Natural language inference: whether a text follows from another, contradicts it, or neither; by rules or a model.

The rules compare minimal pairs word by word: quantifiers, prepositions (``data/prepositions.yaml``) and WordNet. Two
texts that differ in more than a few words say different things, of which nothing is known: they are neutral. Of texts
that differ in few, each difference is judged, and the strongest judgement counts: a contradiction before neutral,
neutral before entailment. "Exactly one flower" and "some flowers" cannot both be true, "a flower" and "flowers" can.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import msgspec

from falter.core.files import read_yaml
from falter.data.word_forms import singularize, word_to_number
from falter.generation.english import default_grammar
from falter.generation.nlp.wordnet import WordNet, load_wordnet

InferenceLabel = Literal["entailment", "neutral", "contradiction"]


class TextPair(NamedTuple):
    """A premise, and a hypothesis that may follow from it."""

    premise: str
    hypothesis: str


class Judgement(NamedTuple):
    """What a hypothesis is to its premise, and why, where a model can say."""

    label: InferenceLabel
    reason: str = ""


class EntailmentModel(Protocol):
    """Judges pairs of texts; ``name`` says which model or which rules, for a suite's manifest."""

    name: str

    def judge(self, pairs: Sequence[TextPair]) -> list[Judgement]:
        """The judgements, in the order of the pairs; each depends on its pair alone."""
        ...


def load_entailment_model(spec: str) -> EntailmentModel:
    """``rules``, which needs WordNet alone, or a sequence classifier of the transformers library by folder or id."""
    if spec == "rules":
        return EntailmentRules()
    from falter.generation.nlp.sequence_classifiers import load_nli_classifier

    return load_nli_classifier(spec)


_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?|n't")


class Difference(NamedTuple):
    """Words of the premise, those of the hypothesis in their place, and the words around them in the hypothesis."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    before: str = ""
    after: str = ""


class TextDifference(NamedTuple):
    """All differences of two texts, and the share of the words that are the same."""

    differences: tuple[Difference, ...]
    same: float


def find_differences(premise: str, hypothesis: str) -> TextDifference:
    """The differences of two texts, in lower case and without marks.

    >>> found = find_differences("A cat on a mat.", "A cat under a mat.")
    >>> found.differences[0].old, found.differences[0].new, found.same
    (('on',), ('under',), 0.8)
    """
    one, two = _WORD.findall(premise.lower()), _WORD.findall(hypothesis.lower())
    matcher = SequenceMatcher(a=one, b=two, autojunk=False)
    found = []
    same = 0
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            same += end - start
            continue
        before = two[other_start - 1] if other_start else ""
        after = two[other_end] if other_end < len(two) else ""
        found.append(Difference(tuple(one[start:end]), tuple(two[other_start:other_end]), before, after))
    return TextDifference(tuple(found), same / max(len(one), len(two), 1))


_EXACTLY_ONE = re.compile(
    r"\b(?:exactly one|a single|just one|only one|one single)\s+((?:[\w'’-]+[ ,]*){1,6})", re.IGNORECASE
)
_SEVERAL = re.compile(
    r"\b(?:some|a number of|several|many|a few|a couple of|multiple|numerous|both|two|three|four|five|six|seven|eight"
    r"|nine|ten|[2-9]|[1-9][0-9]+)\s+((?:[\w'’-]+[ ,]*){1,6})",
    re.IGNORECASE,
)
_QUANTIFIER = re.compile(r"\b(?:exactly one|a single|a number of|a couple of|a few|just one|only one)\b")
_NO = re.compile(r"\b(?:no|zero|0)\s+((?:[\w'’-]+[ ,]*){1,6})", re.IGNORECASE)
_AGREEMENT = (
    frozenset({"is", "are", "was", "were", "'s", "be"}),
    frozenset({"has", "have", "had"}),
    frozenset({"does", "do"}),
    frozenset({"it", "they", "he", "she", "them", "him", "her"}),
    frozenset({"its", "their", "his", "her"}),
    frozenset({"itself", "themselves", "himself", "herself"}),
    frozenset({"a", "an", "the", "this", "that", "some", "these", "those"}),
)


def compare_quantities(premise: str, hypothesis: str) -> Judgement | None:
    """A contradiction where one text has exactly one of what the other has several of; None where none is counted."""
    for one, other in ((premise, hypothesis), (hypothesis, premise)):
        for noun in _counted(_EXACTLY_ONE, one):
            if noun in _counted(_SEVERAL, other):
                return Judgement("contradiction", f"exactly one {noun}, and several")
    for one, other in ((premise, hypothesis), (hypothesis, premise)):
        for noun in _counted(_NO, one):
            if noun in _counted(_SEVERAL, other) or noun in _counted(_EXACTLY_ONE, other):
                return Judgement("contradiction", f"no {noun}, and some")
    return None


def _counted(pattern: re.Pattern[str], text: str) -> set[str]:
    """The words after a quantifier up to six, each in the singular: one of them is the noun."""
    return {
        singularize(word) or word
        for found in pattern.finditer(text)
        for word in re.findall(r"[a-z]+", found[1].lower())[:6]
        if len(word) > 2
    }


def drop_number(text: str) -> str:
    """A text in which quantifiers are one word, and nouns, auxiliaries and pronouns have one form.

    >>> drop_number("Exactly one dog is running.") == drop_number("A number of dogs are running.")
    True
    """
    return " ".join(_one_form(word) for word in _QUANTIFIER.sub("some", text.lower()).replace(".", " ").split())


def _one_form(word: str) -> str:
    group = next((group for group in _AGREEMENT if word in group), None)
    return singularize(word) or word if group is None else min(group)


def drop_agreement(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that are left where forms of one word, articles and pronouns of the same case are the same.

    >>> drop_agreement(("dog", "is"), ("dogs", "are"))
    ((), ())
    >>> drop_agreement(("two", "cats"), ("three", "cats"))
    (('two',), ('three',))
    """
    if len(old) == len(new):
        kept = [(one, other) for one, other in zip(old, new, strict=True) if not _is_form(one, other)]
        return tuple(one for one, _ in kept), tuple(other for _, other in kept)
    articles = _AGREEMENT[-1]
    return tuple(word for word in old if word not in articles), tuple(word for word in new if word not in articles)


def _is_form(one: str, other: str) -> bool:
    if one == other or any(one in group and other in group for group in _AGREEMENT):
        return True
    if word_to_number(one) is not None or word_to_number(other) is not None:
        return word_to_number(one) == word_to_number(other)
    return (singularize(one) or one) == (singularize(other) or other)


class _Prepositions(msgspec.Struct, frozen=True):
    words: list[str]
    compatible: list[list[str]]


@cache
def _read() -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    found = read_yaml(Path(__file__).parent / "data" / "prepositions.yaml", _Prepositions)
    pairs = {pair for line in found.compatible for pair in combinations(sorted(line), 2)}
    return frozenset(found.words), frozenset(pairs)


def is_prepositional(words: tuple[str, ...]) -> bool:
    """Whether words are a preposition, or a sequence of them.

    >>> is_prepositional(("out", "of")), is_prepositional(("big",))
    (True, False)
    """
    return bool(words) and all(word in _read()[0] for word in words)


def are_compatible(one: str, other: str) -> bool:
    """Whether one preposition may be true where the other is.

    >>> are_compatible("in", "inside"), are_compatible("on", "under")
    (True, False)
    """
    return one == other or tuple(sorted((one, other))) in _read()[1]


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


_SAME = 0.5
_MOST_DIFFERENCES = 5
_MOST_WORDS = 4
_NEGATIONS = frozenset({"no", "not", "without", "never", "nobody", "nothing", "none", "isn't", "aren't", "doesn't"})
_ORDER: tuple[InferenceLabel, ...] = ("entailment", "neutral", "contradiction")


class EntailmentRules:
    """Rules of our own over WordNet."""

    name = "rules 1"

    def __init__(self) -> None:
        self._lexical = LexicalRules()

    def judge(self, pairs: Sequence[TextPair]) -> list[Judgement]:
        """The judgements, in the order of the pairs."""
        return [self.judge_one(*pair) for pair in pairs]

    def judge_one(self, premise: str, hypothesis: str) -> Judgement:
        """What a hypothesis is to its premise."""
        found = find_differences(premise, hypothesis)
        if not found.differences:
            return Judgement("entailment", "the texts have the same words")
        apart = find_differences(drop_number(premise), drop_number(hypothesis))
        if apart.same < _SAME or len(found.differences) > _MOST_DIFFERENCES:
            return Judgement("neutral", "the texts differ in many words")
        quantities = compare_quantities(premise, hypothesis)
        if quantities is not None:
            return quantities
        judged = [self._judge_difference(one) for one in found.differences]
        return max(judged, key=lambda one: _ORDER.index(one.label))

    def _judge_difference(self, difference: Difference) -> Judgement:
        old, new = drop_agreement(difference.old, difference.new)
        if not old and not new:
            return Judgement("entailment", "agreement alone")
        if _NEGATIONS.intersection(old) != _NEGATIONS.intersection(new):
            return Judgement("contradiction", "one of them is denied")
        if is_prepositional((difference.before,)) and is_prepositional(old + new) and not (old and new):
            # "on" has become "on top of".
            old, new = (difference.before, *old), (difference.before, *new)
        if is_prepositional(old) and is_prepositional(new):
            one, other = " ".join(old), " ".join(new)
            if are_compatible(one, other):
                return Judgement("entailment", f"{one} and {other} may be true of one place")
            return Judgement("contradiction", f"{one} and {other} are different places")
        if not new:
            return Judgement("entailment", "the hypothesis says less")
        if not old or max(len(old), len(new)) > _MOST_WORDS:
            return Judgement("neutral", "the hypothesis says more, or something else")
        return self._lexical.compare(old, new)
