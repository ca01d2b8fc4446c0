"""The page as text: complete, escaped, within its size."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.core.untrusted_text import escape_invisible
from falter.data.blind_checks import ScorerCheck
from falter.evaluation.reporting.failure_viewer import build_failure_viewer, json_for_script
from falter.evaluation.reporting.page import render_report, write_report
from falter.evaluation.reporting.report_data import ReportData, SuiteBlindCheck
from falter.evaluation.runs.failure_records import FailureImage

from .hostile import HOSTILE, spoil
from .made_up import draw_image, made_up


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    return made_up(tmp_path_factory.mktemp("images"), pairs=4)


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def _elements(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Elements()
    parser.feed(page)
    return parser.found


def _payload(page: str) -> dict:
    found = re.search(r'<script type="application/json" id="payload">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_the_page_is_the_same_every_time(data: ReportData) -> None:
    assert render_report(data)[0] == render_report(data)[0]


def test_nothing_on_the_page_reaches_out_or_carries_inline_code(data: ReportData) -> None:
    page, _ = render_report(data)
    for tag, attributes in _elements(page):
        assert tag not in ("link", "iframe", "object", "embed", "base")
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert not (attributes.get("src") or "").startswith("http")
        assert (attributes.get("href") or "#").startswith("#")
    policy = next(attributes for tag, attributes in _elements(page) if "http-equiv" in attributes)["content"] or ""
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy


def test_all_models_tests_and_humans_are_there(data: ReportData) -> None:
    page, _ = render_report(data)
    for word in (
        "oracle",
        "always-yes",
        "rephrase",
        "antonym",
        "Human",
        "LXMERT (augmented)",
        "Apache-2.0",
        "Table 8",
    ):
        assert word in page
    assert "falter:0.2|carets:negation|rule:exact" in page


def test_text_only_baselines_stand_beside_chance(data: ReportData) -> None:
    page, _ = render_report(data)
    section = page[page.index('<section id="blind"') :].split("</section>")[0]
    order, visual = section.split('<tr class="first">')[1:]
    assert "41.7" in order and "400 of 900 questions" in order
    assert "41.0" in order and "−0.7 from chance" in order
    assert order.count("baseline clear") == 1, "common sense alone is above chance"
    assert "68.0" in order and "63.0 to 72.0" in order and "(+26.3 from chance)" in order
    assert "no choices are offered" in visual
    assert "given the words alone" in section
    assert "Not checked" not in section
    assert "flagged" not in section
    scored = ScorerCheck(accuracy=0.7, low=0.65, high=0.75, mean_gap=-0.25)
    suite, checked = data.blind_checks[0]
    told = msgspec.structs.replace(checked, scorers={"lm:tiny": scored}, flagged=True, solved_by="lm:tiny")
    data.blind_checks[0] = SuiteBlindCheck(suite, told)
    flagged = render_report(data)[0]
    assert "flagged: lm:tiny above 60 %" in flagged and "mean gap −0.250" in flagged
    data.blind_unchecked = ["antonym, yes/no (12)"]
    assert "a single answer: antonym, yes/no (12)." in render_report(data)[0]
    data.blind_checks = []
    assert '<section id="blind"' not in render_report(data)[0]


def test_hostile_text_adds_no_element(data: ReportData) -> None:
    plain = made_up_again(data)
    page, _ = render_report(spoil(plain))
    scripts = [attributes for tag, attributes in _elements(page) if tag == "script"]
    assert len(scripts) == 2
    assert not [tag for tag, _ in _elements(page) if tag == "img"]
    assert page.encode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)
    payload = _payload(page)
    assert len(payload["failures"]) == len(plain.failures)


def made_up_again(data: ReportData) -> ReportData:
    return msgspec.structs.replace(data, failures=list(data.failures))


def test_long_replies_are_cut_and_say_how_long_they_were(data: ReportData) -> None:
    payload = _payload(render_report(spoil(made_up_again(data)))[0])
    replies = [side for failure in payload["failures"] for _, _, *sides in failure["replies"] for side in sides]
    long = [side for side in replies if side[4:] == [100_000]]
    assert long
    assert all(len(payload["texts"][side[2]]) == 2000 for side in long)


@given(st.recursive(st.text() | st.sampled_from(HOSTILE[:10]), lambda each: st.lists(each, max_size=3), max_leaves=5))
def test_json_in_a_script_is_inert_and_means_the_same(value: object) -> None:
    text = json_for_script(value)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value


@given(st.text())
def test_what_is_shown_has_nothing_unseen_in_it(text: str) -> None:
    shown = escape_invisible(text, one_line=True)
    assert escape_invisible(shown, one_line=True) == shown
    assert not set(shown) & {chr(code) for code in (*range(32), 0x7F, *range(0x80, 0xA0), 0x202E, 0x2066, 0xFEFF)}
    shown.encode()


def test_escaping_keeps_what_people_write() -> None:
    for text in ("Füße, naïve, 犬, 👩\u200d🚀", "two\nlines"):
        assert escape_invisible(text) == text


def test_each_image_is_there_once(data: ReportData) -> None:
    page, viewer = render_report(data)
    uris = [uri for uri in viewer.payload["images"] if uri]
    assert uris
    assert all(page.count(uri) == 1 for uri in set(uris))


def test_the_file_keeps_to_its_size_by_leaving_images_out(data: ReportData, tmp_path: Path) -> None:
    limit = 430_000
    noisy = made_up_again(data)
    noisy.images = [FailureImage(f"q{place}", draw_image(tmp_path / f"{place}.png", place)) for place in range(12)]
    for entry in noisy.images:
        assert entry.path is not None
        _noise(entry.path)
    viewer = write_report(noisy, tmp_path / "report.html", limit=limit)
    assert (tmp_path / "report.html").stat().st_size <= limit
    assert any("images are not included" in note for note in viewer.notes)
    kept = [uri for uri in viewer.payload["images"] if uri]
    assert 0 < len(kept) < 12
    assert "images are not included" in (tmp_path / "report.html").read_text("utf-8")


def _noise(path: Path) -> None:
    from PIL import Image

    Image.effect_noise((480, 360), 120).save(path)


def test_the_file_keeps_to_its_size_by_leaving_pairs_out(data: ReportData) -> None:
    few = made_up_again(data)
    few.failures = [msgspec.structs.replace(one, rank=place % 4) for place, one in enumerate(few.failures)]
    for limit, each in ((20_000, few), (28_000, spoil(made_up_again(few)))):
        viewer = build_failure_viewer(each, limit=limit)
        assert len(json_for_script(viewer.payload)) <= limit
        assert 0 < len(viewer.payload["failures"]) < len(each.failures)
        assert viewer.failed == 2400, "the count is of all that failed, shown or not"
    shown = Counter(row.test for row in build_failure_viewer(few, limit=20_000).shown for _ in range(row.shown))
    assert set(shown) == {failure.test for failure in few.failures}, "every test has some"


def test_bad_images_are_counted_and_the_rest_is_shown(data: ReportData, tmp_path: Path) -> None:
    broken = made_up_again(data)
    (tmp_path / "corrupt.jpg").write_bytes(b"\xff\xd8\xff nothing")
    broken.images = [
        FailureImage("a", tmp_path / "corrupt.jpg"),
        FailureImage("b", tmp_path / "missing.jpg"),
        *data.images[2:],
    ]
    page, viewer = render_report(broken)
    assert viewer.image_problems == {"corrupt": 1, "missing": 1}
    assert "1 corrupt, 1 missing" in page
    whole = render_report(data)[1].payload["images"]
    assert viewer.payload["images"] == [None, None, *whole[2:]]
    assert all(whole[:2])


def test_a_report_without_failures_or_scores_still_renders() -> None:
    page, _ = render_report(ReportData(title="Nothing", suites=[], models=[], scores=[]))
    assert "No pair was answered" in page
