"""What names say of kinds, as numbers of which each bit is a kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from falter.english.ontology.kinds import KindHierarchy
from falter.scene import Number
from falter.scene.ontology_protocol import NameBits

__all__ = ["BitsByName", "MeetingBits"]


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
