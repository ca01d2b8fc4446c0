"""Causal language models: how likely a text is, by itself or after another."""

from falter.nlp.causal_lm.loading import OFFLINE, load_causal
from falter.nlp.causal_lm.loglikelihood import Likelihood, Passage, TooLong
from falter.nlp.causal_lm.protocol import CausalLanguageModel, Encoded

__all__ = ["OFFLINE", "CausalLanguageModel", "Encoded", "Likelihood", "Passage", "TooLong", "load_causal"]
