"""Knowledge of English that comes from elsewhere, for those who have it installed: WordNet."""

from falter.language.vocabulary import kinds_from_wordnet
from falter.language.wordnet import WordNet, load_wordnet

__all__ = ["WordNet", "kinds_from_wordnet", "load_wordnet"]
