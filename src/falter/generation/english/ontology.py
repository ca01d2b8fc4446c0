"""The ontology: lexical knowledge for scenes, and the vocabulary of sentences.

It has kinds, parts, exclusions, attribute families, antonyms and relations.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from falter.core.errors import InputError
from falter.data.word_forms import pluralize
from falter.generation.english.attributes import AttributeFamilies, ToldByRelations
from falter.generation.english.kinds import BitsByName, KindHierarchy, MeetingBits
from falter.generation.english.ontology_records import AttributeFamily, Kind, Records, RelationType, read_records
from falter.generation.scene import Number, TruthValue

_MOST_KNOWN = 50_000
"""So many verdicts on attributes are remembered; then they are worked out anew."""

DATA = Path(__file__).parent / "data"


class Ontology:
    """Kinds in a directed acyclic graph, attributes in families, relations in classes.

    It is the :class:`falter.generation.scene.SceneOntology` of every scene in Falter.
    """

    def __init__(self, records: Records) -> None:
        self.kinds: dict[str, Kind] = records.kinds
        self.families: dict[str, AttributeFamily] = records.attributes.families
        self.relations: dict[str, RelationType] = records.relations
        self.attributes = AttributeFamilies(records.attributes)
        self._files = records.files
        self.families_by_label: dict[str, list[str]] = {}
        for name, family in self.families.items():
            if family.label is not None:
                self.families_by_label.setdefault(family.label, []).append(name)
        self.family_by_value: dict[str, str] = {
            value: names[0] for value, names in self.attributes.families_by_value.items()
        }
        self._check()
        self._words = KindHierarchy(records.kinds)
        self._askable_hypernyms: dict[str, tuple[str, ...]] = {}
        self._inherited: dict[tuple[str, str], tuple[str, ...]] = {}
        self._natural: dict[tuple[str, str], bool] = {}
        self._applies_to: dict[tuple[str, str], bool] = {}
        self._is_of_kind: dict[tuple[str, str], TruthValue] = {}
        self._often_unannotated: dict[str, bool] = {}
        self._named_kinds: dict[frozenset[str], frozenset[str]] = {}
        self._has_attribute: dict[tuple[tuple[str, ...], str, frozenset[str]], TruthValue] = {}
        self._told: dict[str, ToldByRelations] = {}
        self._family_values: dict[tuple[str, ...], frozenset[str]] = {}
        self._possible_kinds: dict[str, frozenset[str]] = {}
        self._possible_parts: dict[str, frozenset[str]] = {}
        self._imitating: dict[str, frozenset[str]] = {}
        self._relation_holds: dict[tuple[str, str], TruthValue] = {}
        self._inverse_relation_holds: dict[tuple[str, str], TruthValue] = {}

    def _check(self) -> None:
        for name, kind in self.kinds.items():
            for other in (
                *kind.parent_names,
                *kind.parts,
                *kind.overlaps,
                *kind.implies_nearby,
                *kind.occupants,
                *kind.stands_on,
                *kind.fixtures,
                *kind.imitates,
                *kind.disputed,
            ):
                if other not in self.kinds:
                    raise self._wrong("Kind", name, f"names the unknown kind {other!r}")
        for name, relation in self.relations.items():
            for other in (*relation.implies, *relation.excludes, *filter(None, [relation.inverse])):
                if other not in self.relations:
                    raise self._wrong("RelationType", name, f"names the unknown relation {other!r}")
            for other in (*relation.subjects, *relation.objects, *relation.one_at_a_time):
                if self.kinds and other not in self.kinds:
                    raise self._wrong("RelationType", name, f"names the unknown kind {other!r}")
        self._check_families()
        seen: dict[str, int] = {}

        def visit(name: str) -> None:
            if seen.get(name) == 1:
                raise self._wrong("Kind", name, "is a kind of itself")
            if name in seen:
                return
            seen[name] = 1
            for parent in self.kinds[name].parent_names:
                visit(parent)
            seen[name] = 2

        for name in self.kinds:
            visit(name)

    def _check_families(self) -> None:
        for name, family in self.families.items():
            for other in (*family.applies_to, *family.not_applicable_to):
                if self.kinds and other not in self.kinds:
                    raise self._wrong("family", name, f"names the unknown kind {other!r}")
            for other in family.told_by:
                if other not in self.families:
                    raise self._wrong("family", name, f"names the unknown family {other!r}")

    def _wrong(self, sort: str, name: str, problem: str) -> InputError:
        return InputError(self._files.get(f"{sort} {name}", "the ontology"), problem, record=repr(name))

    @cached_property
    def nouns(self) -> dict[str, tuple[tuple[str, Number], ...]]:
        """Every written form of a kind, with the kind and the number it stands for."""
        forms: dict[str, dict[tuple[str, Number], None]] = {}
        for name, kind in self.kinds.items():
            if kind.number != "count":
                number: Number = "mass" if kind.number == "mass" else "plural"
                for form in (name, *kind.synonyms):
                    forms.setdefault(form, {})[(name, number)] = None
                continue
            for form in (name, *kind.synonyms):
                forms.setdefault(form, {})[(name, "singular")] = None
            for form in (self.plural(name), *(pluralize(other) for other in kind.synonyms)):
                forms.setdefault(form, {})[(name, "plural")] = None
        return {form: tuple(meanings) for form, meanings in forms.items()}

    def plural(self, kind: str) -> str:
        """The plural form of a kind's name."""
        record = self.kinds.get(kind)
        if record is not None and record.number != "count":
            return kind
        return (record.plural if record is not None else None) or pluralize(kind)

    def lexeme(self, name: str) -> tuple[str, Number] | None:
        """The kind and number that an annotated name stands for; the singular reading where a form has both."""
        meanings = self.nouns.get(name)
        return None if meanings is None else meanings[0]

    def knows(self, name: str) -> bool:
        """Whether a name, in any form, is in the vocabulary."""
        return name in self.nouns

    def ancestors(self, kind: str) -> frozenset[str]:
        """A kind and all that it belongs to."""
        return self._words.ancestors(kind)

    def is_a(self, kind: str, other: str) -> bool:
        """Whether every thing of one kind is of the other."""
        return other in self._words.ancestors(kind)

    @property
    def descendants(self) -> dict[str, tuple[str, ...]]:
        """For every kind, the kinds below it (itself left out), in file order."""
        return self._words.descendants

    def askable_hypernyms(self, kind: str) -> tuple[str, ...]:
        """The hypernyms of a kind that occur in questions, in a fixed order."""
        known = self._askable_hypernyms.get(kind)
        if known is None:
            wider = sorted(self.ancestors(kind) - {kind})
            known = self._askable_hypernyms[kind] = tuple(other for other in wider if self.kinds[other].askable)
        return known

    def kind_for_name(self, name: str) -> str | None:
        return self._kinds_by_name.get(name)

    @cached_property
    def _kinds_by_name(self) -> dict[str, str]:
        return {form: meanings[0][0] for form, meanings in self.nouns.items()}

    @cached_property
    def kind_bits(self) -> dict[str, int]:
        return {form: self.bits_by_name.bits[kind] for form, kind in self._kinds_by_name.items()}

    @cached_property
    def unique_bits(self) -> int:
        return sum(bit for kind, bit in self.bits_by_name.bits.items() if self.kinds[kind].unique)

    @cached_property
    def meeting_bits(self) -> MeetingBits:
        """For each kind, the bits of the kinds that one object may be together with it."""
        return MeetingBits(self._words, self.bits_by_name.bits)

    @cached_property
    def bits_by_name(self) -> BitsByName:
        return BitsByName(self._words, self.nouns)

    def possible_kinds(self, name: str) -> frozenset[str]:
        known = self._possible_kinds.get(name)
        if known is None:
            kind = self.kind_for_name(name)
            known = self._possible_kinds[name] = frozenset() if kind is None else self._words.possible_kinds(kind)
        return known

    def is_of_kind(self, name: str, kind: str) -> TruthValue:
        key = (name, kind)
        if key not in self._is_of_kind:
            self._is_of_kind[key] = self._look_whether_it_is(name, kind)
        return self._is_of_kind[key]

    def _look_whether_it_is(self, name: str, kind: str) -> TruthValue:
        mine, asked = self.kind_for_name(name), self.kind_for_name(kind)
        if mine is None or asked is None:
            return True if name == kind else None
        if asked in self._words.ancestors(mine):
            return True
        return None if asked in self._words.possible_kinds(mine) else False

    def are_disjoint(self, first: str, second: str) -> bool:
        """Whether no object is of both kinds."""
        return self._words.are_disjoint(first, second)

    def kinds_meeting(self, kind: str) -> frozenset[str]:
        """The kinds that one object may be together with this one: all that are not disjoint."""
        return self._words.kinds_meeting(kind)

    def grammatical_number(self, name: str) -> Number:
        lexeme = self.lexeme(name)
        return "singular" if lexeme is None else lexeme[1]

    def possible_parts(self, name: str) -> frozenset[str]:
        known = self._possible_parts.get(name)
        if known is None:
            kind = self.kind_for_name(name)
            known = self._possible_parts[name] = frozenset() if kind is None else self._words.possible_parts(kind)
        return known

    def possible_wholes(self, name: str) -> frozenset[str]:
        kind = self.kind_for_name(name)
        return frozenset() if kind is None else self._words.possible_wholes(kind)

    def often_unannotated(self, kind: str) -> bool:
        known = self._often_unannotated.get(kind)
        if known is None:
            lexeme = self.lexeme(kind)
            # A word without clear limits is as little looked for as what nobody annotates.
            known = self._often_unannotated[kind] = (
                lexeme is None
                or self.kinds[lexeme[0]].vague
                or any(self._words.is_often_unannotated(below) for below in (lexeme[0], *self.descendants[lexeme[0]]))
            )
        return known

    def is_covered(self, kind: str, categories: frozenset[str]) -> bool:
        named = self.kind_for_name(kind)
        return named is not None and self._words.is_covered(named, self._kinds_of(categories))

    def _kinds_of(self, names: frozenset[str]) -> frozenset[str]:
        known = self._named_kinds.get(names)
        if known is None:
            kinds = (self.kind_for_name(name) for name in names)
            known = self._named_kinds[names] = frozenset(kind for kind in kinds if kind is not None)
        return known

    def rooms(self, name: str) -> frozenset[str]:
        kind = self.kind_for_name(name)
        return frozenset() if kind is None else self._words.rooms(kind)

    def room_contents(self, room: str) -> frozenset[str]:
        return self._words.room_contents(room)

    def is_backdrop(self, name: str) -> bool:
        kind = self.kind_for_name(name)
        return kind is not None and self._words.is_backdrop(kind)

    @cached_property
    def names_showing_images(self) -> frozenset[str]:
        marked = {name for name, record in self.kinds.items() if record.shows_images}
        forms = self._kinds_by_name.items()
        return frozenset(form for form, kind in forms if not marked.isdisjoint(self.ancestors(kind)))

    @cached_property
    def imitating_values(self) -> frozenset[str]:
        return frozenset(value for record in self.kinds.values() for value in record.imitated_by)

    @cached_property
    def telling_words(self) -> frozenset[str]:
        return frozenset(value for family in self.families.values() for value in family.told_by_relations)

    def is_imitation(self, name: str, attributes: Sequence[str]) -> bool:
        return not self._imitated_by(name).isdisjoint(attributes)

    def may_be_imitated(self, name: str) -> bool:
        return bool(self._imitated_by(name))

    def _imitated_by(self, name: str) -> frozenset[str]:
        known = self._imitating.get(name)
        if known is None:
            kind = self.kind_for_name(name)
            known = self._imitating[name] = frozenset() if kind is None else self._words.imitated_by(kind)
        return known

    def is_kind_of_imitation(self, kind: str) -> bool:
        named = self.kind_for_name(kind)
        return named is None or named in self._words.imitations

    @cached_property
    def image_relations(self) -> dict[str, Literal["first", "second", "always"]]:
        return {name: record.image for name, record in self.relations.items() if record.image is not None}

    def is_unique(self, kind: str) -> bool:
        lexeme = self.lexeme(kind)
        return lexeme is not None and self.kinds[lexeme[0]].unique

    def implies_nearby(self, name: str) -> tuple[str, ...]:
        return self._inherit("implies_nearby", name)

    def occupants(self, name: str) -> tuple[str, ...]:
        return self._inherit("occupants", name)

    def stands_on(self, name: str) -> tuple[str, ...]:
        return self._inherit("stands_on", name)

    def _inherit(self, field: str, name: str) -> tuple[str, ...]:
        """The kinds that a field lists for what a name stands for, or for anything that it belongs to."""
        key = (field, name)
        known = self._inherited.get(key)
        if known is None:
            kind = self.kind_for_name(name)
            above = frozenset[str]() if kind is None else self.ancestors(kind)
            listed = {other for wider in above for other in getattr(self.kinds[wider], field)}
            known = self._inherited[key] = tuple(sorted(listed))
        return known

    def has_attribute(self, attributes: Sequence[str], value: str, complete: Collection[str]) -> TruthValue:
        key = (tuple(attributes), value, frozenset(complete))
        if key not in self._has_attribute:
            if len(self._has_attribute) >= _MOST_KNOWN:
                self._has_attribute.clear()
            self._has_attribute[key] = self.attributes.holds(attributes, value, complete)
        return self._has_attribute[key]

    def only_value(self, attributes: Sequence[str], families: Sequence[str]) -> str | None:
        key = tuple(families)
        values = self._family_values.get(key)
        if values is None:
            by_value = self.attributes.families_by_value
            values = frozenset(value for value, named in by_value.items() if not set(key).isdisjoint(named))
            self._family_values[key] = values
        found = values.intersection(attributes)
        return next(iter(found)) if len(found) == 1 else None

    def opposites(self, value: str) -> tuple[str, ...]:
        return self.attributes.antonyms(value)

    def told_by_relations(self, name: str) -> Mapping[str, str | None]:
        known = self._told.get(name)
        if known is None:
            known = self._told[name] = ToldByRelations(
                self.kind_for_name(name), self.attributes, self.family_applies_to
            )
        return known

    def exclude_attributes(self, first: str, second: str) -> bool:
        return self.attributes.exclude(first, second)

    def applies_to(self, value: str, kind: str) -> bool:
        """Whether an attribute makes sense of a kind."""
        return any(self.family_applies_to(family, kind) for family in self.attributes.families_by_value.get(value, ()))

    def is_natural(self, value: str, kind: str) -> bool:
        """Whether an attribute is natural English before the name of a kind."""
        key = (value, kind)
        known = self._natural.get(key)
        if known is None:
            # Nobody says "an orange orange" or "a water ocean", and an "orange tree" need not be orange.
            known = self._natural[key] = (
                value in self.family_by_value
                and not self.is_a(kind, value)
                and not (value in self.kinds and self.is_a(value, "food") and self.is_a(kind, "plant"))
                and self.attributes.is_attributive(value)
                and self.applies_to(value, kind)
            )
        return known

    def family_applies_to(self, family: str, kind: str) -> bool:
        """Whether the attributes of a family make sense of a kind."""
        key = (family, kind)
        known = self._applies_to.get(key)
        if known is None:
            record = self.families[family]
            above = self.ancestors(kind)
            known = self._applies_to[key] = not above.isdisjoint(record.applies_to) and above.isdisjoint(
                record.not_applicable_to
            )
        return known

    def relation_holds(self, annotated: str, asked: str) -> TruthValue:
        key = (annotated, asked)
        if key not in self._relation_holds:
            self._relation_holds[key] = self._compare_relations(annotated, asked)
        return self._relation_holds[key]

    def _compare_relations(self, annotated: str, asked: str) -> TruthValue:
        implied = self.implied_relations(annotated)
        if asked in implied:
            return True
        asked_too = self.implied_relations(asked)
        return False if any(self._exclude(one, other) for one in implied for other in asked_too) else None

    def _exclude(self, first: str, second: str) -> bool:
        return any(
            other in self.relations[one].excludes
            for one, other in ((first, second), (second, first))
            if one in self.relations
        )

    def inverse_relation_holds(self, annotated: str, asked: str) -> TruthValue:
        key = (annotated, asked)
        if key not in self._inverse_relation_holds:
            self._inverse_relation_holds[key] = self._compare_back(annotated, asked)
        return self._inverse_relation_holds[key]

    def _compare_back(self, annotated: str, asked: str) -> TruthValue:
        backwards = {self.inverse(one) for one in self.implied_relations(annotated)}
        said = {self.relation_holds(one, asked) for one in backwards if one is not None}
        for implied in self.implied_relations(asked):
            inverse = self.inverse(implied)
            if inverse is not None:
                verdict = self.relation_holds(annotated, inverse)
                # What is asked falls with anything that it implies, but does not stand with it.
                said.add(verdict if implied == asked or verdict is False else None)
        return True if True in said else (False if False in said else None)

    def implied_relations(self, relation: str) -> frozenset[str]:
        """A relation and all that hold with it."""
        found: dict[str, None] = {}
        waiting = [relation]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = None
                waiting += self.relations[name].implies if name in self.relations else ()
        return frozenset(found)

    def inverse(self, relation: str) -> str | None:
        """The inverse relation."""
        record = self.relations.get(relation)
        if record is None:
            return None
        return relation if record.symmetric else record.inverse


def load_ontology(extra: Sequence[Path] = ()) -> Ontology:
    """Falter's own ontology, with folders of further YAML files added to it."""
    return Ontology(read_records([DATA, *extra]))
