"""Language resources and models that are installed separately: WordNet, sentence encoders, causal language models."""

from falter.generation.nlp.wordnet import WordNet, load_wordnet

__all__ = ["WordNet", "load_wordnet"]
