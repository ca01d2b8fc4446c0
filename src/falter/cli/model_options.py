"""The options about models of weights and of servers, which every command that loads a model shares."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

import typer

if TYPE_CHECKING:
    from falter.models import ModelOptions

__all__ = ["takes_model_options"]

OPTIONS = "options"
"""The parameter that stands for all of them."""


def _model_options(
    *,
    decide: Literal["generate", "likelihood"] = typer.Option(
        "generate", "--decide", help="Answer by generating, or by scoring every choice."
    ),
    match_by: Literal["auto", "head", "yes-no", "letters"] = typer.Option(
        "auto",
        "--match-by",
        help="Match by the model's own head, by yes against no, or by letters A and B; auto: the head, else yes-no.",
    ),
    max_new_tokens: int = typer.Option(
        32, "--max-new-tokens", metavar="N", help="The longest answer that is generated."
    ),
    prompt: str | None = typer.Option(
        None,
        "--prompt",
        metavar="NAME|FILE",
        help="The words around a question: standard, plain, tagged, or a YAML file; else what suits the model.",
    ),
    system: Path | None = typer.Option(None, "--system", metavar="FILE", help="A text file with the system prompt."),
    few_shot: Path | None = typer.Option(
        None, "--few-shot", metavar="FILE", help="A YAML list of worked examples, shown before the question."
    ),
    lm_score: Literal["mean", "sum"] = typer.Option(
        "mean", "--lm-score", help="A text's score by a language model: the mean or the sum of log-probabilities."
    ),
    bos: Literal["on", "off"] = typer.Option("on", "--bos", help="Begin a language model's text with its first token."),
    device: str = typer.Option(
        "auto", "--device", metavar="NAME", help="auto, cpu, cuda, or cuda:0,cuda:1 for several."
    ),
    dtype: str = typer.Option("auto", "--dtype", metavar="NAME", help="auto, float32, float16, bfloat16 or mixed."),
    revision: str | None = typer.Option(
        None, "--revision", metavar="NAME", help="The branch, tag or commit of weights."
    ),
    trust_remote_code: bool = typer.Option(
        False, "--trust-remote-code", help="Run Python that comes with the weights; off unless given."
    ),
    features: Path | None = typer.Option(
        None, "--features", metavar="FILE", help="Region features of the pictures, for LXMERT and VisualBERT."
    ),
    concurrency: int | None = typer.Option(
        None, "--concurrency", metavar="N", help="Requests under way at once, at most; else as the server takes them."
    ),
    timeout: float = typer.Option(120.0, "--timeout", metavar="SECONDS", help="How long a server may take to answer."),
    max_requests: int | None = typer.Option(
        None, "--max-requests", metavar="N", help="Stop after so many requests; the run can go on later."
    ),
    max_cost: float | None = typer.Option(
        None, "--max-cost", metavar="X", help="Stop before more than this is spent, by --prices."
    ),
    prices: Path | None = typer.Option(
        None, "--prices", metavar="FILE", help="A YAML file with what a model's tokens and pictures cost."
    ),
) -> ModelOptions:
    from falter.models import ModelOptions
    from falter.models.prompts import prompt_for

    options = ModelOptions(
        decide=decide,
        match_by=match_by,
        max_new_tokens=max_new_tokens,
        prompt=prompt,
        system=system,
        few_shot=few_shot,
        lm_score=lm_score,
        bos=bos == "on",
        device=device,
        dtype=dtype,
        revision=revision,
        trust_remote_code=trust_remote_code,
        features=features,
        concurrency=concurrency,
        timeout=timeout,
        max_requests=max_requests,
        max_cost=max_cost,
        prices=prices,
    )
    # A slip in a name or a file must come to light before weights are loaded.
    prompt_for(options)
    return options


def takes_model_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command all these options; it gets them in its keyword parameter ``options``, as one object."""
    own = inspect.signature(command).parameters
    shared = inspect.signature(_model_options).parameters
    # The commands' own annotations name types that are imported for checking alone where they are not of typer.
    hints = {name: hint for name, hint in _hints(command, own).items() if name != OPTIONS}
    hints |= _hints(_model_options, shared)

    @functools.wraps(command)
    def wrapper(**given: Any) -> None:
        options = _model_options(**{name: given.pop(name) for name in shared})
        command(**given, **{OPTIONS: options})

    kept = [parameter for name, parameter in own.items() if name != OPTIONS]
    annotated = [parameter.replace(annotation=hints[parameter.name]) for parameter in (*kept, *shared.values())]
    wrapper.__annotations__ = hints
    wrapper.__signature__ = inspect.Signature(annotated)  # type: ignore[attr-defined]
    del wrapper.__wrapped__  # typer would look at the command behind it
    return wrapper


def _hints(function: Callable[..., Any], parameters: Any) -> dict[str, Any]:
    found = get_type_hints(function, localns={"ModelOptions": object})
    return {name: found[name] for name in parameters}
