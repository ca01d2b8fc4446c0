"""A second evaluator of questions, written from the rules and sharing no code with the package.

It reads the raw JSON of GQA's scene graphs and the raw YAML of the ontology, takes a question apart with regular
expressions of its own, and answers with ``"yes"``, ``"no"``, one of the choices, or ``None`` (cannot be told). Where
Falter walks up from a kind and asks for one verdict after another, this one lists members, facts and candidates, and
looks the answer up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import yaml

_OPENINGS = "(?:in (?:this|the) (?:picture|photo|image), |looking at the (?:picture|photo|image), )?"
_HEDGES = "|".join(
    (
        "would you say (?:that )?",
        "do you think ",
        "does it look like ",
        "does it seem that ",
        "is it (?:true|correct) that ",
        "is it the case that ",
    )
)
_VERBS = "|".join(
    (
        "(?:is|are) there",
        "there (?:is|are)",
        "(?:do|can) you (?:see|notice|find)",
        "does the (?:picture|photo) show",
        "does this photo contain",
        "does this image include",
        "the (?:image|photo) shows",
    )
)
_PLACES = "(?: anywhere)?(?: in (?:the|this) (?:picture|photo|image|scene)| here)?"
_THERE = re.compile(rf"{_OPENINGS}(?:{_HEDGES})?(?P<verb>{_VERBS}) (?P<thing>.+?){_PLACES}\?")

_ABOUT = tuple(
    re.compile(rf"{_OPENINGS}(?P<front>{front}) the (?P<rest>.+)\?")
    for front in (
        "(?:is|are|does|do)",
        "(?:would you (?:say|describe|call)|do you think|is it (?:true|fair to say)|does it (?:look|seem))"
        "(?: that| like)?",
        "(?:what|which)(?: of these)? (?:is|are|does|do)",
        "what (?:would you (?:call|say)|do you (?:see|think)|does it look like)",
        "can you tell what",
        "how (?:does|do)",
        r"(?:what|which) (?P<family>\w+) (?:is|are|does|do|would you say)",
        r"(?:what is|what do you think|would you say|does|how would you describe|is) the (?P<family>\w+) of",
    )
)
_SAYING = re.compile(
    r"(?:in (?:the|this) (?:picture|photo|image) ?)?(?P<verb>(?:is|are)\b ?)?"
    r"(?:(?:look|seem|appear)\b(?: like| to be)? ?)?(?:as |doing\b)?(?P<comma>, ?)?(?P<tail>.+)"
)
_IN_IMAGE = "(?:in|from) (?:the|this) (?:picture|photo|image)"
_REWORDED = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r", correct\?$", "?"),
        (r"^the ", "is it true that the "),
        (r"^does the photo show that ", "is it true that "),
        (r" who (is|are) ", r" that \1 "),
        (r"\banyone ", "a person "),
        (r"\bno one ", "no person "),
        (r"^does the photo have (.+) in it\?$", r"do you see \1?"),
        (rf"^(?:is|are) (?:at least one|neither) of these {_IN_IMAGE}, (.+)\?$", r"do you see either \1?"),
        (rf"^(?:is|are) either (.+) or (.+) missing {_IN_IMAGE}\?$", r"do you see either no \1 or no \2?"),
        (
            rf"^(?:are|do) (.+) and (.+) not both (?:visible|appear) {_IN_IMAGE}\?$",
            r"do you see either no \1 or no \2?",
        ),
        (rf"^(?:are|do) (.+) and (.+) both (?:visible|appear) {_IN_IMAGE}\?$", r"do you see both \1 and \2?"),
        (rf"^(?:is|are|can|does|do) (?!the )(.+) (?:visible|present|be seen|appear) {_IN_IMAGE}\?$", r"do you see \1?"),
        (r"^((?:in this picture, )?(?:is|are)) ((?:an?|any|no) .+)\?$", r"\1 there \2?"),
        (rf"^((?:{_HEDGES}))(?!there|(?:that )?the )(?!.*\bshows )(.+?) (is|are) (.+)\?$", r"\1there \3 \2 \4?"),
        (r"neither (?:any )?(?!an? )(.+) nor ", r"neither several \1 nor "),
        (r" nor (?:any )?(?!an? )(.+)\?$", r" nor several \1?"),
        (r"neither (.+) nor (.+)\?$", r"no \1 and no \2?"),
        (r"\bno any ", "no "),
        (r"^can you tell what (\w+) the ", r"what \1 would you say the "),
        (r"^which of these is the (\w+) of ", r"what is the \1 of "),
        (r"^which best describes the ", "what would you call the "),
        (r"^what kind of (.+?) (?:is in the picture|do you see), ", r"what would you call the \1, "),
        (
            r"^(?:in this picture, )?(?:what kind of|which) (?!of these)(.+?) (?:is|are) (.+)\?$",
            r"what would you call the \1 \2?",
        ),
    )
)
"""Wordings that say the same as others: each is rewritten to one that the patterns above know."""

_PICTURE = ("picture", "photo", "photograph", "image", "scene", "shot", "snapshot")
_LIST = re.compile(r", or |, | or ")
_PAIRS = (
    (re.compile("both (.+)"), " and ", "and", False),
    (re.compile("(.+)"), " as well as ", "and", False),
    (re.compile("either (no .+)"), " or ", "or", True),
    (re.compile("either (.+)"), " or ", "or", False),
    (re.compile("(no .+)"), " and ", "and", True),
    (re.compile("(.+)"), " or ", "or", False),
)
"""How two things are joined: the words around, the word between, what it means, and whether both are denied."""


def _reword(text: str) -> str:
    denied = "neither of these" in text
    for pattern, instead in _REWORDED:
        text = pattern.sub(instead, text)
    return re.sub(r"either (.+) or (.+)\?$", r"no \1 and no \2?", text) if denied else text


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


class BruteForce:
    """Answers questions about raw scene graphs by listing everything that may be so."""

    def __init__(self, data: Path) -> None:
        self.kinds: dict[str, dict[str, Any]] = {
            name: record or {} for file in _files(data, "kinds") for name, record in file.items()
        }
        self.relations: dict[str, dict[str, Any]] = {
            name: record for file in _files(data, "relations") for name, record in file.items()
        }
        self.families: dict[str, dict[str, Any]] = {}
        self.opposites: set[frozenset[str]] = set()
        self.implied_attributes: dict[str, list[str]] = {}
        for file in _files(data, "attributes"):
            self.families |= file.get("families", {})
            self.opposites |= {frozenset(pair) for pair in file.get("antonyms", ())}
            self.implied_attributes |= file.get("implies", {})
        for family in self.families.values():
            self.opposites |= {frozenset(pair) for pair in family.get("antonyms", ())}
        self.values = {value for family in self.families.values() for value in family["values"]}
        self.together = {
            pair
            for family in self.families.values()
            for group in family.get("overlaps", ())
            for pair in product(group, group)
        }
        self.above = {kind: self._climb(kind) for kind in self.kinds}
        self.below: dict[str, set[str]] = {kind: set() for kind in self.kinds}
        for kind, above in self.above.items():
            for other in above:
                self.below[other].add(kind)
        self.compatible = self._pairs_that_may_be_one_thing()
        self.words = self._word_forms()
        self._parts: dict[str, set[str]] = {}
        self._wholes: dict[str, set[str]] = {}
        self._last: tuple[dict[str, Any], Picture] | None = None
        self.opposed = {
            frozenset((name, other)) for name, record in self.relations.items() for other in record.get("excludes", ())
        }
        self.opponents: dict[str, set[str]] = {name: set() for name in self.relations}
        self.implied_by: dict[str, set[str]] = {name: set() for name in self.relations}
        for pair in self.opposed:
            first, second = min(pair), max(pair)
            self.opponents[first].add(second)
            self.opponents[second].add(first)
        for name, record in self.relations.items():
            for other in record.get("implies", ()):
                self.implied_by[other].add(name)

    def _climb(self, kind: str) -> set[str]:
        found, todo = set(), [kind]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self._parents(name)
        return found

    def _parents(self, kind: str) -> list[str]:
        parents = self.kinds[kind].get("is", [])
        return [parents] if isinstance(parents, str) else parents

    def _pairs_that_may_be_one_thing(self) -> set[tuple[str, str]]:
        """Kinds with a member in common: one that is under both, or one under each of two that overlap."""
        pairs = {pair for above in self.above.values() for pair in product(above, above)}
        for kind, record in self.kinds.items():
            shared = [*record.get("overlaps", []), *(self._parents(kind) if record.get("role") else [])]
            for other in shared:
                for first, second in product(self.below[kind], self.below[other]):
                    pairs |= {(first, second), (second, first)}
            for other in record.get("disputed", []):
                # A thing is of the vague kind, not of anything below it.
                for first, second in product(self.below[other] | self.above[other], self.above[kind]):
                    pairs |= {(first, second), (second, first)}
        # The image comes first: a statue may be called a man, a man is no statue.
        pairs |= {
            (kind, below)
            for kind, record in self.kinds.items()
            for other in record.get("imitates", [])
            for below in self.below[other]
        }
        return pairs

    def seldom_annotated(self, kind: str) -> bool:
        """Whether the nearest entry on some way up says so."""
        own = self.kinds[kind].get("often_unannotated")
        return own if own is not None else any(self.seldom_annotated(parent) for parent in self._parents(kind))

    def marked(self, kind: str, key: str) -> bool:
        """Whether a kind, or anything that it belongs to, has a mark."""
        return any(self.kinds[above].get(key) for above in self.above[kind])

    def covered(self, kind: str, categories: set[str]) -> bool:
        """Whether every way down from a kind ends in something that is of a category."""
        if self.above[kind] & categories:
            return True
        children = [other for other in self.below[kind] if kind in self._parents(other)]
        return bool(children) and all(self.covered(child, categories) for child in children)

    def parts(self, kind: str) -> set[str]:
        """What may be on a thing of this kind: parts of all that it is or may be, and the parts' own parts."""
        if kind not in self._parts:
            may_be = self.above[kind] | self.below[kind]
            for role in self.above[kind]:
                if self.kinds[role].get("role"):
                    may_be = may_be.union(*(self.below[parent] for parent in self._parents(role)))
            found = {part for one in may_be for part in self.kinds[one].get("parts", [])}
            while (
                further := {
                    part for one in found for sure in self.above[one] for part in self.kinds[sure].get("parts", [])
                }
                - found
            ):
                found |= further
            self._parts[kind] = found
        return self._parts[kind]

    def wholes(self, kind: str) -> set[str]:
        """All that is listed with such a part, or with a part that is listed with it."""
        if kind not in self._wholes:
            found: set[str] = set()
            held = {kind}
            while held:
                held = {
                    whole
                    for whole, record in self.kinds.items()
                    if any(self.above[one] & set(record.get("parts", ())) for one in held)
                } - found
                found |= held
            self._wholes[kind] = found
        return self._wholes[kind]

    def _word_forms(self) -> dict[str, set[tuple[str, str]]]:
        forms: dict[str, set[tuple[str, str]]] = {}
        for kind, record in self.kinds.items():
            for name in (kind, *record.get("synonyms", [])):
                number = record.get("number", "count")
                if number != "count":
                    forms.setdefault(name, set()).add((kind, number))
                    continue
                forms.setdefault(name, set()).add((kind, "singular"))
                plural = record["plural"] if name == kind and "plural" in record else _several(name)
                forms.setdefault(plural, set()).add((kind, "plural"))
        return forms

    # Reading a question.

    def read(self, text: str) -> Question | None:
        """The one way to take a question apart, or None where there is none or more than one."""
        ways = list(dict.fromkeys((*self._read_there(text.lower()), *self._read_about(text.lower()))))
        if not ways:
            reworded = _reword(text.lower())
            ways = list(dict.fromkeys((*self._read_there(reworded), *self._read_about(reworded))))
        if len(ways) > 1 and re.match("(?:are|do) (?!you|there)", text.lower()):
            # "Do sheep and snow not both appear": without an article it is several sheep.
            ways = [way for way in ways if all(asked.thing.number != "singular" for asked in way.things)]
        if len(ways) > 1 and re.match("(?:is|does) no ", text.lower()):
            # "Does no fish appear": not several.
            ways = [way for way in ways if all(asked.thing.number != "plural" for asked in way.things)]
        return ways[0] if len(ways) == 1 else None

    def _read_there(self, text: str) -> Iterator[Question]:
        found = _THERE.fullmatch(text)
        if found is None:
            return
        verb = set(found["verb"].split()) & {"is", "are"}
        agreeing = {"is": {"singular", "mass"}, "are": {"plural"}}.get(verb.pop() if verb else "", _NUMBERS)
        for thing in self._asked(found["thing"].split()):
            if thing.thing.number in agreeing:
                yield Question("there", (thing,))
        for around, between, form, denied in _PAIRS:
            inside = around.fullmatch(found["thing"])
            parts = inside[1].split(between) if inside is not None else []
            for place in range(1, len(parts)):
                halves = between.join(parts[:place]), between.join(parts[place:])
                for first, second in product(*(list(self._asked(half.split())) for half in halves)):
                    if first.negated == second.negated == denied and first.thing.number in agreeing:
                        yield Question(form, (first, second))

    def _asked(self, words: list[str]) -> Iterator[Asked]:
        """The ways to read "a red cup on the table" to its end."""
        determiner = words[0] if words[0] in ("a", "an", "any", "no") else ""
        # "Neither a fish nor fish" is rewritten to "no a fish and no several fish": one is meant, and several.
        single = determiner == "no" and words[1:2] in (["a"], ["an"])
        several = determiner == "no" and words[1:2] == ["several"]
        for thing, rest in self._things(words[1 + single + several :] if determiner else words):
            if not _speaks_of(thing.number, determiner) or (single and thing.number != "singular"):
                continue
            if several and thing.number == "singular":
                continue
            if not rest:
                yield Asked(determiner == "no", thing)
            elif rest[:2] != ["that", "is" if thing.number == "plural" else "are"]:
                for relation, left in self._relation(rest):
                    if not left:
                        yield Asked(determiner == "no", thing, *relation)

    def _read_about(self, text: str) -> Iterator[Question]:
        """Questions about "the ...": whether it is so, or which of several it is."""
        for about in _ABOUT:
            found = about.fullmatch(text)
            if found is not None:
                yield from self._read_rest(found["front"].split(), found["rest"], found.groupdict().get("family"))

    def _read_rest(self, front: list[str], words: str, label: str | None) -> Iterator[Question]:
        for thing, rest in self._things(words.replace(",", " ,").split()):
            ways = [(Asked(False, thing), rest)]
            if rest[:2] != ["that", "is" if thing.number == "plural" else "are"]:
                ways += [(Asked(False, thing, *relation), left) for relation, left in self._relation(rest)]
            for asked, left in ways:
                saying = _SAYING.fullmatch(" ".join(left).replace(" ,", ","))
                if saying is None or bool(saying["comma"]) != (front[0] in ("what", "which", "how", "can")):
                    continue
                # "What do you think the color of the pants is": there it is the color that is.
                after = "" if front[-1] == "of" else (saying["verb"] or "").strip()
                verbs = {front[-1], after} & {"is", "are", "does", "do"}
                agreed = all((verb in ("are", "do")) == (thing.number == "plural") for verb in verbs)
                for form, choices in self._choices(saying["tail"].strip()):
                    # "What is the sheep" says nothing of how many there are.
                    if not agreed and form != "kinds":
                        continue
                    if label is None or (form == "values" and self._of_family(label, choices)):
                        yield Question(form, (asked,), choices)

    def _choices(self, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        parts = tuple(_LIST.split(text))
        if len(set(parts)) != len(parts):
            return
        if all(part in self.values for part in parts):
            yield ("has" if len(parts) == 1 else "values"), parts
        nouns = [re.fullmatch("an? (.+)", part) for part in parts]
        if len(parts) > 1 and all(nouns):
            kinds = [
                [kind for kind, number in self.words.get(noun[1], ()) if number == "singular"] for noun in nouns if noun
            ]
            for chosen in product(*kinds):
                yield "kinds", chosen

    def _of_family(self, label: str, choices: tuple[str, ...]) -> bool:
        return any(
            family.get("label") == label and set(choices) <= set(family["values"]) for family in self.families.values()
        )

    def _things(self, words: list[str]) -> Iterator[tuple[Thing, list[str]]]:
        for attributes, start in self._attributes(words, 0):
            for end in range(start + 1, len(words) + 1):
                # A name of several words is that name, even where its first word can be said of things.
                if any(" ".join(words[before:end]) in self.words for before in range(start)):
                    continue
                for kind, number in self.words.get(" ".join(words[start:end]), ()):
                    yield Thing(kind, frozenset(attributes), number), words[end:]

    def _attributes(self, words: list[str], start: int) -> Iterator[tuple[tuple[str, ...], int]]:
        yield (), start
        for end in range(start + 1, min(start + 4, len(words))):
            value = " ".join(words[start:end])
            if value in self.values:
                for more, after in self._attributes(words, end):
                    yield (value, *more), after

    def _relation(self, words: list[str]) -> Iterator[tuple[tuple[str, Thing, bool, str | None], list[str]]]:
        """The ways to read "on the table ...", with what is left; the table may be "near the wall" itself."""
        for name, thing, definite, left in self._step(words):
            yield (name, thing, definite, None), left
            if left[:2] != ["that", "is" if thing.number == "plural" else "are"]:
                for deeper, _, _, rest in self._step(left):
                    yield (name, thing, definite, deeper), rest

    def _step(self, words: list[str]) -> Iterator[tuple[str, Thing, bool, list[str]]]:
        if words[:1] == ["that"] and words[1:2] in (["is"], ["are"]):
            words = words[2:]
        for end in range(1, len(words)):
            name, rest = " ".join(words[:end]), words[end:]
            if name not in self.relations:
                continue
            determiner = rest[0] if rest[0] in ("the", "a", "an") else ""
            for thing, left in self._things(rest[1:] if determiner else rest):
                if determiner == "the" and rest[1] in _PICTURE and len(left) == len(rest) - 2:
                    continue
                if determiner == "the" or _speaks_of(thing.number, determiner):
                    yield name, thing, determiner == "the", left

    # Answering it.

    def answer(self, text: str, graph: dict[str, Any]) -> str | None:
        """The answer of a raw scene graph to a question."""
        question = self.read(text)
        if question is None:
            return None
        if self._last is None or self._last[0] is not graph:
            self._last = (graph, Picture(self, graph))
        return self._last[1].answer(question)


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
                for key in ("implies_nearby", "occupants")
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
        sure = sum(2 if key in self.group else 1 for key, (fits, _) in found.items() if fits)
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
        sure = maybe = 0
        for target in self.things:
            if target != key:
                fits, may = self.bounds(target, asked.target)
                is_so, can_be = self.linked(key, asked.relation, target)
                sure += (2 if target in self.group else 1) * (fits and is_so)
                maybe += may and can_be
        for target in self._told_by(asked.target.kind, wholes=True):
            maybe += target != key and self.linked(key, asked.relation, target)[1]
        unseen = asked.relation not in self.complete and self.hidden(asked.target.kind)
        return sure >= (2 if asked.target.number == "plural" else 1), bool(maybe) or unseen

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
            clear = (len(found) == 1 and bool(several)) or (len(found) > 1 and not several)
        else:
            clear = len(found) == 1 and not several
        return found if clear else None


def _imitated(rules: BruteForce, kind: str) -> list[str]:
    found: list[str] = rules.kinds[kind].get("imitated_by", [])
    return found


def _said(verdict: bool | None) -> str | None:
    return None if verdict is None else ("yes" if verdict else "no")


_NUMBERS = {"singular", "plural", "mass"}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _files(data: Path, name: str) -> Iterator[dict[str, Any]]:
    for path in sorted(data.glob(f"{name}*.yaml")):
        yield yaml.load(path.read_text(), Loader=_LOADER)


_ODD = {"man": "men", "woman": "women", "child": "children", "person": "people", "foot": "feet", "sheep": "sheep"}
_ODD |= {"fish": "fish", "shelf": "shelves", "scarf": "scarves", "leaf": "leaves", "cactus": "cacti"}
_ODD |= {"loaf": "loaves", "hoof": "hooves", "knife": "knives", "mouse": "mice", "gentleman": "gentlemen"}


def _several(noun: str) -> str:
    for link in (" of ", " in ", " on "):
        if link in noun:
            head, rest = noun.split(link, 1)
            return f"{_several(head)}{link}{rest}"
    if " " in noun:
        before, last = noun.rsplit(" ", 1)
        return f"{before} {_several(last)}"
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
