"""Causal language models: how likely a text is, by itself or after another."""

from falter.language.causal.likelihood import Likelihood, Passage, TooLong
from falter.language.causal.loading import OFFLINE, load_causal
from falter.language.causal.protocol import CausalLanguageModel, Encoded

__all__ = ["OFFLINE", "CausalLanguageModel", "Encoded", "Likelihood", "Passage", "TooLong", "load_causal"]
