"""The English grammar: words, ontology, noun phrases, and templates that render and parse."""

from falter.generation.english.grammar import GRAMMAR_FOLDERS, Grammar, default_grammar, load_grammar
from falter.generation.english.noun_phrases import NounPhrases
from falter.generation.english.ontology import Ontology, load_ontology
from falter.generation.english.slots import TemplateError
from falter.generation.english.templates import Parse, Slots, Template

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
