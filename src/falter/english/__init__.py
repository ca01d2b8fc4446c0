"""The English grammar: words, ontology, noun phrases, and templates that render and parse."""

from falter.english.grammar import GRAMMAR_FOLDERS, Grammar, default_grammar, load_grammar
from falter.english.noun_phrases import NounPhrases
from falter.english.ontology import Ontology, load_ontology
from falter.english.templates import Parse, Slots, Template, TemplateError

__all__ = [
    "GRAMMAR_FOLDERS",
    "Grammar",
    "NounPhrases",
    "Ontology",
    "Parse",
    "Slots",
    "Template",
    "TemplateError",
    "default_grammar",
    "load_grammar",
    "load_ontology",
]
