"""A causal language model of the transformers library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from falter.nlp.causal_lm.loglikelihood import Likelihood, Passage, TooLong
from falter.nlp.causal_lm.protocol import Encoded

__all__ = ["TransformerLM", "first_token"]

_END_OF_TEXT = "<|endoftext|>"
_TURN_MARKERS = frozenset({"<|im_start|>"})
"""Tokens that some chat models name as their first, although no plain text ever began with them."""

_MOST_LOGITS = 64_000_000
"""Logits that are turned into probabilities at once: it bounds memory where the vocabulary is large."""


class TransformerLM:
    """Raw text in, log-probabilities out: no chat template, and no token that was not asked for."""

    def __init__(self, model: Any, tokenizer: Any, *, name: str, where: str, fingerprint: str) -> None:
        self.name = name
        self.where = where
        self.fingerprint = fingerprint
        self._model = model
        self._tokenizer = tokenizer
        self.first, self._first_id = first_token(tokenizer)
        self._places: int | None = getattr(model.config, "max_position_embeddings", None)

    @property
    def device(self) -> Any:
        """Where the weights are."""
        return self._model.device

    def encode(self, passage: Passage, *, bos: bool = True) -> Encoded:
        first: list[int] = []
        if bos:
            if self._first_id is None:
                raise TooLong("the model has no first token: give --no-bos")
            first = [self._first_id]
        whole = first + self._ids(passage.before + passage.text)
        start = len(first)
        if passage.before:
            start += _shared(self._ids(passage.before), whole[start:])
        # Nothing comes before the first token to predict it from.
        start = max(start, 1)
        if len(whole) <= start:
            raise TooLong("the text has no token that can be scored")
        if self._places is not None and len(whole) > self._places:
            raise TooLong(f"the text has {len(whole)} tokens, more than the {self._places} that the model takes")
        return Encoded(tuple(whole), start)

    def score(self, passages: Sequence[Passage], *, bos: bool = True, batch_size: int = 32) -> list[Likelihood]:
        encoded = [self.encode(passage, bos=bos) for passage in passages]
        order = sorted(range(len(encoded)), key=lambda index: (-len(encoded[index].tokens), index))
        found: dict[int, Likelihood] = {}
        for place in range(0, len(order), batch_size):
            some = order[place : place + batch_size]
            found.update(zip(some, self.score_batch([encoded[index] for index in some]), strict=True))
        return [found[index] for index in range(len(encoded))]

    def score_batch(self, batch: Sequence[Encoded]) -> list[Likelihood]:
        import torch

        longest = max(len(one.tokens) for one in batch)
        # On the right, what fills a row up comes after everything that counts, and no causal model looks ahead.
        ids = torch.zeros((len(batch), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, one in enumerate(batch):
            ids[row, : len(one.tokens)] = torch.tensor(one.tokens)
            mask[row, : len(one.tokens)] = 1
        ids, mask = ids.to(self.device), mask.to(self.device)
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, :-1]
            logprobs = _of_next(logits, ids[:, 1:]).cpu().double()
        return [
            Likelihood(float(logprobs[row, one.start - 1 : len(one.tokens) - 1].sum()), len(one.tokens) - one.start)
            for row, one in enumerate(batch)
        ]

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids


def _of_next(logits: Any, following: Any) -> Any:
    """The log-probability of each following token, without a second table as large as the logits."""
    import torch

    rows, length, words = logits.shape
    step = max(1, _MOST_LOGITS // max(1, length * words))
    parts = []
    for place in range(0, rows, step):
        some = logits[place : place + step].float()
        chosen = some.gather(-1, following[place : place + step].unsqueeze(-1)).squeeze(-1)
        parts.append(chosen - torch.logsumexp(some, dim=-1))
    return torch.cat(parts) if parts else logits.new_zeros((rows, length))


def _shared(before: Sequence[int], whole: Sequence[int]) -> int:
    """How many tokens a text and its longer form begin with alike: one that reaches over the seam is not shared."""
    alike = (a == b for a, b in zip(before, whole, strict=False))
    return min(next((place for place, same in enumerate(alike) if not same), len(before)), len(whole) - 1)


def first_token(tokenizer: Any) -> tuple[str | None, int | None]:
    """The token that begins a text: the model's own first, else ``<|endoftext|>``, else the one that ends a text."""
    vocabulary = tokenizer.get_vocab()
    own = tokenizer.bos_token
    candidates = (own if own not in _TURN_MARKERS else None, _END_OF_TEXT, own, tokenizer.eos_token)
    for token in candidates:
        if token is not None and token in vocabulary:
            return token, int(vocabulary[token])
    return None, None
