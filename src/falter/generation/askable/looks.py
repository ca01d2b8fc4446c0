"""Which values a kind is known to take: what may be denied of it, offered for it, or said before its name.

Of colors and materials also what people see things of a kind in: no purple truck, and no plastic ladder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from random import Random

from falter.core.lazy_dict import LazyDict
from falter.generation.askable import rules
from falter.generation.askable.naming import UNSAID
from falter.generation.askable.source_counts import SourceCounts
from falter.generation.cooccurrence import ImageCounts, load_table
from falter.generation.english import Ontology

_FEW = rules.whole("few-values")
_COMMONNESS = rules.number("commonness-of-values")
_OF_MANY_KINDS = rules.whole("values-of-many-kinds")
_LEAST_SHARE = rules.number("known-share", "looks")
_LEAST_SHARE_OF_DOINGS = rules.number("known-share", "doings")
_ENOUGH_SAID = rules.whole("enough-said")
_USUALLY = rules.whole("named-with-absent")
_USUAL_SHARE = rules.number("named-with-absent-share")
_METAL = rules.words("metal-marks")
_OF_METAL = rules.group("metal-colors")
_MUCH_SAID = rules.whole("much-said")


class KnownValues:
    """The values of kinds, by the table of counts and by what a source annotates; each kind is worked out once."""

    def __init__(
        self, ontology: Ontology, counts: ImageCounts, had: Mapping[str, Counter[str]], *, complete: bool
    ) -> None:
        self._ontology = ontology
        self._counts = counts
        self._had = had
        """By kind the values that the source annotates."""
        self._complete = complete
        self._used = {value for values in had.values() for value in values}
        self._known_of: dict[str, tuple[tuple[str, float], ...]] = {}
        self._taken: dict[str, frozenset[str]] = {}
        self._deniable_of: dict[str, tuple[tuple[str, float], ...]] = {}
        self._natural_of: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {}
        self._values: dict[tuple[str, str], tuple[tuple[str, float], ...]] = {}
        self._of_sorts: dict[str, dict[str, set[str]]] = {}

    def known(self, kind: str) -> tuple[tuple[str, float], ...]:
        """The values that a kind is known to take, each with how often it is said of it.

        They are said in the table or annotated in the source, and not the rare exception among what is said of the kind
        within a family; where little is said, those that the table lists. What is drawn may well be an exception.
        """
        known = self._known_of.get(kind)
        if known is None:
            seen = self._had.get(kind, Counter())
            said = Counter(self._said_of.get(kind, {}))
            said.update(seen)
            listed = self._listed_of.get(kind, {})
            often: dict[str, float] = {}
            by_family: dict[str, list[str]] = {}
            for value in {**said, **listed}:
                for family in self._ontology.attributes.families_by_value.get(value, ()):
                    by_family.setdefault(family, []).append(value)
            for family, values in by_family.items():
                if not self._ontology.family_applies_to(family, kind):
                    continue
                record = self._ontology.families[family]
                total = sum(said[value] for value in values)
                least = (_LEAST_SHARE_OF_DOINGS if record.doing else _LEAST_SHARE) * total
                needed = max(2, least) if total >= _MUCH_SAID and not self._complete else 1
                for value in values:
                    number = said[value]
                    if total < _ENOUGH_SAID and self._may_be_listed(value, listed):
                        number += listed.get(value, 0)
                    if number >= needed and (value in seen or value not in self._needing_objects):
                        often[value] = max(float(number), often.get(value, 0.0))
            known = self._known_of[kind] = tuple(sorted(often.items()))
        return known

    @cached_property
    def _said_of(self) -> dict[str, dict[str, int]]:
        """By kind how often the table has each value said of it."""
        return _by_kind(self._counts.attributes)

    @cached_property
    def _listed_of(self) -> dict[str, dict[str, int]]:
        """By kind how often the table has each value listed of it."""
        return _by_kind(self._counts.listed)

    def _may_be_listed(self, value: str, listed: Mapping[str, int]) -> bool:
        """Whether a value is no slip of a long list: what is listed as of metal and silver is hardly blue."""
        families = self._ontology.attributes.families_by_value.get(value, ())
        return "color" not in families or value in _OF_METAL or not all(one in listed for one in _METAL)

    @cached_property
    def _needing_objects(self) -> frozenset[str]:
        """The doings that are hardly said without what is ridden or flown: what the table counts is "flying a kite"."""
        families = self._ontology.families
        by_value = self._ontology.attributes.families_by_value
        return frozenset(
            value
            for value in self._ontology.relations
            for family in by_value.get(value, ())
            if families[family].doing and value not in families[family].told_by_relations
        )

    def deniable(self, kind: str) -> tuple[tuple[str, float], ...]:
        """The known values of a kind that the source has of some kind, or of this one where its annotation is complete.

        What annotators never say of anything would be asked about of absent things alone.
        """
        known = self._deniable_of.get(kind)
        if known is None:
            used = self._had.get(kind, ()) if self._complete else self._used
            known = self._deniable_of[kind] = tuple(one for one in self.known(kind) if one[0] in used)
        return known

    def takes(self, kind: str, value: str) -> bool:
        """Whether a kind is known to take a value."""
        known = self._taken.get(kind)
        if known is None:
            values = self.deniable(kind) if self._complete else self.known(kind)
            known = self._taken[kind] = frozenset(one for one, _ in values)
        return value in known

    def natural(self, kind: str, rng: Random, most: int) -> list[str]:
        """Some values that a kind is known to take and that people say before its name, the usual ones rather."""
        known = self._natural_of.get(kind)
        if known is None:
            found = [
                (one, often)
                for one, often in self.deniable(kind)
                if one not in UNSAID and self._ontology.is_natural(one, kind) and self._is_usual(one, kind)
            ]
            weights = accumulate(often**_COMMONNESS for _, often in found)
            known = self._natural_of[kind] = (tuple(one for one, _ in found), tuple(weights))
        values, weights_so_far = known
        if not values:
            return []
        return list(dict.fromkeys(rng.choices(values, cum_weights=weights_so_far, k=most)))

    def _is_usual(self, value: str, kind: str) -> bool:
        """Whether the source has a value of a kind, or people say it of one in so many.

        What somebody does is compared with what else they do, as the most is said of what people look like.
        """
        if value in self._had.get(kind, ()):
            return True
        said, families = self._counts.attributes, self._ontology.families
        doings = [name for name in self._ontology.attributes.families_by_value.get(value, ()) if families[name].doing]
        # A word that is a noun too ("a water bottle") may be counted as such.
        if value in self._ontology.kinds:
            return False
        if doings:
            all_said = sum(said[kind, other] for name in doings for other in families[name].values)
            return said[kind, value] >= max(_USUALLY, _LEAST_SHARE * all_said)
        return said[kind, value] >= max(_USUALLY, _USUAL_SHARE * self._counts.kinds[kind])

    def of_family(self, family: str, kind: str, rng: Random) -> list[str]:
        """Values of a family that a kind is known to take, the usual ones rather first.

        Where the annotation is complete and has few, those that several kinds of its sort have are added, as far as
        the kind is known to take them: what people do is no guess about a sheep.
        """
        key = (family, kind)
        if key not in self._values:
            values = self._ontology.families[family].values
            known = self.deniable(kind) if self._complete else self.known(kind)
            own = {value: often for value, often in known if value in values}
            if self._complete and len(own) < _FEW:
                of_sort = self._values_by_sort(family)
                anywhere = {value for sort in self._sorts(family, kind) for value in of_sort.get(sort, ())}
                # Whatever some people do, others may.
                people = self._ontology.families[family].doing and self._ontology.is_a(kind, "person")
                said = {value: often for value, often in self.known(kind) if value in values}
                least = max(2.0, _LEAST_SHARE * sum(said.values()))
                takes = anywhere if people else {value for value, often in said.items() if often >= least}
                own |= {value: 1.0 for value in values if value in anywhere and value in takes and value not in own}
            self._values[key] = tuple(sorted(own.items()))
        return drawn(self._values[key], rng)

    def _values_by_sort(self, family: str) -> dict[str, set[str]]:
        """For each sort of things that a family suits, the values that the source has for such things."""
        known = self._of_sorts.get(family)
        if known is None:
            known = self._of_sorts[family] = {}
            often: dict[str, Counter[str]] = {}
            values = frozenset(self._ontology.families[family].values)
            for kind, had in self._had.items():
                for sort in self._sorts(family, kind):
                    often.setdefault(sort, Counter()).update(values.intersection(had))
            for sort, counted in often.items():
                known[sort] = {value for value, kinds in counted.items() if kinds >= _OF_MANY_KINDS}
        return known

    def _sorts(self, family: str, kind: str) -> frozenset[str]:
        """The kinds that a family suits, of which this is one."""
        return frozenset(self._ontology.ancestors(kind)).intersection(self._ontology.families[family].applies_to)


def _by_kind(counts: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for (kind, value), times in counts.items():
        found.setdefault(kind, {})[value] = times
    return found


def drawn(weighted: Sequence[tuple[str, float]], rng: Random) -> list[str]:
    """All of them in a drawn order, those with more weight rather first."""
    draw = rng.random
    keyed = [(draw() ** (1.0 / weight), value) for value, weight in weighted]
    keyed.sort(reverse=True)
    return [value for _, value in keyed]


_ENOUGH_COLORS_SAID = rules.whole("enough-colors-said")
_LEAST_SHARE_OF_USUAL = rules.number("usual-color-share")


class UsualLooks:
    """The colors that are said of kinds, and the materials that are said or listed; each kind is worked out once."""

    def __init__(self, ontology: Ontology, counts: ImageCounts) -> None:
        self._ontology = ontology
        self._colors_said: dict[str, dict[str, int]] = {}
        self._materials_of: dict[str, set[str]] = {}
        self._colors = frozenset(ontology.families["color"].values)
        self._materials = frozenset(ontology.families["material"].values)
        self._usual: dict[str, frozenset[str]] = {}
        for (kind, value), times in counts.attributes.items():
            if value in self._colors:
                self._colors_said.setdefault(kind, {})[value] = times
        for kind, value in (*counts.attributes, *counts.listed):
            if value in self._materials:
                self._materials_of.setdefault(kind, set()).add(value)

    def has(self, kind: str, value: str) -> bool:
        """Whether people see a kind in a color or of a material, or the value is neither.

        Where they say few colors of the kind, the nearest wider kind tells of which they say enough. A kind of which no
        material is known may be of any.
        """
        if value in self._materials:
            known_materials = self._materials_of.get(kind)
            return known_materials is None or value in known_materials
        if value not in self._colors:
            return True
        known = self._usual.get(kind)
        if known is None:
            known = self._usual[kind] = self._find(kind)
        return value in known

    def _find(self, kind: str) -> frozenset[str]:
        below = {wider: (wider, *self._ontology.descendants[wider]) for wider in self._ontology.ancestors(kind)}
        for wider in sorted(below, key=lambda one: (len(below[one]), one)):
            often = Counter[str]()
            for one in below[wider]:
                often.update(self._colors_said.get(one, {}))
            total = often.total()
            if total >= _ENOUGH_COLORS_SAID:
                return frozenset(color for color in self._colors if often[color] >= _LEAST_SHARE_OF_USUAL * total)
        return self._colors


_NEARLY_ALL = rules.number("nearly-always-share")
_FEWEST_COLORED = rules.whole("nearly-always-colored")


class AskedLooks:
    """Which looks are said in questions: as people see such things, and not as all things of a kind are."""

    def __init__(self, counts: SourceCounts, ontology: Ontology) -> None:
        self._counts = counts
        self._usual = UsualLooks(ontology, load_table().draw)
        self._asked = LazyDict(self._find_whether_asked)

    def is_asked_for(self, value: str, kind: str) -> bool:
        """Whether a drawn thing is asked for by how it looks; of what people annotate, every value is seen."""
        return not self._counts.is_drawn or self._asked[value, kind]

    def _find_whether_asked(self, pair: tuple[str, str]) -> bool:
        value, kind = pair
        return self._usual.has(kind, value) and not self.is_nearly_always(value, kind)

    def is_nearly_always(self, value: str, kind: str) -> bool:
        """Whether nearly all that is drawn of a kind has a color, so that nobody asks which: a bush is green."""
        counts = self._counts
        if not counts.is_drawn or value not in counts.colors:
            return False
        most = _NEARLY_ALL * max(counts.colored[kind], _FEWEST_COLORED)
        return counts.attributes.get(kind, Counter())[value] >= most

    def is_said_of(self, value: str, kind: str) -> bool:
        """Whether a value is said before the name of a kind: one color is not, where most of the kind have several."""
        counts = self._counts
        return value not in counts.colors or 2 * counts.many_colored[kind] <= counts.colored[kind]
