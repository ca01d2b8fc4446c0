"""Whether WordNet is installed, for tests that need it."""

from __future__ import annotations

import pytest

from falter.core.errors import UsageError
from falter.generation.nlp import load_wordnet

__all__ = ["needs_wordnet"]


def _is_there() -> bool:
    try:
        load_wordnet()
    except UsageError:
        return False
    return True


needs_wordnet = pytest.mark.skipif(not _is_there(), reason="needs WordNet")
