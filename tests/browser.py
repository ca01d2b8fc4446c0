"""One real browser for the tests of a module that need one."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

needs_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: install Debian's chromium to run the browser tests"),
]


class Patient:
    """A browser whose pages wait two minutes for what they are to show: machines may be busy."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser

    def new_page(self, **options: Any) -> Any:
        page = self._browser.new_page(**options)
        page.set_default_timeout(120_000)
        return page

    def new_context(self, **options: Any) -> Any:
        context = self._browser.new_context(**options)
        context.set_default_timeout(120_000)
        return context


def wait_until(page: Any, expression: str) -> None:
    """Wait until a page says yes. Playwright's own waiting evaluates text within the page, which our pages forbid."""
    for _ in range(1200):
        if page.evaluate(expression):
            return
        time.sleep(0.1)
    pytest.fail(f"in two minutes not so: {expression}")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser without a window; pages are opened and closed by the tests.

    Of a module, not of the session: Playwright keeps an event loop running in this thread as long as it lives, and
    whatever other modules run by asyncio would be refused.
    """
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield Patient(browser)
        browser.close()
