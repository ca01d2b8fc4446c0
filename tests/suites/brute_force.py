"""A second evaluator of questions, written from the rules and sharing no code with the package.

It reads the raw JSON of GQA's scene graphs and the raw YAML of the ontology, takes a question apart with regular
expressions of its own, and answers with ``"yes"``, ``"no"``, one of the choices, or ``None`` (cannot be told). Where
Falter walks up from a kind and asks for one verdict after another, this one lists members, facts and candidates, and
looks the answer up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from .brute_force_picture import Asked, Picture, Question, Thing

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
        "(?:would you (?:say|describe|call)|do you think|is it (?:true|correct|fair to say)|does it (?:look|seem))"
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
_IN_IMAGE = "(?:in|from) (?:the|this) (?:picture|photo|image|scene)"


def _deny_either(match: re.Match[str]) -> str:
    """What is said without an article is several: "sheep and a boy"."""
    one, other = (re.sub("^(?!an? )", "several ", thing) for thing in match.groups())
    return f"do you see either no {one} or no {other}?"


_REWORDED: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r", (?:is that )?(?:correct|true)\?$", "?"),
        (r"^the ", "is it true that the "),
        (r"^does the photo show that ", "is it true that "),
        (r"^what position (is|are) the (.+) in, ", r"what \1 the \2 doing, "),
        (r"^can you tell what position the (.+) (is|are) in, ", r"can you tell what the \1 \2 doing, "),
        (r"^what position would you say the (.+) (is|are) in, ", r"what would you say the \1 \2 doing, "),
        (
            rf"^(?:{_HEDGES})(?:the|this) (?:picture|photo|image) does not (?:show|contain|have) both (.+) and (.+?)"
            r"(?: in it)?\?$",
            _deny_either,
        ),
        (
            rf"^(?:{_HEDGES})(.+) and (.+) (?:are|do) not both(?: visible| appear| present)?"
            rf"(?: {_IN_IMAGE}| here| there)\?$",
            _deny_either,
        ),
        (r" who (is|are) ", r" that \1 "),
        (r"\banyone ", "a person "),
        (r"\bno one ", "no person "),
        (r"^does the photo have (.+) in it\?$", r"do you see \1?"),
        (rf"^(?:is|are) (?:at least one|neither) of these {_IN_IMAGE}, (.+)\?$", r"do you see either \1?"),
        (
            rf"^(?:are|do) (.+) and (.+) not both (?:visible|appear) {_IN_IMAGE}\?$",
            r"do you see either no \1 or no \2?",
        ),
        (rf"^(?:are|do) (.+) and (.+) both (?:visible|appear) {_IN_IMAGE}\?$", r"do you see both \1 and \2?"),
        (rf"^(?:is|are|can|does|do) (?!the )(.+) (?:visible|present|be seen|appear) {_IN_IMAGE}\?$", r"do you see \1?"),
        (r"^((?:in this picture, )?(?:is|are)) ((?:an?|any|no) .+)\?$", r"\1 there \2?"),
        (
            rf"^((?:{_HEDGES}))(?!(?:that )?there|(?:that )?the )(?!.*\bshows )(.+?) (is|are) (.+)\?$",
            r"\1there \3 \2 \4?",
        ),
        (r"neither (?:any )?(?!an? )(.+) nor ", r"neither several \1 nor "),
        (r" nor (?:any )?(?!an? )(.+)\?$", r" nor several \1?"),
        (r"neither (.+) nor (.+)\?$", r"no \1 and no \2?"),
        (r"\bno any ", "no "),
        (r"^can you tell what (\w+) the ", r"what \1 would you say the "),
        (r"^which of these is the (\w+) of ", r"what is the \1 of "),
        (r"^can you tell whether the ", "do you think the "),
        (r"^how would you describe the (?!\w+ of the )", "what would you call the "),
        (r" look like (?:it is|they are) made of ", " look "),
        (r" made of(,?) ", r"\1 "),
        (r"^which best describes the ", "what would you call the "),
        (
            r"^(?:looking at the photo, )?what kind of (.+?) (?:is in the picture|is this|is it|do you see), ",
            r"what would you call the \1, ",
        ),
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
