"""What a parser gives: the tokens of a text with their tags and heads, and its noun phrases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

__all__ = ["NounChunk", "ParsedText", "Parser", "Token"]


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
