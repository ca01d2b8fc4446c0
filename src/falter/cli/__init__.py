"""The command line: one file a command."""

from falter.cli.main import main

__all__ = ["main"]
