"""Commands of the bundle."""
