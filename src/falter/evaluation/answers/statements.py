"""The sentences of a text that says more than an answer: which announces or concludes it, and what is only set aside.

An answer is announced by ``Answer: B``, ``the correct option is (2)`` or ``I would choose the first``. Set aside are
choices that a text rules out or compares with, and words that are no side."""

from __future__ import annotations

import re
from typing import NamedTuple

from falter.evaluation.answers.choices import EDGES, Choices, by_keyword, by_mark, exactly, mentioned
from falter.evaluation.answers.doubt import is_hedged, is_idle, withdraws
from falter.evaluation.answers.lexicon import LEAD_INS, NEGATIONS, SENTENCE_END
from falter.evaluation.answers.yes_no import parse_polarity

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


_THING = (
    r"(?:answer|ans|option|choice|response|result|output|prediction|verdict|conclusion|selection|caption"
    r"|statement|sentence"
    r"|description|label|total|count|colou?r)"
)
_LABEL = re.compile(
    r"(?:^|\n|(?<=[.!?,;:)])[ \t]+|\b(?:short|long|final|correct|best|my|the)[ \t]+)[ \t]*"
    rf"(?:(?:the|my|your|final|correct|best|right|short|selected|chosen|predicted)[ \t]+)*{_THING}"
    r"(?:[ \t]+(?:to|for)[ \t]+(?:the|this|your)[ \t]+question)?(?:[ \t]*\([^)\n]{3,}\))?[ \t]*(?:[:=]"
    r"|[-–—](?=[ \t]))+[ \t]*\n*"
    r"|(?:^|\n)[ \t]*(?:final[ \t]+)?answer[ \t]*\n+"
    r"|(?:^|\n)a[ \t]*:[ \t]*"
)
_COPULA = re.compile(
    r"\b(?:answer|option|choice|response|reply|verdict|conclusion|total|caption|statement|sentence|description|letter)\b"
    r"(?:[ \t]+(?:here|(?:to|for)[ \t]+(?:the|this|your)[ \t]+question(?:[ \t]+about[^.,:\n]{1,40}?)?))?"
    r"(?:'s|[ \t]+(?:would be|should be|must be|has to be|is|was|appears to be|seems to be))"
    r"(?![ \t]*(?:not|correct|right(?=[ \t]*(?:[.,!]|$))|true|false|incorrect|wrong|based|accurate|more|most|better"
    r"|best|clearly|the (?:best|correct|better|right))\b)"
    r"[ \t]*[:\"]*[ \t]*(?:that[ \t]+)?"
)
_CHOOSE = re.compile(
    r"\bi(?:'d|'ll|'m| would| will)? (?:choose|pick|select|go(?:ing)? with|opt for|vote for"
    r"|conclude)(?: that)?[ \t]*[:\"]*[ \t]*"
)
_LEADS_UP = re.compile(r":[ \t]*\n\s*(?=[(\[][a-z\d][)\]])")
"""A line that leads up to a mark on the next: ``Therefore, the most similar image is:``."""
_MARK_LINE = re.compile(r"\s*[(\[]?([a-z]|\d)[)\].:]")
_FINAL = re.compile(r"final|conclusion|therefore|thus|hence|\bso\b")


_IN_LABELS = (":", "=", "- ", "– ", "— ", "\n")
_IN_COPULAS = (
    *("answer", "option", "choice", "response", "reply", "verdict", "conclusion", "total", "caption", "statement"),
    *("sentence", "description", "letter"),
)

_MOST = 8
"""More announcements than this are not read: the last ones count."""
_LONGEST = 500
_PARTS = {_LABEL: _IN_LABELS, _COPULA: _IN_COPULAS, _CHOOSE: ("i ", "i'"), _LEADS_UP: ("\n",)}


class Announcement(NamedTuple):
    """An announced answer: its text, and whether it is announced as the last word."""

    text: str
    final: bool
    labelled: bool
    opens: int = 0
    """Where its sentence begins."""


