"""What a run asks, apart from the suite and the model: it must stay the same when a run is resumed."""

from __future__ import annotations

from typing import Any

import msgspec

from falter.answers import ANSWERS_VERSION
from falter.errors import BadUse

__all__ = ["Settings"]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a run. The size of batches is not one: it must not change a reply."""

    limit: int | None = None
    """At most so many probes."""
    seed: int = 0
    """Draws the probes of a limited run."""
    extend: tuple[str, ...] = ()
    """The marks of the folders that extend the program: what they hold may change a reply."""

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise BadUse(f"--limit takes at least 1 probe, not {self.limit}")

    def recorded(self) -> dict[str, Any]:
        """As written to ``run.json``."""
        record: dict[str, Any] = {"answers": ANSWERS_VERSION}
        if self.limit is not None:
            record |= {"limit": self.limit, "seed": self.seed}
        if self.extend:
            record["extend"] = list(self.extend)
        return record
