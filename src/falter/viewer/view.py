"""A viewer that runs in the background, for notebooks and scripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from falter.runs import Run
from falter.serving.access import SingleToken
from falter.serving.server import PageServer
from falter.viewer.application import viewer_application
from falter.viewer.workbench import Workbench

__all__ = ["View", "open_view"]

_NOTEBOOK_ORIGINS = ("http://localhost:*", "http://127.0.0.1:*", "https://localhost:*", "vscode-webview:")


class View:
    """A viewer at ``url``; in a notebook it shows itself in a frame. Stop it with :meth:`stop` or a ``with`` block."""

    def __init__(self, workbench: Workbench, *, port: int = 0, in_frames: bool = True) -> None:
        self._token = SingleToken()
        ancestors = _NOTEBOOK_ORIGINS if in_frames else ()
        self._server = PageServer(viewer_application(workbench, self._token, frame_ancestors=ancestors), port=port)
        self.title = workbench.title

    @property
    def url(self) -> str:
        """The address to open; it carries the token."""
        return self._server.link(self._token.token)

    def start(self) -> View:
        """Serve in the background."""
        self._server.start()
        return self

    def run(self) -> None:
        """Serve until interrupted."""
        self._server.run()

    def stop(self) -> None:
        """Stop serving; may be called twice."""
        self._server.stop()

    def __enter__(self) -> View:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<View of {self.title}: {self.url}>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe src="{escape(self.url)}" title="falter view" width="100%" height="720"></iframe><p>'
            f'<a href="{escape(self.url)}" target="_blank" rel="noopener">Open in a tab</a></p>'
        )


def open_view(
    runs: Sequence[Run],
    *,
    subset: str | None = None,
    port: int = 0,
    in_frames: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> View:
    """A viewer of some runs that does not serve yet."""
    return View(Workbench(runs, subset=subset, progress=progress), port=port, in_frames=in_frames)
