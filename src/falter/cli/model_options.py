"""The options of models with weights and of servers, shared by every command that loads a model."""

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
    answer_by: Literal["generate", "likelihood"] = typer.Option(
        "generate", "--answer-by", help="Answer by generating text, or by scoring every choice."
    ),
    match_by: Literal["auto", "head", "yes-no", "letters"] = typer.Option(
        "auto",
        "--match-by",
        help="Match by the model's own head, by yes against no, or by letters A and B; auto: the head, else yes-no.",
    ),
    max_new_tokens: int = typer.Option(
        32, "--max-new-tokens", metavar="N", help="Maximum length of a generated answer."
    ),
    prompt: str | None = typer.Option(
        None,
        "--prompt",
        metavar="NAME|FILE",
        help="Prompt: standard, plain, tagged, or a YAML file. Default: the one that suits the model.",
    ),
    system: Path | None = typer.Option(None, "--system", metavar="FILE", help="A text file with the system prompt."),
    few_shot: Path | None = typer.Option(None, "--few-shot", metavar="FILE", help="A YAML list of few-shot examples."),
    lm_score: Literal["mean", "sum"] = typer.Option(
        "mean", "--lm-score", help="Score of a text by a language model: mean or sum of its tokens' log-probabilities."
    ),
    bos: bool = typer.Option(True, "--bos/--no-bos", help="Put a language model's BOS token before the text."),
    device: str = typer.Option("auto", "--device", metavar="NAME", help="auto, cpu, cuda, or several: cuda:0,cuda:1."),
    dtype: str = typer.Option("auto", "--dtype", metavar="NAME", help="auto, float32, float16, bfloat16 or mixed."),
    revision: str | None = typer.Option(
        None, "--revision", metavar="NAME", help="Branch, tag or commit of the weights."
    ),
    trust_remote_code: bool = typer.Option(
        False, "--trust-remote-code", help="Run Python code that comes with the weights."
    ),
    region_features: Path | None = typer.Option(
        None, "--region-features", metavar="FILE", help="Region features of the images, for LXMERT and VisualBERT."
    ),
    concurrency: int | None = typer.Option(
        None,
        "--concurrency",
        metavar="N",
        help="Maximum number of concurrent requests. Default: adapted to the server.",
    ),
    timeout: float = typer.Option(
        120.0, "--timeout", metavar="SECONDS", help="Time limit for one response of a server."
    ),
    max_requests: int | None = typer.Option(
        None, "--max-requests", metavar="N", help="Stop after N requests; rerun the command to resume."
    ),
    max_cost: float | None = typer.Option(
        None, "--max-cost", metavar="X", help="Stop before the cost by --prices exceeds X."
    ),
    prices: Path | None = typer.Option(
        None, "--prices", metavar="FILE", help="A YAML file with the prices of tokens and images."
    ),
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
    found = get_type_hints(function, localns={"ModelOptions": object})
    return {name: found[name] for name in parameters}
