"""Loading a model of inference by its spec."""

from __future__ import annotations

from falter.nlp.entailment.protocol import EntailmentModel

__all__ = ["load_entailment_model"]


def load_entailment_model(spec: str) -> EntailmentModel:
    """``rules``, which needs WordNet alone, or a sequence classifier of the transformers library by folder or id."""
    if spec == "rules":
        from falter.nlp.entailment.rules import EntailmentRules

        return EntailmentRules()
    from falter.nlp.entailment.transformer import load_nli_classifier

    return load_nli_classifier(spec)
