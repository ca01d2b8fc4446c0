"""The order in which tests are run, which of them share a process, and which are a suite's and not the trunk's."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from falter.core.bundle import BUNDLES
from falter.core.plugins import forget_plugins
from falter.evaluation.measures import MEASURES
from tests.browser import chromium
from tests.program import WITHOUT_BUNDLE

__all__ = ["chromium"]

# The same examples in every run, and however busy the machine is.
settings.register_profile("tests", deadline=None, derandomize=True)
settings.load_profile("tests")

# Tests start hundreds of processes. Without compiled files each of them would compile the package and its own test.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

SHARED_FIXTURES = (
    "tests/api/test_front_door.py",
    "tests/cli/test_bad_input.py",
    "tests/cli/test_demo.py",
    "tests/cli/test_run_conditions.py",
    "tests/docs/test_python_in_pages.py",
    "tests/examples/test_my_suite.py",
    "tests/examples/test_my_test.py",
    "tests/examples/test_tour.py",
    "tests/real/test_carets_import_real.py",
    "tests/suites/carets/test_spread.py",
    "tests/suites/contrast_sets/test_suite.py",
    "tests/suites/contrast_sets/test_training.py",
    "tests/suites/test_scene_foils.py",
)
"""Files whose fixtures take long to make: their tests stay in one process (``--dist loadgroup``)."""

GROUPS = {
    **{file: file for file in SHARED_FIXTURES},
    **dict.fromkeys(("tests/test_bundle_rules.py", "tests/test_layers.py"), "syntax trees of the package"),
    **dict.fromkeys(
        (
            "tests/people/test_in_a_browser.py",
            "tests/reporting/test_foils.py",
            "tests/reporting/test_in_a_browser.py",
            "tests/viewer/test_in_a_browser.py",
        ),
        "one browser",
    ),
}
"""By file what its tests share; those of one group stay in one process."""

OF_ALL_SUITES = ("basic-questions", "carets", "valse")
OF_SUITES = {
    "tests/suites/": OF_ALL_SUITES,
    "tests/goldens/": OF_ALL_SUITES,
    "tests/real/": OF_ALL_SUITES,
    "tests/docs/": OF_ALL_SUITES,
    "tests/test_bundle_rules.py": OF_ALL_SUITES,
    "tests/cli/test_suite_commands.py": OF_ALL_SUITES,
    "tests/fuzz/": OF_ALL_SUITES,
    "tests/benchmarks/": OF_ALL_SUITES,
    "tests/cli/test_demo.py": ("carets",),
    "tests/cli/test_hostile_text.py::test_a_command_never_sends_controls_to_the_terminal[bad release]": ("carets",),
    "tests/cli/test_hostile_text.py::test_a_command_never_sends_controls_to_the_terminal[bad source]": ("carets",),
    "tests/cli/test_interrupts.py::test_workers_of_a_stopped_generate": ("carets",),
    "tests/cli/test_net.py::test_a_pipe_in_the_place_of_a_file_is_refused_at_once[generate carets": ("carets",),
    "tests/cli/test_net.py::test_a_pipe_in_the_place_of_a_file_is_refused_at_once[generate basic": ("basic-questions",),
    "tests/cli/test_net.py::test_a_pipe_in_the_place_of_a_file_is_refused_at_once[basic": ("basic-questions",),
    "tests/examples/test_my_test.py": ("carets",),
    "tests/examples/test_tour.py": ("carets",),
    "tests/exporting/test_training.py": ("carets",),
    "tests/parallel/test_generate.py": ("carets",),
}
"""By the beginning of a test's id the suites that it is about; other tests are the trunk's, but for those marked."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--without-bundle", metavar="NAME", help="Run the trunk's tests with this suite removed.")


def pytest_configure(config: pytest.Config) -> None:
    name = config.getoption("--without-bundle")
    if name is not None:
        BUNDLES.get(name)
        os.environ[WITHOUT_BUNDLE] = name
        hidden = ExitStack()
        hidden.enter_context(BUNDLES.without(name))
        config.add_cleanup(hidden.close)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the slow ones: at the end one of them would keep one process busy and the others waiting."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    without = config.getoption("--without-bundle")
    if without is not None:
        others = [item for item in items if without in _suites(item)]
        items[:] = [item for item in items if without not in _suites(item)]
        config.hook.pytest_deselected(items=others)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep groups together by file: marks of xdist get lost where pytest makes the ids of tests itself."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return GROUPS.get(nodeid.partition("::")[0], nodeid)

    return ByGroup(config, log)


def _suites(item: pytest.Item) -> tuple[str, ...]:
    """The suites that a test is about; none for a test of the trunk."""
    mark = item.get_closest_marker("bundle")
    found = () if mark is None else mark.args
    return sum((names for start, names in OF_SUITES.items() if item.nodeid.startswith(start)), found)


@pytest.fixture(scope="module")
def registered() -> Iterator[None]:
    """What plugins add in a file's tests is gone after them."""
    with forget_plugins(), MEASURES.restored():
        yield


@pytest.fixture(scope="module")
def tiny_suite(registered: None) -> Path:
    """A folder for ``--plugin-dir`` with a suite that is nobody's, ``tiny``."""
    return Path(__file__).parent / "tiny_suite"
