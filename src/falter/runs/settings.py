"""What a run asks, apart from the suite and the model: it must stay the same when a run is resumed."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from falter.answers import ANSWERS_VERSION
from falter.errors import UsageError

__all__ = ["ImageSwitch", "Settings"]

ImageSwitch = Literal["none", "blank", "shuffle"]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a run. The size of batches is not one: it must not change a reply."""

    limit: int | None = None
    """At most so many probes."""
    seed: int = 0
    """Draws the probes of a limited run, and which picture takes the place of which."""
    extend: tuple[str, ...] = ()
    """The marks of the folders that extend the program: what they hold may change a reply."""
    repeat: int = 1
    """How often every item is asked."""
    image: ImageSwitch | None = None
    """What is shown instead of the picture: nothing, a grey one, that of another item; None: the picture itself."""

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"--limit takes at least 1 probe, not {self.limit}")
        if self.repeat < 1:
            raise UsageError(f"--repeat is at least 1, not {self.repeat}")

    def recorded(self) -> dict[str, Any]:
        """As written to ``run.json``."""
        record: dict[str, Any] = {"answers": ANSWERS_VERSION}
        if self.limit is not None:
            record["limit"] = self.limit
        if self.limit is not None or self.image == "shuffle":
            record["seed"] = self.seed
        if self.extend:
            record["extend"] = list(self.extend)
        if self.repeat > 1:
            record["repeat"] = self.repeat
        if self.image is not None:
            record["image"] = self.image
        return record

    def named(self, name: str) -> str:
        """What a model is called under these settings.

        >>> Settings(image="blank").named("blind")
        'blind (image: blank)'
        """
        return name if self.image is None else f"{name} (image: {self.image})"