def find_announcements(text: str, *, lettered: bool = False) -> list[Announcement]:
    """What follows each announcement that is neither asked nor supposed nor doubted.

    Where letters stand for choices (``lettered``), "a:" announces an answer only after a "q:".
    """
    found: list[tuple[int, Announcement]] = []
    taken: set[int] = set()
    for pattern, labelled in ((_LABEL, True), (_COPULA, False), (_CHOOSE, False), (_LEADS_UP, False)):
        if not any(part in text for part in _PARTS[pattern]):
            continue
        for match in list(pattern.finditer(text))[-_MOST:]:
            start = match.end()
            if not text[start : start + _LONGEST].split("\n", 1)[0].strip():
                # "The answer is:", and the answer on the next line.
                start += len(text[start : start + _LONGEST]) - len(text[start : start + _LONGEST].lstrip())
            if start in taken or (lettered and match[0].strip(" \n:") == "a" and "q:" not in text):
                continue
            taken.add(start)
            content = _content(text, start)
            opens = max(text.rfind(stop, 0, match.start() + 1) for stop in (". ", "\n", "! ", "? ")) + 1
            sentence = text[opens : match.end()] + content
            # What comes before a "but" is overcome by what comes after it.
            before = text[opens : match.start()].rpartition(" but ")[2]
            if "\n" in text[match.start() : start] and _is_list(text[start : start + _LONGEST]):
                continue
            if not content.strip(" .\"'") or (not labelled and (is_hedged(before) or is_idle(sentence))):
                continue
            final = _FINAL.search(text[opens : match.end()]) is not None
            found.append((start, Announcement(content, final, labelled, opens)))
    return [announcement for _, announcement in sorted(found, key=lambda one: one[0])]


def _is_list(text: str) -> bool:
    """Whether a text begins with two lines of different marks: what is listed is not chosen."""
    lines = [line for line in text.split("\n") if line.strip()][:2]
    marks = [match[1] for line in lines for match in [_MARK_LINE.match(line)] if match]
    return len(set(marks)) == 2 and marks[0].isdigit() == marks[1].isdigit()


def _content(text: str, start: int) -> str:
    """The rest of the sentence, or of the line."""
    line = text[start : start + _LONGEST].split("\n", 1)[0]
    # A mark such as "b." ends no sentence.
    end = next((one for one in SENTENCE_END.finditer(line) if one.start() > 3), None)
    return line if end is None else line[: end.start()]


_PREFERS = re.compile(
    r"(?P<taken>\b(?:prefer|choose|pick|select|favou?r|(?:go|going) (?:with|for)|opt for) [^.,;:!?\n]+?)"
    r" (?:over|rather than|instead of|to) (?P<left>[^.,;:!?\n]+)"
)
_WHEREAS = re.compile(
    r"(?:^|(?<=[.,;:!?\n]))(?P<taken>[^.,;:!?\n]*\b(?:best|better|correct|fits|matches|plausible|accurate\w*)\b"
    r"[^.,;:!?\n]*),? (?P<left>(?:whereas|while|unlike)\b"
    r"(?![^.!?\n]*\b(?:best|better|correct|fits|matches)\b)[^.!?\n]*)"
)
_RULES_OUT = re.compile(
    r"(?:\b(?:i|we|you)(?:'d|'ll|'ve)? (?:(?:can|would|could|will|have|had|then|first|also|safely|clearly) )*)?"
    r"\b(?:rul(?:e|es|ed|ing) out|eliminat(?:e|es|ed|ing)|discard(?:s|ed|ing)?|dismiss(?:es|ed|ing)?"
    r"|exclud(?:e|es|ed|ing)|reject(?:s|ed|ing)?) [^.;:!?\n]*?"
    r"(?=[.;:!?\n]|$|,? (?:so|but|leaving|which|because|since|as)\b)"
)
_OF_BOTH = re.compile(
    r"(?:^|(?<=[.!?\n] )|(?<=\n))(?:between|out of|among|comparing) [^.;:!?\n]+? (?:and|or) [^.,;:!?\n]+, "
)
_OFFERS = re.compile(r"^(?:(?:the|answer|possible) )*(?:options|choices)(?: are)?\s*:[^\n]*?(?=\banswer\b|\n|$)")
_COMPARES = {_PREFERS: (" over ", "rather than", "instead of", "prefer"), _WHEREAS: ("whereas", "while", "unlike")}
_LEAVES_OUT = {
    _OFFERS: ("options", "choices:", "choices are"),
    _RULES_OUT: ("e out", "ed out", "ing out", "eliminat", "discard", "dismiss", "exclud", "reject"),
    _OF_BOTH: ("between ", "out of ", "among ", "comparing "),
}
"""Each pattern with words without which it need not be tried."""

