"""The viewer in a real browser: filters, search, links, keys and comments work, and nothing hostile runs."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest

import falter
from falter.apps.viewer.application import View
from tests.browser import needs_browser
from tests.reporting.hostile import HOSTILE

from .small import Replies, make_runs, make_suite

pytestmark = needs_browser


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[falter.Run]:
    folder = tmp_path_factory.mktemp("view")
    return make_runs(make_suite(folder), folder / "runs")


@pytest.fixture(scope="module")
def view(runs: list[falter.Run]) -> Iterator[View]:
    with falter.view(runs) as started:
        yield started


@pytest.fixture
def page(chromium: Any, view: View) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.troubles = []
    page.on("console", lambda message: page.troubles.append(message.text))
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.goto(view.url)
    wait(page)
    yield page
    assert page.troubles == []
    assert page.evaluate("window.broken") is None
    context.close()


def wait(page: Any) -> None:
    page.wait_for_selector("#pairs[aria-busy=false]")


def until(page: Any, part: str) -> None:
    """Wait until the address has this part; the page's policy lets no test evaluate a string."""
    page.wait_for_url(lambda url: part in url)
    wait(page)


def count(page: Any) -> int:
    wait(page)
    return int(page.inner_text("#count").split(" of ")[1].split()[0].replace(",", ""))


def choose(page: Any, name: str, value: str) -> int:
    page.select_option(f"#by-{name}", value)
    until(page, f"{name}={value}")
    return count(page)


def titles(page: Any) -> list[list[str]]:
    found: list[list[str]] = page.locator("article.pair .dots").evaluate_all(
        "all => all.map((dots) => [...dots.children].map((dot) => dot.title))"
    )
    return found


def test_every_filter_narrows_and_is_kept_in_the_address(page: Any) -> None:
    assert count(page) == 24
    assert choose(page, "test", "different") == 5
    assert set(page.locator("article.pair .words .test").all_inner_texts()) == {"different"}
    page.click("button[type=reset]")
    wait(page)
    found = choose(page, "wrong", "model-1")
    assert all("model-1: wrong" in each for each in titles(page))
    both = choose(page, "right", "model-2")
    assert 0 < both < found
    assert all("model-1: wrong" in each and "model-2: right" in each for each in titles(page))
    links = page.locator("#counts tbody tr")
    assert [links.nth(row).locator("a").count() for row in (0, 1)] == [1, 0], "none is wrong, so nothing leads there"
    page.reload()
    assert count(page) == both and page.input_value("#by-right") == "model-2"
    page.go_back()
    wait(page)
    assert count(page) == found
    assert choose(page, "outcome", "unparsed") < found
    page.click("button[type=reset]")
    wait(page)
    assert page.is_disabled("#by-value")
    choose(page, "facet", "class")
    assert choose(page, "value", "animal") == 8
    page.click("button[type=reset]")
    page.fill("#by-text", "cannot TELL")
    until(page, "q=")
    assert 0 < count(page) < 24
    assert page.locator("#counts tbody tr").count() == 3


def test_a_breakdown_leads_to_what_fails(page: Any) -> None:
    page.locator("#breakdown-head").click(position={"x": 4, "y": 18})
    page.select_option("#break-by", "class")
    row = page.locator("#broken-down tbody tr").first
    row.locator("td a").first.wait_for()
    page.wait_for_selector("#broken-down thead th:text-is('class')")
    wrong = int(row.locator("td .interval").first.inner_text().split()[0])
    row.locator("td a").first.click()
    until(page, "wrong=model-1")
    assert count(page) == wrong


def test_a_pair_has_a_link_its_image_enlarges_and_keys_move(page: Any) -> None:
    choose(page, "test", "visual")
    page.keyboard.press("j")
    page.keyboard.press("j")
    opened = page.locator("article.pair[aria-current=true]")
    assert opened.locator(".place").inner_text() == "2 of 5"
    assert opened.locator(".images figcaption").all_inner_texts() == ["original", "obfuscation: blur-6"]
    image = opened.locator(".images img").nth(1)
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 64
    probe = opened.locator(".pair-id code").inner_text()
    address = opened.locator("a.permalink").get_attribute("href")
    opened.locator("button.enlarge").first.click()
    assert page.locator("dialog[open] img").evaluate("image => image.decode().then(() => image.naturalWidth)") == 64
    page.keyboard.press("Escape")
    page.goto(urljoin(page.url, address))
    wait(page)
    assert page.locator(".pair-id code").all_inner_texts() == [probe]
    page.keyboard.press("/")
    page.keyboard.type("jk")
    assert page.input_value("#by-text") == "jk"


