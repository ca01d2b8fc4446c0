"""The command line: one file per group of commands."""

from falter.cli.main import main

__all__ = ["main"]
