"""What the user may choose about a model that is loaded, asked or paid for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from falter.errors import UsageError

__all__ = ["AnswerBy", "MatchBy", "ModelOptions"]

AnswerBy = Literal["generate", "likelihood"]
MatchBy = Literal["auto", "head", "yes-no", "letters"]


class ModelOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the models of weights and of servers; each adapter reads those that mean something to it.

    What changes a reply (``answer_by``, ``prompt``, ``lm_score`` ...) belongs in the model's fingerprint; what only
    changes speed or cost (``device``, ``concurrency`` ...) does not.
    """

    answer_by: AnswerBy = "generate"
    """How a question is answered: by generating, or by scoring every choice."""
    match_by: MatchBy = "auto"
    """How a text is matched: by the model's own head, by p(yes) against p(no), or by the letters A and B, both ways
    round; ``auto`` takes the head where there is one, else yes and no."""
    max_new_tokens: int = 32
    prompt: str | None = None
    """The name of a prompt that comes with the program, or a YAML file of the user's; None: what the family of models
    is best asked with, else ``standard``."""
    system: Path | None = None
    """A text file with the system prompt."""
    few_shot: Path | None = None
    """A YAML file with worked examples that are shown before the question."""
    lm_score: Literal["mean", "sum"] = "mean"
    bos: bool = True
    """Whether the language model's first token stands before the text."""
    device: str = "auto"
    """``auto``, ``cpu``, ``cuda``, or several by commas: ``cuda:0,cuda:1``."""
    dtype: str = "auto"
    revision: str | None = None
    trust_remote_code: bool = False
    region_features: Path | None = None
    """Region features of the images, for models that were trained on a detector's boxes."""
    concurrency: int | None = None
    """Requests under way at once, at most; else as the server takes them."""
    timeout: float = 120.0
    max_requests: int | None = None
    max_cost: float | None = None
    prices: Path | None = None
    """A YAML file with what a model's tokens cost."""

    def __post_init__(self) -> None:
        if self.max_new_tokens < 1:
            raise UsageError(f"--max-new-tokens is at least 1, not {self.max_new_tokens}")
        if self.concurrency is not None and self.concurrency < 1:
            raise UsageError(f"--concurrency is at least 1, not {self.concurrency}")
        if not 0 < self.timeout < float("inf"):
            raise UsageError(f"--timeout is a number of seconds above 0, not {self.timeout:g}")
        if self.max_requests is not None and self.max_requests < 1:
            raise UsageError(f"--max-requests is at least 1, not {self.max_requests}")
        if self.max_cost is not None and not 0 < self.max_cost < float("inf"):
            raise UsageError(f"--max-cost is a sum above 0, not {self.max_cost:g}")
        if self.max_cost is not None and self.prices is None:
            raise UsageError("--max-cost needs --prices, a YAML file with what the model's tokens cost")
