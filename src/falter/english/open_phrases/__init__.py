"""Noun phrases and clauses as people write them: relative clauses, possessives, pronouns, nouns beyond the ontology."""

from falter.english.open_phrases.reader import OpenPhrases

__all__ = ["OpenPhrases"]
