"""A second evaluator of yes/no questions, written from the rules and sharing no code with the package.

It reads the raw JSON of GQA's scene graphs and the raw YAML of the ontology, takes a question apart with regular
expressions of its own, and answers ``"yes"``, ``"no"`` or ``None`` (cannot be told). Where Falter walks up from a kind
and asks for one verdict after another, this one lists members, facts and candidates, and looks the answer up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import yaml

_OPENINGS = "|".join(
    (
        "in this picture, ",
        "in the photo, ",
        "looking at the image, ",
    )
)
_HEDGES = "|".join(
    (
        "would you say (?:that )?",
        "do you think ",
        "does it look like ",
        "does it seem that ",
        "is it (?:true|right) that ",
        "is it the case that ",
        "would it be right to say that ",
    )
)
_VERBS = "|".join(
    (
        "(?:is|are) there",
        "there (?:is|are)",
        "(?:do|can) you (?:see|notice)",
        "does the picture show",
        "does this photo contain",
        "does this image include",
        "the image shows",
    )
)
_PLACES = "(?: anywhere)?(?: in (?:the|this) (?:picture|photo|image|scene)| here)?"
_QUESTION = re.compile(rf"(?:{_OPENINGS})?(?:{_HEDGES})?(?P<verb>{_VERBS}) (?P<thing>.+?){_PLACES}\?")


class Thing(NamedTuple):
    """A description: what it is, how it is, and whether one or several are meant."""

    kind: str
    attributes: frozenset[str]
    number: str


class Asked(NamedTuple):
    """A question taken apart; ``target`` is what the relation leads to."""

    negated: bool
    thing: Thing
    relation: str | None = None
    target: Thing | None = None
    definite: bool = False


class BruteForce:
    """Answers questions about raw scene graphs by listing everything that may be so."""

    def __init__(self, data: Path) -> None:
        self.kinds: dict[str, dict[str, Any]] = {
            name: record or {} for file in _files(data, "kinds") for name, record in file.items()
        }
        self.relations: dict[str, dict[str, Any]] = {
            name: record for file in _files(data, "relations") for name, record in file.items()
        }
        self.families: list[tuple[str, dict[str, Any]]] = []
        self.opposites: set[frozenset[str]] = set()
        self.implied_attributes: dict[str, list[str]] = {}
        for file in _files(data, "attributes"):
            self.families += file.get("families", {}).items()
            self.opposites |= {frozenset(pair) for pair in file.get("antonyms", ())}
            self.implied_attributes |= file.get("implies", {})
        for _, family in self.families:
            self.opposites |= {frozenset(pair) for pair in family.get("antonyms", ())}
        self.values = {value for _, family in self.families for value in family["values"]}
        self.above = {kind: self._climb(kind) for kind in self.kinds}
        self.below = {kind: {other for other in self.kinds if kind in self.above[other]} for kind in self.kinds}
        self.compatible = self._pairs_that_may_be_one_thing()
        self.parts = {kind: self._parts_within(kind) for kind in self.kinds}
        self.listed = {kind: self._listed_parts(kind) for kind in self.kinds}
        self.words = self._word_forms()
        self._last: tuple[dict[str, Any], Picture] | None = None
        self.opposed = {
            frozenset((name, other)) for name, record in self.relations.items() for other in record.get("excludes", ())
        }

    def _climb(self, kind: str) -> set[str]:
        found, todo = set(), [kind]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                parents = self.kinds[name].get("is", [])
                todo += [parents] if isinstance(parents, str) else parents
        return found

    def _members(self) -> Iterator[set[str]]:
        """Every sort of thing that there may be, as the set of all the kinds it is of."""
        yield from self.above.values()
        for kind, record in self.kinds.items():
            shared = list(record.get("overlaps", []))
            if record.get("role"):
                parents = record.get("is", [])
                shared += [parents] if isinstance(parents, str) else parents
            for other in shared:
                for first, second in product(self.below[kind], self.below[other]):
                    yield self.above[first] | self.above[second]

    def _pairs_that_may_be_one_thing(self) -> set[tuple[str, str]]:
        return {pair for member in self._members() for pair in product(member, member)}

    def _parts_within(self, kind: str) -> set[str]:
        """What may be on a thing of this kind, parts of parts included."""
        found: set[str] = set()
        todo = [kind]
        while todo:
            whole = todo.pop()
            for other in self.kinds:
                if (whole, other) in self.compatible:
                    new = set(self.kinds[other].get("parts", [])) - found
                    found |= new
                    todo += new
        return found

    def _listed_parts(self, whole: str) -> set[str]:
        """The parts that this kind is listed with, and their parts."""
        found: set[str] = set()
        todo = [whole]
        while todo:
            new = set(self.kinds[todo.pop()].get("parts", [])) - found
            found |= new
            todo += new
        return found

    def _word_forms(self) -> dict[str, set[tuple[str, str]]]:
        forms: dict[str, set[tuple[str, str]]] = {}
        for kind, record in self.kinds.items():
            for name in (kind, *record.get("also", [])):
                number = record.get("number", "count")
                if number != "count":
                    forms.setdefault(name, set()).add((kind, number))
                    continue
                forms.setdefault(name, set()).add((kind, "singular"))
                plural = record["plural"] if name == kind and "plural" in record else _several(name)
                forms.setdefault(plural, set()).add((kind, "plural"))
        return forms

    # Reading a question.

    def read(self, text: str) -> Asked | None:
        """The one way to take a question apart, or None where there is none or more than one."""
        found = _QUESTION.fullmatch(text.lower())
        if found is None:
            return None
        words = found["thing"].split()
        several = {True: "are" in found["verb"].split(), False: "is" in found["verb"].split()}
        determiner = words.pop(0) if words[0] in ("a", "an", "any", "no") else ""
        ways = []
        for thing, rest in self._things(words):
            if not _speaks_of(thing.number, determiner):
                continue
            if (thing.number == "plural" and several[False]) or (thing.number != "plural" and several[True]):
                continue
            if not rest:
                ways.append(Asked(determiner == "no", thing))
            elif rest[:2] != ["that", "is" if thing.number == "plural" else "are"]:
                ways += [Asked(determiner == "no", thing, *relation) for relation in self._relation(rest)]
        return ways[0] if len(ways) == 1 else None

    def _things(self, words: list[str]) -> Iterator[tuple[Thing, list[str]]]:
        for start in range(len(words)):
            if not all(word in self.values for word in words[:start]):
                break
            for end in range(start + 1, len(words) + 1):
                for kind, number in self.words.get(" ".join(words[start:end]), ()):
                    yield Thing(kind, frozenset(words[:start]), number), words[end:]

    def _relation(self, words: list[str]) -> Iterator[tuple[str, Thing, bool]]:
        if words[0] == "that" and words[1] in ("is", "are"):
            words = words[2:]
        for end in range(1, len(words)):
            name, rest = " ".join(words[:end]), words[end:]
            if name not in self.relations:
                continue
            determiner = rest.pop(0) if rest[0] in ("the", "a", "an") else ""
            for thing, left in self._things(rest):
                if not left and (determiner == "the" or _speaks_of(thing.number, determiner)):
                    yield name, thing, determiner == "the"

    # Answering it.

    def answer(self, text: str, graph: dict[str, Any]) -> str | None:
        """The answer of a raw scene graph to a question."""
        asked = self.read(text)
        if asked is None:
            return None
        if self._last is None or self._last[0] is not graph:
            self._last = (graph, Picture(self, graph))
        verdict = self._last[1].exists(asked)
        if verdict is None:
            return None
        return "yes" if verdict != asked.negated else "no"


class Picture:
    """One raw graph, with every fact that follows from it listed."""

    def __init__(self, rules: BruteForce, graph: dict[str, Any]) -> None:
        self.rules = rules
        self.width = graph["width"]
        self.complete = set(graph.get("complete", []))
        self.things: dict[str, dict[str, Any]] = graph["objects"]
        self.kind: dict[str, str | None] = {}
        self.group: set[str] = set()
        for key, thing in self.things.items():
            forms = rules.words.get(thing["name"], set())
            # A form that is both ("sheep") is taken for one.
            best = sorted(forms, key=lambda form: form[1] != "singular")
            self.kind[key] = best[0][0] if best else None
            if best and best[0][1] == "plural":
                self.group.add(key)
        self.facts, self.counterfacts = self._facts()
        self._hidden: dict[str, bool] = {}

    def _facts(self) -> tuple[set[tuple[str, str, str]], set[tuple[str, str, str]]]:
        """All relations that follow from the annotated ones, and all that cannot be."""
        true = {
            (key, relation["name"], relation["object"])
            for key, thing in self.things.items()
            for relation in thing["relations"]
        }
        while True:
            further = set()
            for first, name, second in true:
                record = self.rules.relations.get(name, {})
                further |= {(first, other, second) for other in record.get("implies", ())}
                if record.get("symmetric"):
                    further.add((second, name, first))
                if "inverse" in record:
                    further.add((second, record["inverse"], first))
            if further <= true:
                break
            true |= further
        false = set()
        for first, name, second in true:
            for other in self.rules.relations:
                if frozenset((name, other)) in self.rules.opposed:
                    false.add((first, other, second))
        while True:
            further = set()
            for first, name, second in false:
                for other, record in self.rules.relations.items():
                    if name in record.get("implies", ()):
                        further.add((first, other, second))
                record = self.rules.relations[name]
                if "inverse" in record:
                    further.add((second, record["inverse"], first))
                if record.get("symmetric"):
                    further.add((second, name, first))
            if further <= false:
                break
            false |= further
        return true, false

    def hidden(self, kind: str) -> bool:
        """Whether there may be one that nobody annotated."""
        if kind not in self._hidden:
            self._hidden[kind] = self._may_be_hidden(kind)
        return self._hidden[kind]

    def _may_be_hidden(self, kind: str) -> bool:
        rules = self.rules
        here = {kind for kind in self.kind.values() if kind is not None}
        if any((part, kind) in rules.compatible for one in here for part in rules.parts[one]):
            return True
        if "objects" in self.complete:
            return False
        if any(rules.kinds[other].get("unremarked") for other in rules.below[kind]):
            return True
        for part in here:
            explained = any(
                (other, part) in rules.compatible for whole in here - {part} for other in rules.parts[whole]
            )
            if explained:
                continue
            for whole in rules.kinds:
                listed = rules.above[part] & rules.listed[whole]
                if listed and (whole, kind) in rules.compatible:
                    return True
        return False

    def bounds(self, key: str, thing: Thing) -> tuple[bool, bool]:
        """Whether a thing fits for sure, and whether it may."""
        kind = self.kind[key]
        if kind is None:
            sure, maybe = self.things[key]["name"] == thing.kind, True
        else:
            sure, maybe = thing.kind in self.rules.above[kind], (kind, thing.kind) in self.rules.compatible
        for value in thing.attributes:
            has, may = self._attribute(key, value)
            sure, maybe = sure and has, maybe and may
        return sure, maybe

    def _attribute(self, key: str, value: str) -> tuple[bool, bool]:
        has = set(self.things[key]["attributes"])
        while further := {other for one in has for other in self.rules.implied_attributes.get(one, ())} - has:
            has |= further
        opposed = any(frozenset((value, other)) in self.rules.opposites for other in has)
        if value in has:
            return not opposed, True
        if opposed:
            return False, False
        for name, family in self.rules.families:
            if value in family["values"]:
                together = {other for group in family.get("overlaps", ()) if value in group for other in group}
                taken = family.get("exclusive", True) and has & set(family["values"]) - together
                if taken or name in self.complete:
                    return False, False
        return False, True

    def linked(self, first: str, name: str, second: str) -> tuple[bool, bool]:
        """Whether a relation holds for sure, and whether it may."""
        if first == second:
            return False, False
        fact = (first, name, second)
        for_it, against = fact in self.facts, fact in self.counterfacts
        if name in ("to the left of", "to the right of"):
            a, b = self.things[first], self.things[second]
            before, after = a["x"] + a["w"] <= b["x"], b["x"] + b["w"] <= a["x"]
            if name == "to the right of":
                before, after = after, before
            for_it, against = for_it or before, against or after
        if for_it or against:
            return for_it and not against, for_it
        return False, name not in self.complete

    def exists(self, asked: Asked) -> bool | None:
        """Whether there is such a thing (in the plural: two), before any negation."""
        targets: list[str] = []
        if asked.definite:
            assert asked.target is not None
            group = self._the(asked.target)
            if group is None:
                return None
            targets = group
        sure = maybe = 0
        for key in self.things:
            fits, may = self.bounds(key, asked.thing)
            if asked.relation is not None:
                is_so, can_be = self._leads(key, asked, targets)
                fits, may = fits and is_so, may and can_be
            weight = 2 if key in self.group else 1
            sure += weight * fits
            maybe += may
        if sure >= (2 if asked.thing.number == "plural" else 1):
            return True
        return None if maybe or self.hidden(asked.thing.kind) else False

    def _leads(self, key: str, asked: Asked, targets: list[str]) -> tuple[bool, bool]:
        assert asked.relation is not None
        assert asked.target is not None
        if asked.definite:
            verdicts = {self.linked(key, asked.relation, target) for target in targets}
            return verdicts.pop() if len(verdicts) == 1 else (False, True)
        sure = maybe = 0
        for target in self.things:
            if target != key:
                fits, may = self.bounds(target, asked.target)
                is_so, can_be = self.linked(key, asked.relation, target)
                sure += (2 if target in self.group else 1) * (fits and is_so)
                maybe += may and can_be
        unseen = asked.relation not in self.complete and self.hidden(asked.target.kind)
        return sure >= (2 if asked.target.number == "plural" else 1), bool(maybe) or unseen

    def _the(self, thing: Thing) -> list[str] | None:
        """What "the ..." stands for; None unless that is clear."""
        bounds = {key: self.bounds(key, thing) for key in self.things}
        if self.hidden(thing.kind) or any(may and not sure for sure, may in bounds.values()):
            return None
        found = [key for key, (sure, _) in bounds.items() if sure]
        several = [key for key in found if key in self.group]
        if thing.number == "plural":
            clear = (len(found) == 1 and bool(several)) or (len(found) > 1 and not several)
        else:
            clear = len(found) == 1 and not several
        return found if clear else None


def _files(data: Path, name: str) -> Iterator[dict[str, Any]]:
    for path in sorted(data.glob(f"{name}*.yaml")):
        yield yaml.safe_load(path.read_text())


_ODD = {"man": "men", "woman": "women", "child": "children", "person": "people", "foot": "feet", "sheep": "sheep"}
_ODD |= {"fish": "fish", "shelf": "shelves", "scarf": "scarves", "leaf": "leaves", "cactus": "cacti"}


def _several(noun: str) -> str:
    if noun in _ODD:
        return _ODD[noun]
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search(r"(s|x|z|ch|sh)$", noun) else f"{noun}s"


def _speaks_of(number: str, determiner: str) -> bool:
    allowed = {"a": {"singular"}, "an": {"singular"}, "any": {"plural", "mass"}, "": {"plural", "mass"}}
    return number in allowed.get(determiner, {"singular", "plural", "mass"})


def read_graphs(path: Path) -> dict[str, dict[str, Any]]:
    """The raw scene graphs of a file."""
    graphs: dict[str, dict[str, Any]] = json.loads(path.read_text())
    return graphs
