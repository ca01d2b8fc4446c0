"""A second opinion on labels, from witnesses that share nothing with the links between kinds that made them.

A witness may contradict a label: WordNet, a published hierarchy of classes, and captions of the same image.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import msgspec

from falter.core.files import read_json
from falter.data.items import YES_NO, Item
from falter.data.suite import Suite
from falter.data.word_forms import pluralize
from falter.generation.cooccurrence import MentionFinder, Mentions
from falter.generation.english import Ontology
from falter.generation.inspection.blind_sample import draw_sample
from falter.generation.nlp import WordNet
from falter.generation.scene import (
    And,
    Exists,
    Not,
    ObjectDescription,
    Or,
    Query,
    SceneGraph,
    SceneObject,
    TruthValue,
    query_from_json,
)
from falter.generation.scene.ontology_protocol import conjunction, disjunction, negate
from falter.generation.sources import HasScenes


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


Claim = Literal["denial", "affirmation"]

SECOND_OPINION_SAMPLE = 5000
"""How many probes of a test are read."""


class Contradiction(msgspec.Struct, frozen=True, kw_only=True):
    """A label that a witness contradicts."""

    witness: str
    item_id: str
    image_id: str
    text: str
    gold: str


class OpinionRate(msgspec.Struct, frozen=True, kw_only=True):
    """How often a witness contradicts labels by which something is there, or is not there, with a 95 % interval."""

    witness: str
    claim: Claim
    items: int
    contradicted: int
    rate: float
    low: float
    high: float


class SecondOpinion(msgspec.Struct, frozen=True, kw_only=True):
    """Rates by witness and claim, and the contradictions themselves (the first of each)."""

    rates: tuple[OpinionRate, ...]
    contradictions: tuple[Contradiction, ...]
    notes: tuple[str, ...] = ()
    """Witnesses that were not heard, and why."""


def second_opinion(
    suite: Suite,
    scenes: HasScenes,
    witnesses: Sequence[Witness],
    *,
    most: int | None = SECOND_OPINION_SAMPLE,
    seed: int = 0,
    keep: int = 20,
    notes: Iterable[str] = (),
) -> SecondOpinion:
    """Ask witnesses about yes/no questions of a suite; a question about the same image counts once.

    A denial ("Is there a dog?" no, "Is there no dog?" yes) is contradicted where a witness sees what is denied, an
    affirmation where it sees no object of the kind. Of a test with more than ``most`` originals a sample is read, which
    ``seed`` draws; None reads all.
    """
    counts: dict[tuple[str, Claim], list[int]] = {
        (witness.name, claim): [0, 0] for witness in witnesses for claim in get_args(Claim)
    }
    found: dict[tuple[str, Claim], list[Contradiction]] = {key: [] for key in counts}
    graph: SceneGraph | None = None
    seen: set[tuple[str, str]] = set()
    for item in _questions(suite, most, seed):
        assert item.image_id is not None  # as are its meaning and its gold: see _questions
        assert item.meaning is not None
        assert item.gold is not None
        if (item.image_id, item.meaning) in seen:
            continue
        seen.add((item.image_id, item.meaning))
        if graph is None or graph.image_id != item.image_id:
            graph = scenes.scene(item.image_id)
        if graph is None:
            continue
        query = query_from_json(item.meaning)
        descriptions = list(_descriptions(query))
        for witness in witnesses:
            if not descriptions or not all(witness.can_judge(one, graph) for one in descriptions):
                continue
            key = (witness.name, _claim(query, item.gold))
            counts[key][0] += 1
            if _contradicts(query, item.gold, witness, graph):
                counts[key][1] += 1
                if len(found[key]) < keep:
                    found[key].append(_contradiction(item, witness.name))
    rates = tuple(_rate(witness, claim, *both) for (witness, claim), both in counts.items())
    kept = tuple(one for some in found.values() for one in some)
    return SecondOpinion(rates=rates, contradictions=kept, notes=tuple(notes))


def _questions(suite: Suite, most: int | None, seed: int) -> Iterable[Item]:
    for probe in draw_sample(suite, most, seed).probes():
        for item in probe.items:
            if item.gold in YES_NO and item.meaning is not None and item.image_id is not None:
                yield item


def _contradiction(item: Item, witness: str) -> Contradiction:
    return Contradiction(
        witness=witness, item_id=item.item_id, image_id=item.image_id or "", text=item.text, gold=item.gold or ""
    )


def _contradicts(query: Query, gold: str, witness: Witness, graph: SceneGraph) -> bool:
    opinion = _evaluate(query, lambda description: witness.exists(description, graph))
    return opinion is not None and opinion != (gold == "yes")


def _descriptions(query: Query) -> Iterable[ObjectDescription]:
    """What a question asks for; nothing where it asks for more than whether something is there."""
    match query:
        case Exists(of=description):
            return [description]
        case Not(of=inner):
            return _descriptions(inner)
        case And(of=parts) | Or(of=parts):
            found = [list(_descriptions(part)) for part in parts]
            return [one for some in found for one in some] if all(found) else []
    return []


def _claim(query: Query, gold: str) -> Claim:
    """Whether a label says that what is asked about is there, or that it is not."""
    return "affirmation" if (gold == "yes") != _is_negated(query) else "denial"


def _is_negated(query: Query) -> bool:
    """Whether a question is about what is not there: "no dog", "no dog or no cat"."""
    match query:
        case Not(of=inner):
            return not _is_negated(inner)
        case And(of=parts) | Or(of=parts):
            return all(_is_negated(part) for part in parts)
    return False


def _evaluate(query: Query, exists: Callable[[ObjectDescription], TruthValue]) -> TruthValue:
    match query:
        case Exists(of=description):
            return exists(description)
        case Not(of=inner):
            return negate(_evaluate(inner, exists))
        case And(of=parts):
            return conjunction(_evaluate(part, exists) for part in parts)
        case Or(of=parts):
            return disjunction(_evaluate(part, exists) for part in parts)
    return None


def _rate(witness: str, claim: Claim, items: int, contradicted: int) -> OpinionRate:
    from scipy.stats import binomtest

    if not items:
        return OpinionRate(witness=witness, claim=claim, items=0, contradicted=0, rate=0.0, low=0.0, high=1.0)
    interval = binomtest(contradicted, items).proportion_ci(method="wilson")
    return OpinionRate(
        witness=witness,
        claim=claim,
        items=items,
        contradicted=contradicted,
        rate=contradicted / items,
        low=float(interval.low),
        high=float(interval.high),
    )
