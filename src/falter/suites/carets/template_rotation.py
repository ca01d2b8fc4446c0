"""Templates by turns: the one that was used least comes next, so that none is used more than its share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

from falter.english import Template

__all__ = ["TemplateRotation"]


class TemplateRotation:
    """Knows how often each template was used for each answer, so that a wording does not tell the answer."""

    def __init__(self) -> None:
        self._used: Counter[tuple[str, str]] = Counter()
        self._in_all: Counter[str] = Counter()

    def in_turn(self, templates: Iterable[Template], answer: str, rng: Random) -> list[Template]:
        """The templates, those first that were used least for such an answer; ties are drawn."""
        used, in_all = self._used, self._in_all
        keyed = [(used[one.id, answer], in_all[one.id], rng.random(), one) for one in templates]
        return [one for *_, one in sorted(keyed, key=lambda key: key[:3])]

    def add(self, template: Template, answer: str) -> None:
        """Count a use."""
        self._used[template.id, answer] += 1
        self._in_all[template.id] += 1