def test_hostile_texts_are_shown_and_comments_stay(page: Any, runs: list[falter.Run]) -> None:
    page.click("#open-all")
    seen = page.inner_text("#pairs")
    while not page.is_disabled("#next"):
        shown = page.inner_text("#count")
        page.keyboard.press("n")
        page.locator("#count").filter(has_not_text=shown).wait_for()
        wait(page)
        seen += page.inner_text("#pairs")
    for text in (*HOSTILE[:5], "⟨U+202E⟩"):
        assert text in seen, text
    page.click("button[type=reset]")
    wait(page)
    form = page.locator("article.pair.open form").first
    form.locator("textarea").fill(f"{HOSTILE[1]} {HOSTILE[3]}")
    form.locator("select").select_option(label="model-3")
    form.locator("button").click()
    page.locator(".comment .said").first.wait_for()
    assert page.locator(".comment .said").first.inner_text() == f"{HOSTILE[1]} {HOSTILE[3]}"
    assert (runs[2].folder / "comments.jsonl").exists()
    page.reload()
    wait(page)
    page.check("#by-commented")
    until(page, "commented=1")
    assert count(page) == 1
    page.locator(".comment button").click()
    page.locator(".comment").wait_for(state="detached")
    page.reload()
    wait(page)
    assert "No pair matches" in page.inner_text("#pairs")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_scrolls_sideways(chromium: Any, view: View, width: int, scheme: str) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(view.url)
    wait(page)
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    page.close()


def test_what_was_not_asked_says_so_and_a_name_stays_as_it_is(
    chromium: Any, runs: list[falter.Run], tmp_path: Path
) -> None:
    suite = runs[0].suite()
    falter.run(suite, Replies("late-model", 1), out=tmp_path / "late", limit=4)
    context = chromium.new_context()
    with falter.view(tmp_path / "late") as started:
        page = context.new_page()
        page.goto(started.url)
        wait(page)
        assert page.inner_text("h1") == "late-model falters on small"
        page.click("#open-all")
        silent = page.locator("article.pair:not(:has(.dot))")
        assert silent.count() > 0
        assert silent.first.locator(".body").inner_text().count("No reply of any model yet.") == 1
        assert page.locator("#about thead th").all_inner_texts() == ["Model", "Fingerprint", "Folder", "Run"]
    context.close()


def test_nobody_else_reaches_it(view: View, runs: list[falter.Run]) -> None:
    base, token = view.url.split("/?token=")
    body = {"suite": 0, "row": 0, "model": 0, "text": "from afar"}
    with httpx.Client(headers={"authorization": f"Bearer {token}"}, timeout=120) as known:
        assert known.get(f"{base}/api/pairs").status_code == 200
        assert known.get(f"{base}/api/pairs", headers={"host": "evil.example"}).status_code == 421
        evil = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
        assert known.get(f"{base}/api/pairs", headers=evil).status_code == 403
        assert known.post(f"{base}/api/comments", json=body, headers=evil).status_code == 403
        assert known.post(f"{base}/api/comments", json=body).status_code == 403, "an origin must be stated"
        own = {"origin": base, "sec-fetch-site": "same-origin"}
        for bad in ({**body, "row": 10**9}, {**body, "model": 99}, {**body, "suite": -1}):
            assert known.post(f"{base}/api/comments", json=bad, headers=own).status_code == 404
        assert known.post(f"{base}/api/comments", json={**body, "text": " "}, headers=own).status_code == 400
        assert known.post(f"{base}/api/comments", json={**body, "path": "/etc"}, headers=own).status_code == 400
        for place in ("0/999999", "7/0", "0/..%2F..%2Fsuite.json"):
            assert known.get(f"{base}/image/{place}").status_code == 404
        assert known.get(f"{base}/api/pairs?outcome=nonsense").status_code == 400
        assert known.get(f"{base}/api/pairs?on=zz&page=-3").json()["page"] == 1
    for address in ("/", "/api/runs", "/api/pairs", "/image/0/0", "/assets/viewer.js"):
        assert httpx.get(base + address, timeout=120).status_code == 403
    assert not any((run.folder / "comments.jsonl").exists() for run in runs[:2])


def test_it_shows_itself_in_a_notebook(view: View) -> None:
    html = view._repr_html_()
    assert html.startswith(f'<iframe src="{view.url}"')
    policy = httpx.get(view.url, follow_redirects=False, timeout=120).headers["content-security-policy"]
    assert "frame-ancestors http://localhost:*" in policy and "unsafe" not in policy


def test_the_browser_gives_its_cookie_to_no_other_port(chromium: Any, view: View) -> None:
    received: list[str] = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            received.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *given: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Listener) as stranger:
        Thread(target=stranger.serve_forever, daemon=True).start()
        context = chromium.new_context()
        page = context.new_page()
        page.goto(view.url)
        wait(page)
        page.goto(f"http://127.0.0.1:{stranger.server_address[1]}/")
        page.go_back()
        wait(page)
        context.close()
        stranger.shutdown()
    assert received and set(received) == {""}
