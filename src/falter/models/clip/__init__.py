"""Dual encoders: an image and a text, each by itself, and how near the two come to each other."""

from falter.models.clip.loading import load_clip
from falter.models.clip.model import DualEncoderModel

__all__ = ["DualEncoderModel", "load_clip"]
