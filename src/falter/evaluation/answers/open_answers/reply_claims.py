"""The answer that a reply gives, without wrapping, courtesies, reasons and remarks; and what is odd about the reply."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from falter.evaluation.answers.doubt import withdraws
from falter.evaluation.answers.open_answers.phrases import is_quality, plain_words
from falter.evaluation.answers.statements import find_announcements
from falter.evaluation.answers.unwrapping import answer_field, unwrap

Oddity = Literal["empty", "no answer", "log text"]
"""What makes a reply an odd record: it is empty, it says that there is no answer, or a line of a log got into it."""

_LOG = re.compile(
    r"\[(?:debug|info|warn|warning|error|trace)\]|\btraceback \(most recent call|\b(?:debug|info|warning):root:",
    re.IGNORECASE,
)
_NO_ANSWER = frozenset(("n/a", "na", "none", "null", "nan", "not applicable", "n.a."))
_DOUBTS = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|likely|presumably|potentially|might"
    r"|(?<!\d )(?<!\d of )(?<!\dth of )may(?! \d)|could|unclear|unknown|unsure"
    r"|uncertain|undetermined|i think|i guess|i believe"
    r"|not sure|not certain|not clear|not known|not applicable|cannot|can't|can not|unable|either|sometimes|depends"
    r"|hard to|difficult to|impossible to|guess|not enough|insufficient|indeterminate|ambiguous|visible enough"
    r"|if|unless|seems?|supposedly|apparently)\b|\?|^(?:yes|no),? but\b"
)
_VAGUE = re.compile(
    r"\b(?:partly|partially|somewhat|mostly|kind of|sort of|some kind|not visible|approximately"
    r"|roughly|at least"
    r"|at most|nearly|almost|more than|less than|generally|largely|usually|in part|except)\b"
    r"|^(?:about|around)\b|\b(?:about|around) (?=\d|half|a (?:dozen|hundred|thousand)|(?:one|two|three|four|five|six"
    r"|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty)\b)"
)
_CHAT = re.compile(r"^(?:(?:sure|certainly|of course|okay|ok)[!,.:]+\s+(?=[a-z])|\(?1[.)]\s+(?=[a-z]))")
"""What comes before an answer and is none of it: a courtesy, the number of a list of one."""
_NOT_EITHER = re.compile(r"((?:n't|\bnot?)\b[\w ]*?) either\b")
"""\"I don't see either" denies both, and is no doubt."""
_APPEARS = re.compile(r"\b(?:seems?|apparently)\b")


def given_answer(text: str) -> str:
    """The answer as it is written: the answer field of a JSON object, else the whole text, trimmed.

    >>> given_answer('{"answer": "Right side"}'), given_answer(" Right side\\n")
    ('Right side', 'Right side')
    """
    field = answer_field(text) if "{" in text else None
    return (text if field is None else field).strip()


@lru_cache(maxsize=1 << 12)
def strip_wrapping(text: str) -> str:
    """What the text says, in lower case, without thoughts, markup, wrapping and courtesies."""
    unwrapped = unwrap(text)
    said = (unwrapped.text if unwrapped.marked is None else unwrapped.marked).strip()
    return _CHAT.sub("", said)


def find_oddity(text: str) -> Oddity | None:
    """What is odd about a reply, or None.

    >>> find_oddity("No | g[DEBUG] idx=3 | pred=Left"), find_oddity('{"answer": "None"}'), find_oddity("No")
    ('log text', 'no answer', None)
    """
    if _LOG.search(text):
        return "log text"
    given = given_answer(text).lower().strip(" .")
    if not given:
        return "empty"
    return "no answer" if given in _NO_ANSWER else None


@lru_cache(maxsize=1 << 12)
def is_vague(text: str) -> bool:
    """Whether an answer (in lower case) is given only in part, or only about."""
    return _VAGUE.search(text) is not None


@lru_cache(maxsize=1 << 12)
def is_doubtful(text: str, question: str) -> bool:
    """Whether an answer (in lower case) hedges; "seems" is no hedge where the question asks how a thing seems."""
    asks_of_looks = re.search(r"\b(?:seems?|appears?|looks?|think)\b", question.lower()) is not None
    checked = _APPEARS.sub("", text) if asks_of_looks else text
    checked = _NOT_EITHER.sub(r"\1", checked) if "either" in checked else checked
    return _DOUBTS.search(checked) is not None or withdraws(text)


_OPENERS = re.compile(
    r"^(?:(?:(?:based on|looking at|according to|from|in) (?:the|this|what i can see in the|what i see in the) "
    r"(?:given |provided )?(?:image|picture|photo|photograph|scene)(?: provided| given)?|great question|good question"
    r"|from what (?:i|we) can (?:see|tell)|as (?:shown|seen|can be seen) in (?:the|this) (?:image|picture|photo)"
    r"|(?:we|you) can see(?: that)?(?=\s)"
    r"|sure|certainly|of course|okay|ok|well|so|yes|upon closer inspection)\s*[,!.:]+\s*"
    r"|i (?:can |do )?(?:clearly )?(?:see|count|think|believe)(?: that)?\s+(?!not?\b)"
    r"|(?:clearly|definitely|certainly|obviously|indeed)[,:]?\s+(?=\w)"
    r"|(?:in|on|at|with|behind|under|near|next to) (?:(?!left|right|top|bottom)[^,.;:])+,\s+"
    r"(?=(?:the|an?|he|she|it|there|they)\b)"
    r"|(?:it|this|that) looks like (?=(?:an? )?\w+$)"
    r"|it (?:appears|looks like) (?:that )?(?=\w+ \w+ )"
    r"|(?:the|this) (?:image|picture|photo|photograph|scene) (?:shows|depicts|contains|features)(?: that)?\s+(?!no\b))"
)
_CLOSER = re.compile(
    r"(?:^|(?<=[.!?])\s+|\n)(?:(?:please )?let me know|would you like|do you (?:want|need)|is there anything"
    r"|(?:i )?hope (?:this|that)"
    r"|feel free|if you (?:have|need|want|would))\b[^\n]*$"
)
_CONTRAST = re.compile(
    r"(?:\s*[,;(–—-]+\s*(?:and |but )?(?:definitely |certainly )?not"
    r"|,?\s+(?:rather than|instead of|as opposed to))\s+[^.!?]*$"
)
_ASIDE = re.compile(r",? (?:i'd say|i would say|of course|indeed|definitely|for sure|i see)$")
_NOT_BUT = re.compile(r"^[^,;.]*?\bnot (?:an? |the )?[\w' ]+?,? but (?:rather )?(?=\w)")
_BECAUSE = re.compile(r"^(?:because|since|due to|because of)\s+")
_REASON = re.compile(
    r"\s*[,;(–—-]*\s*\b(?:because|since|due to|given that|judging (?:by|from)|based on|according to"
    r"|as (?:it|he|she|they|there|the|you|we|this|that|indicated|shown|seen|can be)|so that)\b.*$",
    re.DOTALL,
)
_INCHES = re.compile(r"^[^\"]*\d\"$")
_BRACKET = re.compile(r"^(?P<claim>[^()]+?)\s*\((?P<remark>[^()]+)\)\s*[.!]?$")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[^\s\d.])|\n+|\s+[–—-]+\s+|;\s+")
_INITIALS = re.compile(r"\b(?:[a-z]|mr|mrs|ms|dr|st|no|vs|jr|sr)\.$")
_REMARK = re.compile(
    r"^(?P<claim>[^,]+),\s+(?P<remark>(?:with|like|in|on|at|near|next|behind|inside|under|above|which|who|that"
    r"|it|it's|he|she|they|there"
    r"|where|while|made|located|1|both|each|\w+ing (?:an?|the|on|in|at|with|for|his|her|its|their))\b.*)$",
    re.DOTALL,
)
_TURNS = re.compile(
    r"\b(?:also|another|other|others|but|or|however|actually|wait|correction|rather|instead|although|though|no|not|except"
    r"|either|neither|second|alternatively|plus|as well|in addition|more)\b|n't\b"
)
_STATES = re.compile(
    r"^(?:there (?:is|are)|(?:the|this|in the|in this) (?:image|picture|photo|scene)|looking at|i (?:can )?see)\b"
)


_SAYS_OF = frozenset(("it", "it's", "he", "she", "they", "this", "that", "in", "on", "at", "with", "all", "both"))


class Claim(NamedTuple):
    """A text that answers, and what the reply says besides."""

    text: str
    remarks: str = ""


@lru_cache(maxsize=1 << 14)
def strip_closers(reply: str) -> str:
    """A reply without the offer of help at its end."""
    return _CLOSER.sub("", reply).strip() or reply


@lru_cache(maxsize=1 << 12)
def read_claims(reply: str) -> tuple[Claim, ...]:
    """What a reply (in lower case, without wrapping) may give as its answer, the likeliest first.

    >>> read_claims("2 (one is partly hidden)")[-1]
    Claim(text='2', remarks='one is partly hidden')
    >>> [claim.text for claim in read_claims("a dog, not a cat")]
    ['a dog, not a cat', 'a dog']
    """
    text = _BECAUSE.sub("", _trim(reply))
    claims = {Claim(text): None}
    announced = find_announcements(text) if any(mark in text for mark in (":", "answer", "choose", "=")) else []
    if announced:
        parts = {_trim(one.text) for one in announced}
        if len(parts) == 1 or announced[-1].final:
            text = _trim(announced[-1].text)
            claims[Claim(text)] = None
    sentences = _sentences(text)
    if len(sentences) > 1:
        first, rest = sentences[0], " ".join(sentences[1:])
        if not _TURNS.search(rest) and all(_is_remark(sentence) for sentence in sentences[1:]):
            claims |= _shorten(Claim(first, rest))
        if len(sentences) < 4 and all(_STATES.match(one) for one in sentences[:-1]):
            claims |= _shorten(Claim(sentences[-1], " ".join(sentences[:-1])))
        return tuple(claims)
    return tuple(claims | _shorten(Claim(text)))


def _trim(text: str) -> str:
    text = text.strip(" \t\n.!,;:[]*")
    # The last mark of '36"' is a unit.
    return text if _INCHES.search(text) else text.strip(' \t\n.!,;:"[]*')


def _sentences(text: str) -> list[str]:
    pieces = [part for part in _SENTENCE.split(text) if part.strip(" .!\"'")]
    joined: list[str] = []
    for piece in pieces:
        if joined and _INITIALS.search(joined[-1]):
            joined[-1] = f"{joined[-1]} {piece}"
        else:
            joined.append(piece)
    return [_trim(sentence) for sentence in joined]


def _is_remark(text: str) -> bool:
    """Whether a text says something of an answer, and is no other answer: "it is brown", "brown", but not "a cat"."""
    words = text.split()
    return len(words) > 2 or words[0] in _SAYS_OF or all(is_quality(word.strip(".,")) for word in words)


def _shorten(claim: Claim) -> dict[Claim, None]:
    """The claim, and what is left of it without contrasts, reasons, brackets and remarks after a comma."""
    claims = {claim: None}
    text, remarks = claim
    while True:
        step, remark = _OPENERS.sub("", text), ""
        if step == text:
            step = _NOT_BUT.sub("", text) if "not " in text else text
        if step == text:
            step = _ASIDE.sub("", _CONTRAST.sub("", text))
        if step == text:
            step = _REASON.sub("", text)
        if step == text:
            for pattern in (_BRACKET, _REMARK):
                match = pattern.match(text)
                if match is None or _TURNS.search(match["remark"]):
                    continue
                if _is_remark(match["remark"]) or plain_words(match["remark"]) == plain_words(match["claim"]):
                    step, remark = match["claim"], match["remark"]
                    break
        step = _trim(step)
        if step == text or not step:
            return claims
        text, remarks = step, f"{remarks} {remark}".strip()
        claims[Claim(text, remarks)] = None
