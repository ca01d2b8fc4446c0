"""The choices of an item, prepared once: which of them a text is, which it names, and which its mark stands for.

A mark is a letter, a number or an ordinal: ``(B)``, ``Option 2``, ``the first``, ``2. a cat``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from falter.data.items import YES_NO
from falter.data.normalize import normalize
from falter.evaluation.answers.lexicon import NEGATIONS

EDGES = " \t\r\n.,;:!?\"'()[]{}<>|-–—…*"

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[.,;:!?\n/|…—–]")
_NUMBER = re.compile(r"\d")
_MARK_FIRST = re.compile(r"\s*[(\[]?\w(?:\s*[)\]]|[.:]\s)\s*\S")
_MARGIN = 24
"""So much longer than a choice its spelling may be: articles, number words, punctuation."""
_LABEL = re.compile(r"(?<![\w'])[A-Z](?![\w'])|(?<!.)[a-z](?!.)")
"""A letter in a choice that may tell it from the others: ``Point A``."""
_THINGS = "image picture photo figure caption sentence statement answer description candidate item panel"
_LABELLED = "point box option choice letter circle region dot area marker object label labeled labelled marked"
_AFTER_LABEL = (
    r"(?=\s*(?:$|[.,;:!?/\n)\]\"]|(?:is|are|was|and|or|has|have|does|as|on|in|at|to|with|more|most|better|best"
    r"|accurately|appears|seems|looks|would|which|that|because|since|matches|fits|corresponds|closely|does)\b))"
)
_LETTERS = re.compile(
    r"[(\[\"]\s*(?P<marked>[a-z])\s*[)\]\"]"
    rf"|\b(?:{_THINGS.replace(' ', '|')})s?\s+(?P<thing>[a-z])\b{_AFTER_LABEL}"
    rf"|\b(?:{_LABELLED.replace(' ', '|')})s?(?:\s*[:#]\s*|\s+|(?=[\"'(]))[\"'(]?(?P<labelled>[a-z])(?![\w'])"
    r"|(?<![\w'.$\\-])(?P<bare>[b-hj-z])(?![\w'-])"
    rf"|(?<![\w'.$\\-])(?P<article>[ai]){_AFTER_LABEL}(?! more| most| better| best)"
)
"""Letters that name choices. "a" and "i" are also words, so they count only where no such word could stand."""
_ORDINAL = re.compile(r"\b(?:first|second|third|fourth|fifth|sixth|last)\b")
_CLAUSE_START = re.compile(r"[.,;:!?\n]|\b(?:and|but|so)\b")
_DENIALS = frozenset(("isn't", "aren't", "doesn't", "don't", "wasn't"))
_VERBS = frozenset(("is", "are", "does", "do", "was"))
_DENIED_AFTER = re.compile(
    r"[\"')\]]*\s*(?:(?:is|are|was|does|do|did|would|can|could)(?:n't| not)|cannot|can't|(?:is|are|was) (?:\w+ )?"
    r"(?:incorrect|wrong|less|false|untrue|(?:ruled|left) out|eliminated|contradicted)\b)"
)
_MADE_OF = {"wood": "wooden", "metal": "metallic", "wool": "woolen"}
"""What is said of things made of a material, where it is no other choice."""
_DENIAL_REACH = 48
"""How many characters before a letter a negation of its clause may begin. Chosen by hand, not measured."""
_LISTING = re.compile(
    r"(?:both\s+|either\s+)?\(?\b(?:[a-z]|\d)\b\)?(?:\s*(?:,\s*(?:and|or)\b|,|/|&|and|or|\.)\s*(?:both\s+)?\(?\b(?:[a-z]|\d)\b\)?)+\.?"
)


class Choices(NamedTuple):
    """The choices of an item, prepared once."""

    given: tuple[str, ...]
    by_form: dict[str, str | None]
    phrases: tuple[tuple[tuple[str, ...], str], ...]
    polar: dict[str, str]
    letters: dict[str, str]
    """The choices that letters stand for: by the letters in them (``Point A``), else by position."""
    labelled: bool
    """Letters are part of the choices: a letter in a text names one."""
    numbered: bool
    """Numbers may stand for the choices: none of them holds a number."""
    ordinals: dict[str, str]
    """The choices that ordinals in them stand for: the second of "the second image" and "the third image"."""
    counts: bool
    """All choices are numbers."""
    positions: bool
    """The choices are 1, 2 and so on: numbers of captions rather than amounts."""
    ascii: bool
    longest: int
    """How long a text may be that is one of them."""


@lru_cache(maxsize=1 << 12)
def prepare(given: tuple[str, ...]) -> Choices:
    """Prepare choices."""
    labels = _labels(given)
    plain = [choice for choice in given if choice not in labels.values()]
    by_form: dict[str, str | None] = {}
    # Without its article "Point A" would be any point.
    forms = [(normalize(choice), choice) for choice in given if choice in plain or len(normalize(choice)) == 1]
    adjectives = [(_MADE_OF[form], choice) for form, choice in forms if form in _MADE_OF]
    forms += adjectives
    for form, choice in [*((choice.casefold(), choice) for choice in given), *forms]:
        # Two choices of one form (they differ in case or an article) are told apart only by their exact spelling.
        by_form[form] = choice if by_form.get(form, choice) == choice else None
    polar = {form: choice for choice in given if (form := normalize(choice)) in YES_NO}
    named = [*((choice, choice) for choice in plain), *adjectives]
    phrases = [(tuple(words_of(form.lower())[0]), choice) for form, choice in named]
    phrases = [(words, choice) for words, choice in phrases if words]
    several = 2 <= len(given) <= 26
    positions = {chr(ord("a") + index): choice for index, choice in enumerate(given)} if several else {}
    if not labels and any(len(choice.strip()) == 1 and not choice.strip().isdigit() for choice in given):
        positions = {}
    return Choices(
        given=given,
        by_form=by_form,
        phrases=tuple(sorted(phrases, key=lambda phrase: -len(phrase[0]))),
        polar=polar if len(polar) == 2 else {},
        letters=labels if len(labels) == len(given) else positions | labels,
        labelled=bool(labels),
        numbered=several and not any(_NUMBER.search(normalize(choice)) for choice in given),
        ordinals={match[0]: choice for choice in given for match in [_ORDINAL.search(choice.lower())] if match},
        counts=all(normalize(choice).isdigit() for choice in given),
        positions=given == tuple(str(number) for number in range(1, len(given) + 1)),
        ascii=all(choice.isascii() for choice in given),
        longest=max(map(len, given)) * 2 + _MARGIN,
    )


def _labels(given: tuple[str, ...]) -> dict[str, str]:
    """The letters by which choices are told apart that are the same but for a letter."""
    parts = [(choice, match) for choice in given for match in [_LABEL.search(choice)] if match is not None]
    frames = [choice[: match.start()] + choice[match.end() :] for choice, match in parts]
    return {
        match[0].lower(): choice
        for (choice, match), frame in zip(parts, frames, strict=True)
        if frames.count(frame) > 1
    }


def exactly(text: str, choices: Choices) -> str | None:
    """The choice that a text is, but for case, punctuation, articles and number words."""
    trimmed = text.strip(EDGES)
    by_form = choices.by_form
    found = by_form.get(text.strip()) or by_form.get(trimmed)
    if found is not None or len(trimmed) > choices.longest or _MARK_FIRST.match(text):
        return found
    if choices.labelled and len(trimmed) > 1 and trimmed.startswith("a"):
        # Without its article "a/b" would be "b".
        return None
    return by_form.get(normalize(text)) or by_form.get(normalize(trimmed))


def mentioned(text: str, choices: Choices) -> list[str]:
    """The choices that a text names and does not deny; a choice inside a longer one does not count."""
    words, denied = words_of(text)
    found = _find(words, denied, choices)
    if choices.labelled:
        found += [choice for choice in _by_letter(text, choices) if choice not in found]
    if not found and any(word.endswith("s") for word in words):
        # "The second and third images" are not the third image.
        known = {phrase[0] for phrase, _ in choices.phrases if len(phrase) == 1}
        singular = [next((one for one in (word[:-1], word[:-2]) if one in known), word) for word in words]
        found = _find(
            [s if w.endswith("s") and w not in known else w for w, s in zip(words, singular, strict=True)],
            denied,
            choices,
        )
    return found


def _find(words: list[str], denied: list[bool], choices: Choices) -> list[str]:
    taken = [False] * len(words)
    found: dict[str, None] = {}
    for phrase, choice in choices.phrases:
        first, length = phrase[0], len(phrase)
        for start, word in enumerate(words):
            if word != first or (length > 1 and tuple(words[start : start + length]) != phrase):
                continue
            if not any(taken[start : start + length]):
                taken[start : start + length] = [True] * length
                after = words[start + length : start + length + 2]
                if after and (after[0] in _DENIALS or (after[0] in _VERBS and after[-1] == "not")):
                    continue
                if not denied[start] and choice not in choices.polar.values():
                    found[choice] = None
    return list(found)


def _by_letter(text: str, choices: Choices) -> dict[str, None]:
    """The choices whose letters stand in a text, and are not denied there."""
    found: dict[str, None] = {}
    for match in _LETTERS.finditer(text):
        choice = choices.letters.get(match[match.lastgroup or 0])
        if choice is not None and choice not in found and not is_denied(text, match.start(), match.end()):
            found[choice] = None
    return found


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether a negation comes before or after what stands at a position."""
    if _DENIED_AFTER.match(text, end):
        return True
    before = _CLAUSE_START.split(text[max(0, start - _DENIAL_REACH) : start])[-1]
    words = before.split()
    return any(word in NEGATIONS for word in words)


