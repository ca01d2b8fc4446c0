"""Converts numbers to words and back."""

from __future__ import annotations

__all__ = ["number_to_word", "word_to_number"]

_SMALL = tuple(
    word
    for line in (
        "zero one two three four five six seven eight nine ten",
        "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    )
    for word in line.split()
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def number_to_word(number: int) -> str:
    """A number in words, up to 99; beyond, in digits.

    >>> [number_to_word(number) for number in (0, 12, 20, 42, 120)]
    ['zero', 'twelve', 'twenty', 'forty-two', '120']
    """
    if not 0 <= number < 100:
        return str(number)
    if number < 20:
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] if ones == 0 else f"{_TENS[tens]}-{_SMALL[ones]}"


_NUMBERS = {number_to_word(number): number for number in range(100)}


def word_to_number(word: str) -> int | None:
    """The number of a word or of digits, or None."""
    word = word.lower()
    if word.isascii() and word.isdigit():
        return int(word)
    return _NUMBERS.get(word)
