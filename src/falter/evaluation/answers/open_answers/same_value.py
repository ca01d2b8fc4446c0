"""Whether a reply gives the number, measure, time of day or date that the gold answer is."""

from __future__ import annotations

import re
from fractions import Fraction

from falter.evaluation.answers.open_answers.phrases import is_quality, same_kind, singular_forms, tokens
from falter.evaluation.answers.open_answers.quantities import (
    Measurement,
    find_clock,
    find_date,
    find_quantities,
    in_digits,
    is_unit_named,
)
from falter.evaluation.answers.open_answers.questions import FUNCTION_WORDS, OpenQuestion
from falter.evaluation.answers.open_answers.word_relations import exclude, is_a, kinds_named, names_kind


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ASKS_TIME = re.compile(r"\b(?:what|which|at what) (?:is the )?time\b(?! of)|\bwhen\b|\bclock\b|\bo'clock\b")
_BOUND = re.compile(
    r"(?:\b(?:over|under|above|below|than|least|most|up to|between|every|each|nearly|almost|about|around|not|n't|minus"
    r"|out of|of the|about|past|another|other)|[<>~≈±+]|\d[- ]?to)\s*$"
)
_AFTER_BOUND = re.compile(
    r"^\s*(?:\+|or (?:more|less|fewer|so)|plus\b|ish\b|to \d|[-–] ?\d|of (?:the )?\d|out of"
    r"|(?:\w+ )?(?:on|in|at|for|per) (?:each|every)\b"
    r"|each\b|times\b|per (?!hour|cent|second))"
)
_SAYS_AROUND = _set(
    "long tall high wide deep old away thick heavy far exactly only just total number left age cost price costs paid"
    " weighs weigh exact precisely equal equals altogether worth off year month day date time clock hour speed limit"
    " height weight length width temperature am pm oclock o'clock #"
)
"""Words that may stand beside a value without changing it."""

_BRITISH = re.compile(r"\b((?:milli|centi|kilo)?(?:met|lit))re")
_ONE_UNIT = re.compile(
    r"\ban? (?=(?:hour|minute|second|day|week|month|year|decade|century"
    r"|mile|foot|yard|meter|liter|gallon|kilo|pound|dollar)\b)"
)
_NOON = re.compile(r"\bnoon\b")
_NUMERO = re.compile(r"\bno\.\s*(?=\d)")
_SCORE = re.compile(r"(?<![\d-])(\d+)\s*(?:[-–:]|to)\s*(\d+)(?![\d-])")
_ASKS_SCORE = re.compile(r"\b(?:scores?|result|ratio)\b")
_YEARS_OLD = re.compile(r"\bhow old\b|\bage\b")
_PERCENT = re.compile(r"\bpercent(?:age)?s?\b|%")
_PRICE = re.compile(r"\b(?:price|cost|costs|pay|paid|how much (?:is|are|does|do|did|was|were))\b")
_DEGREES = re.compile(r"\bdegrees?\b")
_ADJECTIVES = _set("visible different separate other full whole total adult such individual of")
_CONTINUES = _set(
    "in on at of that who which with there here visible present shown and but sitting standing total altogether left"
    " them"
)
_PLACES = _set("in on under behind next beside above below near between over inside outside at to front around")
_POSTURES = _set("sitting standing lying laying walking running flying swimming parked")
_PERSON = {"people": "person", "individuals": "person"}
_NOBODY = re.compile(r"\b(?:nobody|no[ -]one)\b")
_WHOLE = re.compile(r"(?<![\d.,])(\d+)\.0+(?![\d.])")


