"""A second evaluator of captions about scenes, over the raw JSON of a world's graphs, with code of its own.

Only which kinds are below which is asked of the ontology.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Raw = dict[str, Any]

_THERE = r"There (?:is|are) "
_SIDES = {"to the left of": -1, "to the right of": 1}


class RawScene:
    """One graph; words are told from nouns by the names that the graphs have."""

    def __init__(
        self,
        graph: Raw,
        nouns: dict[str, str],
        attributes: set[str],
        relations: set[str],
        is_a: Callable[[str, str], bool],
    ) -> None:
        self.things: Raw = graph["objects"]
        self.nouns, self.attributes, self.relations = nouns, attributes, relations
        self._is_a = is_a
        self._plural = False

    def holds(self, text: str) -> bool:
        """Whether a caption is true; raises where it has no known form."""
        text = text.removesuffix(".")
        self._plural = (
            text.startswith("There are") and text.removeprefix("There are ").split()[-1] not in self.nouns.values()
        )
        if found := re.fullmatch(rf"{_THERE}exactly (\d+|one) (.+)", text):
            return self._count(found[2]) == (1 if found[1] == "one" else int(found[1]))
        if found := re.fullmatch(rf"{_THERE}a number of (.+)", text):
            return self._count(found[1]) >= 2
        if found := re.fullmatch(r"There are (more|fewer|as many) (.+) (?:than|as) (.+)", text):
            first, second = self._count(found[2]), self._count(found[3])
            return {"more": first > second, "fewer": first < second, "as many": first == second}[found[1]]
        if found := re.fullmatch(rf"{_THERE}(.+) but no (.+)", text):
            return self._some(found[1]) and not self._some(found[2])
        if found := re.fullmatch(rf"{_THERE}no (.+)", text):
            return not self._some(found[1])
        if found := re.fullmatch(rf"{_THERE}(.+) and (.+)", text):
            return self._some(found[1]) and self._some(found[2])
        if found := re.fullmatch(_THERE + "(.+)", text):
            return self._some(found[1])
        if found := re.fullmatch(r"(The .+ (?:is|are) .+) and (the .+ (?:is|are) .+)", text):
            return self._said(found[1]) and self._said(found[2])
        return self._said(text)

    def _said(self, text: str) -> bool:
        found = re.fullmatch(r"[Tt]he (.+?) (?:is|are) (not )?(?:made of )?(.+)", text)
        assert found is not None, text
        things, rest = self._find(found[1]), found[3]
        assert things, text
        if rest in self.attributes:
            verdicts = {rest in self.things[one]["attributes"] for one in things}
        else:
            name, _, other = rest.partition(" the ") if rest not in _SIDES else (rest, "", "")
            for side in _SIDES:
                if rest.startswith(f"{side} the "):
                    name, other = side, rest.removeprefix(f"{side} the ")
            verdicts = {self._related(one, name, two) for one in things for two in self._find(other)}
        assert len(verdicts) == 1, text
        return verdicts.pop() != bool(found[2])

    def _related(self, one: str, name: str, two: str) -> bool:
        if name in _SIDES:
            first, second = self.things[one], self.things[two]
            return bool((first["x"] + first["w"] / 2 - second["x"] - second["w"] / 2) * _SIDES[name] > 0)
        return any(link["name"] == name and link["object"] == two for link in self.things[one]["relations"])

    def _some(self, phrase: str) -> bool:
        return len(self._find(phrase)) >= (2 if self._plural else 1)

    def _count(self, phrase: str) -> int:
        return len(self._find(phrase))

    def _split(self, phrase: str) -> tuple[str, list[str], str]:
        """Noun, attributes before it, and what follows it."""
        words = re.sub("^an? ", "", phrase).split()
        ends = [(start, end) for start in range(len(words)) for end in range(len(words), start, -1)]
        # What a noun ends is no relation: an orange watering can waters nothing.
        for start, end in sorted(ends, key=lambda one: one[1] != len(words)):
            noun, rest = " ".join(words[start:end]), " ".join(words[end:])
            goes_on = not rest or any(rest.startswith(f"{name} ") for name in self.relations)
            if noun in self.nouns and goes_on and all(word in self.attributes for word in words[:start]):
                return self.nouns[noun], words[:start], rest
        raise AssertionError(phrase)

    def _find(self, phrase: str) -> list[str]:
        noun, values, rest = self._split(phrase)
        found = [
            key
            for key, thing in self.things.items()
            if self._is_a(self.nouns.get(thing["name"], ""), noun) and set(values) <= set(thing["attributes"])
        ]
        if not rest:
            return found
        name = next(one for one in sorted(self.relations, key=len, reverse=True) if rest.startswith(f"{one} "))
        others = self._find(rest.removeprefix(f"{name} "))
        return [one for one in found if any(self._related(one, name, two) for two in others)]
