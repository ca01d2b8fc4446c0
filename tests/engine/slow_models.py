"""Models for the tests that kill or starve a real process: ``python:slow_models:...``."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence

from falter.data.model import Capabilities, Request


def slow(batch: Sequence[Request]) -> list[str]:
    """Takes a little time a batch, and says something that depends on the item alone."""
    time.sleep(float(os.environ.get("SLOW_SECONDS", "0.01")))
    return [_said(request) for request in batch]


slow.capabilities = Capabilities(batch_size=5)  # type: ignore[attr-defined]


def wordy(batch: Sequence[Request]) -> list[str]:
    """Fills a disk."""
    return [f"{_said(request)} {'because of what can be seen ' * 40}" for request in batch]


wordy.capabilities = Capabilities(batch_size=5)  # type: ignore[attr-defined]


def broken(batch: Sequence[Request]) -> list[str]:
    """Never works."""
    raise RuntimeError(f"no weights for {len(batch)} items")


def _said(request: Request) -> str:
    digest = hashlib.sha256(request.item_id.encode()).digest()[0]
    return ("Yes, there is.", "No.", "maybe", "a purple horse", "Yes — “certainly”")[digest % 5]
