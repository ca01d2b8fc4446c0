"""Knowledge of English that comes from elsewhere, for those who have it installed: WordNet."""

from falter.nlp.wordnet import WordNet, load_wordnet
from falter.nlp.wordnet_kinds import kinds_from_wordnet

__all__ = ["WordNet", "kinds_from_wordnet", "load_wordnet"]
