"""Ways to make probes, one a paper."""
