"""How many tokens a text has: by words and marks, or by a tokenizer of the transformers library."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from falter.core.errors import UsageError
from falter.core.hub import has_vocabulary, hub_arguments
from falter.core.optional_packages import import_package

__all__ = ["TokenCounter", "WordCounter", "load_token_counter"]

_WORD = re.compile(r"\w+|[^\w\s]")


class TokenCounter(Protocol):
    """Counts the tokens of a text; ``name`` says by what, for a suite's manifest."""

    name: str

    def count(self, text: str) -> int:
        """The number of tokens, without those that a model adds."""
        ...


class WordCounter:
    """Every word and every mark is a token; a tokenizer of word pieces finds at least as many.

    >>> WordCounter().count("It's a dog.")
    6
    """

    name = "words"

    def count(self, text: str) -> int:
        """The number of words and marks."""
        return sum(1 for _ in _WORD.finditer(text))


class _TransformersCounter:
    def __init__(self, tokenizer: Any, name: str) -> None:
        self.name = name
        self._tokenizer = tokenizer

    def count(self, text: str) -> int:
        return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])


@lru_cache(maxsize=4)
def load_token_counter(name: str) -> TokenCounter:
    """``words``, or a tokenizer of the transformers library by its folder or id, such as ``bert-large-cased``."""
    if name == "words":
        return WordCounter()
    transformers = import_package("transformers", "a tokenizer")
    own = {} if Path(name).is_dir() else hub_arguments(name)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **own)
    except Exception as error:
        said = " ".join(str(error).split())[:200]
        raise UsageError(f"{name} is no tokenizer that can be loaded; words needs none ({said})") from error
    if not has_vocabulary(tokenizer):
        raise UsageError(f"{name} has a tokenizer without a vocabulary: its tokenizer.json is missing")
    return _TransformersCounter(tokenizer, name)
