"""Words for a gap in a sentence, ranked by a language model in context.

A masked language model ranks as the paper does with SpanBERT, by as many masks as the span has tokens; a causal one by
the log-probability of the whole sentence. Scores are kept on disk as they are made, so that an interrupted run resumes.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

import msgspec

from falter.core.causal_lm import CausalLanguageModel, Continuation
from falter.core.errors import InputError, UsageError
from falter.core.files import JsonDecoder, read_bytes, sha256_of_bytes, sha256_of_file
from falter.core.optional_packages import has_vocabulary, hub_arguments, import_package


class Gap(NamedTuple):
    """A sentence with a place for words: what stands before it and what after, blanks included."""

    before: str
    after: str

    def fill(self, span: str) -> str:
        """The sentence with words in the place.

        >>> Gap("A cat ", " a mat.").fill("under")
        'A cat under a mat.'
        """
        return f"{self.before}{span}{self.after}"


class AskedSpans(NamedTuple):
    """A gap, and the words that may fill it."""

    gap: Gap
    spans: tuple[str, ...]


class SpanRanker(Protocol):
    """Gives log-probabilities of words in a gap; ``name`` and ``fingerprint`` say by which model."""

    name: str
    fingerprint: str

    def score(self, gap: Gap, spans: Sequence[str], /) -> list[float]:
        """For each span how probable the sentence is with it, in nats; differences within a gap mean something."""
        ...

    def score_many(self, asked: Sequence[AskedSpans], /) -> list[list[float]]:
        """The scores of several gaps at once, which costs less than one after the other."""
        ...

    def proposes(self, gap: Gap, spans: Sequence[str], /) -> list[bool]:
        """For each span whether the model itself comes up with it; one that only ranks does not say no."""
        ...


class NoRanker:
    """Finds all words equally probable."""

    name = "none"
    fingerprint = ""

    def score(self, _gap: Gap, spans: Sequence[str]) -> list[float]:
        """Zeros."""
        return [0.0] * len(spans)

    def score_many(self, asked: Sequence[AskedSpans]) -> list[list[float]]:
        """Zeros."""
        return [[0.0] * len(one.spans) for one in asked]

    def proposes(self, _gap: Gap, spans: Sequence[str]) -> list[bool]:
        """All."""
        return [True] * len(spans)


def load_span_ranker(spec: str) -> SpanRanker:
    """``mlm:ID_OR_FOLDER`` for a masked language model, ``none``; all else names a causal one, as ``smollm2``."""
    if spec == "none":
        return NoRanker()

    kind, _, name = spec.partition(":")
    if kind == "mlm":
        return load_masked_ranker(name)
    from falter.core.causal_lm import load_causal_lm

    return CausalSpanRanker(load_causal_lm(name if kind == "lm" else spec))


_EXAMPLE = "bert-large-cased"


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
    transformers = import_package("transformers", "a masked language model")
    import_package("torch", "a masked language model")
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


class CausalSpanRanker:
    """Whole sentences, summed over their tokens."""

    def __init__(self, model: CausalLanguageModel) -> None:
        self.name = f"{model.name}, whole sentences, sum"
        self.fingerprint = model.fingerprint
        self._model = model

    def score(self, gap: Gap, spans: Sequence[str]) -> list[float]:
        """The log-probability of the sentence with each span."""
        (found,) = self.score_many([AskedSpans(gap, tuple(spans))])
        return found

    def score_many(self, asked: Sequence[AskedSpans]) -> list[list[float]]:
        """Sentences of several gaps share a batch; a thousandth of a nat is kept, which no batch changes."""
        texts = [Continuation(one.gap.fill(span)) for one in asked for span in one.spans]
        scores = iter(self._model.score(texts, bos=self._model.bos_token is not None))
        return [[round(next(scores).total, 3) for _ in one.spans] for one in asked]

    def proposes(self, _gap: Gap, spans: Sequence[str]) -> list[bool]:
        """All: a causal model does not see what comes after the gap, so it ranks only."""
        return [True] * len(spans)


class _Line(msgspec.Struct):
    key: str
    scores: list[float]


_line = JsonDecoder(_Line, "a line of a log of scores")


class ScoreLog:
    """A ranker that keeps what it has scored in ``FOLDER/scores-FINGERPRINT.jsonl``, a line for each gap.

    A last line that was cut off is dropped; values are read back as they were written, so that a resumed run gives the
    same bytes.
    """

    def __init__(self, ranker: SpanRanker, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError(folder, "is not a folder for scores", hint="give another folder")
        folder.mkdir(parents=True, exist_ok=True)
        self.name, self.fingerprint = ranker.name, ranker.fingerprint
        self._ranker = ranker
        self._path = folder / f"scores-{sha256_of_bytes(f'{ranker.name}{ranker.fingerprint}'.encode())[:16]}.jsonl"
        self._known = self._read()
        self._stream: IO[bytes] | None = None

    def score(self, gap: Gap, spans: Sequence[str]) -> list[float]:
        """The scores that are there, or else those of the ranker, which are kept."""
        (found,) = self.score_many([AskedSpans(gap, tuple(spans))])
        return found

    def score_many(self, asked: Sequence[AskedSpans]) -> list[list[float]]:
        """The same for several gaps; what is missing is scored at once."""
        keys = [sha256_of_bytes("\n".join((*one.gap, *one.spans)).encode())[:32] for one in asked]
        missing = {key: one for key, one in zip(keys, asked, strict=True) if key not in self._known}
        if missing:
            if self._stream is None:
                self._stream = self._path.open("ab")
            for key, found in zip(missing, self._ranker.score_many(list(missing.values())), strict=True):
                self._known[key] = found
                self._stream.write(msgspec.json.encode(_Line(key, found)) + b"\n")
            self._stream.flush()
        return [self._known[key] for key in keys]

    def proposes(self, gap: Gap, spans: Sequence[str]) -> list[bool]:
        """As the ranker says; this is not kept."""
        return self._ranker.proposes(gap, spans)

    def _read(self) -> dict[str, list[float]]:
        if not self._path.exists():
            return {}
        raw = read_bytes(self._path)
        whole, _, cut = raw.rpartition(b"\n")
        if cut:
            self._path.write_bytes(whole + b"\n" if whole else b"")
        found = {}
        for number, line in enumerate(whole.splitlines(), start=1):
            one = _line.decode(line, self._path, record=number, hint="remove the file")
            found[one.key] = one.scores
        return found
