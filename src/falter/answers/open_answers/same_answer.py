"""Whether a reply names what the gold answer names, read with the question."""

from __future__ import annotations

import re
from collections.abc import Iterator

from falter.answers.open_answers.phrases import (
    are_listed_synonyms,
    ontology,
    plain_words,
    same_kind,
    singular_forms,
    split_answers,
)

__all__ = ["is_same_answer", "turns_position_round"]

_LEAD_IN = re.compile(
    r"^(?:(?:the |my |final |correct )*answer(?: is|:)\s*|(?:it|that|this|he|she)(?:'s| is)\s+(?!not\b)"
    r"|(?:they|these|those)(?:'re| are)\s+(?!not\b)|there(?:'s| is| are)\s+(?!no\b|not\b)"
    r"|(?:made (?:out )?(?:of|from)|on top of|on|in|at|inside|into|onto|to|of)\s+(?!and\b|or\b)(?=\S)"
    r"|(?:turned|switched)\s+(?=(?:on|off)$)|(?:topped|covered|filled) with\s+"
    r"|\w+ing (?=(?:an?|the|his|her|their|some) \S)|playing (?=\w+$)"
    r"|i (?:can )?see\s+(?!no\b)|(?:it|the \w+) (?:says|reads)\s+(?!no\b)|(?:the )?colou?r (?=\w+$)|number\s+(?=\d))"
)
_TAIL = re.compile(
    r"\s+(?:in|on|of|from|at) (?:the |this |that )?(?:image|picture|photo|photograph|scene|frame|shot)$"
    r"|\s+(?:in|by) (?:colou?r|size|shape|material)$|(?<=\w)[\s-]+(?:colou?red|colou?r|sized|size|shaped?)$"
)
_THAN = re.compile(r"\s+than\s+.*$")
_AGAIN = re.compile(r"^(?P<first>[^()]+?)\s*\((?P<second>[^()]+)\)$")
"""An answer with the same in brackets: "2 (two)"."""
_PEOPLE = frozenset(("person", "persons", "people", "individual", "individuals"))
_POSITIONS = frozenset(
    ("left", "right", "top", "bottom", "middle", "center", "front", "back", "background", "foreground")
)
_POSITION_FILLERS = frozenset(
    ("side", "hand", "part", "half", "portion", "section", "area", "to", "on", "in", "at", "of")
)
_ASKS_OF_COLOR = re.compile(r"\b(?:what|which|of what|of which)\b(?: \w+)?(?: is| are)?(?: the)? colou?rs?\b")
_ASKS_OF_MATTER = re.compile(r"\bmade (?:out )?of\b|\bmaterial\b|\bmakes? up\b")
_ASKS_OF_WEAR = re.compile(r"\b(?:wear|wears|wearing|worn|has on|glasses|eyes?|face)\b")
_ASKS_HOW_MANY = re.compile(r"^how (?:many|much)\b|\bhow many\b|\bnumber of\b")
_FUNCTION_WORDS = frozenset(
    (
        *("a", "an", "the", "some", "his", "her", "their", "its", "this", "that", "these", "those", "that's"),
        *("it", "it's", "there", "there's", "he", "she", "they", "i", "we", "you", "is", "are", "was", "were", "be"),
        *(
            "being",
            "photo",
            "picture",
            "image",
            "has",
            "have",
            "does",
            "do",
            "did",
            "can",
            "see",
            "seen",
            "shown",
            "visible",
        ),
        *("of", "in", "on", "at", "to", "by", "with", "for", "from"),
    )
)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|wears?|holds?|shows?|sits?|stands?)\b|'s\b")
_PREPOSITIONS = frozenset(
    (
        "on",
        "in",
        "at",
        "next",
        "near",
        "behind",
        "under",
        "above",
        "below",
        "beside",
        "by",
        "to",
        "with",
        "of",
        "inside",
    )
)
_NEGATIONS = frozenset(
    ("no", "not", "none", "never", "neither", "nor", "isn't", "aren't", "doesn't", "don't", "without", "nothing")
)