_NO_SIDE = re.compile(
    r"\b(?:you're|you are|all) right\b(?! (?:side|hand|half))|,\s*right(?=\?)|^right,? so\b"
    # "The" and "on" before it make it a side.
    r"|(?:^|(?<=[,.;:] )|\b(?:is|are|it's|he's|she's|and|standing|sitting) )right (?=(?:next|there|here|below|above"
    r"|behind|under|underneath|beneath|beside|by|near|inside|in (?:front|the (?:middle|center)))\b)"
    r"|^right,\s+(?=the\b[^.]*\bleft\b)|^right[,.!]\s+(?=(?:so\s+)?(?:it|this|that|he|she|they)\b)"
    r"|\b(?:has|have|had|just|already) left\b(?! (?:side|hand|arm|of|and|or)\b)|\bleft over\b"
)
"""In "right next to the door", "you're right" and "he has left" no side is named."""

_SUM = re.compile(
    r"(?<!out of )\b(?:a )?total of (?P<of>\w+)\b|\w ?= ?(?P<equal>\d+)\W*$"
    r"|\b(?:so|that's|that is|makes?|making|gives?|giving)(?: there (?:is|are))? (?P<so>\w+)(?: [a-z]+)?"
    r" (?:in total|altogether|in all)\b"
)
_AT_LEAST = re.compile(r"\b(?:at (?:least|most)|up to|or more|more than|not)\b|n't\b")


def without_comparisons(text: str, choices: Choices) -> str:
    """A text without the choices that it compares its own with: ``I prefer A over B``, ``A fits best, whereas B``."""
    for pattern, parts in _COMPARES.items():
        if any(part in text for part in parts):
            text = pattern.sub(lambda match: _taken(match, choices), text)
    return text


def without_rejected(text: str, choices: Choices) -> str:
    """A text without the choices that it only lists or rules out; what is left may be nothing."""
    for pattern, parts in _LEAVES_OUT.items():
        # Where choices say so themselves, it is part of the answer.
        if (
            any(part in text for part in parts)
            and pattern.search(text)
            and not any(pattern.search(choice.lower()) for choice in choices.given)
        ):
            text = pattern.sub(" ", text).strip()
    return text


def _taken(match: re.Match[str], choices: Choices) -> str:
    """What is preferred, where that is one choice, and what comes after it is not."""
    taken, left = match["taken"], match["left"]
    choice = None if NEGATIONS.intersection(taken.split()) else name_choice(taken, choices)
    return match[0] if choice is None or name_choice(left, choices) == choice else taken


def without_idioms(text: str, choices: Choices) -> str:
    """A text without "right" and "left" where they name no side, if sides are the choices."""
    if "right" not in choices.by_form or "left" not in choices.by_form or not ("right" in text or "left" in text):
        return text
    return _NO_SIDE.sub("", text).strip()


def find_sum(text: str) -> str | None:
    """The number that a text gives as a total: ``a total of 2``, ``1 + 2 = 3``, ``so 2 in all``."""
    if "total" not in text and "=" not in text and " all" not in text:
        return None
    sums = {match[match.lastgroup or 0] for match in _SUM.finditer(text)}
    if len(sums) != 1 or _AT_LEAST.search(text) or is_hedged(text) or withdraws(text):
        return None
    return sums.pop()
