"""The audit of foils: read back to queries, the caption must be true of the scene of its image, and the foil false.

Sentences are brought into the form of the templates of ``english/data/captions``: "A man pushes a cart." says that
there is a man pushing a cart. What a second clause or a question says by a pronoun is said of what it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec.structs import replace

from falter.core.errors import UsageError
from falter.data.images import Source
from falter.data.items import Item, Probe
from falter.data.word_forms import word_to_number
from falter.generation.english import Grammar, default_grammar
from falter.generation.english.grammar import captions_over
from falter.generation.english.words import third_person
from falter.generation.scene import And, CountIs, Exists, HasAttribute, Not, ObjectDescription, Query, Scene
from falter.generation.sources import HasScenes, require_scenes

if TYPE_CHECKING:
    from falter.generation.scene.query import AnyQuery

_OF_IMAGE = re.compile(r" in the (?:picture|image|photo)(?=\.?$)")
_QUESTIONED = re.compile(r"(?P<caption>.+?)\. (?P<question>[^?]+)\? (?P<answer>yes|no)\.")
_CLAUSES = re.compile(r"(?P<first>.+?) and (?P<pronoun>he|she|it|they) (?:is|are) (?P<said>.+)")
_ASKED = re.compile(r"(?:is|are) (?P<pronoun>he|she|it|they|this|that) (?P<said>.+)")
_NUMBER = re.compile(r"there (?:is|are) (?P<number>[a-z-]+) (?P<noun>[a-z ]+?)(?: and (?P<other>an? .+))?")
_BARE = re.compile(r"there are (?P<noun>[a-z ]+)")
_DOING = re.compile(r"(?P<who>.+?) (?:is|are) (?P<doing>\w+ing .+)")
_PRONOUNS = {"man": "he", "boy": "he", "woman": "she", "girl": "she"}
_POSTURES = {"lying down": "lying"}
_LOCATIONS = {"outside": "outdoors", "outdoors": "outdoors", "inside": "indoors", "indoors": "indoors"}


class Statement(NamedTuple):
    """What a text says: all of the queries hold, and the image shows such a location where one is told."""

    queries: tuple[Query, ...]
    location: str = ""
    """Indoors or outdoors."""


class _Clause(NamedTuple):
    """What is said to exist, as far as one can refer to it, and all that is said."""

    named: tuple[ObjectDescription, ...]
    queries: tuple[Query, ...]


class StatementReader:
    """Reads captions and foils; one that it cannot read is None.

    >>> from falter.generation.english import default_grammar
    >>> reader = StatementReader(default_grammar())
    >>> for text in ("A man pushes a cart.", "There are exactly 3 dogs in the picture.", "a girl. is she sad? no."):
    ...     print([query.describe() for query in reader.read(text).queries])
    ['there is man pushing cart']
    ['exactly 3: dog']
    ['there is girl', 'not (there is sad girl)']
    """

    def __init__(self, grammar: Grammar) -> None:
        self._captions = captions_over(grammar)
        self._ontology = grammar.ontology

    def read(self, text: str) -> Statement | None:
        """What a text says."""
        questioned = _QUESTIONED.fullmatch(text)
        if questioned is not None:
            return self._read_questioned(questioned)
        said = self._read_caption(_OF_IMAGE.sub("", text).rstrip("."))
        return None if said is None else Statement(said.queries)

    def _read_questioned(self, found: re.Match[str]) -> Statement | None:
        """A caption with a question and its answer: the caption is true, and so is what the answer says."""
        said, asked = self._read_caption(found["caption"]), _ASKED.fullmatch(found["question"])
        if said is None or asked is None:
            return None
        is_so = found["answer"] == "yes"
        if asked["said"] in _LOCATIONS:
            location = _LOCATIONS[asked["said"]]
            return Statement(said.queries, location if is_so else _other(location))
        meant = self._told(said, asked["pronoun"], _POSTURES.get(asked["said"], asked["said"]))
        return None if meant is None else Statement((*said.queries, meant if is_so else Not(cast("AnyQuery", meant))))

    def _read_caption(self, text: str) -> _Clause | None:
        clauses = _CLAUSES.fullmatch(text)
        if clauses is None:
            return self._read_clause(text)
        said = self._read_clause(clauses["first"])
        more = None if said is None else self._told(said, clauses["pronoun"], clauses["said"])
        return None if said is None or more is None else said._replace(queries=(*said.queries, more))

    def _read_clause(self, text: str) -> _Clause | None:
        low = text[:1].lower() + text[1:]
        said = low if low.startswith("there ") else f"there is {self._in_progress(low)}"
        found = self._parse(said) or self._parse(said.replace("there is", "there are", 1))
        if found is not None:
            parts = found.of if isinstance(found, And) else (found,)
            return _Clause(tuple(part.of for part in parts if isinstance(part, Exists)), parts)
        return self._read_number(said) or self._read_bare(low)

    def _read_number(self, text: str) -> _Clause | None:
        """There are six ladders and a girl: at least six, since nothing says that there are no others."""
        found = _NUMBER.fullmatch(text)
        number = None if found is None else word_to_number(found["number"])
        if found is None or number is None:
            return None
        counted = self._parse(f"there are exactly {number} {found['noun']}")
        other = None if found["other"] is None else self._parse(f"there is {found['other']}")
        if not isinstance(counted, CountIs) or (found["other"] is not None and other is None):
            return None
        counted = replace(counted, how="at least")
        return _Clause((), (counted,) if other is None else (counted, other))

    def _read_bare(self, text: str) -> _Clause | None:
        """There are dogs."""
        found = _BARE.fullmatch(text if text.startswith("there ") else f"there are {text}")
        denied = None if found is None else self._parse(f"there are no {found['noun']}")
        if not isinstance(denied, Not) or not isinstance(denied.of, Exists):
            return None
        return _Clause((denied.of.of,), (denied.of,))

    def _told(self, said: _Clause, pronoun: str, words: str) -> Query | None:
        """What a pronoun's clause says of the first thing that the pronoun can stand for."""
        for of in said.named:
            to = None if of.relation is None else of.relation.to
            if self._fits(pronoun, of):
                value = self._value(of, words)
                if value is not None:
                    return Exists(replace(of, attributes=(*of.attributes, value)))
                doing = self._parse(f"there is a {of.kind} {words}")
                if doing is not None:
                    return doing
            elif to is not None and of.relation is not None and self._fits(pronoun, to):
                value = self._value(to, words)
                if value is not None:
                    changed = replace(to, attributes=(*to.attributes, value))
                    return Exists(replace(of, relation=replace(of.relation, to=changed)))
        return None

    def _fits(self, pronoun: str, of: ObjectDescription) -> bool:
        own = _PRONOUNS.get(of.kind, "" if self._ontology.is_a(of.kind, "person") else "it")
        if own == "it" and of.number == "plural":
            own = "they"
        return pronoun == own

    def _value(self, of: ObjectDescription, words: str) -> str | None:
        """The attribute that words say of a thing: "made of glass"; a sun is not checkered."""
        for copula in ("is", "are"):
            for found in self._captions.parse(f"The {of.kind} {copula} {words}."):
                if (
                    isinstance(found, HasAttribute)
                    and found.of.kind == of.kind
                    and self._ontology.applies_to(found.value, of.kind)
                ):
                    return found.value
        return None

    def _in_progress(self, text: str) -> str:
        """A man is pushing a cart, or pushes one: a man pushing a cart."""
        found = _DOING.fullmatch(text)
        if found is not None:
            return f"{found['who']} {found['doing']}"
        words = text.split(" ")
        for start in range(1, len(words)):
            for end in range(len(words), start, -1):
                relation = self._relations.get(" ".join(words[start:end]))
                if relation is not None:
                    return " ".join([*words[:start], relation, *words[end:]])
        return text

    @cached_property
    def _relations(self) -> dict[str, str]:
        """Relations by the present of their verb: "sits on" is sitting on."""
        found: dict[str, str] = {}
        for name in self._ontology.relations:
            verb, *rest = name.split(" ")
            for infinitive in _infinitives(verb):
                found.setdefault(" ".join([third_person(infinitive), *rest]), name)
        return found

    def _parse(self, text: str) -> Query | None:
        """The one reading of a sentence in the form of a template."""
        readings = self._captions.parse(f"{text[:1].upper()}{text[1:]}.")
        if len(readings) > 1:
            # Who wears glasses wears no drinking glasses.
            words = frozenset(text.split(" "))
            readings = tuple(one for one in readings if words.issuperset(_last_words(one)))
        return readings[0] if len(readings) == 1 else None


