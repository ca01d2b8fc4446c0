"""The words and turns of phrase that the reading of free-text answers knows."""

from __future__ import annotations

import re

__all__ = [
    "AFFIRMATIONS",
    "CLAUSE_END",
    "DENIALS",
    "FILLERS",
    "FILLERS_AFTER",
    "FOREIGN",
    "INTENSIFIERS",
    "LEAD_INS",
    "NEGATIONS",
    "NON_ANSWERS",
    "NO_WORDS",
    "PROSE_WORDS",
    "SENTENCE_END",
    "SUBJECTS",
    "VERDICT",
    "YES_WORDS",
]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


YES_WORDS = _set("yes yeah yep yup yea ya yessir aye y affirmative correct true right indeed")
NO_WORDS = _set("no nope nah naw nay n negative incorrect false wrong")

FILLERS = _set(
    "well oh ah um hmm so then actually definitely certainly absolutely clearly probably likely surely sure of "
    "course i think believe guess say would i'd i'll will 'd simply just and but also it's it is that's that the "
    "answer "
    "both most very much therefore thus hence undoubtedly obviously unfortunately answer answering with respond "
    "reply go "
    "conclude conclusion overall ultimately short in to your question my final must should be as a result apparently "
    "yet can confirm final image picture photo on closer inspection look upon looking at "
    "a an 100 100% has it'd sadly regrettably sorry afraid why lol haha hard definite resounding firm clear big strong "
    "simple"
)
"""Words that, before a lone yes or no, leave its meaning as it is."""

FILLERS_AFTER = _set(
    "indeed definitely certainly absolutely clearly of course i think believe would say it is that's that both "
    "actually probably then really sir ma'am surely again from me lol bro dude folks my friend here to"
)
"""Words that may follow it; after "no", a noun would make it "no dog", which is not an answer."""

SUBJECTS = _set(
    "there there's it it's its that that's this these those they they're he he's she she's i i'm you we we're the not"
)
"""After yes or no, these begin a new statement ("no there isn't")."""

AFFIRMATIONS = re.compile(
    r"(?:yes )?(?:most )?(?:of course|you bet|absolutely|definitely|certainly|clearly|surely|exactly|for sure"
    r"|without (?:a )?doubt"
    r"|i(?:'d say| (?:do )?(?:think|believe|suppose|would say)) so"
    r"|(?:it|he|she|there|they|that|this|these|those|we|you) (?:is|are|was|were|does|do|did|has|have|can|will)"
    r"|(?:it|that|this) (?:is|appears to be|seems to be) (?:the case|so|right|true|correct|accurate)"
    r"|that(?:'s| is) (?:right|true|correct|accurate|so)|(?:(?:it|that|this) )?(?:appears|seems|looks) (?:so|that way"
    r"|like it)"
    r"|i (?:do )?(?:think|believe) (?:that )?(?:it|he|she|there|they) (?:is|are|was|were|does|do|has"
    r"|have)(?: one| some)?)"
)
"""A whole clause that says yes without the word."""

DENIALS = re.compile(
    r"(?:no )?(?:(?:of course|absolutely|(?:most )?definitely|(?:most )?certainly|clearly|surely|probably"
    r"|most likely|likely|apparently"
    r"|obviously|unfortunately) not|not (?:at all|here|really|exactly|in (?:this|the) (?:image|picture|photo|case)"
    r"|that i "
    r"can see|quite)|by no means|i(?:'m| am) afraid not|i (?:think|believe|guess|suppose|would say) not"
    r"|i (?:don't|do not|wouldn't|would not) (?:think|believe|say) so"
    r"|(?:it|he|she|there|they|that|this|these|those|we|you) (?:isn't|aren't|wasn't|weren't|doesn't|don't|didn't"
    r"|hasn't"
    r"|haven't|can't|won't|(?:is|are|was|were|does|do|did|has|have|can|will) not|cannot)(?: (?:one|any|so))?"
    r"|no way|(?:not a|no) chance|(?:it|he|she|that|there)'s not|(?:they|those|these)'re not|i (?:don't"
    r"|do not) (?:think|believe) (?:that )?(?:it|he|she|there|they) (?:is|are|was|were|does|do"
    r"|has|have)"
    r"(?: one| any)?|(?:(?:it|that|this) )?(?:doesn't|does not) (?:look|seem|appear)(?: to be)? (?:so|that way"
    r"|like it|the case)"
    r"|(?:it|that|this) isn't (?:the case|so|right|true|correct|accurate)"
    r"|(?:it|that|this)(?:'s| is) (?:not (?:the case|so|right|true|correct|accurate)|wrong|false|incorrect|untrue"
    r"|inaccurate))"
)
"""A whole clause that says no without the word."""

