"""The ontology: kinds, parts, exclusions, attribute families, antonyms, relations."""

from falter.english.ontology.ontology import Ontology, load_ontology
from falter.english.ontology.records import AttributeFamily, Kind, RelationType

__all__ = ["AttributeFamily", "Kind", "Ontology", "RelationType", "load_ontology"]