def is_same_value(asked: OpenQuestion, gold: str, claim: str) -> bool | None:
    """Whether a claim gives the value of gold; None where gold is no value or the claim may say it in words.

    Both are in lower case.
    """
    wanted, said = (_in_figures(_NOBODY.sub("no people", text)) for text in (gold.strip(" .!#"), claim))
    wanted = re.sub(r"^0(?=\d:)", "", wanted)
    wanted = "0" if asked.counted and wanted == "none" else wanted
    if (date := find_date(wanted)) is not None and date.span == (0, len(wanted)):
        other = find_date(said)
        return other is not None and other[:3] == date[:3] and _says_no_more(asked, said, other.span)
    if (clock := find_clock(wanted)) is not None and clock.span == (0, len(wanted)) and _is_time(asked, wanted):
        other_clock = find_clock(said)
        if other_clock is None:
            return False
        same = other_clock.minutes == clock.minutes and (clock.half is None or clock.half == other_clock.half)
        return same and _says_no_more(asked, said, other_clock.span)
    if (score := _SCORE.fullmatch(wanted)) is not None and _ASKS_SCORE.search(asked.text):
        scores = list(_SCORE.finditer(said))
        return (
            len(scores) == 1 and scores[0].groups() == score.groups() and _says_no_more(asked, said, scores[0].span())
        )
    quantities = find_quantities(wanted)
    if len(quantities) != 1:
        return None
    quantity = quantities[0]
    before, after = wanted[: quantity.span[0]].strip(), wanted[quantity.span[1] :].strip(" .")
    if before:
        return None
    measured = bool(asked.counted) and bool(find_quantities(f"1 {asked.counted[-1]}")[0].dimension)
    if asked.counted and not measured and not quantity.dimension and (not after or _is_counted(asked, tokens(after))):
        return _is_count(asked, quantity.value, said)
    if after and not set(tokens(after)) <= _SAYS_AROUND:
        return None
    measures = _is_measure(asked, quantity, said)
    return measures or (measured and not quantity.dimension and _is_count(asked, quantity.value, said))


def _in_figures(text: str) -> str:
    """A text with its numbers as digits, in American spelling: "an hour" as "1 hour", "noon" as "12:00 pm"."""
    text = _BRITISH.sub(r"\1er", text).replace("\u2044", "/").replace("midnight", "12:00 am")
    text = _NUMERO.sub("number ", _NOON.sub("12:00 pm", text))
    return _ONE_UNIT.sub("1 ", in_digits(text))


def _is_time(asked: OpenQuestion, wanted: str) -> bool:
    """Whether gold is a time of day: "10.30" is one only where the question asks for it."""
    return re.fullmatch(r"\d+[. ]\d+", wanted) is None or _ASKS_TIME.search(asked.text) is not None


def _says_no_more(asked: OpenQuestion, said: str, span: tuple[int, int]) -> bool:
    """Whether a text says nothing but what stands at a span, and words of the question."""
    before, after = said[: span[0]], said[span[1] :]
    if _BOUND.search(before) or _AFTER_BOUND.match(after):
        return False
    # "Of", "per" and what is measured may follow: "500 ml of water".
    rest = [word for word in (*tokens(before), *tokens(after)) if word not in ",:()"]
    return all(word.removesuffix("'s") in asked.known or word in _SAYS_AROUND for word in rest)


def _is_measure(asked: OpenQuestion, gold: Measurement, said: str) -> bool:
    """Whether a text gives a measure: the value of gold, in the same or another unit of its dimension."""
    found = find_quantities(said)
    if not found and not gold.dimension and (clock := find_clock(said)) is not None and _ASKS_TIME.search(asked.text):
        # "10:00" or "10 o'clock" where gold is "10".
        return clock.minutes == gold.value % 12 * 60 and _says_no_more(asked, said, clock.span)
    if not found or len({one[:3] for one in found}) != 1:
        return False
    same = _has_value(asked, gold, found[0])
    blank = said
    for one in found[1:]:
        blank = blank[: one.span[0]] + " " * (one.span[1] - one.span[0]) + blank[one.span[1] :]
    return same and _says_no_more(asked, blank, found[0].span)


