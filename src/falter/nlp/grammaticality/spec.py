"""Loading a judge of grammaticality by its spec."""

from __future__ import annotations

from falter.nlp.grammaticality.protocol import GrammaticalityModel

__all__ = ["load_grammaticality_model"]


def load_grammaticality_model(spec: str) -> GrammaticalityModel:
    """``rules``, which needs a parser alone, or a CoLA classifier of the transformers library by folder or id."""
    if spec == "rules":
        from falter.nlp.grammaticality.rules import GrammarRules

        return GrammarRules()
    from falter.nlp.grammaticality.transformer import load_cola_classifier

    return load_cola_classifier(spec)
