"""Judging an open answer by two rules: exact comparison, and as a careful person would.

The careful rule reads a reply with its question, and asks whether it names what the gold answer names."""

from __future__ import annotations

import re
from functools import lru_cache

from falter.data.items import YES_NO
from falter.data.normalize import fold
from falter.evaluation.answers.open_answers.implied import implied_polarity
from falter.evaluation.answers.open_answers.naming import names_answer, same_phrase, split_preposition
from falter.evaluation.answers.open_answers.phrases import (
    DETERMINERS,
    describing_families,
    in_one,
    plain_words,
    split_answers,
    tokens,
)
from falter.evaluation.answers.open_answers.questions import (
    FUNCTION_WORDS,
    NEGATIONS,
    POSITION_FILLERS,
    POSITIONS,
    OpenQuestion,
    is_ordered,
    read_open_question,
    stem,
)
from falter.evaluation.answers.open_answers.reply_claims import (
    Claim,
    find_oddity,
    given_answer,
    is_doubtful,
    is_vague,
    read_claims,
    strip_closers,
    strip_wrapping,
)
from falter.evaluation.answers.open_answers.same_value import is_same_value
from falter.evaluation.answers.parsing import parse_answer

_LEAD_IN = re.compile(
    r"^(?:(?:made (?:out )?(?:of|from)|on top of|on|in|at|inside|into|onto|to|of|by|from|during)\s+"
    r"(?!(?:and|or)\b)(?=\S)"
    r"|(?:turned|switched)\s+(?=(?:on|off)$)"
    r"|(?:topped|covered|filled) with\s+|(?:the )?colou?r (?=\w+$)|number\s+(?=\d)"
    r"|\w+ing (?=(?:an?|the|his|her|their|some) \S)|playing (?:a game of )?(?=\w+$))"
)
_TAIL = re.compile(
    r"\s+(?:in|on|of|from|at) (?:the |this |that )?(?:image|picture|photo|photograph|scene|frame|shot)$"
    r"|\s+(?:in|by) (?:colou?r|size|shape|material)$|(?<=\w)[\s-]+(?:colou?red|colou?r|sized|size|shaped?|season)$"
)
_IN_IMAGE = re.compile(
    r"\s*\b(?:shown |visible |seen )?(?:in|of|on) (?:the|this) (?:image|picture|photo|photograph|scene)\b,?"
)
_OR = re.compile(r"\b(?:or|nor)\b")
_THAN = re.compile(r"\s+(?:in comparison to|compared (?:to|with)|than)\s+.*$")


def is_same_answer(question: str, gold: str, reply: str) -> bool:
    """Whether a reply (in lower case, without wrapping) is the gold answer in other words.

    >>> is_same_answer("Which side is it on?", "right", "to the right side")
    True
    >>> is_same_answer("What is it?", "dog", "hot dog"), is_same_answer("What color?", "white", "black and white")
    (False, False)
    """
    asked = read_open_question(question)
    wanted = gold.strip(" .!\"'")
    if reply.isalnum() and wanted.isalpha() and not asked.counted:
        return same_phrase(asked.text, plain_words(wanted), plain_words(reply))
    return any(_is_claim(asked, wanted, claim) for claim in read_claims(reply))


def _is_claim(asked: OpenQuestion, gold: str, claim: Claim) -> bool:
    if (is_vague(claim.text) and not is_vague(gold)) or (claim.remarks and _contradicts(gold, claim.remarks)):
        return False
    value = is_same_value(asked, gold, claim.text)
    if value is not None:
        return value
    if plain_words(gold) and in_one(plain_words(gold)) == in_one(plain_words(claim.text)):
        return True
    text = claim.text.strip("'\" ")
    if _is_list(asked, gold, text):
        return True
    gold_words = plain_words(gold)
    if set(gold_words) <= POSITIONS | POSITION_FILLERS and set(gold_words) & POSITIONS:
        return _is_position(asked, gold_words, text)
    text = _IN_IMAGE.sub("", text) if "in" in asked.known else text
    if asked.alternatives:
        # "The apple is healthier than the cake" says the same without what it is compared with.
        text = _THAN.sub("", text)
    if gold.startswith("playing ") and asked.words[-1:] in (("doing",), ("playing",)):
        gold = gold.removeprefix("playing ")
    if asked.where:
        place, thing = split_preposition(gold)
        return names_answer(asked, plain_words(thing), text, place=place or "any")
    return names_answer(asked, plain_words(_trim(gold)), text)


def _trim(text: str) -> str:
    return _TAIL.sub("", text.strip()) or text


def _contradicts(gold: str, remarks: str) -> bool:
    """Whether a remark gives another value of the family of gold: another color, another side."""
    own, said = set(plain_words(gold)), set(plain_words(remarks))
    if own & POSITIONS and (said & POSITIONS) - own:
        return True
    mine = frozenset(family for word in own for family in describing_families(word))
    return any(mine & describing_families(word) for word in said - own)


