"""The options of ``falter import valse``."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from falter.authoring.options import ItemFormatOptions

__all__ = ["ItemFormat", "ValseOptions"]

ItemFormat = Literal["match", "choice"]


class ValseOptions(ItemFormatOptions, frozen=True, kw_only=True):
    """How a caption and its foil become items."""

    item_format: Annotated[
        ItemFormat,
        Meta(
            description=(
                "match: each text is matched with the image; choice: the model chooses between the two, in both "
                "orders. Default: match."
            ),
            extra={"old": ["--pose"]},
        ),
    ] = "match"
