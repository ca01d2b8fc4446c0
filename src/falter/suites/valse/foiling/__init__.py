"""Foils from captions: one file an instrument, each a function from a parsed caption to candidates."""

from falter.suites.valse.foiling.candidate import FoilCandidate, Skipped, SourceCaption, Spans
from falter.suites.valse.foiling.context import FoilingContext, FoilMaker
from falter.suites.valse.foiling.funnel import Funnel
from falter.suites.valse.foiling.registry import FOIL_MAKERS, find_maker

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