def _last_words(query: Query) -> Iterator[str]:
    """The last words of the kinds that are said to exist."""
    for part in query.of if isinstance(query, And) else (query,):
        of: ObjectDescription | None = part.of if isinstance(part, Exists) else None
        while of is not None:
            yield of.kind.rpartition(" ")[2]
            of = None if of.relation is None else of.relation.to


def _infinitives(participle: str) -> Iterator[str]:
    """What a form in -ing may be of: chasing of chase, running of run, lying of lie."""
    if not participle.endswith("ing"):
        return
    stem = participle.removesuffix("ing")
    yield stem
    yield f"{stem}e"
    if stem[-1:] == stem[-2:-1]:
        yield stem[:-1]
    if stem.endswith("y"):
        yield f"{stem[:-1]}ie"


def _other(location: str) -> str:
    return "indoors" if location == "outdoors" else "outdoors"


_PLACES = {
    "indoors": frozenset({"indoors", "kitchen", "bedroom", "living room", "bathroom", "dining room", "office"}),
    "outdoors": frozenset(
        {"outdoors", "park", "garden", "street", "railroad", "beach", "farm", "zoo", "snow field", "lake", "field"}
    ),
}
"""Annotated places that are surely inside of a building, or surely not."""


def audit(probe: Probe, source: Source | None) -> str | None:
    """What is wrong with the labels of a pair, or an empty text; None where no scene settles both, or one is not read.

    Pairs that were written from queries are checked item by item, without this.
    """
    if probe.original.meaning is not None:
        if source is None:
            raise UsageError("labels of foils from scenes are derived again from them; pass --scenes SOURCE")
        require_scenes(source)
        return None
    if probe.original.task != "match" or not isinstance(source, HasScenes):
        return None
    scene = _scene_of(probe.original, source)
    if scene is None:
        return None
    read = [_reader().read(item.text) for item in probe.items]
    answers = [None if one is None else _answer(one, scene) for one in read]
    if any(answer not in (None, item.gold == "yes") for item, answer in zip(probe.items, answers, strict=True)):
        return "the scene gives another answer"
    return None if None in answers else ""


@cache
def _reader() -> StatementReader:
    return StatementReader(default_grammar())


def _scene_of(item: Item, source: HasScenes) -> Scene | None:
    """The scene of an image; some formats name images by their files."""
    name = item.image_id or ""
    graph = source.scene(name) or source.scene(PurePath(name).stem)
    return None if graph is None else Scene(graph, default_grammar().ontology)


def _answer(statement: Statement, scene: Scene) -> bool | None:
    found = And(tuple(cast("AnyQuery", one) for one in statement.queries)).evaluate(scene)
    if found is False or not statement.location:
        return found
    shown = next((name for name, places in _PLACES.items() if scene.graph.location in places), None)
    if shown is not None and shown != statement.location:
        return False
    return None if shown is None else found
