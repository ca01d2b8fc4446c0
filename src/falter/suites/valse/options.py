"""The options of ``falter import valse`` and ``falter generate valse``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from falter.generation.authoring.options import ItemFormatOptions

ItemFormat = Literal["match", "choice"]


class ValseOptions(ItemFormatOptions, frozen=True, kw_only=True):
    """How a caption and its foil become items."""

    item_format: Annotated[
        ItemFormat,
        Meta(
            description=(
                "How texts are put. "
                "match: each text is matched with the image; choice: the model chooses between the two, in both "
                "orders. Default: match."
            ),
        ),
    ] = "match"


class ValseGenerateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How foils are made from captions."""

    instrument: Annotated[
        tuple[str, ...],
        Meta(
            description="Instrument to generate, the paper's name of a test; may be repeated. Default: all.",
            extra={"metavar": "NAME"},
        ),
    ] = ()
    parser: Annotated[
        str,
        Meta(
            description="English pipeline of spaCy: a name or a folder. Default: the best that is installed.",
            extra={"metavar": "NAME"},
        ),
    ] = ""
    max_tokens: Annotated[int, Meta(ge=1, description="Captions with more tokens are skipped.")] = 80
    tokenizer: Annotated[
        str,
        Meta(
            description="What counts the tokens: words (and marks), or a tokenizer of transformers by folder or id.",
            extra={"metavar": "NAME"},
        ),
    ] = "words"

    grammaticality: Annotated[
        str,
        Meta(
            description="What judges whether a foil is grammatical: rules, or a CoLA classifier (folder or id).",
            extra={"metavar": "NAME"},
        ),
    ] = "rules"
    min_grammaticality: Annotated[
        float, Meta(ge=0, le=1, description="Foils that are less grammatical are given up.")
    ] = 0.8
    entailment: Annotated[
        str,
        Meta(
            description="What judges whether a foil contradicts its caption: rules, or an NLI classifier.",
            extra={"metavar": "NAME"},
        ),
    ] = "rules"

    language_model: Annotated[
        str,
        Meta(
            description=(
                "What ranks prepositions, verbs and sentences: "
                "a causal model as in lm:, mlm:ID for a masked one, or none."
            ),
            extra={"metavar": "MODEL"},
        ),
    ] = "smollm2"
    score_cache: Annotated[
        Path | None,
        Meta(
            description="Folder that keeps the language model's scores: a stopped command goes on where it was.",
            extra={"metavar": "DIR"},
        ),
    ] = None

    def to_parameters(self) -> dict[str, Any]:
        """What a suite's manifest says of them; which resources were used is added when they are loaded."""
        return {"max_tokens": self.max_tokens, "min_grammaticality": self.min_grammaticality}
