"""Single words and their forms."""

from falter.english.words.image_words import IMAGE_WORDS
from falter.english.words.morphology import article, join_list, pluralize, singularize
from falter.english.words.numbers import number_to_word, word_to_number
from falter.english.words.verb_forms import third_person
from falter.english.words.verb_numbers import (
    PLURAL_AUXILIARIES,
    PLURAL_VERBS,
    SINGULAR_AUXILIARIES,
    SINGULAR_VERBS,
)

__all__ = [
    "IMAGE_WORDS",
    "PLURAL_AUXILIARIES",
    "PLURAL_VERBS",
    "SINGULAR_AUXILIARIES",
    "SINGULAR_VERBS",
    "article",
    "join_list",
    "number_to_word",
    "pluralize",
    "singularize",
    "third_person",
    "word_to_number",
]
