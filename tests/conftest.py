"""The order in which tests are run, and which of them share a process."""

from __future__ import annotations

import pytest

SHARED_FIXTURES = (
    "tests/api/test_front_door.py",
    "tests/cli/test_bad_input.py",
    "tests/cli/test_demo.py",
    "tests/cli/test_run_conditions.py",
    "tests/docs/test_python_in_pages.py",
    "tests/examples/test_my_suite.py",
    "tests/examples/test_my_test.py",
    "tests/examples/test_tour.py",
)
"""Files whose fixtures take long to make: their tests stay in one process (``--dist loadgroup``)."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow ones: at the end one of them would keep one process busy and the others waiting."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    for item in items:
        file = item.nodeid.partition("::")[0]
        if file in SHARED_FIXTURES:
            item.add_marker(pytest.mark.xdist_group(file))
