"""The options of CARETS: those of its generator, and those of the importer of its release."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from falter.core.errors import UsageError
from falter.generation.authoring.options import ImageOptions, Positive, UseWordNet


class CaretsOptions(ImageOptions, frozen=True, kw_only=True):
    """Options of ``falter generate carets``."""

    mean_color: Annotated[
        str | None,
        Meta(
            description="Color of masked regions. Default: the mean color of the source's images.",
            extra={"metavar": "R,G,B", "needs": ("--test visual", "no --test")},
        ),
    ] = None
    wordnet: UseWordNet = False
    direction: Annotated[
        Literal["both", "paper"],
        Meta(
            description="Which kind the ontology test asks about first: either (both), or the narrower one where the "
            "answer is yes and the wider one where it is no, as the paper does (paper).",
            extra={"needs": ("--test ontology", "no --test")},
        ),
    ] = "both"


class CaretsImportOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``falter import carets``: the visual test, which was not released, is generated from scene graphs."""

    scenes: Annotated[
        str | None,
        Meta(
            description="Scene graphs: adds the visual test, generated from the images of --image-dir.",
            extra={"metavar": "SOURCE"},
        ),
    ] = None
    visual_size: Annotated[
        Positive | None,
        Meta(
            description="Questions for the visual test. Default: as many as the scene graphs allow.",
            extra={"metavar": "N"},
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.scenes is None and self.visual_size is not None:
            raise UsageError("--visual-size needs the boxes of scene graphs; pass --scenes SOURCE, e.g. gqa:FOLDER")
