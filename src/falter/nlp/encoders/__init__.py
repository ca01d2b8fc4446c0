"""Sentence encoders: texts to vectors, by downloaded weights, by words alone, or computed elsewhere."""

from falter.nlp.encoders.cache import VectorCache, encode_texts
from falter.nlp.encoders.protocol import Encoder, Vectors, check_vectors
from falter.nlp.encoders.spec import ENCODERS, load_encoder

__all__ = ["ENCODERS", "Encoder", "VectorCache", "Vectors", "check_vectors", "encode_texts", "load_encoder"]
