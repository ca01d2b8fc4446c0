"""English: words, noun phrases, templates that write and read, and the ontology."""

from falter.english.grammar import English, TemplateFolders, english, load_english
from falter.english.noun_phrases import Phrases
from falter.english.ontology import Ontology, load_ontology
from falter.english.templates import Reading, Slots, Template, TemplateError

__all__ = [
    "English",
    "Ontology",
    "Phrases",
    "Reading",
    "Slots",
    "Template",
    "TemplateError",
    "TemplateFolders",
    "english",
    "load_english",
    "load_ontology",
]
