"""Runs: one model's replies to one suite, appended as they come."""
