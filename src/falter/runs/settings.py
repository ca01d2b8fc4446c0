"""What a run asks, apart from the suite and the model: it must stay the same when a run is resumed."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from falter.answers import ANSWERS_VERSION
from falter.errors import UsageError
from falter.runs.shard import Shard

__all__ = ["ImageInput", "RunSettings", "UntilSettings"]

ImageInput = Literal["none", "blank", "shuffle"]


class UntilSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is to decide before it may stop: requirements on the values that a full run would have."""

    requirements: tuple[str, ...]
    alpha: float = 0.05
    """With at most this probability any of the verdicts differs from that of the full run."""
    look_every: int = 20
    """At least so many probes are asked between two tests."""
    allow_missing: float = 0.01
    baseline: str | None = None
    """The hash of the baseline's replies."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 0.5:
            raise UsageError(f"--alpha is a share above 0 and below 0.5, such as 1%, not {self.alpha:g}")
        if self.look_every < 1:
            raise UsageError(f"--look-every is at least 1 probe, not {self.look_every}")


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
    random_order: bool = False
    """Probes are asked in an order that the seed draws, so that what was asked is a random sample of them."""
    until: UntilSettings | None = None
    """When a run in random order may stop early."""

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"--limit takes at least 1 probe, not {self.limit}")
        if self.repeat < 1:
            raise UsageError(f"--repeat is at least 1, not {self.repeat}")
        option = "--until" if self.until is not None else "--random-order"
        if self.shard is not None and self.in_random_order:
            raise UsageError(
                f"{option} does not go with --shard: a part of a run has no order of the whole suite, and cannot know "
                "what the other parts have seen; run the suite undivided"
            )
        if self.until is not None and self.limit is not None:
            raise UsageError(
                "--until does not go with --limit: its verdicts are about the whole suite, which a limit leaves out; "
                "leave --limit out, or run with --limit alone and use falter check"
            )
        if self.until is not None and self.repeat > 1:
            raise UsageError("--until does not go with --repeat: its verdict is about one reply to each item")

    @property
    def in_random_order(self) -> bool:
        """Whether probes are asked in random order."""
        return self.random_order or self.until is not None

    def recorded(self) -> dict[str, Any]:
        """As written to ``run.json``."""
        record: dict[str, Any] = {"answers": ANSWERS_VERSION}
        if self.limit is not None:
            record["limit"] = self.limit
        if self.limit is not None or self.image_input == "shuffle" or self.in_random_order:
            record["seed"] = self.seed
        if self.plugin_hashes:
            record["extend"] = list(self.plugin_hashes)
        if self.repeat > 1:
            record["repeat"] = self.repeat
        if self.image_input is not None:
            record["image"] = self.image_input
        if self.shard is not None:
            record["shard"] = str(self.shard)
        if self.in_random_order:
            record["order"] = "random"
        if self.until is not None:
            record["until"] = list(self.until.requirements)
            record |= {name: getattr(self.until, name) for name in ("alpha", "look_every", "allow_missing")}
            if self.until.baseline is not None:
                record["baseline"] = self.until.baseline
        return record

    def named(self, name: str) -> str:
        """What a model is called under these settings.

        >>> RunSettings(image_input="blank").named("blind")
        'blind (image: blank)'
        """
        return name if self.image_input is None else f"{name} (image: {self.image_input})"