def is_same_answer(question: str, gold: str, reply: str) -> bool:
    """Whether a reply (in lower case, without wrapping) is the gold answer in other words.

    >>> is_same_answer("Which side is it on?", "right", "to the right side")
    True
    >>> is_same_answer("What is it?", "dog", "hot dog"), is_same_answer("What color?", "white", "black and white")
    (False, False)
    """
    asked = question.lower()
    again = _AGAIN.match(reply.strip(" .!"))
    if again is not None and plain_words(again["first"]) == plain_words(again["second"]):
        reply = again["first"]
    reply = reply.strip(" \t\n.!,;:\"'()[]*")
    wanted = [_plain(part) for part in split_answers(gold)]
    if reply.isalnum() and len(wanted) == 1:
        words = plain_words(reply)
        return _same_phrase(asked, wanted[0], words) or _is_count(asked, wanted[0], reply)
    readings = list(dict.fromkeys(_readings(reply)))
    for reading in readings:
        parts = [_plain(part) for part in split_answers(reading)]
        if parts and len(parts) == len(wanted) and _same_parts(asked, wanted, parts):
            return True
    if len(wanted) != 1:
        return False
    return any(
        _is_position(asked, wanted[0], reading)
        or _is_count(asked, wanted[0], reading)
        or _repeats_question(asked, wanted[0], reading)
        or _qualifies_noun(asked, wanted[0], reading)
        for reading in readings
    )


def _plain(text: str) -> tuple[str, ...]:
    return plain_words(_TAIL.sub("", text.strip()) or text)


def _readings(reply: str) -> Iterator[str]:
    """The reply, and the reply without what leads up to its answer and what says again that it is about the image."""
    yield reply
    shorter = reply
    while True:
        step = _TAIL.sub("", _LEAD_IN.sub("", shorter, count=1)).strip()
        if step == shorter or not step:
            return
        yield step
        shorter = step


