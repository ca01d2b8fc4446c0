"""Single words and their forms."""

from falter.english.words.morphology import article, join_list, pluralize
from falter.english.words.numbers import number_to_word, word_to_number

__all__ = ["article", "join_list", "number_to_word", "pluralize", "word_to_number"]
