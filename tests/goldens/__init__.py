"""Bytes of suites and runs, and the scores of fixed runs, as they were before the code was restructured."""
