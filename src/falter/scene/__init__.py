"""Scene graphs, and queries that a scene answers with yes, no or unknown."""

from falter.scene.description import ObjectDescription, Related
from falter.scene.graph import Box, Relation, SceneGraph, SceneObject
from falter.scene.logic import TruthValue
from falter.scene.ontology_protocol import Number, SceneOntology
from falter.scene.query import (
    And,
    Choose,
    Count,
    CountIs,
    Exists,
    HasAttribute,
    IsKind,
    Not,
    OnSide,
    Option,
    Or,
    Query,
    RelationHolds,
    query_from_json,
    query_to_json,
)
from falter.scene.scene import Scene

__all__ = [
    "And",
    "Box",
    "Choose",
    "Count",
    "CountIs",
    "Exists",
    "HasAttribute",
    "IsKind",
    "Not",
    "Number",
    "ObjectDescription",
    "OnSide",
    "Option",
    "Or",
    "Query",
    "Related",
    "Relation",
    "RelationHolds",
    "Scene",
    "SceneGraph",
    "SceneObject",
    "SceneOntology",
    "TruthValue",
    "query_from_json",
    "query_to_json",
]
