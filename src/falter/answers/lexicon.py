"""The words and turns of phrase that the reading of free-text answers knows."""

from __future__ import annotations

import re

__all__ = [
    "ANSWER_MARK",
    "CLAUSE_END",
    "FILLERS",
    "LEAD_INS",
    "NEGATIONS",
    "NO_WORDS",
    "PROSE_WORDS",
    "SUBJECTS",
    "UNSURE",
    "YES_WORDS",
]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


YES_WORDS = _set("yes yeah yep yup yea aye affirmative correct true right indeed")
NO_WORDS = _set("no nope nah nay negative incorrect false wrong")

FILLERS = _set(
    "well oh ah um hmm so then actually definitely certainly absolutely clearly probably likely surely sure of "
    "course i think believe guess say would i'd 'd simply just and but also it's it is that's that the answer "
    "both"
)
"""Words that, around a lone yes or no, leave its meaning as it is."""

SUBJECTS = _set(
    "there there's it it's its that that's this these those they they're he he's she she's i i'm you we we're the not"
)
"""After "no", these begin a new statement ("no there isn't"); a noun would make it "no dog", which is not an answer."""

UNSURE = re.compile(
    r"\b(maybe|perhaps|possibly|unsure|uncertain|unclear|unknown|undetermined|ambiguous|depends"
    r"|not (?:\w+ )?(?:sure|certain|clear|possible|known|enough|visible to me)"
    r"|(?:do not|don't|dont|cannot|can't|cant|can not|could not|couldn't|unable to|not able to|hard to|difficult to"
    r"|impossible to) (?:\w+ )?(?:know|tell|say|see|determine|answer|identify|be sure|make out|assist|help)"
    r"|no idea|no way (?:to|of)|sorry|as an ai)\b"
)
"""What says that there is no answer."""

NEGATIONS = _set(
    "no not never neither nor without isn't aren't wasn't weren't doesn't don't didn't cannot can't hasn't "
    "haven't isnt arent wasnt werent doesnt dont didnt cant hasnt havent none nothing nobody rather instead"
)

PROSE_WORDS = NEGATIONS | _set(
    "is are was were be been has have had does do did can could will would should there this that these those it "
    "i you he she they we because since which who if or but however although question image picture photo"
)
"""A short text with one of these is a statement to be read, not the name of a thing."""

LEAD_INS = re.compile(
    r"^(?:"
    r"(?:(?:the|my|your|our)\s+)?(?:(?:correct|right|best|final|most likely)\s+)*(?:answer|option|choice|response)"
    r"(?:\s+(?:here|to (?:the|this|your) question))?\s*(?:would be|should be|is|:|=|-)+"
    r"|(?:option|choice)\s+(?=\(?[a-z]\b)"
    r"|(?:so|well|then|therefore|thus|hence|okay|ok|sure|final)\s*[,:]\s*"
    r"|(?:in|from|based on|according to|looking at)\s+(?:the|this)\s+(?:image|picture|photo|photograph|scene)\s*,?"
    r"|(?:the|this)\s+(?:image|picture|photo|photograph|scene)\s+(?:shows|depicts|contains|features|is of)\b"
    r"|(?:i(?:'d|\s+would)?\s+(?:think|believe|guess|say|see|choose|pick|go with)|i'm going with)(?:\s+that)?\b"
    r"|(?:it|that|this|he|she)(?:'s|\s+is|\s+looks like|\s+appears to be|\s+seems to be|\s+would be|\s+must be)\b"
    r"|(?:they|those|these)(?:'re|\s+are|\s+look like|\s+appear to be|\s+seem to be)\b"
    r"|there(?:'s|\s+is|\s+are)\b"
    r"|(?:probably|likely|clearly|definitely|certainly|most likely|apparently)\b,?"
    r")\s*"
)
"""Openings that come before the answer itself."""

ANSWER_MARK = re.compile(r"\b(?:answer|option|choice)\s*(?:would be|should be|is|:|=)\s*")
"""Where a text announces its answer."""

CLAUSE_END = re.compile(r"\s*(?:[.,;:!?\n/|…—–]+|--+|\s-\s|\b(?:and|or|but)\b)\s*")
