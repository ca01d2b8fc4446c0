"""What a run asks, apart from the suite and the model: it must stay the same when a run is resumed."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from falter.answers import ANSWERS_VERSION
from falter.errors import UsageError
from falter.runs.shard import Shard

__all__ = ["ImageInput", "RunSettings"]

ImageInput = Literal["none", "blank", "shuffle"]


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a run. The size of batches is not one: it must not change a reply."""

    limit: int | None = None
    """At most so many probes."""
    seed: int = 0
    """Draws the probes of a limited run, and which image replaces which."""
    plugin_hashes: tuple[str, ...] = ()
    """Hashes of the plugin folders: what they hold may change a reply."""
    repeat: int = 1
    """How often every item is asked."""
    image_input: ImageInput | None = None
    """What is shown instead of the image: nothing, a grey one, that of another item; None: the image itself."""

    shard: Shard | None = None
    """The part of a divided run that this is; None: the whole."""

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
        if self.limit is not None or self.image_input == "shuffle":
            record["seed"] = self.seed
        if self.plugin_hashes:
            record["extend"] = list(self.plugin_hashes)
        if self.repeat > 1:
            record["repeat"] = self.repeat
        if self.image_input is not None:
            record["image"] = self.image_input
        if self.shard is not None:
            record["shard"] = str(self.shard)
        return record

    def named(self, name: str) -> str:
        """What a model is called under these settings.

        >>> RunSettings(image_input="blank").named("blind")
        'blind (image: blank)'
        """
        return name if self.image_input is None else f"{name} (image: {self.image_input})"
