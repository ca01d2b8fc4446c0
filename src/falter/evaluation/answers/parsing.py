"""Parsing a model's text as an answer: one of the choices, a clear answer off the list, or neither."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from falter.data.items import YES_NO
from falter.evaluation.answers.choices import (
    EDGES,
    Choices,
    by_keyword,
    by_mark,
    exactly,
    is_listing,
    mentioned,
    prepare,
    words_of,
)
from falter.evaluation.answers.doubt import is_hedged, is_idle, is_unable, withdraws, without_courtesies
from falter.evaluation.answers.lexicon import CLAUSE_END, FOREIGN, NO_WORDS, NON_ANSWERS, PROSE_WORDS, YES_WORDS
from falter.evaluation.answers.statements import (
    LIST_MARK,
    Announcement,
    conclude,
    find_announcements,
    find_sum,
    split_sentences,
    strip_lead_in,
    without_comparisons,
    without_idioms,
    without_rejected,
)
from falter.evaluation.answers.unwrapping import unwrap
from falter.evaluation.answers.yes_no import parse_polarity, says_both

_SHORT = 4
_SHORT_OPEN = 8
_SHORT_NAME = 2
_ARTICLE = re.compile(r"^(?:an?|the|some)\s+(?=\S)")
_OPENING = EDGES.replace("(", "").replace("[", "")
_SUBJECT = re.compile(
    r"^(?:the|this|his|her|its|their|that|these|those)\s+(?:[\w'-]+\s+){1,6}?(?:is|are|says|reads|was|were)\s+(?=\S)"
)
_ALL_OR_NONE = ("neither", "0", "nothing", "nobody", "both")
_NUMBER = re.compile(r"\b\d+\b")
_NO_SUCH = re.compile(
    r"\bno\s+(?!idea|way|answer|image|picture)\w+|\bnone\b|\bnot any\b|n't (?:see |have |find |spot |notice )?any\b"
)
_SINGLE = re.compile(r"\b(?:single|lone|sole)\b")
_TOTAL = re.compile(r"^[^.:;]*\b(?:in total|altogether|in all)\b(?=[.:;,]| -)")
_AT_LEAST = re.compile(r"\b(?:at (?:least|most)|up to|between|or more|or so)\b")
_ASIDES = re.compile(r"(?<=\w)\s*\([^()]*\)")
_PLACE = frozenset(
    ("on", "in", "at", "under", "near", "behind", "by", "next", "with", "from", "inside", "above", "below")
)
_DOING = re.compile(r"\b(?:is|are) (?=\w+ing\b)")
"""What "a girl is flying a kite" has more than "a girl flying a kite"."""
_WHOLE = re.compile(r"\b(\d+)\.0+\b")
_ASKS = re.compile(
    r"(?:is|are|do|does|did|can|was|were|has|have|what|which|who|where|when|how|why|will|would|could"
    r"|should)\s+\S+\s+\S"
)
_CORRECTS = re.compile(r"\b(?:wait|actually|correction|on second thought|let me re\w*)\b")
_MAY_BE = re.compile(r"(?:it|there|they|that|this|he|she) (?:might|may|could)(?: well)?(?: be)?(?: one| so)?")
_DANGLING = re.compile(r"\b(?:an?|the|of|in|on|at|with|and|or|to|for|from|by|is|are)$")
_STRETCHED = re.compile(r"([a-z])\1{2,}")
_KEPT = 1 << 16


class Parsed(NamedTuple):
    """The result of parsing a text.

    ``choice``: ``answer`` is one of the choices, as the item writes it. ``off_list``: a clear answer that is not among
    them, or an answer to a question without choices. ``unparsed``: nothing that could be called an answer.
    """

    kind: Literal["choice", "off_list", "unparsed"]
    answer: str | None = None

    @property
    def status(self) -> Literal["ok", "unparsed"]:
        """The status of a reply with this text."""
        return "unparsed" if self.kind == "unparsed" else "ok"


UNPARSED = Parsed("unparsed")


def parse_answer(text: str, choices: Sequence[str] | None = None) -> Parsed:
    """Parse a model's free text as an answer.

    >>> parse_answer("Yes, there is.", ("yes", "no"))
    Parsed(kind='choice', answer='yes')
    >>> parse_answer("The answer is B", ("cat", "dog")).answer
    'dog'
    >>> parse_answer("a horse", ("cat", "dog"))
    Parsed(kind='off_list', answer='horse')
    >>> parse_answer("Maybe.", ("yes", "no")).kind
    'unparsed'
    """
    if choices:
        for whole in (text, text.strip()):
            if whole in choices:
                return Parsed("choice", whole)
    return _parse(text, tuple(choices) if choices else None)


@lru_cache(maxsize=_KEPT)
def _parse(text: str, given: tuple[str, ...] | None) -> Parsed:
    message = unwrap(text)
    choices = None if given is None else prepare(given)
    if message.marked is not None:
        return _read(message.marked, choices, is_marked=True)
    return _read(message.text, choices)


def _read(text: str, choices: Choices | None, *, is_marked: bool = False) -> Parsed:
    if not text.strip(EDGES):
        return UNPARSED
    if choices is None:
        return _read_open(without_courtesies(text))
    if choices.counts:
        text = _WHOLE.sub(r"\1", text)
    found = exactly(text, choices)
    if found is not None:
        return Parsed("choice", found)
    if is_listing(text):
        return UNPARSED
    text = without_courtesies(text)
    if choices.counts:
        total = _TOTAL.match(text)
        text = find_sum(text) or (text if total is None else total[0])
    if not choices.polar:
        text = without_comparisons(without_idioms(text, choices), choices)
    announced = None if is_marked else _read_announced(text, choices)
    if announced is not None:
        return announced
    text = _own_answer(text if choices.polar else without_rejected(text, choices), choices)
    if not text.strip(EDGES):
        return UNPARSED
    if withdraws(text):
        return _read_conclusion(text, choices)
    return _read_statement(text, choices)


def _read_announced(text: str, choices: Choices) -> Parsed | None:
    """The one answer that a text announces; unparsed where it announces a doubt or several; None where it does "
    "not."""
    announcements = find_announcements(text, lettered=bool(choices.letters) and not choices.polar)
    if not announcements:
        return None
    readings = [(one, _read_part(one, choices)) for one in announcements]
    clear = [(one, parsed) for one, parsed in readings if parsed is not None]
    if not clear:
        return None
    last, parsed = clear[-1]
    # A doubt in an earlier sentence is overcome by an answer.
    if not last.labelled and withdraws(text[last.opens :]) and not withdraws(parsed.answer or ""):
        return UNPARSED
    final = {reading for announced, reading in clear if announced.final}
    if final and (last.final or last.labelled):
        # The last of several conclusions counts where it corrects or repeats another.
        repeats = parsed in [reading for _, reading in clear[:-1]]
        return parsed if len(final) == 1 or last.labelled or repeats or _CORRECTS.search(text) else UNPARSED
    distinct = {reading for _, reading in clear}
    return distinct.pop() if len(distinct) == 1 else UNPARSED