def words_of(text: str) -> tuple[list[str], list[bool]]:
    """The words of a text without articles, numbers as digits; and for each, whether a negation comes before it."""
    words: list[str] = []
    denied: list[bool] = []
    negated = False
    for token in _WORD.findall(text):
        if token in ("a", "an", "the"):
            continue
        if token in ("and", "but") or not token[0].isalnum():
            negated = False
        negated = negated or token in NEGATIONS
        if token[0].isalnum():
            words.append(normalize(token))
            denied.append(negated)
    return words, denied


def is_listing(text: str) -> bool:
    """Whether a text is several letters or numbers in a row: ``a or b``."""
    return _LISTING.fullmatch(text.strip()) is not None


_NOUN = r"(?:option|choice|answer|caption|sentence|statement|number|description|alternative|candidate|item|letter)"
_WORDS = {
    **{
        word: number
        for number, word in enumerate(
            ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], start=1
        )
    },
    **{
        word: number
        for number, word in enumerate(
            ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=1
        )
    },
    **{f"{number}{ending}": number for number, ending in ((1, "st"), (2, "nd"), (3, "rd"), (4, "th"), (5, "th"))},
    "former": 1,
}
_ORDINAL_WORDS = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|former|latter|1st|2nd|3rd|4th|5th"
)
_CARDINAL = "one|two|three|four|five|six|seven|eight|nine|ten"
_SIGN = rf"(?:[a-z]|\d{{1,2}}|{_CARDINAL})"

