"""What occurs together in images, counted from what people say of them: what is plausible, and what can be guessed."""

from falter.cooccurrence.belonging import ABSENCE, OFFER, SIBLING, Belonging, Floor
from falter.cooccurrence.counts import ImageCounts, half_of
from falter.cooccurrence.mentions import MentionFinder, Mentions
from falter.cooccurrence.own import OWN_IMAGES, OwnCounts, OwnImages, annotated_in, count_scenes
from falter.cooccurrence.plausibility import Plausibility
from falter.cooccurrence.table import CountTable, load_table, write_table

__all__ = [
    "ABSENCE",
    "OFFER",
    "OWN_IMAGES",
    "SIBLING",
    "Belonging",
    "CountTable",
    "Floor",
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
