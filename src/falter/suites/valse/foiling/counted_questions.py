"""Questions for a number with an answer that can be trusted, as statements: what existence and counting are made of."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise, starmap
from pathlib import Path
from random import Random
from typing import NamedTuple

from falter.core.errors import UsageError
from falter.core.files import read_yaml
from falter.data.word_forms import word_to_number
from falter.generation.english import default_grammar
from falter.generation.english.rewrites.count_statements import CountStatement, Quantity, read_count_question
from falter.generation.english.rewrites.word_patterns import word_class
from falter.generation.nlp import WordNet, load_wordnet
from falter.generation.sources import HasQuestions, Question, require
from falter.generation.sources.protocol import says_nothing, text_problem, votes_problem
from falter.suites.valse.foiling.candidates import Funnel, Skipped, SourceCaption
from falter.suites.valse.foiling.context import FoilingContext

_HOW_MANY = re.compile(r"\s*how many\b", re.IGNORECASE)
_LEFT_OUT = re.compile(r"\s*how many (?:of|more)\b", re.IGNORECASE)
_ODD = re.compile(r"[^a-zA-Z' -]")
_MOST = 20
"""Higher numbers are estimates."""
_DISPUTED = 4
"""From here on people miscount, so that half of them must have said a number."""
_MOST_NOUN_WORDS = 3


class CountedQuestion(NamedTuple):
    """A question as a statement with its number, and the lowest and highest number that anybody answered."""

    caption: SourceCaption
    statement: CountStatement
    number: int
    fewest: int
    most: int

    def excludes(self, number: int) -> bool:
        """Whether a number is wrong: nobody said it, and it is not so near that one may have miscounted.

        >>> one = CountedQuestion(SourceCaption("1", "1", ""), None, 8, 7, 8)
        >>> [number for number in range(12) if one.excludes(number)]
        [0, 1, 2, 3, 4, 5, 6, 11]
        """
        if self.fewest <= number <= self.most:
            return False
        larger = max(number, self.number)
        return abs(number - self.number) > (0 if larger < 4 else 1 if larger < 10 else larger // 4)

    def accepts(self, number: int) -> bool:
        """Whether the statement can be made with a number."""
        if number == 1 and _has_bare_plural(self.statement.place):
            return False
        changed = self.statement.change(Quantity(number))
        return changed is not None and changed.write() is not None


def find_counted_questions(context: FoilingContext, funnel: Funnel) -> list[CountedQuestion]:
    """The questions for a number, in an order that the seed decides; what cannot be used is counted in the funnel."""
    source = require(context.source, HasQuestions, funnel.test)  # type: ignore[type-abstract]
    found: list[CountedQuestion] = []
    known: set[tuple[str, str]] = set()
    for question in source.questions():
        if _HOW_MANY.match(question.text) is None:
            continue
        funnel.captions += 1
        read = _read(question)
        if isinstance(read, str):
            funnel.skip(Skipped(read, question.text[:200]))
            continue
        key = question.image_id, read.statement.noun.head
        if key in known:
            funnel.skip(Skipped("the image has another question about such things", question.text))
            continue
        known.add(key)
        found.append(read)
    Random(f"{context.seed}|how many|order").shuffle(found)
    return found


def _read(question: Question) -> CountedQuestion | str:
    """The statement, or why there is none."""
    problem = text_problem(question.text)
    if problem is not None:
        return problem
    if _LEFT_OUT.match(question.text):
        return "the question is for a part of something (how many of, how many more)"
    number = _number(question.answer or "")
    if number is None:
        return "the answer is no number"
    if number > _MOST:
        return f"more than {_MOST} things are not counted"
    given = question.answers or ()
    if given:
        problem = votes_problem(question.answer or "", given, lambda other: _number(other) not in (None, number))
        if problem is None and number >= _DISPUTED and 2 * sum(_number(one) == number for one in given) < len(given):
            problem = "fewer than half of the people counted as many"
        if problem is not None:
            return problem
    statement = read_count_question(question.text, number)
    if statement is None or statement.write() is None:
        return "no template reads the question"
    problem = _statement_problem(statement, number)
    if problem is not None:
        return problem
    numbers = [number, *(one for other in given if (one := _number(other)) is not None)]
    caption = SourceCaption(question.id, question.image_id, question.text, question.text, question.answer or "")
    return CountedQuestion(caption, statement, number, min(numbers), max(numbers))


def _number(answer: str) -> int | None:
    lowered = answer.strip().lower().rstrip(".")
    return 0 if says_nothing(f"{lowered} ") or lowered in ("no one", "nobody") else word_to_number(lowered)


@lru_cache(maxsize=1)
def _lists() -> dict[str, frozenset[str]]:
    path = Path(__file__).parent / "counted_words.yaml"
    lists = read_yaml(path, dict[str, list[str]], what="a file of lists of words", plain_words=True)
    return {name: frozenset(words) for name, words in lists.items()}


def _statement_problem(statement: CountStatement, number: int) -> str | None:
    """Why a statement with this number, or another, would not be good English or would be known without the image."""
    noun, place = statement.noun, statement.place.lower().split()
    words = (noun.plural or "").lower().split()
    lists = _lists()
    if statement.subject:
        return "what one thing has is often known without the image"
    if problem := _noun_problem(noun.head, place):
        return problem
    if any(map(_is_plural_noun, (noun.plural or "").lower().partition(" of ")[0].split()[:-1])):
        return "two nouns in the plural"
    if number == 1 and _has_bare_plural(statement.place):
        return "what several have, said of one"
    if len(words) > _MOST_NOUN_WORDS or not lists["no_noun_words"].isdisjoint(words):
        return "a noun phrase that does not stand with every number"
    if not lists["numbered"].isdisjoint(place):
        return "words after the noun that depend on the number"
    if _ODD.search(f"{noun.plural} {statement.place}"):
        return "marks or figures in the question"
    if statement.verb and (statement.verb.lower() != ("is" if number == 1 else "are") or _is_not_said(place)):
        return "no statement with a number says it well"
    if problem := next(filter(None, starmap(_neighbor_problem, pairwise(place))), None):
        return problem
    if place and (place[-1] in lists["no_end"] or (len(place) > 1 and place[-1] in word_class("place"))):
        return "the question ends without its object"
    if not all(map(_is_word, (*words, *place))) or not lists["informal"].isdisjoint((*words, *place)):
        return "a word that no dictionary has"
    return None


def _is_not_said(place: list[str]) -> bool:
    """Whether a predicate is no adjective or participle: "lights are red" is read, "people are a family" is not."""
    if _is_plural_noun(place[-1]) or (len(place) == 1 and place[0] in _lists()["needs_article"]):
        return True
    return len(place) > 4 or place[0] in word_class("determiner") or place[0] in ("to", "not", "most", "likely")


def _has_bare_plural(place: str) -> bool:
    """Whether a place says what several have or do together: one person does not sit there "wearing hats"."""
    words = place.lower().split()
    after_place = any(one in ("with", "on", "in") and _is_plural_noun(other) for one, other in pairwise(words))
    return after_place or (any(one.endswith("ing") for one in words) and any(map(_is_plural_noun, words[1:])))


def _is_plural_noun(word: str) -> bool:
    if not word.endswith("s") or word.endswith("ss"):
        return False
    net = _wordnet()
    base = net.base(word) if net is not None else word.removesuffix("s")
    return base is not None and base != word


def _noun_problem(noun: str, place: list[str]) -> str | None:
    """Why a noun is not counted in a place."""
    if noun in _lists()["parts"]:
        return "parts of things, of which there usually is one number"
    if noun in _lists()["not_seen"]:
        return "measures and kinds, which are not counted by looking"
    # Nobody needs the image to find a clock on a clock tower.
    named = not {noun, f"{noun}s", f"{noun}es"}.isdisjoint(place)
    return "what its place is named for" if named else None


def _neighbor_problem(word: str, after: str) -> str | None:
    """What is wrong with two words of a place next to each other."""
    if word in word_class("place") and after in _lists()["needs_article"]:
        return "a noun without its article"
    return "an owner without an apostrophe" if _is_owner(word, after) else None


def _is_owner(word: str, after: str) -> bool:
    """Whether a noun in the plural stands before another noun: "on the skiers shirt"."""
    net = _wordnet()
    if net is None or len(word) <= 3 or not _is_plural_noun(word) or after.endswith(("ing", "ed")):
        return False
    return net.base(after) is not None and after not in word_class("place") | _lists()["function_words"]


@lru_cache(maxsize=1)
def _wordnet() -> WordNet | None:
    try:
        return load_wordnet()
    except UsageError:
        return None


@lru_cache(maxsize=65536)
def _is_word(word: str) -> bool:
    """Whether a dictionary has the word, or some part of it; without WordNet every word will do."""
    net = _wordnet()
    if net is None or len(word) < 3 or word in _lists()["function_words"]:
        return True
    if any(word in word_class(name) for name in ("place", "shown", "auxiliary", "determiner", "pronoun")):
        return True
    return bool(net.synonyms(word)) or default_grammar().ontology.knows(word) or all(map(_is_part, word.split("-")))


def _is_part(part: str) -> bool:
    net = _wordnet()
    return "-" not in part and bool(part) and net is not None and bool(net.synonyms(part.removesuffix("'s")))
