"""Foils from scene graphs: captions that a scene makes true, foils that it makes false."""
