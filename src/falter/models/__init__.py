"""Models: anything that can answer, match, or both."""
