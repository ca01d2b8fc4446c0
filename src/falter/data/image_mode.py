"""How images come into a suite: apart from all that reads them, so that options load nothing heavy."""

from __future__ import annotations

from typing import Literal

__all__ = ["ImageMode"]

ImageMode = Literal["copy", "link", "none"]
"""What becomes of the images: copied into the suite, linked by absolute path, or left out."""
