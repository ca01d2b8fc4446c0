"""A viewer of runs, on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from falter.api.paths import PathOrStr, RunLike, as_image_dir, as_runs

if TYPE_CHECKING:
    from falter.viewer.view import View

__all__ = ["prepare_view", "view"]


def view(
    runs: RunLike | Iterable[RunLike],
    *,
    subset: str | None = None,
    suite: PathOrStr | None = None,
    image_dir: PathOrStr | None = None,
    port: int = 0,
) -> View:
    """Serve all pairs of some runs on 127.0.0.1, in the background: filters, search, side by side, comments.

    In a notebook the value shows itself in a frame; ``view.url`` opens in a browser, ``view.stop()`` ends it. Runs
    under way are shown as they grow. Images are read from the suite's folder and from ``image_dir``, nowhere else.
    """
    return prepare_view(runs, subset=subset, suite=suite, image_dir=image_dir, port=port, in_frames=True).start()


def prepare_view(
    runs: RunLike | Iterable[RunLike],
    *,
    subset: str | None = None,
    suite: PathOrStr | None = None,
    image_dir: PathOrStr | None = None,
    port: int = 0,
    in_frames: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> View:
    """:func:`view`, not serving yet; no page may frame it unless ``in_frames``."""
    from falter.serving.packages import require_server_packages

    require_server_packages("view")
    from falter.viewer.view import open_view

    opened = as_runs(runs, suite)
    if image_dir is not None:
        for run in opened:
            run.image_dirs = (as_image_dir(image_dir),)
    return open_view(opened, subset=subset, port=port, in_frames=in_frames, progress=progress)
