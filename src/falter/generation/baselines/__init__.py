"""Baselines and upper bounds: oracles that read the scene, and models that learn from questions."""
