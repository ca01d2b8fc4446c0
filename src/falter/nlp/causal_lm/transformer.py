"""A causal language model of the transformers library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from falter.nlp.causal_lm.protocol import Continuation, EncodedContinuation, Loglikelihood, TooLongError

__all__ = ["TransformerLM", "find_bos_token"]

_END_OF_TEXT = "<|endoftext|>"
_TURN_MARKERS = frozenset({"<|im_start|>"})
"""Tokens that some chat models declare as their first, although no plain text begins with them."""

_MOST_LOGITS = 64_000_000
"""Logits that are normalized at once; bounds memory where the vocabulary is large."""


class TransformerLM:
    """Scores plain text: no chat template, and no token that the caller did not request."""

    def __init__(self, model: Any, tokenizer: Any, *, name: str, where: str, fingerprint: str) -> None:
        self.name = name
        self.where = where
        self.fingerprint = fingerprint
        self._model = model
        self._tokenizer = tokenizer
        self.bos_token, self._bos_id = find_bos_token(tokenizer)
        self._positions: int | None = getattr(model.config, "max_position_embeddings", None)

    @property
    def device(self) -> Any:
        """The device of the weights."""
        return self._model.device

    def encode(self, continuation: Continuation, *, bos: bool = True) -> EncodedContinuation:
        first: list[int] = []
        if bos:
            if self._bos_id is None:
                raise TooLongError("the model has no token that begins a text; pass --no-bos")
            first = [self._bos_id]
        whole = first + self._ids(continuation.context + continuation.text)
        start = len(first)
        if continuation.context:
            start += _shared_prefix(self._ids(continuation.context), whole[start:])
        # The first token has nothing before it to be predicted from.
        start = max(start, 1)
        if len(whole) <= start:
            raise TooLongError("the text has no token that can be scored")
        if self._positions is not None and len(whole) > self._positions:
            raise TooLongError(
                f"the text has {len(whole)} tokens, more than the {self._positions} that the model accepts"
            )
        return EncodedContinuation(tuple(whole), start)

    def score(
        self, continuations: Sequence[Continuation], *, bos: bool = True, batch_size: int = 32
    ) -> list[Loglikelihood]:
        encoded = [self.encode(continuation, bos=bos) for continuation in continuations]
        order = sorted(range(len(encoded)), key=lambda index: (-len(encoded[index].tokens), index))
        found: dict[int, Loglikelihood] = {}
        for start in range(0, len(order), batch_size):
            some = order[start : start + batch_size]
            found.update(zip(some, self.score_batch([encoded[index] for index in some]), strict=True))
        return [found[index] for index in range(len(encoded))]

    def score_batch(self, batch: Sequence[EncodedContinuation]) -> list[Loglikelihood]:
        import torch

        longest = max(len(one.tokens) for one in batch)
        # Padding on the right comes after every scored token, and a causal model does not look ahead.
        ids = torch.zeros((len(batch), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, one in enumerate(batch):
            ids[row, : len(one.tokens)] = torch.tensor(one.tokens)
            mask[row, : len(one.tokens)] = 1
        ids, mask = ids.to(self.device), mask.to(self.device)
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, :-1]
            logprobs = _next_token_logprobs(logits, ids[:, 1:]).cpu().double()
        return [
            Loglikelihood(float(logprobs[row, one.start - 1 : len(one.tokens) - 1].sum()), len(one.tokens) - one.start)
            for row, one in enumerate(batch)
        ]

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids


def _next_token_logprobs(logits: Any, following: Any) -> Any:
    """The log-probability of each following token, without a second table as large as the logits."""
    import torch

    rows, length, words = logits.shape
    step = max(1, _MOST_LOGITS // max(1, length * words))
    parts = []
    for start in range(0, rows, step):
        some = logits[start : start + step].float()
        chosen = some.gather(-1, following[start : start + step].unsqueeze(-1)).squeeze(-1)
        parts.append(chosen - torch.logsumexp(some, dim=-1))
    return torch.cat(parts) if parts else logits.new_zeros((rows, length))


def _shared_prefix(context: Sequence[int], whole: Sequence[int]) -> int:
    """The number of tokens that the context shares with the whole; one that spans the boundary is not shared."""
    alike = (a == b for a, b in zip(context, whole, strict=False))
    return min(next((index for index, same in enumerate(alike) if not same), len(context)), len(whole) - 1)


def find_bos_token(tokenizer: Any) -> tuple[str | None, int | None]:
    """The token that begins a text: the model's own, else ``<|endoftext|>``, else the one that ends a text."""
    vocabulary = tokenizer.get_vocab()
    own = tokenizer.bos_token
    candidates = (own if own not in _TURN_MARKERS else None, _END_OF_TEXT, own, tokenizer.eos_token)
    for token in candidates:
        if token is not None and token in vocabulary:
            return token, int(vocabulary[token])
    return None, None
