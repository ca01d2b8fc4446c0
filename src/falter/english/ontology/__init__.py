"""What words mean for each other: kinds, parts, exclusions, attribute families, antonyms, relations."""

from falter.english.ontology.ontology import Ontology, load_ontology
from falter.english.ontology.records import Family, Kind, RelationWord

__all__ = ["Family", "Kind", "Ontology", "RelationWord", "load_ontology"]
