"""Natural language inference: whether a text follows from another, contradicts it, or neither."""

from falter.nlp.entailment.protocol import EntailmentModel, InferenceLabel, Judgement
from falter.nlp.entailment.spec import load_entailment_model

__all__ = ["EntailmentModel", "InferenceLabel", "Judgement", "load_entailment_model"]
