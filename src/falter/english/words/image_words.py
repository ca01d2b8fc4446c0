"""Words for the image itself."""

from __future__ import annotations

__all__ = ["IMAGE_WORDS"]

IMAGE_WORDS = frozenset({"picture", "photo", "photograph", "image", "scene", "shot", "snapshot"})
"""After "the", these mean the image itself, never an object in it: "in the picture" is no relation."""
