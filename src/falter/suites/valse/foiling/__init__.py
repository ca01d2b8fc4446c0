"""Foils from captions: one file an instrument, each a function from a parsed caption to candidates."""

from falter.suites.valse.foiling.candidates import FoilCandidate, Funnel, Skipped, SourceCaption, Spans
from falter.suites.valse.foiling.context import FOIL_MAKERS, FoilingContext, FoilMaker, find_maker

__all__ = [
    "FOIL_MAKERS",
    "FoilCandidate",
    "FoilMaker",
    "FoilingContext",
    "Funnel",
    "Skipped",
    "SourceCaption",
    "Spans",
    "find_maker",
]
