"""Templates by turns: those that were used less come first, so that none is used much more than its share."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from random import Random

from falter.english import Template

__all__ = ["TemplateRotation"]

_LOOSE = 1.5


class TemplateRotation:
    """Knows how often each template was used, and lets those come first that were used less.

    The turns are loose, and do not look at answers. Were each template used as often for yes as for no, whoever knows
    some of the answers would know that the others of the same wording lean the other way.
    """

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def in_turn(self, templates: Sequence[Template], rng: Random) -> list[Template]:
        """The templates, those rather first that were used less."""
        used, draw = self._used, rng.random
        counts = [used.get(one.id, 0) for one in templates]
        # As loose as coin tosses would leave the counts.
        loose = _LOOSE * (1 + sqrt(min(counts, default=0)))
        turns = [count + loose * draw() for count in counts]
        return [templates[place] for place in sorted(range(len(turns)), key=turns.__getitem__)]

    def add(self, template: Template) -> None:
        """Count a use."""
        self._used[template.id] = self._used.get(template.id, 0) + 1