_ALONE = re.compile(r"#?\s*([a-z]|\d{1,2})")
_BEFORE_TEXT = re.compile(
    r"(?:[(\[]\s*([a-z]|\d{1,2})\s*[)\]]|([a-z]|\d{1,2})\s*(?:[).:,]|\s[-–—]|\n))\s*[-–—:.]?\s*(\S.*)", re.DOTALL
)
_ORDINAL_ALONE = re.compile(
    rf"(?:the\s+)?({_ORDINAL_WORDS})(?:\s+(?:one|{_NOUN}))?(?:\s+is)?(?:\s+(?:correct|right|true|best))?[.!]*"
)
_BY_NOUN = re.compile(
    rf"(?:\b{_NOUN}\b|\bno\.|#)\s*[:]?\s*(?:[(\[]\s*({_SIGN})\s*[)\]]|({_SIGN})\b(?!'\w))"
    rf"|\b({_ORDINAL_WORDS})\s+(?:one|{_NOUN})\b|(?<=is the )({_ORDINAL_WORDS})(?=[.!]*(?:\n|$))"
    r"|[(\[]([a-z])[)\]]|(?<=\bis )([a-z])(?=[.!]*(?:\n|$))"
)
_COMPARED_WITH = re.compile(r"\b(?:to|than|as|of|with|from|like|match(?:es)?) (?:the )?$")
"""What comes before the thing that an answer is compared with: "most similar to the first one"."""
_IS_RIGHT = re.compile(
    r"([a-z]|\d{1,2})\s+(?:is|seems|looks|appears|would be)\s+(?:to be )?(?:the |clearly )?"
    r"(?:correct|right|best|better|answer|true|accurate)\b(.*)",
    re.DOTALL,
)
_REASON = re.compile(r"(?:because|since|as|due|given|for|not|the|which|it|this|that)\b")
_WITH_TEXT = re.compile(r"([a-z]|\d{1,2})\s*\(([^()]+)\)[.!]*")
_AND_MORE = re.compile(rf"(?:and|or|&|/|,)\s*(?:\d|{_CARDINAL})\b")
_NEXT_MARK = re.compile(r"(?:^|\s)(?:\(([a-z]|\d)\)|([a-z]|\d)[).:])\s")


_IN_KEYWORDS = (
    *("option", "choice", "answer", "caption", "sentence", "statement", "number", "description", "alternative"),
    *("candidate", "item", "no.", "#", " one", "letter", "(", "[", " is "),
)
_AFTER_A = re.compile(r"\s+(?:is|and|or|matches|describes|fits|because|since)\b")


class Marked(NamedTuple):
    """What a mark stands for: a choice; None with what it was where it is beyond the list or contradicted."""

    choice: str | None
    beyond: str | None = None


