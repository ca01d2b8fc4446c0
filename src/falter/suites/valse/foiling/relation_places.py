"""What may be where, from ``places.yaml``: the prefilter that leaves only prepositions that fit both things."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from falter.core.files import read_yaml

_BROAD = frozenset({"behind", "front", "side"})
"""Places of which more can be said than where a thing is."""


class Placing(NamedTuple):
    """A thing that is somewhere: its noun, the verb that says so, or an empty text, and the noun it is placed by."""

    figure: str
    verb: str
    landmark: str


class _Ways(NamedTuple):
    """Ways that exclude each other, and with which verbs and nouns they are said."""

    sides: tuple[frozenset[str], ...]
    verbs: frozenset[str]
    nouns: frozenset[str]
    figures: frozenset[str]
    """Classes that go these ways; empty: all."""
    excepted: frozenset[str]


class _Places(NamedTuple):
    forms: dict[str, tuple[str, ...]]
    """By place its prepositions."""
    place: dict[str, str]
    """By preposition its place."""
    excluded: dict[str, frozenset[str]]
    placing: frozenset[str]
    resting: frozenset[str]
    sitting: frozenset[str]
    broad: frozenset[str]
    ground: frozenset[str]
    figures: dict[str, frozenset[str]]
    """By noun its classes."""
    allowed: dict[str, dict[str, frozenset[str]]]
    """By noun of a landmark and place the classes that are found there."""
    alike: dict[str, frozenset[frozenset[str]]]
    """By noun of a landmark the two places of which one may be said where the other is true."""
    not_said: dict[str, frozenset[str]]
    """By noun of a landmark the prepositions that nobody would use of it."""
    ways: tuple[_Ways, ...]
    outdoors: frozenset[str]
    indoors: frozenset[str]
    riding: frozenset[str]
    overhead: frozenset[str]


@cache
def _places() -> _Places:
    written: dict[str, Any] = read_yaml(Path(__file__).with_name("places.yaml"), dict[str, Any])
    forms = {name: tuple(found) for name, found in written["forms"].items()}
    excluded: dict[str, set[str]] = {name: set() for name in forms}
    for one, other in written["exclusive"]:
        excluded[one].add(other)
        excluded[other].add(one)
    figures: dict[str, set[str]] = {}
    for name, nouns in written["figures"].items():
        for noun in nouns:
            figures.setdefault(noun, set()).add(name)
    allowed = {
        noun: {place: frozenset(landmark[place]) for place in forms if place in landmark}
        for landmark in written["landmarks"].values()
        for noun in landmark["nouns"]
    }
    alike = {
        noun: frozenset(map(frozenset, landmark.get("alike", ())))
        for landmark in written["landmarks"].values()
        for noun in landmark["nouns"]
    }
    not_said = {
        noun: frozenset(landmark.get("not_said", ()))
        for landmark in written["landmarks"].values()
        for noun in landmark["nouns"]
    }
    for places in allowed.values():
        # Who is found next to a thing is found near it.
        places.setdefault("near", places.get("side", frozenset()))
    for noun in written["above_too"]:
        for place in ("above", "side"):
            allowed[noun][place] = allowed[noun].get(place, frozenset()) | {"hung"}
    return _Places(
        forms,
        {form: name for name, found in forms.items() for form in found},
        {name: frozenset(others) for name, others in excluded.items()},
        frozenset(written["placing"]),
        frozenset(written["resting"]),
        frozenset(written["sitting"]),
        frozenset(written["broad"]),
        frozenset(written["ground"]),
        {noun: frozenset(names) for noun, names in figures.items()},
        allowed,
        alike,
        not_said,
        tuple(
            _Ways(
                tuple(map(frozenset, one["prepositions"])),
                frozenset(one["verbs"]),
                frozenset(one["nouns"]),
                frozenset(one.get("figures", ())),
                frozenset(one.get("except", ())),
            )
            for one in written["ways"]
        ),
        *(frozenset(written[name]) for name in ("outdoors", "indoors", "riding", "overhead")),
    )


def place_of(preposition: str) -> str | None:
    """The name of the place that a preposition says.

    >>> place_of("on top of"), place_of("of")
    ('on', None)
    """
    return _places().place.get(preposition)


def possible_places(placing: Placing, preposition: str) -> tuple[str, ...]:
    """The prepositions that exclude this one and say a place where such a thing is found, too.

    >>> possible_places(Placing("cat", "sit", "suitcase"), "in")
    ('on', 'on top of', 'atop', 'behind', 'in front of', 'next to', 'beside', 'near', 'by', 'close to')
    >>> possible_places(Placing("person", "stand", "horse"), "next to")
    ('behind',)
    """
    places = _places()
    place, allowed = places.place.get(preposition), places.allowed.get(placing.landmark, {})
    if place is None or not _is_found(placing, place, allowed.get(place, frozenset())):
        return tuple(other for ways in places.ways for other in _other_ways(ways, placing, preposition))
    alike = places.alike[placing.landmark]
    return tuple(
        form
        for other, forms in places.forms.items()
        if other in places.excluded[place] and frozenset((place, other)) not in alike
        if _is_found(placing, other, allowed.get(other, frozenset()))
        for form in forms
        if form not in places.not_said[placing.landmark]
    )


_BUILDINGS = frozenset(
    {
        "building",
        "house",
        "store",
        "shop",
        "church",
        "restaurant",
        "hotel",
        "barn",
        "school",
        "home",
        "hut",
        "cabin",
        "cafe",
        "station",
        "temple",
        "diner",
        "mall",
        "airport",
        "terminal",
        "stable",
    }
)
_DECIDED = (
    (
        frozenset({"water", "lake", "river", "ocean", "pond", "pool", "sea", "stream", "body"}),
        frozenset(
            {
                "surf",
                "swim",
                "ride",
                "rid",
                "boat",
                "wave",
                "sail",
                "paddle",
                "dive",
                "bathe",
                "trick",
                "windsurf",
                "kayak",
            }
        ),
    ),
    (
        frozenset({"boat", "canoe", "kayak", "sailboat"}),
        frozenset({"row", "paddle", "sail", "ride", "rid", "oar", "guide", "steer"}),
    ),
    (
        frozenset({"road", "street", "highway", "roadway"}),
        frozenset({"pass", "drive", "travel", "ride", "rid", "speed", "cross", "race"}),
    ),
    (frozenset({"surfboard", "board"}), frozenset({"row", "paddle", "surf", "ride", "rid", "wave", "ocean", "sea"})),
    (
        frozenset({"skateboard", "snowboard", "board"}),
        frozenset(
            {"air", "ramp", "trick", "jump", "ride", "rid", "rail", "stunt", "skate", "slope", "grind", "perform"}
        ),
    ),
    (frozenset({"train"}), frozenset({"engine", "locomotive", "caboose"})),
    (frozenset({"blanket", "towel"}), frozenset({"picnic", "eat"})),
    (frozenset({"runway", "tarmac"}), frozenset({"airport", "land", "taxi", "depart"})),
    (frozenset({"station", "platform"}), frozenset({"wait", "arrive", "approach", "depart", "leave"})),
    (
        frozenset({"bathroom", "kitchen", "bedroom", "restroom", "office"}),
        frozenset(
            {
                "cook",
                "prepare",
                "shower",
                "wash",
                "make",
                "type",
                "shave",
                "brush",
                "curtain",
                "sink",
                "toilet",
                "mirror",
                "counter",
                "stove",
                "oven",
                "bed",
                "desk",
                "laptop",
                "computer",
                "tub",
            }
        ),
    ),
)
"""Nouns, and words that decide where something is by them: who rows is in the boat."""
_RIDDEN = frozenset(
    {"motorcycle", "bike", "bicycle", "scooter", "motorbike", "moped", "horse", "elephant", "pony", "donkey", "camel"}
)


def conflicts(placing: Placing, preposition: str, lemmas: Collection[str]) -> bool:
    """Whether other words of the sentence say that nothing is in such a place.

    >>> conflicts(Placing("person", "sit", "house"), "in", {"person", "sit", "house", "rain"})
    True
    """
    places, place = _places(), place_of(preposition)
    others = set(lemmas) - {placing.landmark, placing.figure}
    if placing.landmark in _BUILDINGS or (placing.landmark == "car" and place != "in"):
        told = (
            places.outdoors
            if place == "in"
            else places.indoors
            if place in ("front", "behind", "side", "outside", "on", "near", "under")
            else ()
        )
        if not others.isdisjoint(told):
            return True
    if placing.landmark in _RIDDEN and not others.isdisjoint(places.riding):
        return True
    for landmarks, words in _DECIDED:
        if placing.landmark in landmarks and not others.isdisjoint(words):
            return True
    # Who walks under an umbrella holds it.
    if placing.verb == "walk" and is_overhead(placing.landmark) and place == "side":
        return True
    return placing.verb in ("sleep", "nap") and place not in ("on", "in", "under")


def why_not_placed(placing: Placing, preposition: str) -> str:
    """Why a preposition has no other that could stand in its place.

    >>> why_not_placed(Placing("person", "feed", "horse"), "on")
    'the verb says more than a place'
    """
    places = _places()
    if preposition not in places.place and not any(preposition in side for ways in places.ways for side in ways.sides):
        return "a preposition that no other excludes"
    if placing.landmark not in places.allowed:
        return "a noun by which nothing is placed"
    if placing.figure not in places.figures:
        return "a thing of no known class is placed"
    if placing.verb and placing.verb not in places.placing | places.broad:
        return "the verb says more than a place"
    return "such a thing is in no other place there"


def is_said(preposition: str, noun: str) -> bool:
    """Whether people say a preposition of such a thing: they are on a beach, not on top of one.

    >>> is_said("on", "beach"), is_said("on top of", "beach")
    (True, False)
    """
    return preposition not in _places().not_said.get(noun, ())


def is_ground(noun: str) -> bool:
    """Whether a noun names ground, on which one is whatever else one is next to."""
    return noun in _places().ground


def is_overhead(noun: str) -> bool:
    """Whether a noun names what is over the heads of those under it, whatever else they sit or stand on."""
    return noun in _places().overhead


def _is_found(placing: Placing, place: str, classes: frozenset[str]) -> bool:
    places = _places()
    is_broad = placing.verb in places.broad and place in _BROAD
    if placing.verb and placing.verb not in places.placing and not is_broad:
        return False
    if placing.verb == "perch" and place == "under":
        # Birds perch on what is high.
        return False
    rests = not placing.verb or placing.verb in places.resting
    stays = rests or placing.verb == "stand"
    sits = placing.verb in places.sitting
    return any(
        name in classes
        or (rests and f"{name}/rests" in classes)
        or (stays and f"{name}/stays" in classes)
        or (sits and f"{name}/sits" in classes)
        for name in places.figures.get(placing.figure, ())
    )


def _other_ways(ways: _Ways, placing: Placing, preposition: str) -> list[str]:
    if placing.verb not in ways.verbs or (ways.nouns and placing.landmark not in ways.nouns):
        return []
    if placing.landmark in ways.excepted:
        return []
    if ways.figures and ways.figures.isdisjoint(_places().figures.get(placing.figure, ())):
        return []
    one, other = ways.sides
    return sorted(other if preposition in one else one if preposition in other else ())
