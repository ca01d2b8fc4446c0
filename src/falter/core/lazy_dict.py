"""A dictionary that works out what is looked up in it for the first time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LazyDict(dict[Key, Value]):
    """Each value is what ``find`` gives for its key, worked out once.

    >>> squares = LazyDict(lambda number: number * number)
    >>> squares[3], dict(squares)
    (9, {3: 9})
    """

    __slots__ = ("_find",)

    def __init__(self, find: Callable[[Key], Value]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: Key) -> Value:
        self[key] = value = self._find(key)
        return value
