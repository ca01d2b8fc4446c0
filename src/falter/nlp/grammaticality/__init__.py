"""How grammatical a text is."""

from falter.nlp.grammaticality.protocol import GrammaticalityModel
from falter.nlp.grammaticality.spec import load_grammaticality_model

__all__ = ["GrammaticalityModel", "load_grammaticality_model"]
