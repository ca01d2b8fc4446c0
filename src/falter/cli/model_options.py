"""The options of models with weights and of servers, shared by every command that loads a model."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

if TYPE_CHECKING:
    from falter.models import ModelOptions

__all__ = ["takes_model_options"]

OPTIONS = "options"
"""The parameter that stands for all of them."""


def _model_options(
    *,
    answer_by: Annotated[
        Literal["generate", "likelihood"],
        typer.Option("--answer-by", help="Answer by generating text, or by scoring every choice."),
    ] = "generate",
    match_by: Annotated[
        Literal["auto", "head", "yes-no", "letters"],
        typer.Option(
            "--match-by",
            help="Match by the model's own head, yes against no, or letters A and B. auto: the head, else yes-no.",
        ),
    ] = "auto",
    max_new_tokens: Annotated[
        int, typer.Option("--max-new-tokens", metavar="N", help="Maximum length of a generated answer.")
    ] = 32,
    prompt: Annotated[
        str | None,
        typer.Option(
            "--prompt",
            metavar="NAME|FILE",
            help="Prompt: standard, plain, tagged, or a YAML file. Default: the one that suits the model.",
        ),
    ] = None,
    system: Annotated[
        Path | None, typer.Option("--system", metavar="FILE", help="A text file with the system prompt.")
    ] = None,
    few_shot: Annotated[
        Path | None, typer.Option("--few-shot", metavar="FILE", help="A YAML list of few-shot examples.")
    ] = None,
    lm_score: Annotated[
        Literal["mean", "sum"],
        typer.Option(
            "--lm-score", help="Score of a text by a language model: mean or sum of its tokens' log-probabilities."
        ),
    ] = "mean",
    bos: Annotated[
        bool, typer.Option("--bos/--no-bos", help="Put a language model's BOS token before the text.")
    ] = True,
    device: Annotated[
        str, typer.Option("--device", metavar="NAME", help="auto, cpu, cuda, or several: cuda:0,cuda:1.")
    ] = "auto",
    dtype: Annotated[
        str, typer.Option("--dtype", metavar="NAME", help="auto, float32, float16, bfloat16 or mixed.")
    ] = "auto",
    revision: Annotated[
        str | None, typer.Option("--revision", metavar="NAME", help="Branch, tag or commit of the weights.")
    ] = None,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run Python code that comes with the weights.")
    ] = False,
    region_features: Annotated[
        Path | None,
        typer.Option(
            "--region-features", metavar="FILE", help="Region features of the images, for LXMERT and VisualBERT."
        ),
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency", metavar="N", help="Maximum number of concurrent requests. Default: adapted to the server."
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="Time limit for one response of a server.")
    ] = 120.0,
    max_requests: Annotated[
        int | None,
        typer.Option("--max-requests", metavar="N", help="Stop after N requests; rerun the command to resume."),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", metavar="X", help="Stop before the cost by --prices exceeds X.")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option("--prices", metavar="FILE", help="A YAML file with the prices of tokens and images.")
    ] = None,
) -> ModelOptions:
    from falter.api.running import build_model_options

    return build_model_options(
        {
            "answer_by": answer_by,
            "match_by": match_by,
            "max_new_tokens": max_new_tokens,
            "prompt": prompt,
            "system": system,
            "few_shot": few_shot,
            "lm_score": lm_score,
            "bos": bos,
            "device": device,
            "dtype": dtype,
            "revision": revision,
            "trust_remote_code": trust_remote_code,
            "region_features": region_features,
            "concurrency": concurrency,
            "timeout": timeout,
            "max_requests": max_requests,
            "max_cost": max_cost,
            "prices": prices,
        }
    )


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
    found = get_type_hints(function, localns={"ModelOptions": object}, include_extras=True)
    return {name: found[name] for name in parameters}
