"""Suites in other forms: training files."""
