"""The embedded world: small scenes drawn from code, with exact graphs, written in published data sets' own formats."""

from __future__ import annotations

from falter.sources.world.scenes import WorldScene, compose
from falter.sources.world.writing import write_world

__all__ = ["WorldScene", "compose", "write_world"]
