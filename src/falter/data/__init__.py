"""Items, probes and suites, their images, and their form on disk; what passes between a suite and a model."""