def _is_list(asked: OpenQuestion, gold: str, text: str) -> bool:
    """Whether a text is the parts of gold, and nothing else, in any order."""
    if len(_OR.findall(text)) != len(_OR.findall(gold)):
        return False
    wanted = [plain_words(_trim(part)) for part in split_answers(gold)]
    for reading in _readings(asked, text):
        parts = [plain_words(_trim(part)) for part in split_answers(reading)]
        if parts and len(parts) == len(wanted) and _same_parts(asked.text, wanted, parts):
            return True
    if len(wanted) > 1:
        words = tokens(text)
        start = 0
        while start < len(words) and words[start] in asked.known and words[start] not in {w for p in wanted for w in p}:
            start += 1
        parts = [plain_words(_trim(part)) for part in split_answers(" ".join(words[start:]))]
        return start > 0 and len(parts) == len(wanted) and _same_parts(asked.text, wanted, parts)
    return False


def _readings(asked: OpenQuestion, text: str) -> list[str]:
    """The text, and the text without what leads up to its answer and what says again that it is about the image."""
    readings = [text]
    while True:
        lead = _LEAD_IN.match(readings[-1])
        # Where a place is asked for, its preposition counts; "chasing a dog" is no dog unless something is chased.
        first = lead[0].split()[0] if lead is not None else ""
        kept = asked.where or first in asked.anchored or (first.endswith("ing") and first not in asked.known)
        step = _trim(readings[-1] if lead is None or kept else readings[-1][lead.end() :]).strip()
        if step == readings[-1] or not step:
            return readings
        readings.append(step)


def _same_parts(asked: str, wanted: list[tuple[str, ...]], parts: list[tuple[str, ...]]) -> bool:
    """Whether every part of the gold answer has its own part of the reply."""
    left = list(parts)
    for part in wanted:
        match = next((other for other in left if same_phrase(asked, part, other)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def _is_position(asked: OpenQuestion, gold: tuple[str, ...], text: str) -> bool:
    """Whether a text is the position that gold is: "on the right side of the image"."""
    wanted = tuple(word for word in gold if word not in POSITION_FILLERS)
    # "The lamp is on the left of the bed": what it is relative to is what the question says.
    words = tuple(word for word in tokens(_IN_IMAGE.sub("", text)) if word not in DETERMINERS)
    said = [at for at, word in enumerate(words) if word in POSITIONS]
    if {"and", "or", "nor", ",", "/", "both"} & set(words) or NEGATIONS & set(words) or not said:
        return False
    start, end = said[0], said[0] + len(wanted)
    if words[start:end] != wanted:
        return False
    end += words[end : end + 1] == ("1",)  # "The right one"
    rest = (*words[:start], *words[end:])
    if any(word in POSITIONS for word in words[end:] if word not in asked.words):
        return False
    if not all(word in asked.known or word in POSITION_FILLERS for word in rest):
        return False
    if end < len(words) and words[end] not in asked.known | POSITION_FILLERS | {"side"}:
        return False
    if rest in (("it",), ("he",), ("she",), ("they",)):
        return False
    named = [stem(word) for word in rest if word not in FUNCTION_WORDS | POSITION_FILLERS | POSITIONS]
    return is_ordered(asked.order, named)


_SIDE = re.compile(r"\bright\b")
_AGREES = re.compile(r"^(?:that(?:'s| is)|you(?:'re| are)|all) right\W*$")
_SEES_NONE = re.compile(
    r"\bi (?:can't|cannot|can not|couldn't|could not) (?:see|spot|find) (?:any|an?) "
    r"(?!images?|pictures?|photos?|ways?|reasons?|details?|evidence|signs? of|difference|clear)"
)
_SAYS = re.compile(r"\b(?:yes|no|that's|that is)\b")


def is_exact_match(gold: str, text: str) -> bool:
    """Whether the answer that a reply gives is the gold answer, letter by letter in lower case.

    >>> is_exact_match("right", '{"answer": "Right"}'), is_exact_match("right", "Right side")
    (True, False)
    """
    return given_answer(text).lower() == gold.strip().lower()


@lru_cache(maxsize=1 << 16)
def is_careful_match(question: str, gold: str, text: str) -> bool:
    """Whether a careful person, who reads question, gold answer and reply, would call the reply correct.

    >>> is_careful_match("Which side is it on?", "right", "On the right side.")
    True
    >>> is_careful_match("Are there mugs or cups?", "no", "Neither"), is_careful_match("Is it clean?", "no", "Not sure")
    (True, False)
    """
    if find_oddity(text) == "log text":
        return False
    if is_exact_match(gold, text):
        return True
    wanted = fold(gold).strip().lower()
    reply = strip_closers(strip_wrapping(text).lower())
    if not reply or reply == wanted:
        return reply == wanted
    if reply in YES_NO:
        return False
    if wanted in YES_NO:
        return read_yes_no(question, reply) == wanted
    # "May be closed" is no hedge where the sign says so.
    checked = reply.replace(wanted, " ") if is_doubtful(wanted, question) else reply
    if is_doubtful(checked, question) or _AGREES.match(reply):
        return False
    return is_same_answer(question, wanted, reply)


def read_yes_no(question: str, reply: str) -> str | None:
    """The yes or no that a reply (in lower case) says or implies."""
    # "I can't see any cars" denies that there are some.
    reply = _SEES_NONE.sub("i see no ", reply)
    if is_doubtful(reply, question) or is_vague(reply):
        return None
    # "To the right" says where, and not that something is right.
    if _SIDE.search(reply) and not _SAYS.search(reply):
        return implied_polarity(question, reply)
    parsed = parse_answer(reply, YES_NO)
    return parsed.answer if parsed.kind == "choice" else implied_polarity(question, reply)
