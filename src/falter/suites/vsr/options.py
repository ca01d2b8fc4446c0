"""The options of ``falter import vsr``."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

__all__ = ["Part", "VsrOptions"]

Part = Literal["test", "dev", "train"]


class VsrOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which part of each split is imported."""

    part: Annotated[Part, Meta(description="The part of each split: test, dev or train. Default: test.")] = "test"
