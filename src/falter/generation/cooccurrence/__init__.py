"""What occurs together in images, counted from what people say of them: what is plausible, and what can be guessed."""

from falter.generation.cooccurrence.counts import (
    OWN_IMAGES,
    CountTable,
    ImageCounts,
    OwnCounts,
    OwnImages,
    annotated_in,
    count_scenes,
    half_of,
    load_table,
    write_table,
)
from falter.generation.cooccurrence.mentions import MentionFinder, Mentions
from falter.generation.cooccurrence.plausibility import Plausibility

__all__ = [
    "OWN_IMAGES",
    "CountTable",
    "ImageCounts",
    "MentionFinder",
    "Mentions",
    "OwnCounts",
    "OwnImages",
    "Plausibility",
    "annotated_in",
    "count_scenes",
    "half_of",
    "load_table",
    "write_table",
]
