"""Causal language models: what a model that never looks makes of texts and of choices."""

from falter.models.lm.model import LanguageModel, load_lm

__all__ = ["LanguageModel", "load_lm"]
