"""What the tests of models share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def only_new_objects_are_collected() -> Iterator[None]:
    """Keep the garbage collection after each batch that did not fit from walking all that PyTorch has loaded."""
    gc.freeze()
    yield
    gc.unfreeze()
