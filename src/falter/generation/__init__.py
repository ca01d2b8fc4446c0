"""Generation: scenes, English, sources, and what makes and inspects suites. It knows no model and no run."""
