"""Suites: open one, write one of your own probes, and draw the world that suites are generated from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from falter.api.paths import PathOrStr, all_runs, as_run, as_suite, find_runs
from falter.core.errors import InputError, UsageError

if TYPE_CHECKING:
    from falter.data.image_mode import ImageMode
    from falter.data.items import Probe
    from falter.data.suite import Suite
    from falter.world.object_groups import SceneMix
    from falter.world.write_world import WorldCounts


def load(path: PathOrStr, *, suite: PathOrStr | None = None) -> Any:
    """Open a folder: that of a suite gives a Suite, that of a run a Run, and a folder of runs the list of them.

    Runs may be incomplete; those of a list are in the order of their names. ``suite`` is where the suite of the runs
    is, if it has moved.
    """
    folder = Path(path)
    if (folder / "suite.json").is_file():
        if suite is not None:
            raise UsageError(f"{folder} is a suite; suite= says where the suite of a run is")
        return as_suite(folder)
    if (folder / "run.json").is_file():
        return as_run(folder, suite)
    if find_runs(folder) != [folder]:
        return [as_run(run, suite) for run in all_runs(folder)]
    raise InputError(folder, f"holds no suite and no run: {_describe_folder(folder)}", hint="load opens both")


def _describe_folder(folder: Path) -> str:
    """What is in the place of a suite or a run."""
    if not folder.is_dir():
        return "it is a file" if folder.exists() else "there is no such folder"
    inside = sorted(folder.iterdir())
    suites = [path.name for path in inside if (path / "suite.json").is_file()]
    if suites:
        return f"its folders {', '.join(suites[:_MOST_NAMED])} are suites; name one of them"
    if not inside:
        return "it is empty"
    return f"it has {', '.join(path.name for path in inside[:_MOST_NAMED])} and no suite.json or run.json"


_MOST_NAMED = 3


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
