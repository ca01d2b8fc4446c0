"""Sentence encoders: texts to vectors, by downloaded weights, by words alone, or computed elsewhere."""

from falter.generation.nlp.encoders.encoder import ENCODERS, Encoder, Vectors, check_vectors, load_encoder
from falter.generation.nlp.encoders.stored_vectors import VectorCache, encode_texts

__all__ = ["ENCODERS", "Encoder", "VectorCache", "Vectors", "check_vectors", "encode_texts", "load_encoder"]
