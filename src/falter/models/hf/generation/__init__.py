"""Models that write their answers: what they are shown, how they write, and how likely they find a text."""

from falter.models.hf.generation.pipeline import GenerativePipeline

__all__ = ["GenerativePipeline"]
