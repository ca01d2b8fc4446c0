"""How images come into a suite and to a model: apart from all that reads them, so that options load nothing heavy."""

from __future__ import annotations

from typing import Literal

ImageMode = Literal["copy", "link", "none"]
"""What becomes of the images: copied into the suite, linked by absolute path, or left out."""

ImageInput = Literal["none", "blank", "shuffle"]
"""What a model gets instead of the image: nothing, a gray one, that of another item."""
