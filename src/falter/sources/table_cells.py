"""What the cells of a user's own table say: texts, and the images that they name."""

from __future__ import annotations

from os.path import normpath
from pathlib import Path

from falter.files import is_regular

__all__ = ["cell_text", "find_named_image"]

_ENDINGS = ("", ".jpg", ".jpeg", ".png", ".webp")


def cell_text(value: object) -> str | None:
    """A cell as a text: whole numbers are written out, whatever else is no text is missing.

    >>> cell_text(7.0), cell_text(" a dog "), cell_text("  "), cell_text(True)
    ('7', 'a dog', None, None)
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() or None if isinstance(value, str) else None


def find_named_image(folder: Path, name: str) -> Path | None:
    """The image of a name, with or without its ending; what a table says never leads out of the folder."""
    for ending in _ENDINGS:
        path = Path(normpath(folder / f"{name}{ending}"))
        if path.is_relative_to(folder) and is_regular(path):
            return path
    return None
