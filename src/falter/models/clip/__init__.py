"""Dual encoders: image and text are encoded separately and compared by similarity."""

from falter.models.clip.loading import load_clip
from falter.models.clip.model import DualEncoderModel

__all__ = ["DualEncoderModel", "load_clip"]
