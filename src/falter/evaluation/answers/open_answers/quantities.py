"""Numbers with their units, times of day and dates in an answer, and whether two are of one value."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.core.files import read_yaml
from falter.data.word_forms import word_to_number

_DATA = Path(__file__).parent / "data" / "units.yaml"
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4}
_PARTS |= {"fifth": 5, "fifths": 5, "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10}
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_MONTHS = {name[:length]: number for number, name in enumerate(_MONTH_NAMES, 1) for length in (3, len(name))} | {
    "sept": 9
}
_BEHIND = "\"'%°¢"
"""Signs that only follow a number."""

_WORD = re.compile(r"[a-z]+")
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\.\d+|\d+"


class Measurement(NamedTuple):
    """A number in the first unit of its dimension ("" where it has no unit), as written, and where it is written."""

    value: Fraction
    number: Fraction
    dimension: str
    span: tuple[int, int]


class Clock(NamedTuple):
    """A time of day: minutes since midnight or noon, and which of both, where that is said."""

    minutes: int
    half: str | None
    span: tuple[int, int]


class Date(NamedTuple):
    """A day of a month, or a month, with the year where that is said."""

    year: int | None
    month: int
    day: int | None
    span: tuple[int, int]


class _Unit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    scale: str
    names: list[str]


@cache
def _units() -> dict[str, tuple[str, Fraction]]:
    records = msgspec.convert(read_yaml(_DATA, what="YAML", hint="install Falter anew"), dict[str, list[_Unit]])
    return {
        name: (dimension, Fraction(unit.scale))
        for dimension, units in records.items()
        for unit in units
        for name in unit.names
    }


@cache
def _pattern() -> re.Pattern[str]:
    names = sorted(_units(), key=len, reverse=True)
    ends = {"in": r"(?=\.?$|[.,;)]| (?:tall|long|wide|high|deep|thick)\b)"}  # "2 in the photo" are no inches.
    unit = "|".join(
        rf"{re.escape(name)}{ends.get(name, '(?![a-z0-9])') if name[-1].isalnum() else ''}" for name in names
    )
    signs = "|".join(re.escape(name) for name in names if not name.isalnum() and len(name) == 1 and name not in _BEHIND)
    return re.compile(
        rf"(?P<minus>(?<![\w)])[-−](?=[\d.$€£¥₹])|\bminus )?(?P<before>(?:us)?(?:{signs})|\b(?:usd|eur|gbp|rs\.?) )? ?"
        rf"(?<![\d.,:/])(?<!\d-)(?:(?P<whole>\d+) (?:and )?(?=\d/\d))?(?P<number>{_NUMBER})(?P<part> ?/ ?\d+)?"
        r"(?![\d:/]|[.,]\d|-\d|(?:st|nd|rd|th)\b|['’]s\b)"
        rf"(?:\s*-?\s*(?P<unit>{unit}))?\.?"
    )


@lru_cache(maxsize=1 << 14)
def in_digits(text: str) -> str:
    """A text in lower case with its spelled numbers, fractions and dozens as digits.

    >>> in_digits("one hundred and twenty dogs"), in_digits("half a liter"), in_digits("a dozen eggs")
    ('120 dogs', '1/2 liter', '12 eggs')
    """
    found = list(_WORD.finditer(text))
    words = [match[0] for match in found]
    if not any(word in _SCALES or word in _PARTS or _small(word) is not None or word in _OTHERS for word in words):
        return text
    pieces: list[str] = []
    end = position = 0
    while position < len(words):
        taken, written = _read_number(text, found, words, position)
        if taken:
            pieces += [text[end : found[position].start()], written]
            end = found[position + taken - 1].end()
            position += taken
        else:
            position += 1
    return "".join([*pieces, text[end:]])


_OTHERS = frozenset(("dozen", "single", "pair"))


@cache
def _small(word: str) -> int | None:
    return None if word.isdigit() else word_to_number(word)


def _joined(text: str, found: list[re.Match[str]], first: int) -> bool:
    """Whether only a space or a hyphen parts a word and the next."""
    return first + 1 < len(found) and text[found[first].end() : found[first + 1].start()] in (" ", "-")


def _read_number(text: str, found: list[re.Match[str]], words: list[str], start: int) -> tuple[int, str]:
    """How many words from here make a number, and how it is written in digits."""
    run = 1
    while _joined(text, found, start + run - 1):
        run += 1
    following = words[start : start + run]
    for begin, parts in (
        (("half", "a", "dozen"), "6"),
        (("a", "dozen"), "12"),
        (("one", "dozen"), "12"),
        (("dozen",), "12"),
        (("a", "pair", "of"), "2"),
        (("pair", "of"), "2"),
        (("a", "single", "one"), "1"),
        (("a", "single"), "1"),
        (("single",), "1"),
    ):
        if tuple(following[: len(begin)]) == begin:
            return (
                (0, "") if begin == ("dozen",) and start and _small(words[start - 1]) is None else (len(begin), parts)
            )
    if following[0] in ("a", "an", "one") and following[1:2] and following[1] in _PARTS:
        of = 1 if following[2:3] == ["of"] and following[3:4] in (["a"], ["an"]) else 0
        return 2 + 2 * of, f"1/{_PARTS[following[1]]}"
    if following[0] == "half":
        return (2 if following[1:2] in (["a"], ["an"]) else 1), "1/2"
    return _read_whole(following)


def _read_whole(words: list[str]) -> tuple[int, str]:
    total = current = taken = 0
    if words[0] in ("a", "an") and words[1:2] and words[1] in _SCALES:
        current, taken = 1, 1
    last = 10**12
    for position in range(taken, len(words)):
        word = words[position]
        value = _small(word)
        if word == "and" and taken == position and last >= 100 and taken:
            following = words[position + 1 : position + 2]
            if last in (100, 1000) and following and _small(following[0]) is not None:
                continue
            break
        if value is not None and value < last and (last > 99 or (last in range(20, 100, 10) and value < 10)):
            current, last = current + value, value if value >= 20 and value % 10 == 0 else min(value, 9)
        elif word in _SCALES and (current or position):
            scale = _SCALES[word]
            if scale == 100:
                current *= 100
            else:
                total, current = total + current * scale, 0
            last = scale
        elif word == "dozen" and current:
            return position + 1, str(current * 12)
        elif word in _PARTS and current and word != "quarter":
            return position + 1, f"{current}/{_PARTS[word]}"
        else:
            break
        taken = position + 1
    return (taken, str(total + current)) if taken else (0, "")


@lru_cache(maxsize=1 << 14)
def find_quantities(text: str) -> tuple[Measurement, ...]:
    """The numbers in a text (lower case, numbers as digits), with their units; "5 feet 4 inches" is one.

    >>> [(str(one.value), one.dimension) for one in find_quantities("500 cm or $1,000")]
    [('5', 'length'), ('1000', 'dollars')]
    """
    units = _units()
    quantities: list[Measurement] = []
    for match in _pattern().finditer(text):
        number = Fraction(match["number"].replace(",", ""))
        if match["part"] is not None:
            below = int(match["part"].strip(" /"))
            if not below:
                continue
            number /= below
        number += int(match["whole"] or 0)
        if match["minus"] is not None:
            number = -number
        name = match["unit"] or (match["before"] or "").strip(" .") or ""
        dimension, scale = units.get(name, ("", Fraction(1)))
        start, end = match.start() + len(match[0]) - len(match[0].lstrip()), match.end()
        last = quantities[-1] if quantities else None
        gap = text[last.span[1] : start].strip(" ,") if last is not None else "-"
        smaller = dimension or ("length" if last is not None and last.dimension == "length" else "")
        if (
            last is not None
            and gap in ("", "and")
            and last.dimension != ""
            and (last.dimension == smaller or number < 1)
            and last.number not in (0, last.value)  # 0 where two were joined already
        ):
            rest = number * (scale if dimension else Fraction(254, 10000))
            if gap == "and" and not dimension and number < 1:
                rest = number * (last.value / last.number)
            if rest < abs(last.value / last.number):
                quantities[-1] = Measurement(last.value + rest, Fraction(0), last.dimension, (last.span[0], end))
                continue
        quantities.append(Measurement(number * scale, number, dimension, (start, end)))
    return tuple(quantities)


def is_unit_named(dimension: str, words: frozenset[str]) -> bool:
    """Whether one of some words is a unit of a dimension."""
    return any(name in words and len(name) > 1 for name, (other, _) in _units().items() if other == dimension)


_HALF = r"(?:\s*(?P<half>[ap])\.?\s?m\b\.?)"
_TIMES = (
    re.compile(rf"\b(?P<hour>[01]?\d|2[0-4])[:.h](?P<minute>[0-5]\d)(?::[0-5]\d)?(?!\d){_HALF}?(?: o'clock)?"),
    re.compile(rf"\b(?P<hour>\d\d?)(?:{_HALF}| o'?clock(?:{_HALF.replace('half', 'half2')})?)"),
    re.compile(rf"\b(?P<hour>\d\d?) (?P<minute>[0-5]\d)\b(?!\s*/){_HALF}?"),
)
_RELATIVE = re.compile(
    rf"\b(?P<part>(?:an? )?(?:half|quarter)|1/[24]|\d\d?(?: minutes?)?) (?P<side>past|to|after|till|before)"
    rf" (?P<hour>\d\d?)(?: o'?clock)?(?!:){_HALF}?"
)


@lru_cache(maxsize=1 << 12)
def find_clock(text: str) -> Clock | None:
    """The time of day in a text (lower case, numbers as digits).

    >>> find_clock("it is 10:30 am")[:2], find_clock("1/2 past 10")[:2], find_clock("21:00")[:2]
    ((630, 'a'), (630, None), (540, 'p'))
    """
    if match := _RELATIVE.search(text):
        part = match["part"]
        minutes = 30 if "half" in part or part == "1/2" else 15 if "quarter" in part or part == "1/4" else None
        minutes = int(part.split()[0]) if minutes is None else minutes
        if match["side"] in ("to", "till", "before"):
            minutes = -minutes
        return Clock((int(match["hour"]) % 12 * 60 + minutes) % 720, match["half"], match.span())
    for pattern in _TIMES:
        if match := pattern.search(text):
            parts = match.groupdict()
            hour, minute = int(parts["hour"]), int(parts.get("minute") or 0)
            half = parts["half"] or parts.get("half2")
            if hour > 24 or (hour > 12 and half):
                return None
            if half is None and (hour > 12 or parts["hour"].startswith("0")):
                half = "p" if 12 < hour < 24 else "a"
            return Clock(hour % 12 * 60 + minute, half, match.span())
    return None


_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"(?P<day>\d\d?)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12]\d{3})"
_DATES = (
    re.compile(rf"\b{_YEAR}-(?P<number>\d\d)-{_DAY}\b"),
    re.compile(r"\b(?P<number>0?[1-9]|1[0-2])/(?P<day>1[3-9]|2\d|3[01])/(?P<year>[12]\d{3})\b"),
    re.compile(r"\b(?P<day>1[3-9]|2\d|3[01])/(?P<number>0?[1-9]|1[0-2])/(?P<year>[12]\d{3})\b"),
    re.compile(rf"\b(?P<month>{_MONTH})\b\.?(?: the)? {_DAY}\b(?:,? (?:of )?{_YEAR}\b)?"),
    re.compile(rf"\b(?:the )?{_DAY}(?: of)? (?P<month>{_MONTH})\b\.?(?:,? (?:of )?{_YEAR}\b)?"),
    re.compile(rf"\b(?P<month>{_MONTH})\b\.?,? (?:of )?{_YEAR}\b"),
)


@lru_cache(maxsize=1 << 12)
def find_date(text: str) -> Date | None:
    """The date in a text (lower case).

    >>> find_date("the 4th of july, 2010")[:3], find_date("2010-07-04")[:3], find_date("may 16")[:3]
    ((2010, 7, 4), (2010, 7, 4), (None, 5, 16))
    """
    for pattern in _DATES:
        if match := pattern.search(text):
            parts = match.groupdict()
            month = int(parts["number"]) if parts.get("number") else _MONTHS[parts["month"]]
            year, day = (int(parts[name]) if parts.get(name) else None for name in ("year", "day"))
            return Date(year, month, day, match.span())
    return None
