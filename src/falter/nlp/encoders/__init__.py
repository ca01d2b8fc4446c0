"""Sentence encoders: texts to vectors, by downloaded weights, by words alone, or computed elsewhere."""

from falter.nlp.encoders.cache import VectorCache, cached
from falter.nlp.encoders.protocol import Encoder, Vectors, checked
from falter.nlp.encoders.spec import ENCODERS, load_encoder

__all__ = ["ENCODERS", "Encoder", "VectorCache", "Vectors", "cached", "checked", "load_encoder"]
