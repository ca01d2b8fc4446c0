"""A causal language model, which gets no image: a text-only baseline that scores texts and choices.

It gives the likelihood of a text, or of each choice after the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

from falter.core.causal_lm import (
    CausalLanguageModel,
    Continuation,
    EncodedContinuation,
    Loglikelihood,
    TooLongError,
    load_causal_lm,
)
from falter.core.errors import UsageError
from falter.core.files import sha256_of_bytes
from falter.data.model import Capabilities, PermanentError, Reply, Request, failed_reply
from falter.data.model_loading import LoadContext
from falter.evaluation.models.prompts import Prompt, load_prompt
from falter.evaluation.models.weights.batching import BatchingConfig, LoadedRequest
from falter.evaluation.models.weights.devices import Placement, placements
from falter.evaluation.models.weights.inference import infer_unordered, replies_in_order

_VERSION = 1
"""Changes whenever the same weights would score the same request otherwise."""


_BATCH_SIZE = 32
_MOST_ROWS = 256
"""Rows that are scored at once; a request with very many choices has many."""
_MOST_TOKENS = 16_384
"""Tokens, padding included, that are scored at once where there are more rows."""


class _Ready(NamedTuple):
    """A request in tokens: one row for a text, one for each choice; or why it cannot be scored."""

    request: Request
    rows: list[EncodedContinuation]
    problem: str | None = None


class LanguageModel:
    """Scores raw text, without a chat template and without the image: a text-only baseline.

    ``match``: the log-probability of the text, a token (``mean``) or in all (``sum``). ``answer``: the choice that is
    the likeliest after the question; a question without choices is unsupported.
    """

    def __init__(
        self,
        copies: Sequence[tuple[CausalLanguageModel, Placement]],
        prompt: Prompt,
        *,
        rule: Literal["mean", "sum"] = "mean",
        bos: bool = True,
        dtype: str = "auto",
    ) -> None:
        """``copies`` are the same weights, one for each device."""
        self._copies = copies
        self._one = copies[0][0]
        self._by = rule
        self._bos = bos
        self._prompt = prompt
        self.name = self._one.name
        method = f"lm:{rule},bos:{'on' if bos else 'off'}"
        first = self._one.bos_token if bos else None
        self.capabilities = Capabilities(
            tasks=frozenset(("answer", "match")),
            batch_size=_BATCH_SIZE,
            method=method,
            prompt=prompt,
            # A text to be matched stands by itself.
            prompted_tasks=frozenset(("answer",)),
            generates=frozenset(),
            count_tokens=self.count_tokens,
            reply_unordered=self.reply_unordered,
        )
        identity = ("lm", _VERSION, self._one.fingerprint, first, method, prompt.fingerprint, dtype)
        self._fingerprint = sha256_of_bytes(repr(identity).encode())

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return replies_in_order(batch, self.reply_unordered(iter(batch), len(batch) or None))

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        """Replies in batches of like length; with several devices, each works on batches of its own."""
        config = BatchingConfig(
            default_size=_BATCH_SIZE,
            load_image=None,
            length=_length,
            collate=self._prepare,
            can_grow=self._copies[0][1].has_room,
        )
        workers = [partial(self._ask, copy, placed) for copy, placed in self._copies]
        return infer_unordered(requests, workers, config, batch_size)

    def count_tokens(self, requests: Iterable[Request]) -> int:
        """The tokens that go through the weights: the question counts once per choice."""
        return sum(len(row.tokens) for request in requests for row in self._ready(request).rows)

    def _prepare(self, loaded: list[LoadedRequest]) -> list[_Ready]:
        return [self._ready(one.request) for one in loaded]

    def _ready(self, request: Request) -> _Ready:
        try:
            return _Ready(
                request, [self._one.encode(passage, bos=self._bos) for passage in self._continuations(request)]
            )
        except TooLongError as error:
            return _Ready(request, [], str(error))

    def _continuations(self, request: Request) -> list[Continuation]:
        if request.task == "match":
            return [Continuation(request.text)]
        question = self._prompt_text(request)
        return [Continuation(f" {choice}", question) for choice in request.choices or ()]

    def _prompt_text(self, request: Request) -> str:
        """System text and worked examples, paragraph by paragraph, and then the question."""
        shown = [f"{said} {reply}" for said, _, reply in self._prompt.shown_examples("answer")]
        system = [] if self._prompt.system is None else [self._prompt.system.strip()]
        return "\n\n".join([*system, *shown, self._prompt.question(request, scored=True)])

    def _ask(self, copy: CausalLanguageModel, placed: Placement, batch: list[_Ready]) -> list[Reply]:
        rows = [row for ready in batch for row in ready.rows]
        with placed.running():
            found = (score for some in _slices(rows) for score in copy.score_batch(some))
            scores = iter(list(found))
        return [self._make_reply(ready, [next(scores) for _ in ready.rows]) for ready in batch]

    def _make_reply(self, ready: _Ready, likelihoods: list[Loglikelihood]) -> Reply:
        request = ready.request
        if ready.problem is not None:
            return failed_reply(request.item_id, PermanentError(ready.problem))
        if not likelihoods:
            return Reply(item_id=request.item_id, status="unsupported")
        scores = [likelihood.reduce(self._by) for likelihood in likelihoods]
        if request.task == "match":
            return Reply(item_id=request.item_id, score=scores[0], score_kind="logprob")
        by_choice = dict(zip(request.choices or (), scores, strict=True))
        return Reply(
            item_id=request.item_id,
            answer=max(by_choice, key=by_choice.__getitem__),
            score_kind="logprob",
            choice_scores=by_choice,
        )


def _length(request: Request) -> int:
    return len(request.text) + max(map(len, request.choices or ("",)))


def load_lm(rest: str, context: LoadContext) -> LanguageModel:
    """A folder of transformers, a GGUF file, an id on the hub, or ``smollm2`` from the package that carries it."""
    options = context.options
    # Choices follow a prompt that ends where the answer begins.
    prompt = load_prompt(options, default="tagged")
    placed = placements(options)
    loaded = [
        load_causal_lm(
            rest,
            device=place.device,
            dtype=place.torch_dtype,
            revision=options.revision,
            trust_remote_code=options.trust_remote_code,
        )
        for place in placed
    ]
    if options.bos and loaded[0].bos_token is None:
        raise UsageError(f"{rest} has no token that can stand before a text: give -M bos=false")
    return LanguageModel(
        list(zip(loaded, placed, strict=True)), prompt, rule=options.lm_score, bos=options.bos, dtype=options.dtype
    )


def _slices(rows: list[EncodedContinuation]) -> Iterator[list[EncodedContinuation]]:
    """The rows in parts that fit into memory; as they are where they are not many."""
    longest = max((len(row.tokens) for row in rows), default=1)
    size = len(rows) if len(rows) <= _MOST_ROWS else max(1, _MOST_TOKENS // longest)
    for start in range(0, len(rows), max(1, size)):
        yield rows[start : start + size]