def _has_value(asked: OpenQuestion, gold: Measurement, said: Measurement) -> bool:
    if gold.dimension == said.dimension:
        return gold.value == said.value
    pair = {gold.dimension, said.dimension}
    if "" not in pair:
        return False
    (dimension,) = pair - {""}
    if dimension == "percent" and (gold.value == said.value) and gold.value != 0:
        return True
    bare = gold if not gold.dimension else said
    if dimension == "long time" and _YEARS_OLD.search(asked.text):
        measure = said if bare is gold else gold
        return measure.value == bare.value * 12
    named = is_unit_named(dimension, frozenset(asked.words)) or (
        (dimension == "percent" and _PERCENT.search(asked.text) is not None)
        or (dimension == "degrees" and _DEGREES.search(asked.text) is not None)
    )
    if named:
        # "How many minutes" is answered by "30" as by "30 minutes" or "half an hour".
        return _in_named_unit(asked, dimension, bare, said if bare is gold else gold)
    return (
        bare is gold
        and dimension in ("dollars", "euros", "pounds sterling", "yen", "rupees", "speed")
        and (gold.number == said.number and (_PRICE.search(asked.text) is not None or "speed" in asked.words))
    )


def _in_named_unit(asked: OpenQuestion, dimension: str, bare: Measurement, measure: Measurement) -> bool:
    """Whether a bare number, in the unit that the question names, is a measure."""
    if dimension == "percent":
        return bare.value == measure.value * 100
    units = [word for word in asked.words if is_unit_named(dimension, frozenset((word,)))]
    scaled = find_quantities(f"{float(bare.value):.6f} {units[0]}") if units else ()
    exact = Fraction(scaled[0].value).limit_denominator(10**9) if scaled else bare.value
    return exact == measure.value


def _is_counted(asked: OpenQuestion, words: tuple[str, ...]) -> bool:
    """Whether words name what the question counts: "dogs", "brown dogs"."""
    words = tuple(word for word in words if word not in ("the", "them", "of"))
    if not words:
        return True
    return _is_noun(asked, words[-1]) and all(_describes(asked, word) for word in words[:-1])


def _is_noun(asked: OpenQuestion, word: str) -> bool:
    noun = asked.counted[-1:]
    return (
        bool(singular_forms((word,)) & singular_forms(noun))
        or same_kind((word,), noun)
        or ({word, *noun} <= {"person", "persons", "people", "individuals", "individual"})
    )


def _describes(asked: OpenQuestion, word: str) -> bool:
    return word in _ADJECTIVES or word in asked.known or is_quality(word)


def _is_count(asked: OpenQuestion, gold: Fraction, said: str) -> bool:
    """Whether the number that a text gives of what the question counts is the gold one."""
    words = tokens(_WHOLE.sub(r"\1", said))
    if "or" in words or "nor" in words or re.search(r"\d\s*[-–]\s*\d", said):
        return False
    denies = any(word.endswith("n't") or word == "not" for word in words)
    named: list[Fraction] = []
    bare: list[tuple[int, Fraction]] = []
    others = False
    for at in range(len(words)):
        value = _number(words, at, denies=denies)
        if value is None:
            continue
        noun, following = _noun_after(asked, words, at + 1)
        if (noun == "counted" or not (named or bare)) and _is_bounded(words, at):
            return False
        if noun == "counted":
            if _AFTER_BOUND.match(" ".join(words[following:])) or not _is_said_of(asked, words, following):
                return False
            named.append(value)
        elif noun == "special" and not ({"and", ","} & set(words) or named or bare):
            named.append(value)
        elif noun == "none":
            bare.append((at, value))
        else:
            others = True
    # "3 people, 2 in the boat" leaves open which are asked for.
    again = any(
        set(words[at + 1 : at + 5]) & _PLACES and set(words[at + 1 : at + 5]) & set(asked.order) for at, _ in bare
    )
    if (denies and any(named)) or (named and again) or (len(named) > 1 and "and" in words):
        return False
    return set(named) == {gold} if named else not others and _is_first(asked, gold, words, bare)


