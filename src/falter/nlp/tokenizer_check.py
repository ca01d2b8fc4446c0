"""Whether a tokenizer knows any words: the library makes an empty one where its files are missing, and says nothing."""

from __future__ import annotations

from typing import Any

__all__ = ["has_vocabulary"]

_SAMPLE = "there is a picture of the man and a dog on the road"


def has_vocabulary(tokenizer: Any) -> bool:
    """Whether plain English becomes tokens that are not all unknown."""
    ids = tokenizer(_SAMPLE, add_special_tokens=False)["input_ids"]
    return any(one != tokenizer.unk_token_id for one in ids)
