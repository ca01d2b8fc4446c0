"""Scene graphs, and queries that a scene answers with yes, no or unknown."""

from falter.scene.description import ObjectDescription, Related
from falter.scene.graph import Box, Relation, SceneGraph, SceneObject
from falter.scene.logic import TruthValue
from falter.scene.ontology_protocol import Number, SceneOntology
from falter.scene.open_query import AttributeOf, CommonOf, NameOf, SceneValue, SideOf
from falter.scene.query import (
    And,
    Choose,
    Comparative,
    Count,
    CountIs,
    CountsCompare,
    Exists,
    HasAttribute,
    IsKind,
    Not,
    OnSide,
    Option,
    Or,
    Query,
    RelationHolds,
    Same,
    SceneIs,
)
from falter.scene.query_json import query_from_json, query_to_json
from falter.scene.scene import Scene

__all__ = [
    "And",
    "AttributeOf",
    "Box",
    "Choose",
    "CommonOf",
    "Comparative",
    "Count",
    "CountIs",
    "CountsCompare",
    "Exists",
    "HasAttribute",
    "IsKind",
    "NameOf",
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
    "Same",
    "Scene",
    "SceneGraph",
    "SceneIs",
    "SceneObject",
    "SceneOntology",
    "SceneValue",
    "SideOf",
    "TruthValue",
    "query_from_json",
    "query_to_json",
]
