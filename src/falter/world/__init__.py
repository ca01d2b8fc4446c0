"""The embedded world: small scenes drawn from code, with exact graphs, written in published data sets' own formats."""

from __future__ import annotations

from falter.world.compose import WorldScene, compose
from falter.world.write_world import write_world

__all__ = ["WorldScene", "compose", "write_world"]
