"""Parsing a yes or a no out of free text; a text that commits to neither gives none."""

from __future__ import annotations

import re
from typing import Literal

from falter.evaluation.answers.lexicon import (
    AFFIRMATIONS,
    CLAUSE_END,
    DENIALS,
    FILLERS,
    FILLERS_AFTER,
    INTENSIFIERS,
    NEGATIONS,
    NO_WORDS,
    SUBJECTS,
    VERDICT,
    YES_WORDS,
)

Polarity = Literal["yes", "no"]

_STRONG_YES = frozenset(("yes", "yeah", "yep", "yup", "yea", "ya", "yessir", "y", "affirmative", "aye"))
_STRONG_NO = frozenset(("no", "nope", "nah", "naw", "nay", "n", "negative"))
_BOTH = re.compile(
    r"\b(?:yes|true|yeah)\s*(?:/|or|and|nor|,\s*or|-or-)\s*(?:perhaps |maybe )?(?:no|false)\b|\b(?:no"
    r"|false)\s*(?:/|or|and|nor|,\s*or)\s*(?:perhaps |maybe )?(?:yes|true)\b"
    r"|\b(?:yes (?:for|if)\b[^.]{,80}\bno (?:for|if)|no (?:for|if)\b[^.]{,80}\byes (?:for|if))\b"
)
_CHATTER = re.compile(r"^(?:i|i'm|i'd|i'll|let|let's|me|we|my|your?)\b|^\.|^here\b|^answers?\b")
_COMES_TO = re.compile(
    r"(?:(?:it|that)'s|points? to|lean(?:ing|s)? (?:to|towards?)|go(?:ing)? with|say|be|lean"
    r"|sounds like|looks like|suggests|is|answer)"
    r" (?:that )?(?:(?:the|my) answer is )?(?:an? )?(?:\w+ )?(yes|no)(?: (?:from me|to (?:that|this)|here))?$"
)
_IS_ANSWER = re.compile(r"^[\"']?(yes|no)[\"']? (?:is|would be) (?:the|my) (?:\w+ )?(?:answer|response|choice)")


def says_both(text: str) -> bool:
    """Whether a text puts yes and no side by side: ``yes or no``."""
    return _BOTH.search(text) is not None


def parse_polarity(text: str, *, weak: bool = True) -> Polarity | None:
    """The yes or no that a text (lower case, without markup) commits to, or None.

    ``weak`` takes words such as "right" and "certainly", which open any talk, for a yes.
    Only the words yes and no and their likes count. A statement such as "there is no dog" is not parsed, since it
    agrees with one question and contradicts another.

    >>> parse_polarity("yes, there is."), parse_polarity("no there isn't"), parse_polarity("yes and no")
    ('yes', 'no', None)
    """
    if says_both(text):
        return None
    if match := _IS_ANSWER.match(text):
        return "yes" if match[1] == "yes" else "no"
    text = text.replace('"', "")
    votes: list[Polarity] = []
    clauses = [clause.strip(" \"'[]{}<>*") for clause in CLAUSE_END.split(text)]
    clauses = [clause for clause in clauses if clause]
    for number, clause in enumerate(clauses):
        rest = clauses[number + 1] if number + 1 < len(clauses) else ""
        vote = _vote(clause, rest, whole=weak and len(clauses) == 1, first=weak and not votes and not number)
        if vote is not None:
            votes.append(vote)
    return votes[0] if votes and all(vote == votes[0] for vote in votes) else None


def _vote(clause: str, rest: str, *, whole: bool, first: bool) -> Polarity | None:
    words = clause.split()
    if len(words) > 12 and words[0] not in _STRONG_YES and words[0] not in _STRONG_NO:
        return None
    lone = _lone(words)
    if lone in NO_WORDS:
        return "no"
    if lone in YES_WORDS:
        strong = lone in _STRONG_YES or "that's" in words or "that" in words
        return "yes" if strong or (first and not _CHATTER.match(rest)) else None
    if (match := _COMES_TO.search(clause)) and not NEGATIONS.intersection(clause[: match.start(1)].split()):
        return "yes" if match[1] == "yes" else "no"
    if words[0] == "not" and words[-1] in ("correct", "true", "right", "accurate"):
        return "no"
    if match := VERDICT.match(clause):
        positive = match[2] in ("true", "correct", "right", "accurate")
        return "yes" if positive != (match[1] is not None) else "no"
    plain = INTENSIFIERS.sub("", clause).strip()
    if DENIALS.fullmatch(clause) or DENIALS.fullmatch(plain):
        return "no"
    if (
        (whole or first)
        and (AFFIRMATIONS.fullmatch(clause) or AFFIRMATIONS.fullmatch(plain))
        and not _CHATTER.match(rest)
        and (whole or words[-1] not in ("is", "are", "does", "do", "can", "has", "have", "will"))
    ):
        return "yes"
    if len(words) > 1 and {words[0], words[1]} & _STRONG_NO and {words[0], words[1]} & _STRONG_YES:
        return None
    opening = [word for word in words if word in SUBJECTS or word not in FILLERS]
    if len(opening) > 1 and (opening[1] in SUBJECTS or words[0] in _STRONG_YES):
        if opening[0] in _STRONG_YES:
            return "yes"
        if opening[0] in ("no", "nope", "nah"):
            return "no"
    return None


def _lone(words: list[str]) -> str | None:
    """The yes or no that is all a clause says, but for words that leave it as it is."""
    at = next((number for number, word in enumerate(words) if word in YES_WORDS or word in NO_WORDS), None)
    if at is None or any(word not in FILLERS for word in words[:at]):
        return None
    word, after = words[at], words[at + 1 :]
    same = YES_WORDS if word in YES_WORDS else NO_WORDS
    return word if all(other in same or other in FILLERS_AFTER for other in after) else None
