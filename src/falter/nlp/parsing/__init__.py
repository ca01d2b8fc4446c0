"""Parsers of English: tags, lemmas, dependencies and noun phrases of a text."""

from falter.nlp.parsing.protocol import NounChunk, ParsedText, Parser, Token
from falter.nlp.parsing.spacy_parser import OFFLINE_PARSERS, SpacyParser, load_parser

__all__ = ["OFFLINE_PARSERS", "NounChunk", "ParsedText", "Parser", "SpacyParser", "Token", "load_parser"]
