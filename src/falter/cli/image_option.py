"""The option that names a folder of images."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["ImageDir"]

ImageDir = Annotated[
    Path | None,
    typer.Option(
        "--image-dir", metavar="DIR", help="Read images from here too. Default: from the suite's own folder alone."
    ),
]