def _is_bounded(words: tuple[str, ...], at: int) -> bool:
    """Whether a number is only a bound, or one of more: "more than 2", "2 of the 5"."""
    return bool(_BOUND.search(" ".join(words[:at])) or _AFTER_BOUND.match(" ".join(words[at + 1 :])))


def _is_first(asked: OpenQuestion, gold: Fraction, words: tuple[str, ...], bare: list[tuple[int, Fraction]]) -> bool:
    """Whether the first number without a noun is gold, and comes first: "two, one on each side"."""
    if not bare:
        return False
    first, value = bare[0]
    later = [at for at, _ in bare[1:]]
    if later and "," not in words[first : later[0]]:
        return False
    around = words[:first]
    if words[first + 1 : first + 2] == ("of",):
        # "One of them is black" does not say how many there are.
        around += tuple(word for word in words[first + 2 :] if word != "them")
    return value == gold and all(word in asked.known or word in _SAYS_AROUND or word == "," for word in around)


def _number(words: tuple[str, ...], at: int, *, denies: bool) -> Fraction | None:
    word = words[at]
    if word.isdecimal():
        return Fraction(word)
    if word in ("no", "none", "zero") or (denies and word == "any"):
        return Fraction(0)
    return None


def _noun_after(asked: OpenQuestion, words: tuple[str, ...], at: int) -> tuple[str, int]:
    """Whether what stands after a number is what is counted, another thing, or no noun; and where it ends."""
    start = at
    while at < len(words) and (words[at] in _ADJECTIVES or words[at] in asked.counted[:-1] or is_quality(words[at])):
        at += 1
    if at >= len(words) or words[at] == ",":
        return "none", at
    ends = at + 1
    if any(exclude(word, own) for word in words[start:at] for own in asked.counted[:-1]):
        # "4 blue balloons" where the red ones are counted.
        return "other", ends
    named = [own for own in asked.counted[:-1] if not is_quality(own)]
    if named and _is_noun(asked, words[at]) and not set(named) <= set(words[start:at]):
        # "Two signs" where stop signs are counted.
        return "other", ends
    if _is_noun(asked, words[at]) and (ends >= len(words) or not _goes_on(asked, words[ends])):
        return "counted", ends
    word = words[at]
    if word in FUNCTION_WORDS or word in _CONTINUES or word in ("(", ")", ":", "and", "but"):
        return "none", at
    if word in asked.known and not names_kind(word):
        return "none", at
    counted = kinds_named(" ".join(asked.counted[-1:])) or kinds_named(_PERSON.get(asked.counted[-1], ""))
    special = any(is_a(kind, other) for kind in kinds_named(word) for other in counted)
    return ("special" if special and (ends >= len(words) or not _goes_on(asked, words[ends])) else "other"), ends


def _goes_on(asked: OpenQuestion, word: str) -> bool:
    """Whether a word goes on with a noun: "two dog houses"."""
    return not (
        word in FUNCTION_WORDS
        or word in _CONTINUES
        or word in asked.known
        or not word[0].isalnum()
        or word.endswith(("ing", "ed"))
        or word in ("but", "while", "near", "next", "behind", "under", "above", "inside", "outside")
    )


def _is_said_of(asked: OpenQuestion, words: tuple[str, ...], start: int) -> bool:
    """Whether what follows the things counted says nothing else of them than the question: "3 are missing"."""
    own = {word for word in asked.order if not _is_noun(asked, word)}
    placed = bool(own & _PLACES)
    for word in words[start:]:
        if word in (",", ":", "and", "but", "(", "that", "which", "who", "with"):
            return True
        if word in _PLACES and not placed:
            return True
        if word not in asked.known and word not in _CONTINUES and (own or word in _PLACES):
            return False
        if own and word in _POSTURES and word not in asked.words and _POSTURES & set(asked.words):
            return False
    return True
