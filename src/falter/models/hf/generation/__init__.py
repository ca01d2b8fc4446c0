"""Generative models: their prompts, generation, and the likelihood of a given text."""

from falter.models.hf.generation.pipeline import GenerativePipeline

__all__ = ["GenerativePipeline"]
