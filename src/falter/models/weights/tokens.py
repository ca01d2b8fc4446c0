"""Texts in tokens, refused where a model cannot take so many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from falter.models.failures import PermanentError

__all__ = ["check_length", "max_text_tokens", "tokenize"]


def max_text_tokens(config: Any) -> int | None:
    """How many tokens a model with learned positions takes."""
    text = getattr(config, "text_config", config)
    most = getattr(text, "max_position_embeddings", None)
    return None if most is None else int(most)


def check_length(mask: Any, most: int | None) -> None:
    """Refuse a batch in which a text is too long: cut off, it would be another text."""
    longest = int(mask.sum(-1).max())
    if most is not None and longest > most:
        raise PermanentError(f"the text has {longest} tokens, and the model takes {most}")


def tokenize(tokenizer: Any, texts: Sequence[str], most: int | None) -> dict[str, Any]:
    """A batch of texts, padded at the end."""
    tokenizer.padding_side = "right"
    encoded = dict(tokenizer(list(texts), padding=True, return_tensors="pt"))
    check_length(encoded["attention_mask"], most)
    return encoded
