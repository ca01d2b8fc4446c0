"""Kinds: the hierarchy, which kinds can be the same object, and which are parts of which.

What names say of kinds is also kept as numbers of which each bit is a kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from falter.generation.english.ontology_records import Kind
from falter.generation.scene import Number
from falter.generation.scene.ontology_protocol import NameBits


class KindHierarchy:
    """The kind side of an ontology. What is asked of a kind is worked out once, as a set of kinds."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self._kinds = kinds
        self._ancestors: dict[str, frozenset[str]] = {}
        self._may_be: dict[str, frozenset[str]] = {}
        self._disjoint: dict[tuple[str, str], bool] = {}
        self._met: dict[str, frozenset[str]] = {}
        self._parts: dict[str, frozenset[str]] = {}
        self._any_of: dict[frozenset[str], frozenset[str]] = {}
        self._unannotated: dict[str, bool] = {}
        self._imitated_by: dict[str, frozenset[str]] = {}
        self._covered: dict[tuple[str, frozenset[str]], bool] = {}
        self._wholes: dict[str, frozenset[str]] = {}
        self._rooms: dict[str, frozenset[str]] = {}
        self._contents: dict[str, frozenset[str]] = {}

    def ancestors(self, kind: str) -> frozenset[str]:
        """A kind and all that it belongs to."""
        known = self._ancestors.get(kind)
        if known is None:
            record = self._kinds.get(kind)
            parents = () if record is None else record.parent_names
            known = self._ancestors[kind] = frozenset((kind,)).union(*(self.ancestors(parent) for parent in parents))
        return known

    @cached_property
    def descendants(self) -> dict[str, tuple[str, ...]]:
        """For every kind, the kinds below it (itself left out), in file order."""
        below: dict[str, list[str]] = {kind: [] for kind in self._kinds}
        for kind in self._kinds:
            for ancestor in self.ancestors(kind):
                if ancestor != kind:
                    below[ancestor].append(kind)
        return {kind: tuple(kinds) for kind, kinds in below.items()}

    def possible_kinds(self, kind: str) -> frozenset[str]:
        """The kinds that a thing of this kind is or may be; of all others it is none.

        It may be of a kind below, of any that shares members with it, and of those that its own or their wider kinds
        are said to overlap with. Whoever plays a role (a player) may be any sort of what plays it (a man). What some
        people count among a vague kind may be of it, but not of what is below it. An imitation (a toy) may be what it
        imitates; what is called a car is no toy.
        """
        known = self._may_be.get(kind)
        if known is None:
            above = self.ancestors(kind)
            meeting = [other for name in above for other in self._meeting[name]]
            known = self._may_be[kind] = above.union(
                *(self.ancestors(below) for below in self.descendants[kind]),
                meeting,
                *(self.descendants[other] for other in meeting),
                *((other, *self.descendants[other]) for other in self._kinds[kind].imitates),
                *(self.ancestors(name) for name, disputed in self._disputed.items() if kind in disputed),
                *(self._disputed[name] for name in (kind, *self.descendants[kind]) if name in self._disputed),
            )
        return known

    def are_disjoint(self, first: str, second: str) -> bool:
        """Whether no object is of both kinds."""
        known = self._disjoint.get((first, second))
        if known is None:
            known = self._disjoint[first, second] = second not in self.possible_kinds(
                first
            ) and first not in self.possible_kinds(second)
        return known

    def kinds_meeting(self, kind: str) -> frozenset[str]:
        """The kinds that one object may be together with this one: all that are not disjoint."""
        known = self._met.get(kind)
        if known is None:
            known = self._met[kind] = self.possible_kinds(kind).union(self._possibly[kind])
        return known

    @cached_property
    def _possibly(self) -> dict[str, list[str]]:
        """For every kind, the kinds whose things may be of it."""
        found: dict[str, list[str]] = {kind: [] for kind in self._kinds}
        for name in self._kinds:
            for other in self.possible_kinds(name):
                found[other].append(name)
        return found

    @cached_property
    def _disputed(self) -> dict[str, frozenset[str]]:
        """For each vague kind, the kinds that some people count among it, with all above and below them."""
        return {
            name: frozenset().union(*(self.ancestors(one).union(self.descendants[one]) for one in record.disputed))
            for name, record in self._kinds.items()
            if record.disputed
        }

    @cached_property
    def _meeting(self) -> dict[str, list[str]]:
        """For every kind, the kinds it overlaps with, declared on either side."""
        found: dict[str, list[str]] = {kind: [] for kind in self._kinds}
        for name, record in self._kinds.items():
            for other in (*record.overlaps, *(record.parent_names if record.role else ())):
                found[name].append(other)
                found[other].append(name)
        return found

    def is_often_unannotated(self, kind: str) -> bool:
        """Whether a kind is often in an image without being annotated, by itself or by what it belongs to."""
        known = self._unannotated.get(kind)
        if known is None:
            record = self._kinds[kind]
            own = record.often_unannotated
            known = self._unannotated[kind] = (
                any(self.is_often_unannotated(parent) for parent in record.parent_names) if own is None else own
            )
        return known

    def is_covered(self, kind: str, categories: frozenset[str]) -> bool:
        """Whether every thing of a kind is of one of the categories: by what it is, or by all that is below it."""
        key = (kind, categories)
        known = self._covered.get(key)
        if known is None:
            children = self._children[kind]
            known = self._covered[key] = not self.ancestors(kind).isdisjoint(categories) or (
                bool(children) and all(self.is_covered(child, categories) for child in children)
            )
        return known

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {kind: [] for kind in self._kinds}
        for name, record in self._kinds.items():
            for parent in record.parent_names:
                found[parent].append(name)
        return found

    def rooms(self, kind: str) -> frozenset[str]:
        """The rooms that a thing of this kind tells of: those that it may be a fixture of, and itself."""
        known = self._rooms.get(kind)
        if known is None:
            above = self.ancestors(kind)
            known = self._rooms[kind] = frozenset(
                name for name, fixtures in self._with_fixtures if name in above or not above.isdisjoint(fixtures)
            )
        return known

    @cached_property
    def _with_fixtures(self) -> tuple[tuple[str, list[str]], ...]:
        return tuple((name, record.fixtures) for name, record in self._kinds.items() if record.fixtures)

    def room_contents(self, room: str) -> frozenset[str]:
        """The fixtures and parts of a room, what they are and what is below them."""
        known = self._contents.get(room)
        if known is None:
            inside = (*self._kinds[room].fixtures, *self._kinds[room].parts)
            known = self._contents[room] = frozenset().union(
                *(self.ancestors(one).union(self.descendants[one]) for one in inside)
            )
        return known

    def is_backdrop(self, kind: str) -> bool:
        """Whether a thing of this kind has no left and right: by itself or by what it belongs to."""
        return kind in self._backdrops

    @cached_property
    def _backdrops(self) -> frozenset[str]:
        marked = [name for name, record in self._kinds.items() if record.backdrop]
        return frozenset(marked).union(*(self.descendants[name] for name in marked))

    def imitated_by(self, kind: str) -> frozenset[str]:
        """The attributes with which something called so is an imitation of it."""
        known = self._imitated_by.get(kind)
        if known is None:
            known = self._imitated_by[kind] = frozenset(
                value for name in self.ancestors(kind) for value in self._kinds[name].imitated_by
            )
        return known

    @cached_property
    def imitations(self) -> frozenset[str]:
        """Kinds that an imitation of something may be: toys, statues, pictures, what is above and below them."""
        found = [name for name, record in self._kinds.items() if record.imitates]
        return frozenset().union(*(self.ancestors(name).union(self.descendants[name]) for name in found))

    def possible_parts(self, kind: str) -> frozenset[str]:
        """The kinds that an unseen part of such a thing may be.

        Counted are the parts of whatever it is or may be (a vehicle may be a bicycle), and their own parts. A part is
        only what it surely is, and overlaps are not followed: else a few steps of "may be" reach everything.
        """
        known = self._parts.get(kind)
        if known is None:
            found: dict[str, None] = {}
            above = sorted(self.ancestors(kind))
            roles = [parent for name in above if self._kinds[name].role for parent in self._kinds[name].parent_names]
            waiting = [*above, *(below for name in (kind, *roles) for below in self.descendants[name])]
            while waiting:
                for part in self._kinds[waiting.pop()].parts:
                    if part not in found:
                        found[part] = None
                        waiting += sorted(self.ancestors(part))
            known = self._parts[kind] = self._whatever(found)
        return known

    def possible_wholes(self, kind: str) -> frozenset[str]:
        """The kinds that a thing may be which has such a part, or a part with such a part."""
        known = self._wholes.get(kind)
        if known is None:
            found: dict[str, None] = {}
            waiting = [kind]
            while waiting:
                for part in self.ancestors(waiting.pop()):
                    for whole in self._wholes_with.get(part, ()):
                        if whole not in found:
                            found[whole] = None
                            waiting.append(whole)
            known = self._wholes[kind] = self._whatever(found)
        return known

    @cached_property
    def _wholes_with(self) -> dict[str, list[str]]:
        """By part the kinds that are said to have it."""
        found: dict[str, list[str]] = {}
        for name, record in self._kinds.items():
            for part in record.parts:
                found.setdefault(part, []).append(name)
        return found

    def _whatever(self, kinds: Iterable[str]) -> frozenset[str]:
        """The kinds that things of some kinds may be; many things have the same parts."""
        found = frozenset(kinds)
        known = self._any_of.get(found)
        if known is None:
            known = self._any_of[found] = frozenset().union(*(self.possible_kinds(kind) for kind in found))
        return known