def _same_parts(asked: str, wanted: list[tuple[str, ...]], parts: list[tuple[str, ...]]) -> bool:
    """Whether every part of the gold answer has its own part of the reply."""
    left = list(parts)
    for one in wanted:
        found = next((other for other in left if _same_phrase(asked, one, other)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _same_phrase(asked: str, gold: tuple[str, ...], reply: tuple[str, ...]) -> bool:
    if gold == reply or "".join(gold) == "".join(reply):
        return bool(gold)
    if not gold or not reply:
        return False
    if _ASKS_OF_COLOR.search(asked):
        # The color orange is no oranges.
        return are_listed_synonyms(" ".join(gold), " ".join(reply))
    if {gold[-1], reply[-1]} == {"glass", "glasses"}:
        drinking = gold[-1] == "glass" and not _ASKS_OF_MATTER.search(asked) and not _ASKS_OF_WEAR.search(asked)
        return drinking and gold[:-1] == reply[:-1]
    singular, other = singular_forms(gold), singular_forms(reply)
    if singular & other or {one.replace(" ", "") for one in singular} & {one.replace(" ", "") for one in other}:
        return True
    # Where the question names both words, it means two things by them.
    if _is_offered(asked, other):
        return False
    return same_kind(gold, reply)


def _is_offered(asked: str, forms: frozenset[str]) -> bool:
    """Whether a question that offers alternatives offers one of these."""
    if not re.search(r"\bor\b", asked):
        return False
    words = f" {' '.join(plain_words(asked))} "
    return any(f" {form} " in words for form in forms)


def _is_position(asked: str, gold: tuple[str, ...], reply: str) -> bool:
    """Whether a reply is the position that gold is: "on the right side of the image"."""
    if not set(gold) <= _POSITIONS:
        return False
    words = plain_words(_without_anchor(reply, asked))
    kept = tuple(word for word in words if word not in _POSITION_FILLERS)
    return kept == gold


def _without_anchor(reply: str, asked: str) -> str:
    """A position without what it is relative to, where the question says that, too."""
    place, of, anchor = reply.partition(" of ")
    known = set(plain_words(asked)) | _FUNCTION_WORDS
    return place if of and set(plain_words(anchor)) <= known else reply


def _is_count(asked: str, gold: tuple[str, ...], reply: str) -> bool:
    """Whether a reply is a number with what is counted: "2 dogs" where the question is how many dogs there are."""
    if not _ASKS_HOW_MANY.search(asked) or len(gold) != 1 or not gold[0].isdigit():
        return False
    words = plain_words(reply)
    zero = bool(words) and words[0] in ("no", "none")
    count = "0" if zero else words[0] if words else ""
    known = _known_words(asked)
    return count == gold[0] and all(word in known for word in words[1:])


def _qualifies_noun(asked: str, gold: tuple[str, ...], reply: str) -> bool:
    """Whether a reply is a property with the noun that the question asks it of: "a red car", "cloudy weather"."""
    words = plain_words(reply)
    if len(gold) != 1 or len(words) != 2 or words[0] != gold[0]:
        return False
    before, offered, after = (plain_words(part) for part in asked.partition(" or "))
    if offered and (words[1] == before[-1] or words[1] == after[0]):
        return False
    # "The red bus" does not answer what color the car next to the red bus has.
    if not offered and not asked.startswith("how ") and gold[0] in before:
        return False
    return gold[0] in ontology().attributes.families_by_value and words[1] in _known_words(asked)


def _known_words(asked: str) -> set[str]:
    """The words of a question, in singular and plural."""
    words = plain_words(asked)
    if _PEOPLE & set(words):
        words = (*words, *sorted(_PEOPLE))
    return {form for word in words for form in singular_forms((word,))} | {f"{word}s" for word in words} | set(words)


def _repeats_question(asked: str, gold: tuple[str, ...], reply: str) -> bool:
    """Whether a sentence says nothing but the gold answer and words of the question: "The man is holding a rope"."""
    # "The apple is healthier than the cake" says the same without what it is compared with.
    reply = _THAN.sub("", reply) if " or " in asked else reply
    words = plain_words(reply)
    if len(words) <= len(gold) or _NEGATIONS & set(words) or re.search(r"\b(?:or|and)\b|[,;/]", reply):
        return False
    at = next((start for start in range(len(words)) if words[start : start + len(gold)] == gold), None)
    if at is None:
        return False
    before, after = words[:at], words[at + len(gold) :]
    rest = before + after
    if not _VERB.search(reply):
        # "Eating pizza", "a lamp next to the bed"; "hot dog" is another thing than a dog, whatever the question says.
        doing = not after and len(before) == 1 and before[0].endswith("ing")
        placed = not before and after[0] in _PREPOSITIONS
        if not doing and not placed:
            return False
    known = _known_words(asked) | _FUNCTION_WORDS
    if not all(word in known for word in rest) or turns_position_round(asked, gold, rest):
        return False
    offered = re.search(r"\bor\b", asked) is not None
    own = set(plain_words(asked)) & set(rest) - _FUNCTION_WORDS
    return not (offered and own & _alternatives(asked) - set(gold))


def turns_position_round(asked: str, gold: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a position is said of the other thing: "the bed is to the left of the lamp", asked where the lamp is."""
    if not set(gold) <= _POSITIONS:
        return False
    order = plain_words(asked.lower())
    passed_over = _FUNCTION_WORDS | _POSITION_FILLERS | _POSITIONS
    named = [word for word in words if word in order and word not in passed_over]
    return named != sorted(named, key=order.index)


def _alternatives(asked: str) -> set[str]:
    """The words on both sides of an "or"."""
    before, _, after = asked.rpartition(" or ")
    return {*plain_words(before.rpartition(",")[2])[-2:], *plain_words(after)[:3]}