def _read_part(announced: Announcement, choices: Choices) -> Parsed | None:
    """What is announced; None where that is no answer at all, such as "based on the image"."""
    text = announced.text
    found = exactly(text, choices)
    if found is not None:
        return Parsed("choice", found)
    if is_listing(text.strip(EDGES)) or says_both(text) or withdraws(text) or is_idle(text):
        return UNPARSED
    clauses = [clause for clause in CLAUSE_END.split(text) if clause.strip(EDGES)]
    if clauses and is_hedged(clauses[0]):
        return UNPARSED
    parsed = _read_statement(text, choices)
    if parsed.kind == "off_list" and (
        (choices.polar and not announced.labelled) or (choices.labelled and len(parsed.answer or "") > 1)
    ):
        return None
    is_talk = parsed.kind == "unparsed" and (choices.labelled or len(text.split()) > _SHORT)
    return None if is_talk and not mentioned(text, choices) else parsed


def _own_answer(text: str, choices: Choices) -> str:
    """A text up to the next question that it invents, where an answer of its own comes before."""
    if "?" not in text:
        return text
    sentences = split_sentences(text)
    for number, sentence in enumerate(sentences):
        if number and _ASKS.match(sentence) and sentence.rstrip("\"' ").endswith("?"):
            before = " ".join(sentences[:number])
            if withdraws(sentence) or len(before.split()) > _SHORT:
                return text
            if _read_statement(before, choices).kind == "choice":
                return before
    return text


