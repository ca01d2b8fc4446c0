"""One raw scene graph as the second evaluator sees it: every fact that follows from it, and what that answers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .brute_force import BruteForce


class Thing(NamedTuple):
    """A description: what it is, how it is, and whether one or several are meant."""

    kind: str
    attributes: frozenset[str]
    number: str


class Asked(NamedTuple):
    """A thing that is asked for; ``target`` is what the relation leads to."""

    negated: bool
    thing: Thing
    relation: str | None = None
    target: Thing | None = None
    definite: bool = False
    deeper: str | None = None
    """The relation that the target itself is described by; such questions are read, and not answered."""


class Question(NamedTuple):
    """A question taken apart: ``there``, ``and``, ``or``, ``has``, ``values`` or ``kinds``."""

    form: str
    things: tuple[Asked, ...]
    choices: tuple[str, ...] = ()


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
            kind, number = self._named(thing["name"])
            self.kind[key] = kind
            if number == "plural":
                self.group.add(key)
        self.names = {thing["name"]: self._named(thing["name"])[0] for thing in self.things.values()}
        self.images = self._images()
        self.categories = set(graph["categories"]) if "categories" in graph else None
        self.free = "objects" not in self.complete and self.categories is None
        self.location = graph.get("location")
        self.facts, self.counterfacts = self._facts()
        self._hidden: dict[str, bool] = {}

    def _named(self, name: str) -> tuple[str | None, str]:
        # A form that is both ("sheep") is taken for one, and a name of its own goes before another's plural.
        forms = self.rules.words.get(name, set())
        best = sorted(forms, key=lambda form: (form[1] != "singular", form[0] != name))
        return best[0] if best else (None, "singular")

    def answer(self, question: Question) -> str | None:
        """Yes, no, the right choice, or None."""
        if question.form == "there":
            return _said(self._there(question.things[0]))
        if question.form in ("and", "or"):
            verdicts = [self._there(asked) for asked in question.things]
            deciding = question.form == "or"
            if deciding in verdicts:
                return _said(deciding)
            return None if None in verdicts else _said(not deciding)
        things = self._the(question.things[0])
        if things is None:
            return None
        if question.form == "has":
            return _said(self._all_alike(self._attribute(key, question.choices[0]) for key in things))
        verdicts = [
            self._all_alike(
                self._attribute(key, choice) if question.form == "values" else self._kind(key, choice) for key in things
            )
            for choice in question.choices
        ]
        right = [choice for choice, verdict in zip(question.choices, verdicts, strict=True) if verdict]
        return right[0] if len(right) == 1 and None not in verdicts else None

    def _there(self, asked: Asked) -> bool | None:
        verdict = self.exists(asked)
        return None if verdict is None else verdict != asked.negated

    @staticmethod
    def _all_alike(bounds: Iterator[tuple[bool, bool]]) -> bool | None:
        verdicts = set(bounds)
        return {(True, True): True, (False, False): False}.get(verdicts.pop()) if len(verdicts) == 1 else None

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
            false |= {(first, other, second) for other in self.rules.opponents.get(name, ())}
        while True:
            further = set()
            for first, name, second in false:
                further |= {(first, other, second) for other in self.rules.implied_by[name]}
                record = self.rules.relations[name]
                if "inverse" in record:
                    further.add((second, record["inverse"], first))
                if record.get("symmetric"):
                    further.add((second, name, first))
            if further <= false:
                break
            false |= further
        return true, false

    def _images(self) -> set[str]:
        """Things of which the attributes, or what they are on or in, say that they are no more than images."""
        rules = self.rules
        made = {}
        for key, kind in self.kind.items():
            made[key] = (
                set() if kind is None else {value for above in rules.above[kind] for value in _imitated(rules, above)}
            )
        found = {key for key, values in made.items() if values & set(self.things[key]["attributes"])}
        for key, thing in self.things.items():
            for relation in thing["relations"]:
                how = rules.relations.get(relation["name"], {}).get("image")
                shown, shower = (relation["object"], key) if how == "second" else (key, relation["object"])
                kind = self.kind.get(shower)
                showing = how == "always" or (kind is not None and rules.marked(kind, "shows_images"))
                if how is not None and showing and made[shown]:
                    found.add(shown)
        if "objects" in self.complete:
            return found
        for key, other in product(self.things, self.things):
            kind = self.kind[other]
            if key != other and kind is not None and rules.marked(kind, "shows_images") and made[key]:
                found |= {key} if self._inside(key, other, 0.9) else set()
        return found

    def _inside(self, key: str, other: str, share: float = 0.5) -> bool:
        """Whether that much of one box or more lies in the other."""
        a, b = self.things[key], self.things[other]
        across = min(a["x"] + a["w"], b["x"] + b["w"]) - max(a["x"], b["x"])
        down = min(a["y"] + a["h"], b["y"] + b["h"]) - max(a["y"], b["y"])
        return across > 0 and down > 0 and across * down / (a["w"] * a["h"]) >= share

    def _told_by(self, kind: str, *, wholes: bool) -> list[str]:
        """Things that tell of an unannotated one of a kind: clothes that nobody here wears, parts of nothing here."""
        rules, found = self.rules, []
        for key, own in self.kind.items():
            if own is None or not self.free:
                continue
            near = {other for above in rules.above[own] for other in rules.kinds[above].get("implies_nearby", ())}
            for other in near if "wearing" not in self.complete else ():
                wearers = [one for one in self.things if self._kind(one, other)[1]]
                worn = any(self._inside(key, one) or (one, "wearing", key) in self.facts for one in wearers)
                if not worn and (other, kind) in rules.compatible:
                    found.append(key)
            if wholes and any((whole, kind) in rules.compatible for whole in rules.wholes(own)):
                at_home = any(
                    self._inside(key, other)
                    for other, known in self.kind.items()
                    if other != key and known is not None
                    if any((part, own) in rules.compatible for part in rules.parts(known))
                )
                if not at_home:
                    found.append(key)
        return found

    def _rooms(self) -> set[str]:
        """The rooms that the things here tell of; one that is in several rooms counts where none of them is certain."""
        rules = self.rules
        kinds = [kind for kind in self.names.values() if kind is not None]
        if self.location in rules.words:
            kinds.append(self._named(self.location)[0] or "thing")
        told = [
            {
                room
                for room, record in rules.kinds.items()
                if "fixtures" in record and rules.above[kind] & {room, *record["fixtures"]}
            }
            for kind in kinds
        ]
        certain = {room for rooms in told if len(rooms) == 1 for room in rooms}
        return certain.union(*(rooms for rooms in told if not rooms & certain))

    def hidden(self, kind: str) -> bool:
        """Whether there may be one that nobody annotated."""
        if kind not in self._hidden:
            self._hidden[kind] = self._may_be_hidden(kind)
        return self._hidden[kind]

    def _may_be_hidden(self, kind: str, *, listed: bool = False) -> bool:
        rules = self.rules
        here = {name: known for name, known in self.names.items() if known is not None}
        if any((part, kind) in rules.compatible for one in here.values() for part in rules.parts(one)):
            return True
        if "objects" in self.complete:
            return False
        if rules.kinds[kind].get("vague") or any(rules.seldom_annotated(other) for other in rules.below[kind]):
            return True
        if self.categories is not None and not listed and not rules.covered(kind, self.categories):
            return True
        for room in self._rooms() if self.free else ():
            held = {*rules.kinds[room]["fixtures"], *rules.kinds[room].get("parts", [])}
            if any(kind in rules.above[one] | rules.below[one] for one in held):
                return True
        for one in here.values():
            for other in {
                other
                for above in rules.above[one]
                for key in ("implies_nearby", "occupants", "stands_on")
                for other in rules.kinds[above].get(key, ())
            }:
                absent = not any(self._kind(key, other)[1] for key in self.things)
                told = {other, *rules.parts(other)} if absent else set()
                if any((thing, kind) in rules.compatible for thing in told):
                    return True
        for name, part in here.items():
            explained = any(
                (other, part) in rules.compatible
                for whole_name, whole in here.items()
                if whole_name != name
                for other in rules.parts(whole)
            )
            if not explained and any((whole, kind) in rules.compatible for whole in rules.wholes(part)):
                return True
        return False

    def bounds(self, key: str, thing: Thing) -> tuple[bool, bool]:
        """Whether a thing fits for sure, and whether it may."""
        sure, maybe = self._kind(key, thing.kind)
        for value in thing.attributes:
            has, may = self._attribute(key, value)
            sure, maybe = sure and has, maybe and may
        return sure, maybe

    def _kind(self, key: str, asked: str) -> tuple[bool, bool]:
        kind = self.kind[key]
        if kind is None:
            return self.things[key]["name"] == asked, True
        may = (kind, asked) in self.rules.compatible
        if key in self.images:
            return False, may or self._is_image_word(asked)
        return asked in self.rules.above[kind], may

    def _is_image_word(self, asked: str) -> bool:
        rules = self.rules
        return any(rules.kinds[one].get("imitates") for one in rules.above[asked] | rules.below[asked])

    def _implied(self, values: set[str]) -> set[str]:
        while further := {other for one in values for other in self.rules.implied_attributes.get(one, ())} - values:
            values = values | further
        return values

    def _attribute(self, key: str, value: str) -> tuple[bool, bool]:
        rules = self.rules
        annotated = self._annotated(key)
        has = self._implied(annotated)
        opposed = any(frozenset((value, other)) in rules.opposites for other in has)
        if value in has:
            return not opposed, True
        of = {name: family for name, family in rules.families.items() if value in family["values"]}
        several = [other for family in rules.families.values() for other in family.get("leaves_open", {}).items()]
        if any(name in of and annotated & set(patterns) for name, patterns in several):
            return False, True
        declared = bool(self.complete & set(of))
        if any((value, other) in rules.together for other in annotated):
            return False, not declared
        # What would bring along a word that the thing has is not ruled out by that word.
        rivals = {
            other
            for family in of.values()
            if family.get("exclusive", True)
            for other in family["values"]
            if (value, other) not in rules.together
        } - self._implied({value})
        rivals = {other for other in rivals if value not in self._implied({other})}
        return False, not (opposed or declared or has & rivals)

    def _annotated(self, key: str) -> set[str]:
        """The attributes of a thing, and what it does by the first word of a relation, unless the two are at odds."""
        rules, thing, kind = self.rules, self.things[key], self.kind[key]
        verbs = {relation["name"].split()[0] for relation in thing["relations"]}
        own = set(thing["attributes"])
        done: set[tuple[str, str]] = {
            (name, verb)
            for name, family in rules.families.items()
            for verb in verbs & set(family.get("told_by_relations", ()))
            if kind is not None
            and rules.above[kind] & set(family.get("applies_to", ["thing"]))
            and not rules.above[kind] & set(family.get("not_applicable_to", ()))
        }
        said = own | {verb for _, verb in done}
        for name, verb in done:
            rivals = said & set(rules.families[name]["values"]) - {verb}
            rivals = {other for other in rivals if verb not in self._implied({other})} - self._implied({verb})
            if all((verb, other) in rules.together for other in rivals):
                own.add(verb)
        return own

    def linked(self, first: str, name: str, second: str) -> tuple[bool, bool]:
        """Whether a relation holds for sure, and whether it may."""
        if first == second:
            return False, False
        kinds = [kind for kind in (self.kind[first], self.kind[second]) if kind is not None]
        if name.startswith("to the ") and any(self.rules.marked(kind, "backdrop") for kind in kinds):
            return False, True
        fact = (first, name, second)
        for_it, against = fact in self.facts, fact in self.counterfacts
        if name in ("to the left of", "to the right of"):
            one, other = (first, second) if name == "to the left of" else (second, first)
            before, after = self._comes_before(one, other), self._comes_before(other, one)
            if {first, second} & self.group:
                # Of a group, the box only speaks against what is annotated.
                against, for_it = (
                    against or (for_it and after),
                    for_it or (against and before and self._level(one, other)),
                )
            else:
                for_it, against = for_it or (before and self._level(one, other)), against or after
            if before and not (for_it or against):
                return False, True
        if for_it or against:
            return for_it and not against, for_it
        return False, name not in self.complete

    def _comes_before(self, first: str, second: str) -> bool:
        return bool(self.things[first]["x"] + self.things[first]["w"] <= self.things[second]["x"])

    def _level(self, first: str, second: str) -> bool:
        """Whether the smaller of two things has half of its height in the rows of the other."""
        small, big = sorted((self.things[first], self.things[second]), key=lambda thing: thing["h"])
        inside = small["h"] - max(0, big["y"] - small["y"]) - max(0, small["y"] + small["h"] - big["y"] - big["h"])
        return bool(2 * inside >= small["h"])

    def exists(self, asked: Asked) -> bool | None:
        """Whether there is such a thing (in the plural: two), before any negation."""
        found = self._fitting(asked)
        if found is None:
            return None
        sure = self._at_least([key for key, (fits, _) in found.items() if fits])
        if sure >= (2 if asked.thing.number == "plural" else 1):
            return True
        maybe = any(may for _, may in found.values())
        return None if maybe or self.hidden(asked.thing.kind) else False

    def _fitting(self, asked: Asked) -> dict[str, tuple[bool, bool]] | None:
        """For each thing whether it fits for sure and whether it may; None where "the ..." means nothing clear."""
        targets: list[str] | None = []
        if asked.definite:
            assert asked.target is not None
            targets = self._the(Asked(False, asked.target))
            if targets is None:
                return None
        found = {}
        for key in self.things:
            fits, may = self.bounds(key, asked.thing)
            if asked.relation is not None and may:
                is_so, can_be = self._leads(key, asked, targets)
                fits, may = fits and is_so, may and can_be
            found[key] = (fits, may)
        for key in self._told_by(asked.thing.kind, wholes=asked.relation is not None):
            sideways = asked.relation is not None and asked.relation.startswith("to the ")
            if not sideways or self._leads(key, asked, targets)[1]:
                found[f"unannotated, by {key}"] = (False, True)
        return found

    def _leads(self, key: str, asked: Asked, targets: list[str]) -> tuple[bool, bool]:
        assert asked.relation is not None
        assert asked.target is not None
        if asked.definite:
            verdicts = {self.linked(key, asked.relation, target) for target in targets}
            return verdicts.pop() if len(verdicts) == 1 else (False, True)
        surely = []
        maybe = 0
        for target in self.things:
            if target != key:
                fits, may = self.bounds(target, asked.target)
                is_so, can_be = self.linked(key, asked.relation, target)
                surely += [target] if fits and is_so else []
                maybe += may and can_be
        for target in self._told_by(asked.target.kind, wholes=True):
            maybe += target != key and self.linked(key, asked.relation, target)[1]
        unseen = asked.relation not in self.complete and self.hidden(asked.target.kind)
        return self._at_least(surely) >= (2 if asked.target.number == "plural" else 1), bool(maybe) or unseen

    def _at_least(self, keys: list[str]) -> int:
        """How many things there are at least: what was annotated before under another name counts once."""
        order = list(self.things)
        number = 0
        for key in keys:
            again = any(self._are_one(key, other) for other in order[: order.index(key)] if other not in self.group)
            number += 2 if key in self.group else int(not (number and again))
        return number

    def _are_one(self, key: str, other: str) -> bool:
        """Whether two things may be one: both of some kind, in boxes that share half of their pixels or more."""
        kinds = [self.rules.above[kind] for one in (key, other) if (kind := self.kind[one]) is not None]
        if "objects" in self.complete or len(kinds) < 2 or not (kinds[0] & kinds[1]) - {"thing"}:
            return False
        one, two = self.things[key], self.things[other]
        width, height = (
            max(0, min(one[start] + one[size], two[start] + two[size]) - max(one[start], two[start]))
            for start, size in (("x", "w"), ("y", "h"))
        )
        union = one["w"] * one["h"] + two["w"] * two["h"] - width * height
        return bool(2 * width * height >= union)

    def _several_may_have(self, kind: str) -> bool:
        """Whether two or more may each wear one, of which only some are annotated."""
        rules = self.rules
        near = {other for above in rules.above[kind] for other in rules.kinds[above].get("implies_nearby", ())}
        wearers = [key for other in near for key in self.things if self._kind(key, other)[1]]
        return self.free and (len(wearers) > 1 or any(key in self.group for key in wearers))

    def _the(self, asked: Asked) -> list[str] | None:
        """What "the ..." stands for; None unless that is clear."""
        bounds = self._fitting(asked)
        kind, number = asked.thing.kind, asked.thing.number
        another = (self._may_be_hidden(kind, listed=True) or self._several_may_have(kind)) and not self.rules.kinds[
            kind
        ].get("unique")
        if bounds is None or another or any(may and not sure for sure, may in bounds.values()):
            return None
        found = [key for key, (sure, _) in bounds.items() if sure]
        several = [key for key in found if key in self.group]
        if number == "plural":
            clear = (len(found) == 1 and bool(several)) or (self._at_least(found) > 1 and not several)
        else:
            clear = len(found) == 1 and not several
        return found if clear else None


def _imitated(rules: BruteForce, kind: str) -> list[str]:
    found: list[str] = rules.kinds[kind].get("imitated_by", [])
    return found


def _said(verdict: bool | None) -> str | None:
    return None if verdict is None else ("yes" if verdict else "no")