INTENSIFIERS = re.compile(
    r"\b(?:sure|surely|certainly|indeed|definitely|really|actually|clearly|obviously|of course)\b\s*"
)
"""Words that leave an affirmation or a denial as it is: "there certainly is", "of course it's not"."""

VERDICT = re.compile(
    r"^(?:the|this|that|your) (?:statement|caption|sentence|claim|description|text|assertion|hypothesis)"
    r" (?:is|was|appears|seems)(?: to be)?(?: clearly| indeed| actually)?( not)?"
    r" (true|correct|right|accurate|false|incorrect|wrong|inaccurate|untrue)\b"
)
"""A judgement of what was stated."""

NEGATIONS = _set(
    "no not never neither nor without isn't aren't wasn't weren't doesn't don't didn't cannot can't hasn't "
    "haven't isnt arent wasnt werent doesnt dont didnt cant hasnt havent none nothing nobody instead unlike "
    "wouldn't won't couldn't shouldn't except than whereas compared opposed"
)

PROSE_WORDS = NEGATIONS | _set(
    "is are was were be been has have had does do did can could will would should there this that these those it "
    "i you he she they we because since which who if or but however although question image picture photo i'm i'd "
    "let's may might must let me my your please what how why answer caption it's that's there's option options rather"
)
"""A short text with one of these is a statement to be read, not the name of a thing."""

NON_ANSWERS = _set(
    "n/a na null undefined nan unanswerable unspecified ok okay understood hello hi thanks thank sure certainly "
    "welcome "
    "sorry error nil tbd inconclusive undetermined indeterminate unidentified several many few some various "
    "unsure uncertain ambiguous partially partly somewhat sort kind processing loading thinking couple "
    "interesting great denied exceeded sometimes hmm 50/50 fifty-fifty"
)
"""A word that says nothing about what was asked."""

FOREIGN = _set(
    "oui non si ja nein da sim nao tak hai ne igen evet la el los las le les un une una der die das ein eine il est "
    "ist es y und et de los del c'è"
)
"""Words by which other languages are known that are written in the same letters."""

LEAD_INS = re.compile(
    r"^(?:"
    r"(?:(?:the|my|your|our)\s+)?(?:(?:correct|right|best|final|most likely)\s+)*(?:answer|option|choice|response)"
    r"(?:\s+(?:here|to (?:the|this|your) question))?\s*(?:would be|should be|must be|is|:|=|-)+"
    r"|(?:so|well|then|therefore|thus|hence|okay|ok|sure|final|overall|hmm|ultimately)\s*[,:]\s*"
    r"|(?:in|from|based on|according to|looking at)\s+(?:the|this)\s+(?:image|picture|photo|photograph|scene)\s*,?"
    r"|(?:the|this)\s+(?:image|picture|photo|photograph|scene)\s+(?:shows|depicts|contains|features|is of)\b"
    r"|(?:i(?:'d|\s+would|'ll|\s+will|\s+can|\s+do)?\s+(?:think|believe|guess|say|see|choose|pick|select|count"
    r"|go with"
    r"|opt for)|i'm going with)(?:\s+that)?\b(?!\s+so\b|\s+not\b)"
    r"|(?:it|that|this|he|she)(?:'s|\s+is|\s+looks like|\s+appears to be|\s+seems to be|\s+would be|\s+must be"
    r"|\s+should be)\b"
    r"|(?:they|those|these)(?:'re|\s+are|\s+look like|\s+appear to be|\s+seem to be)\b"
    r"|there(?:'s|\s+is|\s+are|\s+appear to be|\s+seem to be)\b"
    r"|(?:exactly|only|about)\s+(?=\w+$|\w+\s\w+$)"
    r"|(?:probably|likely|clearly|definitely|certainly|most likely|apparently|obviously)\b,?"
    r")\s*"
)
"""Openings that come before the answer itself."""

CLAUSE_END = re.compile(
    r"(?:[.,;:!?\n|…—–()\[\]]|--| - |\b(?:but|because|since|although|though|while)\b|\bso\b(?=\s+\w))+"
)
SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]*]*\s+|\n+")
