"""The options of contrast sets."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class ContrastSetOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``falter generate contrast-sets``."""

    per_question: Annotated[
        int,
        Meta(
            ge=1,
            description="Most variants of one question. The sets of 1 are part of the sets of 3, and so on.",
            extra={"metavar": "N"},
        ),
    ] = 5
    originals: Annotated[
        Literal["auto", "questions", "scenes"],
        Meta(
            description="Where originals come from: the source's own questions, or questions written from its scene "
            "graphs; auto takes the questions where there are any."
        ),
    ] = "auto"
    keep_all: Annotated[
        bool, Meta(description="Also keep the questions that have no variant, as single questions.")
    ] = False
    same_size: Annotated[
        bool,
        Meta(
            description="Remove as many other originals as there are variants, so that the number of questions stays; "
            "with --keep-all.",
            extra={"needs": ("--keep-all",)},
        ),
    ] = False
    atoms: Annotated[
        str,
        Meta(
            description="What is changed, separated by commas: object, attribute, relation, quantifier, connective. "
            "Default: what each test is named for.",
            extra={"metavar": "LIST"},
        ),
    ] = ""
