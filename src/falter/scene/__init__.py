"""Scene graphs, and queries that a scene answers with yes, no or unknown."""

from falter.scene.description import Related, Selection
from falter.scene.graph import Box, Relation, SceneGraph, SceneObject
from falter.scene.logic import Truth
from falter.scene.ontology_protocol import Knowledge, Number
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
    "Knowledge",
    "Not",
    "Number",
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
    "Selection",
    "Truth",
    "query_from_json",
    "query_to_json",
]
