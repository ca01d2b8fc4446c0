"""Rewrites of questions as people wrote them: read, change one slot, write another question that is read back."""

from falter.generation.english.rewrites.rewrite import Reading, Rewrite, WrittenShape, load_rewrites

__all__ = ["Reading", "Rewrite", "WrittenShape", "load_rewrites"]
