"""Making a language model from ``lm:NAME``."""

from __future__ import annotations

from falter.errors import UsageError
from falter.models.lm.model import LanguageModel
from falter.models.load_context import LoadContext
from falter.models.prompts import load_prompt
from falter.models.weights.devices import placements
from falter.nlp.causal_lm import load_causal_lm

__all__ = ["load_lm"]


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
        raise UsageError(f"{rest} has no token that can stand before a text: give --no-bos")
    return LanguageModel(
        list(zip(loaded, placed, strict=True)), prompt, rule=options.lm_score, bos=options.bos, dtype=options.dtype
    )
