"""Who may contradict a label: WordNet, a published hierarchy of classes, and captions of the same image."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from falter.cooccurrence import MentionFinder, Mentions
from falter.english import Ontology
from falter.english.words import pluralize
from falter.files import read_json
from falter.nlp import WordNet
from falter.scene import ObjectDescription, SceneGraph, SceneObject, TruthValue

__all__ = ["CaptionWitness", "HierarchyWitness", "Witness", "WordNetWitness", "read_hierarchy"]


class Witness(Protocol):
    """Says whether something is in an image, without the links between kinds that made the label."""

    name: str

    def can_judge(self, description: ObjectDescription, graph: SceneGraph) -> bool:
        """Whether it has anything to say about such a thing in this image."""
        ...

    def exists(self, description: ObjectDescription, graph: SceneGraph) -> TruthValue:
        """Whether such a thing is there; None where it cannot tell."""
        ...


class _NameWitness(ABC):
    """Goes by the names that are annotated, and by words of its own for what a name stands for.

    A thing that is described further fits for sure only where its attributes and its relation are annotated in the very
    words of the question.
    """

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._known: dict[tuple[str, str], TruthValue] = {}

    @abstractmethod
    def names(self, name: str, kind: str) -> TruthValue:
        """Whether a name stands for a kind; None where it does not know."""

    def _is_one(self, name: str, kind: str) -> TruthValue:
        key = (name, kind)
        if key not in self._known:
            self._known[key] = self.names(name, kind)
        return self._known[key]

    def exists(self, description: ObjectDescription, graph: SceneGraph) -> TruthValue:
        things = [(thing, self._is_one(thing.name, description.kind)) for thing in graph.objects.values()]
        of_kind = [thing for thing, is_one in things if is_one]
        if not of_kind:
            # What it does not know may be what the label rests on.
            unknown = (thing.name for thing, is_one in things if is_one is None)
            return None if any(self._ontology.is_of_kind(name, description.kind) for name in unknown) else False
        fitting = [thing for thing in of_kind if self._fits(thing, description, graph)]
        many = sum(2 if self._ontology.grammatical_number(thing.name) == "plural" else 1 for thing in fitting)
        return True if many >= (2 if description.number == "plural" else 1) else None

    def _fits(self, thing: SceneObject, description: ObjectDescription, graph: SceneGraph) -> bool:
        if not set(description.attributes) <= set(thing.attributes):
            return False
        related = description.relation
        return related is None or any(
            relation.name == related.name
            and self._is_one(graph.objects[relation.target].name, related.to.kind)
            and set(related.to.attributes) <= set(graph.objects[relation.target].attributes)
            for relation in thing.relations
        )


class WordNetWitness(_NameWitness):
    """By WordNet's hypernyms, in the senses of two words that agree with what the ontology takes them for."""

    name = "wordnet"

    def __init__(self, ontology: Ontology, wordnet: WordNet) -> None:
        super().__init__(ontology)
        self._wordnet = wordnet
        self._senses: dict[str, frozenset[Any]] = {}

    def can_judge(self, description: ObjectDescription, graph: SceneGraph) -> bool:  # noqa: ARG002
        return bool(self._reading(description.kind))

    def names(self, name: str, kind: str) -> TruthValue:
        if kind in (name, self._wordnet.base(name)):
            return True
        below, above = self._reading(name), self._reading(kind)
        return self._wordnet.are_below(below, above) if below and above else None

    def _reading(self, name: str) -> frozenset[Any]:
        if name not in self._senses:
            kind = self._ontology.kind_for_name(name)
            wider = () if kind is None else sorted(self._ontology.ancestors(kind) - {kind})
            forms = (name, *self._ontology.kinds[name].synonyms) if name in self._ontology.kinds else (name,)
            known = [word for word in forms if self._wordnet.knows(word)]
            # The head of a compound that WordNet lacks: a kitchen towel is a towel.
            known = known or [word for word in [name.rsplit(maxsplit=1)[-1]] if self._wordnet.knows(word)]
            self._senses[name] = frozenset(self._wordnet.sense_below(word, wider) for word in known)
        return self._senses[name]


class HierarchyWitness(_NameWitness):
    """By a file that lists the names of each class, such as GQA's ``class_hierarchy.json``."""

    name = "hierarchy"

    def __init__(self, ontology: Ontology, classes: Mapping[str, Iterable[str]]) -> None:
        super().__init__(ontology)
        self._classes = {
            name: {form for one in names for form in (one, pluralize(one))} for name, names in classes.items()
        }

    def can_judge(self, description: ObjectDescription, graph: SceneGraph) -> bool:  # noqa: ARG002
        return description.kind in self._classes

    def names(self, name: str, kind: str) -> TruthValue:
        if kind not in self._classes:
            return True if name in (kind, pluralize(kind)) else None
        return name in self._classes[kind] or name in (kind, pluralize(kind))


class CaptionWitness:
    """By what captions of the image mention; what they do not mention may be there."""

    name = "captions"

    def __init__(self, ontology: Ontology, captions: Mapping[str, Sequence[str]]) -> None:
        self._ontology = ontology
        self._captions = captions
        self._finder = MentionFinder(ontology)
        self._found: dict[str, list[Mentions]] = {}

    def can_judge(self, description: ObjectDescription, graph: SceneGraph) -> bool:  # noqa: ARG002
        return graph.image_id in self._captions

    def exists(self, description: ObjectDescription, graph: SceneGraph) -> TruthValue:
        if description.number == "plural" and self._ontology.kinds[description.kind].number == "count":
            return None
        return True if any(self._says(description, one) for one in self._mentions(graph.image_id)) else None

    def _mentions(self, image_id: str) -> list[Mentions]:
        if image_id not in self._found:
            self._found[image_id] = [self._finder.find(text) for text in self._captions.get(image_id, ())]
        return self._found[image_id]

    def _says(self, description: ObjectDescription, mentions: Mentions) -> bool:
        is_a, kind, related = self._ontology.is_a, description.kind, description.relation
        kinds = [one for one in mentions.kinds if is_a(one, kind)]
        if related is not None:
            kinds = [
                first
                for first, name, second in mentions.relations
                if name == related.name and is_a(first, kind) and is_a(second, related.to.kind)
            ]
        return any(all((one, value) in mentions.attributes for value in description.attributes) for one in kinds)


def read_hierarchy(path: Path) -> dict[str, list[str]]:
    """The names of each class."""
    return read_json(path, dict[str, list[str]], what="a hierarchy: names by class", hint="see the page on inspecting")
