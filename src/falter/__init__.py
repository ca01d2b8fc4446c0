"""Falter finds where a vision-language model falters."""

from falter.version import __version__

__all__ = ["__version__"]
