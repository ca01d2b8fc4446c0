"""The options of ``falter import sugarcrepe``."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from falter.authoring.options import ItemFormatOptions

__all__ = ["FullStops", "Order", "SugarCrepeOptions"]

Order = Literal["both", "positive-first", "negative-first"]
FullStops = Literal["published", "none"]


class SugarCrepeOptions(ItemFormatOptions, frozen=True, kw_only=True):
    """How a caption and its negative become items."""

    item_format: Annotated[
        Literal["match", "choice"],
        Meta(
            description=(
                "How texts are put. "
                "match: each text is matched with the image; choice: the model chooses between both, numbered (1) and "
                "(2), in both orders. Default: match."
            )
        ),
    ] = "match"
    order: Annotated[
        Order,
        Meta(
            description=(
                "With --item-format choice: both orders of the captions, or one alone, whose questions are then single "
                "ones. Default: both."
            )
        ),
    ] = "both"
    full_stops: Annotated[
        FullStops,
        Meta(
            description=(
                "Full stops of texts. "
                "published: texts end as released; none: the full stop at the end of a text is taken off, for many "
                "captions have none where their negatives have one. Default: published."
            )
        ),
    ] = "published"
