"""Knowledge of English that comes from elsewhere, for those who have it installed: WordNet."""

from falter.language.wordnet import WordNet, load_wordnet

__all__ = ["WordNet", "load_wordnet"]