def by_mark(core: str, choices: Choices) -> Marked | None:
    """Read a text that is a mark, or begins with one; a mark beside the text of another choice is a contradiction."""
    trimmed = core.strip(EDGES)
    if match := _ALONE.fullmatch(trimmed):
        return _stands_for(match[1], choices)
    if match := _ORDINAL_ALONE.fullmatch(trimmed):
        return _stands_for(match[1], choices)
    if match := _WITH_TEXT.fullmatch(core.strip()):
        found, named = _stands_for(match[1], choices), exactly(match[2], choices)
        return None if named is None or found is None else found if found.choice == named else Marked(None)
    if match := _IS_RIGHT.match(core):
        found = _stands_for(match[1], choices)
        return found if found is None or found.choice is None else _checked(found, match[2], choices)
    if match := _BEFORE_TEXT.match(core.lstrip("\"'")):
        sign = match[1] or match[2]
        if choices.counts and sign.isdigit():
            return None
        bare_comma = not sign.isdigit() and not match[1] and core.lstrip("\"'")[match.end(2) :].startswith(",")
        # "A, b, c" lists, "a, well" is a word; "c, because" gives an answer.
        if bare_comma and not _REASON.match(match[3]):
            return None
        found = _stands_for(sign, choices)
        return found if found is None or found.choice is None else _checked(found, match[3], choices)
    return None


def by_keyword(text: str, choices: Choices) -> Marked | None:
    """Read ``option 2``, ``the second caption``, ``(c)`` wherever it stands; two different ones are a contradiction."""
    if not any(part in text for part in _IN_KEYWORDS):
        return None
    found: dict[Marked, str] = {}
    for match in _BY_NOUN.finditer(text):
        sign = next(group for group in match.groups() if group is not None)
        after = text[match.end() :]
        if match[2] == "a" and after[:1] == " " and not _AFTER_A.match(after):
            continue
        if is_denied(text, match.start(), match.end()) or _is_compared_with(text, match):
            continue
        marked = _stands_for(sign, choices, explicit=True)
        if marked is not None and ((match[5] or match[6]) is None or marked.choice is not None):
            found[marked] = after
    if len(found) != 1:
        return Marked(None) if found else None
    ((marked, rest),) = found.items()
    return marked if marked.choice is None else _checked(marked, rest.lstrip(" .:)-–—"), choices)


def _is_compared_with(text: str, match: re.Match[str]) -> bool:
    return match[3] is not None and _COMPARED_WITH.search(text[max(0, match.start() - 16) : match.start()]) is not None


def _checked(found: Marked, rest: str, choices: Choices) -> Marked:
    """The choice of a mark, unless the text after it names another one, or lists further marks."""
    others = {_stands_for(match[1] or match[2], choices) for match in _NEXT_MARK.finditer(rest)}
    if any(other is not None and other.choice is not None and other != found for other in others):
        return Marked(None)
    first = re.split(r"[.,;:!\n]|\s[-–—]\s", rest, maxsplit=1)[0]
    named = exactly(first, choices) or exactly(rest, choices)
    if named is None:
        # "(C) About the same. Points A and B ...": letters in what follows explain.
        # In "caption 1 fits because there are 2 people" the 2 is no caption.
        names = (
            []
            if choices.labelled or (choices.positions and not _AND_MORE.match(rest))
            else mentioned(first, choices) or mentioned(rest, choices)
        )
        named = found.choice if not names or found.choice in names else names[0]
    return found if named == found.choice else Marked(None)


def _stands_for(sign: str, choices: Choices, *, explicit: bool = False) -> Marked | None:
    """The choice at a position; None where such a sign cannot stand for one.

    Where choices hold numbers, only an ``explicit`` number, such as in "option 2", is a position.
    """
    size = len(choices.given)
    if choices.ordinals and sign in _WORDS:
        # "The second one" of "the second image" and "the third image" is no position.
        named = choices.ordinals.get(sign)
        return None if named is None else Marked(named)
    if sign in ("last", "latter"):
        return Marked(choices.given[-1]) if sign == "last" or size == 2 else None
    if sign.isalpha() and len(sign) == 1:
        if not choices.letters:
            return None
        named = choices.letters.get(sign)
        return Marked(None, sign) if named is None else Marked(named)
    index = (int(sign) if sign.isdigit() else _WORDS[sign]) - 1
    if not choices.numbered and sign not in _WORDS:
        literal = exactly(sign, choices)
        at = choices.given[index] if 0 <= index < size else None
        if literal is None:
            return Marked(at) if explicit and at is not None else None
        # A number that is itself among the choices is ambiguous, unless both readings agree.
        return Marked(literal) if literal == at else Marked(None)
    if not choices.numbered and sign in _CARDINAL.split("|"):
        return None
    return Marked(choices.given[index]) if 0 <= index < size else Marked(None, sign)
