"""The words and turns of phrase that the reading of free-text answers knows; words alone stand in ``words.yaml``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.core.files import read_yaml


class _Hints(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parts without which a text is none of a kind."""

    courtesies: tuple[str, ...]
    refusals: tuple[str, ...]
    doubts: tuple[str, ...]
    hedges: tuple[str, ...]
    suppositions: tuple[str, ...]


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file ``words.yaml``."""

    yes_words: str
    no_words: str
    fillers: str
    fillers_after: str
    subjects: str
    negations: str
    prose_words: str
    non_answers: str
    foreign: str
    hints: _Hints


_WORDS = read_yaml(Path(__file__).with_name("words.yaml"), _Words, what="a table of words", hint="reinstall falter")
HINTS = _WORDS.hints
YES_WORDS = frozenset(_WORDS.yes_words.split())
NO_WORDS = frozenset(_WORDS.no_words.split())
FILLERS = frozenset(_WORDS.fillers.split())
FILLERS_AFTER = frozenset(_WORDS.fillers_after.split())
SUBJECTS = frozenset(_WORDS.subjects.split())
NEGATIONS = frozenset(_WORDS.negations.split())
PROSE_WORDS = NEGATIONS | frozenset(_WORDS.prose_words.split())
NON_ANSWERS = frozenset(_WORDS.non_answers.split())
FOREIGN = frozenset(_WORDS.foreign.split())


class Phrase(NamedTuple):
    """A turn of phrase: a text that it finds, and its pattern."""

    example: str
    pattern: str


def compile_rules(rules: Sequence[Phrase], *, before: str = "", after: str = "") -> re.Pattern[str]:
    """A pattern that finds what any of some rules finds, the earlier first, between what all of them have in common."""
    return re.compile(f"{before}{'|'.join(rule.pattern for rule in rules)}{after}")


_AFFIRMATION_RULES = (
    Phrase("of course", r"of course|you bet|absolutely|definitely|certainly|clearly|surely|exactly|for sure"),
    Phrase("without a doubt", r"without (?:a )?doubt"),
    Phrase("i think so", r"i(?:'d say| (?:do )?(?:think|believe|suppose|would say)) so"),
    Phrase(
        "there is",
        r"(?:it|he|she|there|they|that|this|these|those|we|you) (?:is|are|was|were|does|do|did|has|have|can|will)",
    ),
    Phrase(
        "it is the case",
        r"(?:it|that|this) (?:is|appears to be|seems to be) (?:the case|so|right|true|correct|accurate)",
    ),
    Phrase("that's right", r"that(?:'s| is) (?:right|true|correct|accurate|so)"),
    Phrase("it looks like it", r"(?:(?:it|that|this) )?(?:appears|seems|looks) (?:so|that way|like it)"),
    Phrase(
        "i think there is one",
        r"i (?:do )?(?:think|believe) (?:that )?(?:it|he|she|there|they) (?:is|are|was|were|does|do|has"
        r"|have)(?: one| some)?",
    ),
)
_DENIAL_RULES = (
    Phrase(
        "of course not",
        r"(?:of course|absolutely|(?:most )?definitely|(?:most )?certainly|clearly|surely|probably"
        r"|most likely|likely|apparently|obviously|unfortunately) not",
    ),
    Phrase(
        "not that i can see",
        r"not (?:at all|here|really|exactly|in (?:this|the) (?:image|picture|photo|case)|that i can see|quite)",
    ),
    Phrase("by no means", r"by no means"),
    Phrase("i'm afraid not", r"i(?:'m| am) afraid not"),
    Phrase("i think not", r"i (?:think|believe|guess|suppose|would say) not"),
    Phrase("i don't think so", r"i (?:don't|do not|wouldn't|would not) (?:think|believe|say) so"),
    Phrase(
        "there isn't one",
        r"(?:it|he|she|there|they|that|this|these|those|we|you) (?:isn't|aren't|wasn't|weren't|doesn't|don't|didn't"
        r"|hasn't"
        r"|haven't|can't|won't|(?:is|are|was|were|does|do|did|has|have|can|will) not|cannot)(?: (?:one|any|so))?",
    ),
    Phrase("not a chance", r"no way|(?:not a|no) chance"),
    Phrase("it's not", r"(?:it|he|she|that|there)'s not"),
    Phrase("they're not", r"(?:they|those|these)'re not"),
    Phrase(
        "i don't think there is any",
        r"i (?:don't|do not) (?:think|believe) (?:that )?(?:it|he|she|there|they) (?:is|are|was|were|does|do"
        r"|has|have)(?: one| any)?",
    ),
    Phrase(
        "it doesn't look that way",
        r"(?:(?:it|that|this) )?(?:doesn't|does not) (?:look|seem|appear)(?: to be)? (?:so|that way"
        r"|like it|the case)",
    ),
    Phrase("that isn't the case", r"(?:it|that|this) isn't (?:the case|so|right|true|correct|accurate)"),
    Phrase(
        "that's wrong",
        r"(?:it|that|this)(?:'s| is) (?:not (?:the case|so|right|true|correct|accurate)|wrong|false|incorrect|untrue"
        r"|inaccurate)",
    ),
)
_LEAD_IN_RULES = (
    Phrase(
        "the correct answer is: ",
        r"(?:(?:the|my|your|our)\s+)?(?:(?:correct|right|best|final|most likely)\s+)*(?:answer|option|choice|response)"
        r"(?:\s+(?:here|to (?:the|this|your) question))?\s*(?:would be|should be|must be|is|:|=|-)+",
    ),
    Phrase("so, ", r"(?:so|well|then|therefore|thus|hence|okay|ok|sure|final|overall|hmm|ultimately)\s*[,:]\s*"),
    Phrase(
        "based on the image, ",
        r"(?:in|from|based on|according to|looking at)\s+(?:the|this)\s+(?:image|picture|photo|photograph|scene)\s*,?",
    ),
    Phrase(
        "the photo shows ",
        r"(?:the|this)\s+(?:image|picture|photo|photograph|scene)\s+(?:shows|depicts|contains|features|is of)\b",
    ),
    Phrase(
        "i would say that ",
        r"(?:i(?:'d|\s+would|'ll|\s+will|\s+can|\s+do)?\s+(?:think|believe|guess|say|see|choose|pick|select|count"
        r"|go with"
        r"|opt for)|i'm going with)(?:\s+that)?\b(?!\s+so\b|\s+not\b)",
    ),
    Phrase(
        "it looks like ",
        r"(?:it|that|this|he|she)(?:'s|\s+is|\s+looks like|\s+appears to be|\s+seems to be|\s+would be|\s+must be"
        r"|\s+should be)\b",
    ),
    Phrase("they appear to be ", r"(?:they|those|these)(?:'re|\s+are|\s+look like|\s+appear to be|\s+seem to be)\b"),
    Phrase("there are ", r"there(?:'s|\s+is|\s+are|\s+appear to be|\s+seem to be)\b"),
    Phrase("only two dogs", r"(?:exactly|only|about)\s+(?=\w+$|\w+\s\w+$)"),
    Phrase("probably, ", r"(?:probably|likely|clearly|definitely|certainly|most likely|apparently|obviously)\b,?"),
)
RULES = {"affirmation": _AFFIRMATION_RULES, "denial": _DENIAL_RULES, "lead_in": _LEAD_IN_RULES}
"""Every table of this module, by what its rules find."""

AFFIRMATIONS = compile_rules(_AFFIRMATION_RULES, before="(?:yes )?(?:most )?(?:", after=")")
"""A whole clause that says yes without the word."""

DENIALS = compile_rules(_DENIAL_RULES, before="(?:no )?(?:", after=")")
"""A whole clause that says no without the word."""

LEAD_INS = compile_rules(_LEAD_IN_RULES, before="^(?:", after=r")\s*")
"""Openings that come before the answer itself."""

INTENSIFIERS = re.compile(
    r"\b(?:sure|surely|certainly|indeed|definitely|really|actually|clearly|obviously|of course)\b\s*"
)
"""Words that leave an affirmation or a denial as it is: "there certainly is", "of course it's not"."""

VERDICT = re.compile(
    r"^(?:the|this|that|your) (?:statement|caption|sentence|claim|description|text|assertion|hypothesis)"
    r" (?:is|was|appears|seems)(?: to be)?(?: clearly| indeed| actually)?( not)?"
    r" (true|correct|right|accurate|false|incorrect|wrong|inaccurate|untrue)\b"
)
"""A judgement of what was stated: "the statement is not true"."""

CLAUSE_END = re.compile(
    r"(?:[.,;:!?\n|…—–()\[\]]|--| - |\b(?:but|because|since|although|though|while)\b|\bso\b(?=\s+\w))+"
)
SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]*]*\s+|\n+")
