"""Parsing a yes or a no out of free text; a text that commits to neither gives none."""

from __future__ import annotations

from typing import Literal

from falter.answers.lexicon import CLAUSE_END, FILLERS, NO_WORDS, SUBJECTS, UNSURE, YES_WORDS

__all__ = ["Polarity", "parse_polarity"]

Polarity = Literal["yes", "no"]


def parse_polarity(text: str) -> Polarity | None:
    """The yes or no that a text (lower case, without markup) commits to, or None.

    Only the words yes and no and their likes count. A statement such as "there is no dog" is not parsed, since it
    agrees with one question and contradicts another.

    >>> parse_polarity("yes, there is."), parse_polarity("no there isn't"), parse_polarity("yes and no")
    ('yes', 'no', None)
    """
    votes: list[Polarity] = []
    for clause in CLAUSE_END.split(text):
        words = clause.split()
        if not words:
            continue
        vote = _vote(words)
        if vote is not None:
            votes.append(vote)
        elif not votes and UNSURE.search(clause):
            return None
    return votes[0] if votes and all(vote == votes[0] for vote in votes) else None


def _vote(words: list[str]) -> Polarity | None:
    core = [word for word in words if word not in FILLERS] or words
    if all(word in YES_WORDS for word in core):
        return "yes"
    if all(word in NO_WORDS for word in core):
        return "no"
    if words[0] == "not" and core[-1] in ("correct", "true", "right"):
        return "no"
    opening = [word for word in words if word in SUBJECTS or word not in FILLERS]
    if len(opening) > 1 and opening[1] in SUBJECTS:
        if opening[0] in ("yes", "yeah", "yep", "yup"):
            return "yes"
        if opening[0] in ("no", "nope", "nah"):
            return "no"
    return None
