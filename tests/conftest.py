"""The order in which tests are run."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow ones: at the end one of them would keep one process busy and the others waiting."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
