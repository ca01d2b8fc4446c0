"""``falter view``: all pairs of runs in a browser, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from falter.cli.image_option import ImageDir
from falter.cli.output import note, out
from falter.cli.scoring_options import SubsetName, SuiteFolder

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def view(
        runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, or folders of run folders.")],
        *,
        port: Annotated[
            int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on. Default: a free one.")
        ] = 0,
        browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
        suite: SuiteFolder = None,
        image_dir: ImageDir = None,
        subset: SubsetName = None,
    ) -> None:
        """Show all pairs of runs in a browser: filters, search, side by side, comments.

        Serves on 127.0.0.1 until interrupted with Ctrl-C; the link carries a token, and nothing but the page that it
        opens can read or change anything. Runs under way are shown as they grow. Comments are kept beside each run.

        Example: falter view runs
        """
        from falter.api.views import prepare_view

        opened = prepare_view(
            runs,
            subset=subset,
            suite=suite,
            image_dir=image_dir,
            port=port,
            progress=lambda name: note(f"reading the runs on {name}"),
        )
        out.print(opened.url)
        note("Ctrl-C to stop")
        if browser:
            _open_browser(opened.url)
        opened.run()


def _open_browser(url: str) -> None:
    """Open the page where there is a screen; elsewhere the address on the terminal suffices."""
    import os
    import sys
    import webbrowser

    has_screen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if has_screen and out.is_terminal:
        webbrowser.open(url)
