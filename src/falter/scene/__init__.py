"""Scene graphs, and queries that a scene answers with yes, no or unknown."""

from falter.scene.graph import Box, Relation, SceneGraph, SceneObject

__all__ = ["Box", "Relation", "SceneGraph", "SceneObject"]
