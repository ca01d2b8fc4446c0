"""The built-in synthetic data set: scenes drawn by code, with exact scene graphs, written in published formats."""

from __future__ import annotations

from falter.world.compose import WorldScene, compose
from falter.world.write_world import write_world

__all__ = ["WorldScene", "compose", "write_world"]
