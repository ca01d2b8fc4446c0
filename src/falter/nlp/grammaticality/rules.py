"""Grammaticality without a model of it: rules over the parse of a text."""

from __future__ import annotations

from collections.abc import Sequence

from falter.nlp.grammaticality.parse_rules import find_errors
from falter.nlp.parsing import Parser, load_parser

__all__ = ["GrammarRules"]


class GrammarRules:
    """1 for a text in which no rule finds an error, a half for one error, a third for two."""

    def __init__(self, parser: Parser | None = None) -> None:
        self._parser: Parser = load_parser() if parser is None else parser
        self.name = f"rules 4, {self._parser.name}"

    def score(self, texts: Sequence[str]) -> list[float]:
        """How grammatical each text is, in the order given."""
        return [1 / (1 + len(set(find_errors(parsed)))) for parsed in self._parser.parse(texts)]
