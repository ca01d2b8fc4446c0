"""The report in a real browser: it runs, it is quiet, and nothing hostile runs in it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from falter.evaluation.reporting import ModelScore, collect
from falter.evaluation.reporting.page import write_report
from falter.evaluation.score_options import ScoreOptions
from tests.browser import needs_browser, wait_until
from tests.viewer.small import make_runs, make_suite

from .hostile import HOSTILE, spoil
from .made_up import made_up

pytestmark = needs_browser


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    write_report(made_up(folder / "images", pairs=25), folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    write_report(spoil(made_up(folder / "images", pairs=6)), folder / "report.html")
    return folder / "report.html"


class Opened:
    """A page with what it said and asked for."""

    def __init__(self, browser: Any, path: Path, *, width: int = 1280, scheme: str = "light") -> None:
        self.troubles: list[str] = []
        self.requests: list[str] = []
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("#pairs > *")

    def count(self) -> int:
        text = self.page.inner_text("#count")
        return int(text.split(" of ")[-1].split()[0].replace(",", ""))

    def overflow(self) -> int:
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


@pytest.fixture
def opened(chromium: Any, plain: Path) -> Iterator[Opened]:
    opened = Opened(chromium, plain)
    yield opened
    opened.page.close()


def test_it_opens_from_a_file_quietly_and_asks_for_nothing(opened: Opened, plain: Path) -> None:
    assert opened.troubles == []
    assert [url for url in opened.requests if not url.startswith("data:")] == [plain.as_uri()]
    assert opened.page.locator("article.pair").count() == 10
    assert opened.page.locator("article.pair.open").count() == 1
    enlarged = opened.page.locator("article.pair .images img").first
    assert enlarged.evaluate("image => image.decode().then(() => image.naturalWidth)") == 480, "few are shown in full"
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(250, 249, 246)"


def test_hostile_text_is_shown_and_does_not_run(chromium: Any, hostile: Path) -> None:
    opened = Opened(chromium, hostile)
    page = opened.page
    seen = ""
    while True:
        page.evaluate("document.querySelectorAll('article.pair').forEach((each) => each.setOpen(true))")
        seen += page.inner_text("#pairs")
        if page.is_disabled("#next"):
            break
        page.click("#next")
    page.wait_for_timeout(100)
    assert page.evaluate("window.broken") is None
    assert opened.troubles == []
    assert [url for url in opened.requests if not url.startswith("data:")] == [hostile.as_uri()]
    for text in HOSTILE[:5]:
        assert text in seen
    assert "⟨U+202E⟩" in seen
    assert "bell␇ null␀ escape␛" in seen
    assert "100,000 characters in all" in seen
    assert page.locator("script").count() == 2
    assert opened.overflow() <= 0
    page.close()


def test_hostile_text_does_not_widen_a_phone(chromium: Any, hostile: Path) -> None:
    opened = Opened(chromium, hostile, width=375)
    assert opened.overflow() <= 0
    opened.page.close()


def test_filters_narrow_by_test_model_and_outcome(opened: Opened) -> None:
    page = opened.page
    assert opened.count() == 150
    page.select_option("#by-test", label="negation")
    assert opened.count() == 25
    assert set(page.locator("article.pair .words .test").all_inner_texts()) == {"negation"}
    page.select_option("#by-wrong", label="always-yes")
    assert opened.count() == 25
    page.select_option("#by-outcome", label="both incorrect")
    assert opened.count() == 0
    assert "No failed pair matches" in page.inner_text("#pairs")
    page.select_option("#by-wrong", label="oracle")
    page.select_option("#by-outcome", label="any failure")
    assert opened.count() == 0
    page.click("button[type=reset]")
    page.wait_for_selector("article.pair")
    assert opened.count() == 150


def test_every_failure_shown_under_a_filter_is_of_that_type(opened: Opened) -> None:
    page = opened.page
    page.select_option("#by-wrong", label="bag")
    page.click("#open-all")
    for value, label in (
        ("original", "original incorrect"),
        ("variant", "variant incorrect"),
        ("both", "both incorrect"),
        ("inconsistent", "inconsistent"),
        ("unparsed", "unparsed"),
    ):
        page.select_option("#by-outcome", value)
        assert opened.count() > 0
        rows = page.locator("article.pair tbody tr:nth-child(2) .failure-types").all_inner_texts()
        assert rows and all(label in row for row in rows), label


def test_one_right_and_another_wrong_is_a_filter_and_an_address(opened: Opened) -> None:
    page = opened.page
    page.select_option("#by-right", label="blind")
    page.select_option("#by-wrong", label="bag")
    found = opened.count()
    assert 0 < found < 150
    states = page.locator("article.pair .dots").evaluate_all(
        "all => all.map((dots) => [...dots.children].map((dot) => dot.title))"
    )
    assert all("bag: wrong" in each and "blind: right" in each for each in states)
    assert page.evaluate("location.hash") == "#failures?wrong=bag&right=blind"
    page.reload()
    page.wait_for_selector("article.pair")
    assert opened.count() == found
    assert page.input_value("#by-right") == "2"


def test_facets_are_filters_chips_and_cells_lead_to_them(opened: Opened) -> None:
    page = opened.page
    assert page.is_disabled("#by-value")
    page.select_option("#by-facet", "template")
    value = page.locator("#by-value option").nth(1).get_attribute("value")
    page.select_option("#by-value", value)
    assert 0 < opened.count() < 150
    assert all(f"template: {value}" in chips for chips in page.locator("p.facets").all_inner_texts())
    page.click("button[type=reset]")
    # The filters are cleared after the form is: what is chosen before would be cleared, too.
    page.wait_for_selector("#by-value:disabled")
    chip = page.locator("a.facet", has_text="template: ").first
    # The list may be drawn anew between two calls.
    wanted = chip.evaluate("(one) => { one.click(); return one.innerText }").removeprefix("template: ")
    wait_until(page, f"document.getElementById('by-value').value === {json.dumps(wanted)}")
    assert page.input_value("#by-facet") == "template"
    page.evaluate("document.querySelector('#breakdowns details').open = true")
    cell = page.locator("#breakdowns table.facets tbody tr", has_text="related objects").first.locator("td a").nth(1)
    address = cell.get_attribute("href")
    assert address.endswith("facet=question_type&value=related+objects") and "wrong=bag" in address
    cell.click()
    wait_until(page, "document.getElementById('by-facet').value === 'question_type'")
    assert page.input_value("#by-wrong") == "1" and page.input_value("#by-value") == "related objects"
    assert opened.troubles == []


def test_back_to_the_address_without_filters_shows_all_failures_again(chromium: Any, plain: Path) -> None:
    opened = Opened(chromium, plain)
    page, every = opened.page, opened.count()
    assert "#" not in page.url
    page.locator(".overview td a").first.click()
    wait_until(page, "document.getElementById('by-wrong').value !== ''")
    assert opened.count() < every
    page.go_back()
    wait_until(page, "document.getElementById('by-wrong').value === ''")
    assert opened.count() == every and opened.troubles == []


def test_a_pair_has_an_address_and_its_image_can_be_enlarged(opened: Opened, plain: Path) -> None:
    page = opened.page
    page.select_option("#by-test", label="visual")
    page.locator("article.pair").nth(3).locator(".line").click()
    opened_pair = page.locator("article.pair").nth(3)
    probe = opened_pair.locator(".pair-id code").inner_text()
    address = opened_pair.locator("a.permalink").get_attribute("href")
    page.goto(plain.as_uri() + address)
    page.reload()
    page.wait_for_selector("article.pair.open")
    assert page.locator(".pair-id code").all_inner_texts() == [probe]
    page.locator("button.enlarge").nth(1).click()
    assert page.locator("dialog[open] p").inner_text() == "Image: obfuscation: blur"
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    assert page.locator(".images figcaption").all_inner_texts() == ["original", "obfuscation: blur"]


def test_tables_sort_and_are_saved_as_csv(opened: Opened) -> None:
    page = opened.page
    names = lambda: page.locator("table.headline tbody:not(.published) th .who").all_inner_texts()  # noqa: E731
    assert names() == ["oracle", "bag", "blind", "always-yes"]
    button = page.locator("table.headline thead button.sort").nth(2)
    button.click()
    first = names()
    button.click()
    assert names() == first[::-1] != first
    assert page.locator("table.headline tbody.published th.sticky").first.inner_text() == "Human"
    with page.expect_download() as saved:
        page.locator("#results .table-tools button").click()
    lines = Path(saved.value.path()).read_text("utf-8").splitlines()
    head = lines[0].split(",")
    assert head[0] == "Model" and any(name.endswith("C-ACC low") for name in head)
    assert [line.split(",")[0] for line in lines[1:5]] == names()


def test_a_saved_table_has_every_figure_and_the_ends_of_its_interval(chromium: Any, tmp_path: Path) -> None:
    suite = make_suite(tmp_path)
    write_report(collect(make_runs(suite, tmp_path / "runs"), ScoreOptions(n_resamples=50)), tmp_path / "report.html")
    opened = Opened(chromium, tmp_path / "report.html")

    def saved(section: str) -> list[dict[str, str]]:
        with opened.page.expect_download() as download:
            opened.page.locator(f"{section} .table-tools button").first.click()
        return list(csv.DictReader(Path(download.value.path()).read_text("utf-8").splitlines()))

    overview = saved("#top")
    assert len(overview) == 3
    heads = opened.page.locator("#top .overview thead tr")
    assert heads.count() == 2, "one line of headings stands above the other"
    failed = lambda: [int(one) for one in opened.page.locator("#top .overview tbody td:last-child").all_inner_texts()]  # noqa: E731
    for order in (-1, 1):
        heads.nth(1).locator("button.sort", has_text="Failed").click()
        assert failed() == sorted(failed())[::order] and len({*failed()}) > 1
    opened.page.locator("#top .overview tbody td:last-child").first.evaluate("(one) => { one.textContent = '1,618' }")
    assert saved("#top")[0]["Failed"] == "1618", "no separators of thousands in a file"
    for row in overview:
        for figure in ("Model", "answers must stay: C-ACC", "answers must change: C-ACC"):
            assert row[figure]
        low, value, high = (float(row[f"answers must stay: C-ACC{end}"]) for end in (" low", "", " high"))
        assert 0 <= low <= value <= high <= 100
    assert len({row["answers must stay: C-ACC"] for row in overview}) > 1
    differences = saved("#differences")
    head = next(name for name in differences[0] if name.endswith(", points"))
    for row in differences:
        assert float(row[f"{head} low"]) <= float(row[head]) <= float(row[f"{head} high"])
    opened.page.close()


def test_search_looks_in_questions_and_replies(opened: Opened) -> None:
    page = opened.page
    page.click("#open-all")
    page.fill("#by-text", "KITE near")
    found = opened.count()
    assert 0 < found < 150
    assert all("kite" in text.lower() for text in page.locator("article.pair").all_inner_texts())
    page.fill("#by-text", "not able to tell")
    assert all("not able to tell" in text for text in page.locator("article.pair").all_inner_texts())
    page.fill("#by-text", "no such words anywhere")
    assert opened.count() == 0


def test_keys_go_from_pair_to_pair_and_over_the_page(opened: Opened) -> None:
    page = opened.page
    current = "article.pair[aria-current=true] .place"
    page.keyboard.press("j")
    assert page.inner_text(current) == "1 of 150"
    for _ in range(10):
        page.keyboard.press("j")
    assert page.inner_text(current) == "11 of 150"
    assert page.inner_text("#count").startswith("11–20 of 150")
    page.keyboard.press("k")
    assert page.inner_text(current) == "10 of 150"
    page.keyboard.press("/")
    page.keyboard.type("jk")
    assert page.input_value("#by-text") == "jk"


def test_pages_turn(opened: Opened) -> None:
    page = opened.page
    assert page.is_disabled("#previous")
    page.click("#next-low")
    assert page.inner_text("#count") == "11–20 of 150 shown; 2,400 failed by at least one model"
    page.click("#previous")
    assert page.inner_text("#count") == "1–10 of 150 shown; 2,400 failed by at least one model"


def test_what_differs_is_marked(opened: Opened) -> None:
    page = opened.page
    page.select_option("#by-test", label="negation")
    first = page.locator("article.pair").first
    assert first.locator(".side:nth-child(1) mark").all_inner_texts() == ["a"]
    assert first.locator(".side:nth-child(2) mark").all_inner_texts() == ["no"]


def test_a_pair_with_two_images_shows_both(opened: Opened) -> None:
    opened.page.select_option("#by-test", label="visual")
    assert opened.page.locator("article.pair").first.locator(".images img").count() == 2


def test_the_toggle_turns_the_colours(chromium: Any, plain: Path) -> None:
    opened = Opened(chromium, plain, scheme="dark")
    page = opened.page
    model_color = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(model_color) == "rgb(20, 23, 26)"
    page.click("#theme")
    assert page.evaluate(model_color) == "rgb(250, 249, 246)"
    page.click("#theme")
    assert page.evaluate(model_color) == "rgb(20, 23, 26)"
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 800, 1280])
def test_the_page_never_scrolls_sideways(chromium: Any, plain: Path, width: int, scheme: str) -> None:
    opened = Opened(chromium, plain, width=width, scheme=scheme)
    opened.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert opened.overflow() <= 0
    opened.page.close()


def test_tables_of_seven_tests_and_six_models_fit_a_laptop(chromium: Any, tmp_path: Path) -> None:
    data = made_up(tmp_path / "images", pairs=1)
    given = [(one.model, one.score) for one in data.scores]
    scores = list(given)
    for model, score in given:
        if score.group.test == "visual" and score.measure == "acc":
            scores.append((model, msgspec.structs.replace(score, measure="set_acc")))
        if score.group.test == "order" and score.group.facet is None:
            group = msgspec.structs.replace(score.group, test="rephrase-and-order")
            scores.append((model, msgspec.structs.replace(score, group=group)))
    copies = {1: 4, 2: 5}
    scores += [(copies[model], score) for model, score in scores if model in copies]
    models = [*data.models, *(msgspec.structs.replace(data.models[model], name=f"large {model}") for model in copies)]
    written = [ModelScore(model, score) for model, score in scores]
    write_report(msgspec.structs.replace(data, models=models, scores=written), tmp_path / "report.html")
    opened = Opened(chromium, tmp_path / "report.html")
    opened.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    tables = opened.page.evaluate(
        """() => [...document.querySelectorAll("table.headline, table.facets")].map((each) => each.parentElement)
          .map((each) => [each.getAttribute("aria-label") ?? "", each.scrollWidth - each.clientWidth])"""
    )
    assert len(tables) > 10
    assert [label for label, over in tables if over > 0] == []
    opened.page.close()


_CONTRAST = """() => {
  const light = (model_color) => {
    // A mixed model_color is told as color(srgb ...), in shares of one.
    const full = model_color.startsWith("color(") ? 1 : 255;
    const [r, g, b] = model_color.match(/[\\d.]+/g).slice(0, 3).map(Number).map((c) => {
      const s = c / full;
      return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const model_color = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$/.test(model_color)) return model_color;
    }
    return "rgb(255, 255, 255)";
  };
  const faded = (element) => {
    for (let e = element; e; e = e.parentElement) if (Number(getComputedStyle(e).opacity) < 1) return true;
    return Number(getComputedStyle(element).fillOpacity) < 1;
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *:not(script):not(title):not(:disabled)")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.getClientRects().length) continue;
    // The texts of charts have a fill, and a rim in the color of their ground where they lie on a line or a bar.
    const { color, fill } = getComputedStyle(element), drawn = element.closest("svg");
    const [a, b] = [light(drawn ? fill : color), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const name = `${element.tagName}.${element.getAttribute("class")}`;
    if (ratio < 4.5) poor.push(`${name}: ${ratio.toFixed(2)}`);
    if (drawn && faded(element)) poor.push(`${name} is faded`);
  }
  return [...new Set(poor)];
}"""


@pytest.mark.parametrize("place", ["article.pair:nth-of-type(4)", "#by-test", "#results-head"])
def test_what_is_scrolled_to_is_not_under_the_bar(opened: Opened, place: str) -> None:
    if place.endswith("-head"):
        opened.page.evaluate("location.hash = 'results'")
    hidden = """([place, jump]) => {
      document.documentElement.style.scrollBehavior = "auto";
      const found = document.querySelector(place);
      if (jump) found.scrollIntoView({ block: "start" });
      return document.querySelector(".bar").getBoundingClientRect().bottom - found.getBoundingClientRect().top;
    }"""
    opened.page.wait_for_timeout(50)
    assert opened.page.evaluate(hidden, [place, not place.endswith("-head")]) <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(chromium: Any, plain: Path, scheme: str) -> None:
    opened = Opened(chromium, plain, scheme=scheme)
    assert opened.page.locator("svg.chart text").count() > 50
    assert opened.page.evaluate(_CONTRAST) == []
    opened.page.close()


def test_controls_and_images_have_names(opened: Opened) -> None:
    nameless = opened.page.evaluate(
        """() => [...document.querySelectorAll("select, input, button, img:not(.small img), svg[role=img]")]
          .filter((each) => !(each.labels && each.labels.length) && !each.textContent.trim() && !each.alt &&
          !each.getAttribute("aria-label")).length"""
    )
    assert nameless == 0
    levels = opened.page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((each) => Number(each.tagName[1]))"
    )
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
