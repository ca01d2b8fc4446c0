"""Language resources and models that are installed separately: WordNet, sentence encoders, causal language models."""

from falter.nlp.wordnet import WordNet, load_wordnet
from falter.nlp.wordnet_kinds import kinds_from_wordnet

__all__ = ["WordNet", "kinds_from_wordnet", "load_wordnet"]
