"""Readers of data sets in their own published formats."""

from falter.sources.protocol import Question, Source
from falter.sources.spec import SOURCES, open_source, parse_spec

__all__ = ["SOURCES", "Question", "Source", "open_source", "parse_spec"]
