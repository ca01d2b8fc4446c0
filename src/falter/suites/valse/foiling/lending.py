"""Captions that lend each other the words in which foils differ: captions and foils then have each equally often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Generic, TypeVar

__all__ = ["lend"]

T = TypeVar("T")
_LOOKED_AT = 4000
"""Captions that are looked at for one that can lend; in large sources one is found soon, or never."""


class _Waiting(Generic[T]):
    """Captions with one word, in order, also by what they are about."""

    def __init__(self) -> None:
        self.all: dict[int, T] = {}
        self.by_topic: dict[str, dict[int, T]] = defaultdict(dict)

    def add(self, number: int, topic: str, one: T) -> None:
        self.all[number] = one
        self.by_topic[topic][number] = one

    def remove(self, number: int, topic: str) -> None:
        del self.all[number]
        del self.by_topic[topic][number]


def lend(
    captions: Iterable[T],
    word: Callable[[T], str],
    topic: Callable[[T], str],
    may_lend: Callable[[T, T], bool],
    most: int | None = None,
    same_topic_only: bool = False,
) -> Iterator[tuple[T, T]]:
    """Captions with those whose word their foils have, two by two; if possible two about the same topic.

    The rarest word so far comes next, so that words are as even as the captions allow; ``most`` caps the captions with
    a word.
    """
    waiting: dict[str, _Waiting[T]] = defaultdict(_Waiting)
    for number, one in enumerate(captions):
        waiting[word(one)].add(number, topic(one), one)
    made: Counter[str] = Counter()

    def is_open(name: str) -> bool:
        return bool(waiting[name].all) and (most is None or made[name] < most)

    # Numbers are ordered as numbers.
    while names := sorted(filter(is_open, list(waiting)), key=lambda name: (made[name], len(name), name)):
        number, one = next(iter(waiting[names[0]].all.items()))
        about = topic(one)
        waiting[names[0]].remove(number, about)
        found = None
        for same in (True,) if same_topic_only else (True, False):
            groups = (
                (name, waiting[name].by_topic.get(about, {}) if same else waiting[name].all) for name in names[1:]
            )
            others = ((name, key, other) for name, group in groups for key, other in group.items())
            fitting = ((name, key) for name, key, other in islice(others, _LOOKED_AT) if may_lend(one, other))
            found = found or next(fitting, None)
        if found is None:
            continue
        name, key = found
        other = waiting[name].all[key]
        waiting[name].remove(key, topic(other))
        made.update((names[0], name))
        yield one, other
        yield other, one
