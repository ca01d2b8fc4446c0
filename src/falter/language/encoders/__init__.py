"""Sentence encoders: texts to vectors, by downloaded weights, by words alone, or computed elsewhere."""

from falter.language.encoders.cache import VectorCache, cached
from falter.language.encoders.protocol import Encoder, Vectors, checked
from falter.language.encoders.spec import ENCODERS, load_encoder

__all__ = ["ENCODERS", "Encoder", "VectorCache", "Vectors", "cached", "checked", "load_encoder"]
