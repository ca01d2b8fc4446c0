"""The options of models that are loaded or called on a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from falter.core.errors import UsageError

AnswerBy = Literal["generate", "likelihood"]
MatchBy = Literal["auto", "head", "yes-no", "letters"]
ModelName = Literal["any", "exact"]

DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
"""By short name of a precision the name that ``torch`` has for it; both are accepted."""

OWN_OPTIONS = ("prompt", "device", "max_new_tokens")
"""The fields that are options of their own on the command line; the others are keys of ``-M``."""

_DTYPE_NAMES = f"auto, {', '.join(DTYPES.values())} or mixed"


class ModelOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the models of weights and of servers; each adapter reads those that mean something to it.

    What changes a reply (``answer_by``, ``prompt``, ``lm_score`` ...) belongs in the model's fingerprint; what only
    changes speed or cost (``device``, ``concurrency`` ...) does not.
    """

    answer_by: Annotated[AnswerBy, Meta(description="Answer by generating text, or by scoring every choice.")] = (
        "generate"
    )
    match_by: Annotated[
        MatchBy,
        Meta(
            description="Match by the model's own head, yes against no, or letters A and B. "
            "auto: the head, else yes-no."
        ),
    ] = "auto"
    max_new_tokens: Annotated[
        int, Meta(description="Maximum length of a generated answer.", extra={"metavar": "N"})
    ] = 32
    prompt: Annotated[
        str | None,
        Meta(
            description="Prompt: standard, plain, tagged, or a YAML file. Default: the one that suits the model.",
            extra={"metavar": "NAME|FILE"},
        ),
    ] = None
    system: Annotated[
        Path | None, Meta(description="A text file with the system prompt.", extra={"metavar": "FILE"})
    ] = None
    few_shot: Annotated[
        Path | None, Meta(description="A YAML list of few-shot examples.", extra={"metavar": "FILE"})
    ] = None
    lm_score: Annotated[
        Literal["mean", "sum"],
        Meta(description="Score of a text by a language model: mean or sum of its tokens' log-probabilities."),
    ] = "mean"
    bos: Annotated[
        bool,
        Meta(description="Put a language model's BOS token before the text."),
    ] = True
    device: Annotated[
        str, Meta(description="Device: auto, cpu, cuda, or several: cuda:0,cuda:1.", extra={"metavar": "NAME"})
    ] = "auto"
    dtype: Annotated[str, Meta(description=f"Precision: {_DTYPE_NAMES}.", extra={"metavar": "NAME"})] = "auto"
    revision: Annotated[
        str | None, Meta(description="Branch, tag or commit of the weights.", extra={"metavar": "NAME"})
    ] = None
    trust_remote_code: Annotated[bool, Meta(description="Run Python code that comes with the weights.")] = False
    region_features: Annotated[
        Path | None,
        Meta(
            description="Region features of the images, for LXMERT and VisualBERT.",
            extra={"metavar": "FILE"},
        ),
    ] = None
    concurrency: Annotated[
        int | None,
        Meta(
            description="Maximum number of concurrent requests. Default: adapted to the server.",
            extra={"metavar": "N"},
        ),
    ] = None
    timeout: Annotated[
        float, Meta(description="Time limit for one response of a server.", extra={"metavar": "SECONDS"})
    ] = 120.0
    model_name: Annotated[
        ModelName,
        Meta(description="Replies of a server under another model's name: any accepts and records them, exact stops."),
    ] = "any"
    max_requests: Annotated[
        int | None, Meta(description="Stop after N requests; rerun the command to resume.", extra={"metavar": "N"})
    ] = None
    max_cost: Annotated[
        float | None, Meta(description="Stop before the cost by prices exceeds X.", extra={"metavar": "X"})
    ] = None
    prices: Annotated[
        Path | None,
        Meta(description="A YAML file with the prices of tokens and images.", extra={"metavar": "FILE"}),
    ] = None

    image_tokens: Annotated[
        str | None,
        Meta(
            description="Input tokens per image in estimates: a number, or a rule such as tiles-85-170. "
            "Default: by the model's name.",
            extra={"metavar": "N|RULE"},
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.dtype not in ("auto", "mixed", *DTYPES, *DTYPES.values()):
            raise UsageError(f"-M dtype {self.dtype!r} is not known; choose {_DTYPE_NAMES}")
        if self.max_new_tokens < 1:
            raise UsageError(f"--max-new-tokens is at least 1, not {self.max_new_tokens}")
        if self.concurrency is not None and self.concurrency < 1:
            raise UsageError(f"-M concurrency is at least 1, not {self.concurrency}")
        if not 0 < self.timeout < float("inf"):
            raise UsageError(f"-M timeout is a number of seconds above 0, not {self.timeout:g}")
        if self.max_requests is not None and self.max_requests < 1:
            raise UsageError(f"-M max_requests is at least 1, not {self.max_requests}")
        if self.max_cost is not None and not 0 < self.max_cost < float("inf"):
            raise UsageError(f"-M max_cost is a sum above 0, not {self.max_cost:g}")
        if self.max_cost is not None and self.prices is None:
            raise UsageError("-M max_cost needs -M prices, a YAML file with what the model's tokens cost")


def option_of_field(name: str) -> str:
    """How a model option is given on the command line.

    >>> option_of_field("max_new_tokens"), option_of_field("dtype")
    ('--max-new-tokens', '-M dtype')
    """
    return f"--{name.replace('_', '-')}" if name in OWN_OPTIONS else f"-M {name}"
