"""Kinds: the hierarchy, which kinds can be the same object, and which are parts of which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from falter.english.ontology.records import Kind

__all__ = ["KindHierarchy"]


class KindHierarchy:
    """The kind side of an ontology. What is asked of a kind is worked out once, as a set of kinds."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self._kinds = kinds
        self._ancestors: dict[str, frozenset[str]] = {}
        self._may_be: dict[str, frozenset[str]] = {}
        self._parts: dict[str, frozenset[str]] = {}
        self._wholes: dict[str, frozenset[str]] = {}

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
        are said to overlap with. Whoever plays a role (a player) may be any sort of what plays it (a man).
        """
        known = self._may_be.get(kind)
        if known is None:
            above = self.ancestors(kind)
            meeting = [other for name in above for other in self._meeting[name]]
            known = self._may_be[kind] = above.union(
                *(self.ancestors(below) for below in self.descendants[kind]),
                meeting,
                *(self.descendants[other] for other in meeting),
            )
        return known

    @cached_property
    def _meeting(self) -> dict[str, list[str]]:
        """For every kind, the kinds it overlaps with, declared on either side."""
        found: dict[str, list[str]] = {kind: [] for kind in self._kinds}
        for name, record in self._kinds.items():
            for other in (*record.overlaps, *(record.parent_names if record.role else ())):
                found[name].append(other)
                found[other].append(name)
        return found

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
                above = self.ancestors(waiting.pop())
                wholes = [whole for whole, record in self._with_parts if not above.isdisjoint(record.parts)]
                waiting += [whole for whole in wholes if whole not in found]
                found.update(dict.fromkeys(wholes))
            known = self._wholes[kind] = self._whatever(found)
        return known

    @cached_property
    def _with_parts(self) -> tuple[tuple[str, Kind], ...]:
        return tuple((name, record) for name, record in self._kinds.items() if record.parts)

    def _whatever(self, kinds: Iterable[str]) -> frozenset[str]:
        return frozenset().union(*(self.possible_kinds(kind) for kind in kinds))
