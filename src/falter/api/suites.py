"""Suites: open one, write one of your own probes, and draw the world that suites are generated from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from falter.api.paths import PathOrStr, as_suite

if TYPE_CHECKING:
    from falter.data.image_mode import ImageMode
    from falter.data.items import Probe
    from falter.data.suite import Suite
    from falter.world.object_groups import SceneMix
    from falter.world.write_world import WorldCounts

__all__ = ["load", "write_suite", "write_world"]


def load(path: PathOrStr) -> Suite:
    """Open a suite: a folder that ``generate``, ``import_suite`` or ``write_suite`` wrote. ``load_run`` opens a run."""
    return as_suite(path)


def write_suite(
    probes: Iterable[Probe],
    out: PathOrStr,
    *,
    name: str,
    title: str = "",
    licence: str = "not stated",
    citation: str = "",
    images: ImageMode = "copy",
    overwrite: bool = False,
) -> Suite:
    """Write a suite of your own probes and open it; image paths are those of files to copy or link."""
    from falter.data.suite_writing import write_suite as write

    return write(
        probes,
        Path(out),
        name=name,
        title=title,
        licence=licence,
        citation=citation,
        images=images,
        overwrite=overwrite,
    )


def write_world(
    out: PathOrStr,
    *,
    scenes: int = 1000,
    seed: int = 0,
    workers: int = 1,
    images: bool = True,
    mix: SceneMix = "default",
    overwrite: bool = False,
    progress: Callable[[int], None] | None = None,
) -> WorldCounts:
    """Draw the world: scenes with exact scene graphs, written as GQA, VQA, VisDial and others publish theirs.

    With the mix ``contrastive``, more scenes have actions and positions that other scenes have the other way round.
    """
    from falter.world.write_world import write_world as write

    return write(
        Path(out), scenes, seed, workers=workers, overwrite=overwrite, progress=progress, images=images, mix=mix
    )
