"""Suites in other forms: released files of a suite, and training files."""
