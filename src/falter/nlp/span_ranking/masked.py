"""Spans ranked by a masked language model, as the paper does with SpanBERT: as many masks as the span has tokens."""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from falter.errors import InputError, UsageError
from falter.files import sha256_of_bytes, sha256_of_file
from falter.nlp.hub import hub_arguments
from falter.nlp.span_ranking.protocol import AskedSpans, Gap
from falter.nlp.tokenizer_check import has_vocabulary

__all__ = ["MaskedSpanRanker", "load_masked_ranker"]

_EXAMPLE = "bert-large-cased"
_EXTRA = "pip install 'falter[torch]'"


class MaskedSpanRanker:
    """The log-probability of a span's tokens in as many masks, each token by itself."""

    def __init__(self, model: Any, tokenizer: Any, *, name: str, fingerprint: str) -> None:
        self.name = f"{name}, masked spans"
        self.fingerprint = fingerprint
        self._model, self._tokenizer = model, tokenizer

    def score(self, gap: Gap, spans: Sequence[str]) -> list[float]:
        """The sum over the tokens of each span; a span that the tokenizer cannot write has minus infinity."""
        tables: dict[int, Any] = {}
        found = []
        for span in spans:
            ids = self._tokenizer(span, add_special_tokens=False)["input_ids"]
            if not ids or self._tokenizer.unk_token_id in ids:
                found.append(float("-inf"))
                continue
            if len(ids) not in tables:
                tables[len(ids)] = self._predict(gap, len(ids))
            rows = tables[len(ids)]
            found.append(float(sum(rows[place, one] for place, one in enumerate(ids))))
        return found

    def score_many(self, asked: Sequence[AskedSpans]) -> list[list[float]]:
        """One gap after the other."""
        return [self.score(one.gap, one.spans) for one in asked]

    def proposes(self, gap: Gap, spans: Sequence[str]) -> list[bool]:
        """Whether each span is among the ten most probable ones of as many tokens, the paper's top k."""
        best: dict[int, list[str]] = {}
        found = []
        for span in spans:
            ids = self._tokenizer(span, add_special_tokens=False)["input_ids"]
            if ids and len(ids) not in best:
                best[len(ids)] = self.top(gap, len(ids))
            written = self._tokenizer.decode(ids).strip()
            found.append(bool(ids) and written in best[len(ids)])
        return found

    def top(self, gap: Gap, tokens: int, k: int = 10) -> list[str]:
        """The most probable spans of so many tokens, each token by itself, the best first."""
        import torch

        best: list[tuple[float, list[int]]] = [(0.0, [])]
        for row in self._predict(gap, tokens):
            values, ids = torch.topk(row, k)
            longer = [
                (score + float(value), [*before, int(one)])
                for score, before in best
                for value, one in zip(values, ids, strict=True)
            ]
            best = sorted(longer, key=lambda pair: (-pair[0], pair[1]))[:k]
        return [self._tokenizer.decode(ids).strip() for _, ids in best]

    def _predict(self, gap: Gap, tokens: int) -> Any:
        """For each mask the log-probabilities of all tokens."""
        import torch

        mask = self._tokenizer.mask_token
        text = gap.fill(" ".join([mask] * tokens))
        encoded = self._tokenizer(text, return_tensors="pt", truncation=True).to(self._model.device)
        places = (encoded["input_ids"][0] == self._tokenizer.mask_token_id).nonzero().flatten()[:tokens]
        with torch.inference_mode():
            logits = self._model(**encoded).logits[0, places].float()
        return torch.log_softmax(logits, dim=-1).cpu().double()


def load_masked_ranker(name: str) -> MaskedSpanRanker:
    """A masked language model of the transformers library, by its folder or id."""
    try:
        transformers = importlib.import_module("transformers")
        importlib.import_module("torch")
    except ImportError as error:
        raise UsageError(f"a masked language model needs transformers and torch ({error}): {_EXTRA}") from error
    folder = Path(name).expanduser()
    at = str(folder) if folder.is_dir() else name
    own = {} if folder.is_dir() else hub_arguments(at)
    try:
        with redirect_stderr(io.StringIO()):
            tokenizer = transformers.AutoTokenizer.from_pretrained(at, **own)
            model, info = transformers.AutoModelForMaskedLM.from_pretrained(
                at, dtype="float32", output_loading_info=True, **own
            )
    except Exception as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise UsageError(
            f"{name} is no masked language model that can be loaded; one is {_EXAMPLE} ({said})"
        ) from error
    if info["missing_keys"] or tokenizer.mask_token is None or not has_vocabulary(tokenizer):
        raise InputError(name, "is no whole masked language model", hint=f"give one such as {_EXAMPLE}")
    files = sorted(folder.glob("*")) if folder.is_dir() else []
    listed = "".join(f"{sha256_of_file(file)}  {file.name}\n" for file in files if file.is_file()) or f"hub\n{name}"
    return MaskedSpanRanker(
        model.eval(), tokenizer, name=folder.name if files else name, fingerprint=sha256_of_bytes(listed.encode())
    )
