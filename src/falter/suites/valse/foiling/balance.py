"""Balance of the words in which captions and foils differ: both then have each word equally often.

Captions lend each other their words, two by two. Or pairs of p by q are as many as those of q by p, and of no two more
than a share of all; rings close what is left: p becomes q, q becomes r and r becomes p, so that each word is given up
and taken equally often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from falter.generation.inspection.foil_pairs import jensen_shannon

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


Swap = tuple[str, str]


def find_ring(swaps: Collection[Swap]) -> list[Swap]:
    """A shortest ring, the first in the order of its words; empty where there is none.

    >>> find_ring([("on", "behind"), ("behind", "next to"), ("next to", "on"), ("up", "down")])
    [('behind', 'next to'), ('next to', 'on'), ('on', 'behind')]
    """
    following: dict[str, list[str]] = defaultdict(list)
    for word, other in sorted(swaps):
        following[word].append(other)
    rings = (_ring_from(start, following) for start in sorted(following))
    return min((ring for ring in rings if ring), key=len, default=[])


def _ring_from(start: str, following: dict[str, list[str]]) -> list[Swap]:
    """A shortest way from a word back to itself."""
    ways: dict[str, list[Swap]] = {start: []}
    waiting = [start]
    for word in waiting:
        for other in following.get(word, ()):
            if other == start:
                return [*ways[word], (word, other)]
            if other not in ways:
                ways[other] = [*ways[word], (word, other)]
                waiting.append(other)
    return []


Pair = TypeVar("Pair")


class _Found(NamedTuple, Generic[Pair]):
    """A pair, and the text that it was made of: of a text one pair is kept."""

    pair: Pair
    owner: str


class SwapPairs(Generic[Pair]):
    """Collects pairs by what is replaced with what.

    >>> swaps = SwapPairs[str](size=4, most_share=0.5)
    >>> for p, q, name in (("on", "under", "a"), ("on", "under", "b"), ("under", "on", "c"), ("up", "down", "d")):
    ...     swaps.add(p, q, name)
    >>> sorted(swaps.balanced())
    ['a', 'c']
    """

    def __init__(self, size: int | None, most_share: float = 0.15, ahead: int = 20) -> None:
        self._size, self._share, self._ahead = size, most_share, ahead
        self._found: dict[Swap, list[_Found[Pair]]] = {}
        self._chosen: dict[Swap, list[_Found[Pair]]] | None = None
        self._added = 0

    def add(self, word: str, other: str, pair: Pair, owner: str = "") -> None:
        """Take a pair; of several with the same owner, the one whose swap is the rarest will be kept."""
        self._added += 1
        self._found.setdefault((word, other), []).append(_Found(pair, owner or f"#{self._added}"))
        self._chosen = None

    def lead(self, word: str, other: str) -> int:
        """How many pairs more there are of this swap than of the opposite one."""
        return len(self._found.get((word, other), ())) - len(self._found.get((other, word), ()))

    def wants(self, word: str, other: str) -> bool:
        """Whether another pair of a swap is of use: it has not its share yet, and is not far ahead of its opposite."""
        if self.lead(word, other) >= self._ahead:
            return False
        # Some of its pairs may be of texts that another swap needs.
        return self._size is None or len(self._found.get((word, other), ())) < 2 * self._most(self._size)

    def is_enough(self) -> bool:
        """Whether the balanced pairs are as many as are wanted."""
        return self._size is not None and self.total() >= self._size

    def total(self) -> int:
        """How many pairs are balanced."""
        return sum(map(len, self._choose().values()))

    def balanced(self) -> Iterator[Pair]:
        """The pairs that are kept."""
        for found in self._choose().values():
            yield from (one.pair for one in found)

    def surplus(self) -> Iterator[Pair]:
        """The pairs that are not kept."""
        chosen = self._choose()
        for swap, found in self._found.items():
            kept = set(map(id, chosen.get(swap, ())))
            yield from (one.pair for one in found if id(one) not in kept)

    def fill(self, most_divergence: float = 0.083) -> None:
        """Take pairs of which the opposite ones are lacking, up to the size, as long as words are distributed alike.

        Rings come first, since they leave words as often in captions as in foils; then each time the pair after which
        captions and foils differ least.
        """
        chosen = self._choose()
        used = {one.owner for found in chosen.values() for one in found}
        while self._take_ring(used):
            pass
        words = Counter(p for (p, _), found in chosen.items() for _ in found)
        foils = Counter(q for (_, q), found in chosen.items() for _ in found)
        while self._size is not None and self.total() < self._size:
            spare = self._all_spare(used)
            after = {(p, q): jensen_shannon(words + Counter([p]), foils + Counter([q])) or 0.0 for p, q in spare}
            if not after or min(after.values()) > most_divergence:
                return
            p, q = min(after, key=lambda swap: after[swap])
            self._take((p, q), spare[p, q], used)
            words[p] += 1
            foils[q] += 1

    def _take_ring(self, used: set[str]) -> bool:
        """Take one pair of each swap of a ring of different texts, if there is one that is not too many."""
        spare = self._all_spare(used)
        while self._size is not None and (ring := find_ring(spare)) and self.total() + len(ring) <= self._size:
            found: list[_Found[Pair]] = []
            for swap in ring:
                one = self._spare(swap, used | {other.owner for other in found})
                if one is None:
                    break
                found.append(one)
            if len(found) == len(ring):
                for swap, one in zip(ring, found, strict=True):
                    self._take(swap, one, used)
                return True
            del spare[ring[len(found)]]
        return False

    def _take(self, swap: Swap, one: _Found[Pair], used: set[str]) -> None:
        self._choose().setdefault(swap, []).append(one)
        used.add(one.owner)

    def _all_spare(self, used: set[str]) -> dict[Swap, _Found[Pair]]:
        """By swap the pair that could be taken next."""
        return {swap: one for swap in sorted(self._found) if (one := self._spare(swap, used)) is not None}

    def _spare(self, swap: Swap, used: set[str]) -> _Found[Pair] | None:
        """The first pair of a swap whose text is not used, where its two words have not their share yet."""
        chosen = self._choose()
        most = 2 * self._most(self.total())
        if sum(len(chosen.get(one, ())) for one in (swap, (swap[1], swap[0]))) >= most:
            return None
        return next((one for one in self._found[swap] if one.owner not in used), None)

    def _most(self, total: int) -> int:
        return max(1, int(self._share * total / 2))

    def _choose(self) -> dict[Swap, list[_Found[Pair]]]:
        if self._chosen is None:
            total = self._size
            self._chosen = self._assign(total)
            # What is left is fewer than was wanted, so that the share of all is smaller, too.
            while (now := sum(map(len, self._chosen.values()))) and (total is None or now < total):
                total = now
                self._chosen = self._assign(total)
        return self._chosen

    def _assign(self, total: int | None) -> dict[Swap, list[_Found[Pair]]]:
        """As many pairs of either direction of two words, the words with the fewest first."""
        both = sorted(
            (min(len(found), len(self._found[swap[1], swap[0]])), swap)
            for swap, found in self._found.items()
            if swap[0] < swap[1] and (swap[1], swap[0]) in self._found
        )
        needed = Counter(one.owner for _, (p, q) in both for swap in ((p, q), (q, p)) for one in self._found[swap])
        used: set[str] = set()
        chosen: dict[Swap, list[_Found[Pair]]] = {}
        for _, (p, q) in both:
            one = self._free((p, q), used, needed)
            other = self._free((q, p), used | {found.owner for found in one}, needed)
            free = (one, other)
            count = min(map(len, free))
            if total is not None:
                count = min(count, self._most(total))
            for swap, some in zip(((p, q), (q, p)), free, strict=True):
                chosen[swap] = some[:count]
                used |= {one.owner for one in some[:count]}
        return self._trim(chosen, total)

    def _free(self, swap: Swap, used: set[str], needed: Counter[str]) -> list[_Found[Pair]]:
        """The pairs of a swap whose text is not used yet, those that no other swap has use for first."""
        first: dict[str, _Found[Pair]] = {}
        for one in self._found[swap]:
            if one.owner not in used:
                first.setdefault(one.owner, one)
        return sorted(first.values(), key=lambda one: needed[one.owner])

    def _trim(self, chosen: dict[Swap, list[_Found[Pair]]], total: int | None) -> dict[Swap, list[_Found[Pair]]]:
        """Without what is more than wanted, taken from the most frequent."""
        while total is not None and sum(map(len, chosen.values())) > total:
            p, q = max(sorted(chosen), key=lambda swap: len(chosen[swap]))
            chosen[p, q].pop()
            chosen[q, p].pop()
        return chosen
