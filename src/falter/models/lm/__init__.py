"""Causal language models: text-only baselines that score texts and choices."""

from falter.models.lm.model import LanguageModel, load_lm

__all__ = ["LanguageModel", "load_lm"]
