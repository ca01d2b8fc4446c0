"""The sentences of a text that says more than an answer: where they end, and which of them concludes."""

from __future__ import annotations

import re

from falter.answers.choices import EDGES, Choices, exactly, mentioned
from falter.answers.doubt import is_hedged, is_idle, withdraws
from falter.answers.lexicon import LEAD_INS, SENTENCE_END
from falter.answers.marks import by_keyword, by_mark
from falter.answers.yes_no import parse_polarity

__all__ = ["LIST_MARK", "conclude", "name_choice", "split_sentences", "strip_lead_in"]

LIST_MARK = re.compile(r"^\s*(?:[(\[]\w[)\]]|\w[.):])\s+(?=\S)")
"""What comes before a line of a list."""

_OPENING = EDGES.replace("(", "").replace("[", "")
_MARK_ALONE = re.compile(r"(?:[a-z]|\d{1,2})[.)]")
_LIST_ITEM = re.compile(r"\s*\w[.)]\s")
_CONCLUDES = re.compile(
    r"(?:so|therefore|thus|hence|overall|finally|in conclusion|in summary|in short|ultimately|consequently)\b,?\s"
    r"|(?:based on|given|considering) (?:this|these|those|that|all|my)\b[^,\n]{0,80},\s"
    r"|(?:however, |but )?if i (?:must|had to|have to|were to) (?:choose|pick|select|decide)\b[^,\n]{0,80},\s"
)
_CONCLUDES_WITHIN = re.compile(r"[,;–—] (?:and )?(?:so|therefore|thus|hence),? ")
_EXPLAINS = re.compile(
    r"(?:this|that) (?:can be|could be|is|was|indicates|suggests|means|conclusion|follows)\b|you can (?:tell|see)\b"
    r"|(?:here's|here is) why\b|(?:the )?(?:reason|explanation|reasoning)\b"
)
"""How a sentence begins that gives the reason for the answer before it."""
_CLAIM = re.compile(
    r"\b(?:most|best|better|closest|closer|nearest|nearer|darker|correct(?:ly)?|corresponds?|corresponding"
    r"|matches|describes|fits"
    r"|more (?:similar|likely|closely|suitable|appropriate|consistent|accurate\w*))\b"
)
"""What a sentence says of the choice that it gives: "the third image is most similar to the first"."""
_CONVERSE = re.compile(r"\b(?:less|least|worse|worst|fewer|farther|further|incorrect|wrong)\b")
_FIRST_LOOK = re.compile(r"\b(?:thought|going to say|first|at a glance|looks? like|seems?|appears?)\b")
_AT_FIRST = re.compile(r"\bat first\b|\bat a glance\b|\bfirst (?:glance|sight)\b")
_IT_IS = re.compile(r"^(?!.*\b(?:also|too|as well)\b).*\b(?:it|this|that)(?:'s| is)\b")
_SECOND_LOOK = re.compile(r"(?:actually |in fact )?(?:it|this|that)\b")


def split_sentences(text: str) -> list[str]:
    """The sentences and lines of a text.

    >>> split_sentences("b. dog. it barks.")
    ['b. dog.', 'it barks.']
    """
    sentences: list[str] = []
    for sentence in SENTENCE_END.split(text):
        if sentences and _MARK_ALONE.fullmatch(sentences[-1]):
            sentences[-1] += f" {sentence}"
        elif sentence.strip(EDGES):
            sentences.append(sentence)
    return sentences or [text]


def strip_lead_in(text: str) -> str:
    """A text without what leads up to the answer.

    >>> strip_lead_in("i think that it's a dog")
    'a dog'
    """
    while True:
        shorter = LEAD_INS.sub("", text.lstrip(_OPENING), count=1)
        if shorter == text:
            return text
        text = shorter


def conclude(text: str, choices: Choices) -> str | None:
    """The choice that a text which names several, or doubts, comes to in the end.

    It is what its conclusion says, else its last line, its first sentence where the next one gives the reason, or
    the only choice of which it claims something. A doubt before takes nothing back, a doubt after does.
    """
    sentences = split_sentences(text)
    conclusions = [(number, match) for number, each in enumerate(sentences) if (match := _CONCLUDES.match(each))]
    last = conclusions[-1][0] if conclusions else len(sentences) - 1
    sentence = sentences[last][conclusions[-1][1].end() if conclusions else 0 :]
    if is_hedged(sentence) or is_idle(sentence) or withdraws("\n".join([sentence, *sentences[last + 1 :]])):
        return None
    if conclusions:
        # Where several conclusions differ, only one that ends the text counts.
        counted = conclusions[-1 if last == len(sentences) - 1 else 0 :]
        drawn = {name_choice(sentences[number][match.end() :], choices) for number, match in counted}
        choice = drawn.pop() if len(drawn) == 1 else None
    else:
        choice = _last_line(sentences, choices) if "\n" in text else None
        if len(sentences) > 1 and _EXPLAINS.match(sentences[1]):
            choice = None if is_hedged(sentences[0]) else name_choice(sentences[0], choices)
        elif choice is None:
            choice = _end_of(sentence, choices) or _second_look(sentence, choices)
    return _claimed(sentences, choices) if choice is None else choice


def _last_line(sentences: list[str], choices: Choices) -> str | None:
    """The choice that the last line is, or the one that its mark stands for; not that of the last line of a list."""
    line = sentences[-1]
    if not LIST_MARK.match(line):
        choice = exactly(strip_lead_in(line), choices)
        return choice if len(sentences) == 1 or exactly(sentences[-2], choices) in (None, choice) else None
    marked = None if any(map(LIST_MARK.match, sentences[:-1])) else by_mark(strip_lead_in(line), choices)
    return None if marked is None else marked.choice


def _end_of(sentence: str, choices: Choices) -> str | None:
    """The choice that is all that comes after the "so" of a sentence."""
    _, *ends = _CONCLUDES_WITHIN.split(sentence)
    if not ends:
        return None
    core = strip_lead_in(ends[-1])
    marked = by_mark(core, choices) if len(core.strip(EDGES)) == 1 else None
    return exactly(core, choices) if marked is None else marked.choice


def _second_look(sentence: str, choices: Choices) -> str | None:
    """The choice after the "but" of "it looks like a dog, but it is a cat"."""
    before, _, after = sentence.rpartition(" but ")
    if not (
        (_AT_FIRST.search(before) and _IT_IS.search(after))
        or (_FIRST_LOOK.search(before) and _SECOND_LOOK.match(after))
    ):
        return None
    return name_choice(after, choices)


def _claimed(sentences: list[str], choices: Choices) -> str | None:
    """The only choice of which a sentence after the last doubt claims something."""
    if choices.polar:
        return None
    doubt = max((number for number, each in enumerate(sentences) if withdraws(each)), default=-1)
    claims = {
        choice
        for each in sentences[doubt + 1 :]
        if _CLAIM.search(each) and not (_CONVERSE.search(each) or _LIST_ITEM.match(each))
        if not (is_hedged(each) or is_idle(each)) and (choice := name_choice(each, choices)) is not None
    }
    return claims.pop() if len(claims) == 1 else None


def name_choice(text: str, choices: Choices) -> str | None:
    """The one choice that a part of a text gives."""
    if choices.polar:
        polarity = parse_polarity(text)
        return None if polarity is None else choices.polar[polarity]
    core = strip_lead_in(text)
    choice = exactly(core, choices)
    if choice is not None:
        return choice
    marked = by_mark(core, choices) or by_keyword(text, choices)
    if marked is not None:
        return marked.choice
    names = mentioned(text, choices)
    return names[0] if len(names) == 1 else None
