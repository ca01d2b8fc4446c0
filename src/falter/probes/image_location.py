"""Where a suite may read images from: its own folder, and folders that the user names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from falter.files import is_regular

__all__ = ["ImageFolders"]


class ImageFolders:
    """Finds the files that the column ``image`` names; one outside the folders, also through a link, is not opened.

    A suite may come from somebody else: what it names is no reason to open a file elsewhere on this machine.
    """

    def __init__(self, folder: Path, others: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._others = tuple(others)
        self._allowed = tuple(os.path.realpath(one) for one in (folder, *others))
        self._found: dict[str, Path | None] = {}
        self.outside: dict[str, None] = {}
        """What was named and lies outside."""

    def find(self, name: str) -> Path | None:
        """The file under a name, whether or not it exists; None for one outside the folders."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> Path | None:
        own = self._folder / name
        # Images of a suite that has moved, or was made without them, are found by their file name.
        candidates = [own, *(folder / Path(name).name for folder in self._others)]
        allowed = [path for path in candidates if self._is_inside(path)]
        found = next((path for path in allowed if is_regular(path)), None)
        if found is None and not self._is_inside(own):
            self.outside[name] = None
            return None
        return found or own

    def _is_inside(self, path: Path) -> bool:
        try:
            real = os.path.realpath(path)
        except ValueError:  # a NUL in the name
            return False
        return any(real.startswith(folder.rstrip(os.sep) + os.sep) for folder in self._allowed)
