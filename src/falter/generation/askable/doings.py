"""Who does what to what: which relations make sense between which kinds, and what somebody carries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from falter.generation.askable import rules
from falter.generation.askable.placement import SIDES
from falter.generation.english import Ontology
from falter.generation.scene import Exists, Query, RelationHolds, Scene

_CARRIED_BY = rules.words("carried-by")
_DOERS = list(rules.words("doers"))
_DONE = rules.words("doing-relations", "with clothes")


@lru_cache(maxsize=4)
def carried_in(scene: Scene) -> frozenset[str]:
    """The ids of what somebody has: a shirt that is worn is where its wearer is."""
    if scene.relations.isdisjoint(_CARRIED_BY):
        return frozenset()
    relations = (relation for thing in scene.objects for relation in thing.relations)
    return frozenset([relation.target for relation in relations if relation.name in _CARRIED_BY])


class RelatedKinds(NamedTuple):
    """A relation that a question asks about, and the kinds on its two sides."""

    subject: str
    relation: str
    target: str


def related_kinds(query: Query) -> Iterator[RelatedKinds]:
    """The relation that a question is about; none where it is about none."""
    match query:
        case RelationHolds(of=subject, relation=name, to=target):
            yield RelatedKinds(subject.kind, name, target.kind)
        case Exists(of=one) if one.relation is not None:
            other = one.relation.to
            subject, target = (other, one) if one.relation.inverse is True else (one, other)
            yield RelatedKinds(subject.kind, one.relation.name, target.kind)


@lru_cache(maxsize=65536)
def sensible(subject: str, relation: str, target: str, ontology: Ontology) -> bool:
    """Whether one kind may have a relation to another: a shirt holds nothing, and nobody wears a bench."""
    record = ontology.relations.get(relation)
    if record is None or not record.askable or subject == target:
        return False
    if relation in SIDES and ontology.kinds[target].number == "mass":
        return False
    subjects = record.subjects
    if subjects == ["thing"] and record.relation_class in _DONE:
        subjects = _DOERS
    return any(ontology.is_a(subject, kind) for kind in subjects) and any(
        ontology.is_a(target, kind) for kind in record.objects
    )