class BitsByName(dict[str, NameBits | None]):
    """The bits of each name, worked out when first asked."""

    def __init__(self, hierarchy: KindHierarchy, nouns: Mapping[str, tuple[tuple[str, Number], ...]]) -> None:
        super().__init__()
        self._hierarchy = hierarchy
        self._nouns = nouns
        self.bits = {kind: 1 << place for place, kind in enumerate(hierarchy.descendants)}
        """The bit of each kind."""

    def __missing__(self, name: str) -> NameBits | None:
        meanings = self._nouns.get(name)
        bits = None
        if meanings is not None:
            kind, number = meanings[0]
            words = self._hierarchy
            bits = NameBits(
                self._joined(words.ancestors(kind)),
                self._joined(words.possible_kinds(kind)),
                self._joined(words.possible_parts(kind)),
                number == "plural",
            )
        self[name] = bits
        return bits

    def _joined(self, kinds: Iterable[str]) -> int:
        return sum(self.bits[kind] for kind in kinds)


class MeetingBits(dict[str, int]):
    """The bits of the kinds that one object may be together with a kind, worked out when first asked."""

    def __init__(self, hierarchy: KindHierarchy, bits: Mapping[str, int]) -> None:
        super().__init__()
        self._hierarchy = hierarchy
        self._bits = bits

    def __missing__(self, kind: str) -> int:
        self[kind] = found = sum(self._bits[other] for other in self._hierarchy.kinds_meeting(kind))
        return found
