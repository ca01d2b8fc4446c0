"""Coreference: a caption, a question with a pronoun, and its answer against the opposite one.

"a woman is driving a motorcycle. is she wearing a helmet? [yes]." against the same with "[no]".

A pronoun refers to a noun phrase of the caption, or to the image itself. The rules are ours. They look for nouns that a
pronoun can stand for, in the caption and in what was said since: where there is one, and the caption has it, the
pronoun has its antecedent. Where there are several, the first noun of the caption counts for the first question; later
ones are ambiguous. Questions that their caption answers are left out: nobody needs the image to know whether a red bus
is red."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from falter.core.files import read_word_lists
from falter.generation.english import default_grammar
from falter.generation.sources import Dialogue, HasDialogues, require
from falter.generation.sources.protocol import text_problem
from falter.suites.valse.foiling.balance import lend
from falter.suites.valse.foiling.candidates import FoilCandidate, Funnel, Skipped, SourceCaption
from falter.suites.valse.foiling.context import FoilingContext, MadeFoil

Antecedent = Literal["noun phrase", "image"]
_TEXT_WORD = re.compile(r"[a-z0-9][a-z0-9'-]*")
_LONGEST_NAME = 3
_MALE, _FEMALE = ("man", "boy"), ("woman", "girl")


class _Noun(NamedTuple):
    kind: str
    plural: bool
    person: bool
    male: bool
    female: bool


def _lists() -> Mapping[str, frozenset[str]]:
    return read_word_lists(Path(__file__).with_name("pronouns.yaml"))


def word_list(name: str) -> frozenset[str]:
    """A list of ``pronouns.yaml``."""
    return _lists()[name]


def find_pronoun(question: str) -> str | None:
    """The first pronoun of a question, in lower case.

    >>> find_pronoun("is she wearing her helmet"), find_pronoun("is there a dog"), find_pronoun("is that dog brown")
    ('she', None, 'that')
    """
    words = _TEXT_WORD.findall(question.lower())
    return next((word for word in words if word in _lists()["pronouns"]), None)


def find_antecedent(pronoun: str, question: str, caption: str, earlier: Sequence[str]) -> Antecedent | str:
    """What a pronoun refers to, or why that is not clear; ``earlier`` are questions and answers before."""
    words = _TEXT_WORD.findall(question.lower())
    lists = _lists()
    if pronoun in lists["of_image"] and not lists["about_image"].isdisjoint(words):
        told = not lists["indoors_or_out"].isdisjoint(words) and any(
            one.kind in lists["tells_where"] for one in _nouns(caption)
        )
        return "the caption tells the answer" if told else "image"
    place = words.index(pronoun)
    if (
        pronoun in ("this", "that", "these", "those")
        and (place + 1 < len(words))
        and _noun(words[place + 1]) is not None
    ):
        # "is that dog brown": which dog is meant depends on what was said.
        is_clear = not earlier and _noun(words[place + 1]) in _nouns(caption)
        return "noun phrase" if is_clear else "the pronoun stands before a noun"
    said = [noun for noun in _nouns(caption) if _can_be(pronoun, noun)]
    since = [noun for text in earlier for noun in _nouns(text) if _can_be(pronoun, noun)]
    kinds = dict.fromkeys(noun.kind for noun in said)
    if not kinds:
        return "no noun of the caption fits the pronoun"
    if any(noun.kind not in kinds for noun in since):
        return "the pronoun may refer to something that was said since"
    if len(kinds) > 1 and (earlier or said[0] != next(iter(_nouns(caption)))):
        return "several nouns of the caption fit the pronoun"
    if words[1:] == [pronoun, words[-1]] and words[-1] in lists["rare_colors"] and _has_few_colors(said[0].kind):
        return "such a thing hardly has that color"
    return "noun phrase"


def _has_few_colors(kind: str) -> bool:
    return any(default_grammar().ontology.is_a(kind, one) for one in _lists()["of_few_colors"])


def _can_be(pronoun: str, noun: _Noun) -> bool:
    if pronoun in ("he", "him", "his", "himself"):
        return noun.person and not noun.plural and not noun.female
    if pronoun in ("she", "her", "hers", "herself"):
        return noun.person and not noun.plural and not noun.male
    if pronoun in ("they", "them", "their", "theirs", "themselves", "these", "those"):
        return noun.plural
    return not noun.person and not noun.plural


def _nouns(text: str) -> list[_Noun]:
    """The nouns of a text that the ontology knows, the longest names first; places and images are none."""
    words = _TEXT_WORD.findall(text.lower())
    found: list[_Noun] = []
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST_NAME, len(words) - place), 0, -1):
            noun = _noun(" ".join(words[place : place + length]))
            if noun is not None:
                found.append(noun)
                place += length
                break
        else:
            place += 1
    return found


@lru_cache(maxsize=65536)
def _noun(name: str) -> _Noun | None:
    ontology = default_grammar().ontology
    lexeme = None if name in _lists()["no_nouns"] else ontology.lexeme(name)
    if lexeme is None:
        return None
    kind, number = lexeme
    if any(ontology.is_a(kind, one) for one in ("place", "picture")):
        return None
    male, female = (any(ontology.is_a(kind, one) for one in kinds) for kinds in (_MALE, _FEMALE))
    return _Noun(kind, number == "plural", ontology.is_a(kind, "person"), male, female)


_STEMMED_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_ENDINGS = ("ing", "ed", "es", "s", "y", "e")
_SHORTEST = 3
"""Letters that a word without its ending has at least."""


def is_told(question: str, caption: str) -> bool:
    """Whether a caption has all words of a question that are not words of grammar, in whatever form.

    >>> is_told("is it raining", "a cyclist in the rain"), is_told("is it snowing", "a car stuck in the snow")
    (True, True)
    >>> is_told("is it red", "a bus"), is_told("is it", "a bus")
    (False, False)
    """
    asked = {_stem(word) for word in _STEMMED_WORD.findall(question.lower()) if word not in word_list("of_grammar")}
    return bool(asked) and asked <= {_stem(word) for word in _STEMMED_WORD.findall(caption.lower())}


def _stem(word: str) -> str:
    """A word without its ending: sun for sunny, rid for riding and ride."""
    ending = next((one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) >= _SHORTEST), "")
    stem = word.removesuffix(ending)
    return stem[:-1] if len(stem) > _SHORTEST and stem[-1] == stem[-2] else stem


_ANSWER = re.compile(r"(yes|no)\b[,.!]?\s*(.*)", re.IGNORECASE | re.DOTALL)
_WORD = re.compile(r"[a-z0-9'-]+")
_FULL = re.compile(
    r"(?:it|he|she|they|this|that|there|these|those|i)(?:'s|'re| is| are| does| do| has| have| was| can| did)\b"
)
_OPPOSITE = {"yes": "no", "no": "yes"}
_MOST_PER_DIALOGUE = 2
_CHOICE = re.compile(r"\bor\b|^(?:what|who|where|how|which|why|when)\b")
_ONE_OF_ITS_KIND = re.compile(r"\ba (?:sun|moon|sky)(?=$|[.,]| (?:and|in|over|above|behind)\b)", re.IGNORECASE)
"""There is one of these: "a sun and a kite" is a slip of the source."""
_MARKED = re.compile(r"[!?…]$|[.!?…][\"'”’)]+$")
OTHER_SPLIT = "the split of the source is for the other instrument"
DISPUTED = "the same question of the image is answered with yes and with no"
REPEATED = "the same question of the image again"
NOT_NEEDED = "more questions than pairs are wanted, or none with the opposite answer to balance it"


class _AskedPronoun(NamedTuple):
    caption: SourceCaption
    answer: str
    pronoun: str
    antecedent: str


def cut_answer(answer: str) -> str | None:
    """Yes or no, where an answer says one of them plainly.

    >>> [cut_answer(one) for one in ("Yes, she is", "no", "no trees", "no, i don't think so", "2")]
    ['yes', 'no', None, None, None]
    """
    found = _ANSWER.fullmatch(answer.strip())
    if found is None:
        return None
    more = found[2].lower().strip(" .!")
    said = found[1].lower()
    if not more:
        return said
    words = _WORD.findall(more)
    if _FULL.match(more) and len(words) <= 3:
        # "no it is not" and "yes it is": the clause repeats the answer.
        denied = bool({"not", "n't"} & set(words)) or any(word.endswith("n't") for word in words)
        return said if denied == (said == "no") else None
    return said if "," in answer and word_list("hedges").isdisjoint(words) else None


def foil_answer(asked: _AskedPronoun) -> FoilCandidate:
    """The caption with the question and its answer, against the opposite answer."""
    said = asked.caption.text.rstrip(". ")
    # "Look at this cat!" has its mark, and so has a caption that ends with what somebody says.
    mark = "" if _MARKED.search(said) else "."
    stem = f"{said}{mark} {asked.caption.question.rstrip('?.! ')}? "
    other = _OPPOSITE[asked.answer]
    start = len(stem)
    return FoilCandidate(
        caption=f"{stem}{asked.answer}.",
        foil=f"{stem}{other}.",
        caption_spans=((start, start + len(asked.answer)),),
        foil_spans=((start, start + len(other)),),
        word=asked.answer,
        foil_word=other,
        facets={
            "direction": f"{asked.answer}-to-{other}",
            "pronoun": asked.pronoun,
            "antecedent": asked.antecedent,
        },
    )


def _mixed(asked: list[_AskedPronoun]) -> Iterator[_AskedPronoun]:
    """Questions with yes and with no by turns; of six, at most two are about the image itself."""
    lent = {
        about: lend(
            [one for one in asked if one.antecedent == about],
            lambda one: one.answer,
            lambda one: one.caption.question,
            lambda one, other: one != other,
        )
        for about in ("noun phrase", "image")
    }
    while taken := [one for one, _ in islice(lent["noun phrase"], 4)]:
        yield from taken
        yield from (one for one, _ in islice(lent["image"], len(taken) // 2))


def _agreed(asked: list[_AskedPronoun], funnel: Funnel) -> Iterator[_AskedPronoun]:
    """The questions of which an image has one answer, each once; the others are counted."""
    answers: dict[tuple[str, str], set[str]] = {}
    for one in asked:
        answers.setdefault(_question_of_image(one), set()).add(one.answer)
    seen: set[tuple[str, str]] = set()
    for one in asked:
        question = _question_of_image(one)
        if len(answers[question]) > 1:
            funnel.skip(Skipped(DISPUTED, f"{one.caption.text[:150]} {one.caption.question}"))
        elif question in seen:
            funnel.skip(Skipped(REPEATED, one.caption.question))
        else:
            seen.add(question)
            yield one


def _question_of_image(asked: _AskedPronoun) -> tuple[str, str]:
    said = f"{asked.caption.text} {asked.caption.question}"
    return asked.caption.image_id, " ".join(_WORD.findall(said.lower()))


class CoreferenceMaker:
    """Questions with yes and with no by turns, if possible the same question about two images."""

    piece = "coreference"
    requires: tuple[type, ...] = (HasDialogues,)

    def __init__(self, test: str, paper_size: int, *, validation: bool) -> None:
        """``validation`` says which split of VisDial the instrument is made from; other sources count as training."""
        self.test, self.paper_size, self._validation = test, paper_size, validation

    def make(self, context: FoilingContext, funnel: Funnel) -> Iterator[MadeFoil]:
        source = require(context.source, HasDialogues, self.test)  # type: ignore[type-abstract]
        split = str(source.describe().get("split", ""))
        found: list[_AskedPronoun] = []
        rounds: Counter[str] = Counter()
        for dialogue in source.dialogues():
            if split.startswith("val") != self._validation:
                funnel.captions += 1
                funnel.skip(Skipped(OTHER_SPLIT, dialogue.caption))
                continue
            found += self._read(dialogue, rounds[dialogue.image_id], context, funnel)
            rounds[dialogue.image_id] += len(dialogue.rounds)
        found = list(_agreed(found, funnel))
        context.rng(self.test, "order").shuffle(found)
        funnel.propose(len(found))
        made: set[str] = set()
        for one in _mixed(found):
            if context.size is not None and len(made) >= context.size:
                break
            candidate = foil_answer(one)
            made.add(one.caption.id)
            funnel.keep(candidate)
            yield MadeFoil(one.caption, candidate)
        for one in found:
            if one.caption.id not in made:
                funnel.reject(NOT_NEEDED, foil_answer(one))

    def _read(
        self, dialogue: Dialogue, rounds_before: int, context: FoilingContext, funnel: Funnel
    ) -> list[_AskedPronoun]:
        """Some questions of a dialogue that can be used, drawn by the seed; an image may have other dialogues."""
        found: list[_AskedPronoun] = []
        caption = " ".join(dialogue.caption.split())
        earlier: list[str] = []
        for number, one in enumerate(dialogue.rounds, start=rounds_before + 1):
            funnel.captions += 1
            question = " ".join(one.question.split())
            read = self._read_round(caption, question, one.answer or "", earlier, context)
            if isinstance(read, str):
                funnel.skip(Skipped(read, f"{question[:150]} {(one.answer or '')[:50]}"))
            else:
                answer, pronoun, antecedent = read
                id_ = f"{dialogue.image_id}-{number}"
                source = SourceCaption(id_, dialogue.image_id, caption, question, one.answer or "")
                found.append(_AskedPronoun(source, answer, pronoun, antecedent))
            earlier += [question, one.answer or ""]
        drawn = context.rng(self.test, dialogue.image_id).sample(found, min(len(found), _MOST_PER_DIALOGUE))
        for given_up in (one for one in found if one not in drawn):
            funnel.skip(Skipped("other questions of the dialogue were drawn", given_up.caption.question))
        return drawn

    def _read_round(
        self, caption: str, question: str, answer: str, earlier: list[str], context: FoilingContext
    ) -> tuple[str, str, str] | str:
        problem = text_problem(question) or (text_problem(caption) and "the caption has no words")
        if problem:
            return problem
        if _ONE_OF_ITS_KIND.search(caption):
            return "the caption speaks of one sun of several"
        pronoun = find_pronoun(question)
        if pronoun is None:
            return "the question has no pronoun"
        said = cut_answer(answer)
        if said is None:
            return "the answer is neither yes nor no"
        if _CHOICE.search(question.lower()):
            return "the question is not for yes or no"
        counted = Counter(_WORD.findall(question.lower()))
        if counted["you"] or counted["else"] or counted["other"] or counted["too"] or counted["also"]:
            return "the question goes on from what was said before"
        if context.token_counter.count(f"{caption} {question}") > context.max_tokens:
            return "the caption has too many tokens"
        if is_told(question, caption):
            return "the caption tells the answer"
        antecedent = find_antecedent(pronoun, question, caption, earlier)
        return (said, pronoun, antecedent) if antecedent in ("noun phrase", "image") else antecedent


STANDARD = CoreferenceMaker("coreference-standard", 916, validation=False)
CLEAN = CoreferenceMaker("coreference-clean", 141, validation=True)