def _read_statement(text: str, choices: Choices) -> Parsed:
    """Read a text, or the part of it that announces the answer."""
    core = strip_lead_in(text)
    for part in (text, core):
        found = exactly(part, choices)
        if found is not None:
            return Parsed("choice", found)
    sentences = split_sentences(text)
    kept = [sentence for sentence in sentences if not is_idle(sentence) and not says_both(sentence)]
    if not kept:
        return UNPARSED
    parsed = _read_kept(
        text if len(kept) == len(sentences) else "\n".join(kept), choices, alone=len(kept) == len(sentences)
    )
    # What stands beside a question or a demand is an answer only if it is on the list.
    return parsed if parsed.kind == "choice" or len(kept) == len(sentences) else UNPARSED


def _read_kept(text: str, choices: Choices, *, alone: bool) -> Parsed:
    """Read sentences that state something; ``alone`` where the text has no others."""
    if len(choices.polar) == len(choices.given):
        # Beside a word, a mark says nothing; alone, it answers a prompt that lists yes and no.
        marked = (
            by_mark(strip_lead_in(text), choices) or by_keyword(text, choices)
            if len(text.split()) <= _SHORT_NAME
            else None
        )
        if marked is not None and marked.choice is not None:
            return Parsed("choice", marked.choice)
        return _read_polar(LIST_MARK.sub("", text), choices, alone=alone)
    core = strip_lead_in(text)
    marked = by_mark(core, choices) or by_keyword(text, choices)
    if marked is not None:
        if marked.choice is not None:
            return Parsed("choice", marked.choice)
        if marked.beyond is None or len(core.split()) > _SHORT:
            return _read_conclusion(text, choices)
        return Parsed("off_list", marked.beyond)
    if choices.polar:
        # An exclamation before "let me see" is no yes.
        return _read_polar(text, choices, alone=alone)
    return _read_named(text, choices)


def _read_polar(text: str, choices: Choices, *, alone: bool) -> Parsed:
    text = _STRETCHED.sub(r"\1", text)
    polarity = parse_polarity(text, weak=alone)
    if polarity is None and (core := strip_lead_in(text)) != text:
        polarity = parse_polarity(core, weak=alone)
    if polarity is not None:
        return UNPARSED if _hedges_polarity(text) else Parsed("choice", choices.polar[polarity])
    others = mentioned(text, choices)
    if others:
        return Parsed("choice", others[0]) if len(others) == 1 and not is_hedged(text) else UNPARSED
    # To a yes-or-no question "there is a dog" is a statement; where things are asked for, it names one.
    return _read_short(text, choices)


def _hedges_polarity(text: str) -> bool:
    """Whether a clause with a yes or a no in it says only what may be, or is nothing but a hedge."""
    for clause in CLAUSE_END.split(text):
        if is_hedged(clause):
            words = clause.split()
            if len(words) <= _SHORT_NAME or _MAY_BE.fullmatch(clause.strip()) or any(word in YES_NO for word in words):
                return True
    return False


def _read_named(text: str, choices: Choices) -> Parsed:
    """Read the choice that leads a text, or the only one that it names."""
    if choices.counts:
        if _AT_LEAST.search(text):
            return UNPARSED
        text = _ASIDES.sub("", text)
    clauses = [clause.strip() for clause in CLAUSE_END.split(text) if clause.strip(EDGES)]
    certain = [clause for clause in clauses if not is_hedged(clause)]
    if not certain:
        return UNPARSED
    if any(is_hedged(clause) and len(clause.split()) <= _SHORT_NAME for clause in clauses[1:]):
        return UNPARSED
    supposed = {choice for clause in clauses if is_hedged(clause) for choice in mentioned(clause, choices)}
    leading = exactly(strip_lead_in(clauses[0]), choices) if clauses[0] is certain[0] else None
    if leading is not None:
        rivals = {exactly(strip_lead_in(clause), choices) for clause in clauses[1:]} | supposed
        return Parsed("choice", leading) if rivals <= {None, leading} else _read_conclusion(text, choices)
    names = mentioned(text if len(certain) == len(clauses) else ". ".join(certain), choices)
    marks = [by_mark(strip_lead_in(clause), choices) for clause in certain] if not choices.labelled else []
    names += [mark.choice for mark in dict.fromkeys(marks) if mark and mark.choice and mark.choice not in names]
    if not names and _DOING.search(text):
        names = mentioned(_DOING.sub("", text), choices)
    if len(names) == 1:
        return Parsed("choice", names[0]) if supposed <= set(names) else UNPARSED
    if names or supposed:
        return _read_conclusion(text, choices)
    if choices.counts:
        return _read_count(text, choices)
    return _read_short(strip_lead_in(text), choices)


def _read_conclusion(text: str, choices: Choices) -> Parsed:
    choice = conclude(text, choices)
    return UNPARSED if choice is None else Parsed("choice", choice)


def _read_count(text: str, choices: Choices) -> Parsed:
    """A number off the list; "there are no dogs" is none."""
    words, denied = words_of(text)
    numbers = {word for word, is_denied in zip(words, denied, strict=True) if word.isdigit() and not is_denied}
    if len(numbers) == 1:
        return Parsed("off_list", numbers.pop())
    implied = "0" if _NO_SUCH.search(text) else "1" if _SINGLE.search(text) else None
    if not numbers and implied is not None and (choice := choices.by_form.get(implied)) is not None:
        return Parsed("choice", choice)
    return UNPARSED if numbers else _read_short(strip_lead_in(text), choices)


def _read_short(text: str, choices: Choices) -> Parsed:
    """A short text that names something is an answer off the list; a statement or a doubt is not."""
    if (
        not choices.polar
        and len(choices.phrases[0][0] if choices.phrases else ()) <= _SHORT_NAME
        and _SUBJECT.match(text)
    ):
        text = _SUBJECT.sub("", text)
        if text.split()[0] in _PLACE and not any(phrase[0] in _PLACE for phrase, _ in choices.phrases):
            return UNPARSED
    words, _ = words_of(text)
    if not words or len(words) > _SHORT or is_hedged(text) or (choices.labelled and words[0] not in _ALL_OR_NONE):
        return UNPARSED
    named = text.strip(EDGES)
    if not (words[0] in _ALL_OR_NONE and words[-1] in ("these", "those", "above")) and any(
        word in PROSE_WORDS for word in (words[1:] if words[0] in _ALL_OR_NONE else words)
    ):
        return UNPARSED
    if (len(words) > 1 and _DANGLING.search(named)) or (choices.counts and words[0] not in _ALL_OR_NONE):
        return UNPARSED
    if (
        any(word in NON_ANSWERS for word in words)
        or text.strip(EDGES) in NON_ANSWERS
        or (choices.polar and words == ["0"] and "none" in text)
    ):
        return UNPARSED
    if choices.polar and any(word in YES_WORDS or word in NO_WORDS or word.endswith("ly") for word in words):
        return UNPARSED
    if choices.ascii and (not text.isascii() or any(word in FOREIGN for word in text.strip(EDGES).split())):
        return UNPARSED
    holding = [choice for phrase, choice in choices.phrases if set(words) <= set(phrase)]
    if holding:
        return Parsed("choice", holding[0]) if len(holding) == 1 else UNPARSED
    return Parsed("off_list", _tidy(text))


def _read_open(text: str) -> Parsed:
    """Read an answer to a question without choices."""
    announcements = find_announcements(text)
    text = announcements[-1].text if announcements else text
    first = CLAUSE_END.split(text.strip(EDGES), maxsplit=1)[0].strip()
    if withdraws(text):
        return UNPARSED
    if first in YES_NO and parse_polarity(text) is not None:
        return Parsed("off_list", first)
    sentences = split_sentences(text)
    if (
        is_idle(sentences[0])
        or is_unable(text)
        or is_hedged(sentences[0])
        or text.strip(EDGES) in NON_ANSWERS
        or text.strip(EDGES) in ("unknown", "unclear")
    ):
        return UNPARSED
    for part in (text, sentences[0]):
        answer = _tidy(_SUBJECT.sub("", strip_lead_in(part), count=1))
        if answer and len(answer.split()) <= _SHORT_OPEN:
            return Parsed("off_list", answer)
    return UNPARSED


def _tidy(text: str) -> str:
    """An answer off the list, as it is kept: trimmed, without its article."""
    trimmed = " ".join(text.split()).strip(EDGES)
    return _ARTICLE.sub("", trimmed) or trimmed
