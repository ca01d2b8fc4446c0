"""The failed pairs of one run, as a table and in a notebook."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import falter
from falter import ImageRef, Item, Probe
from falter.core.errors import UsageError
from falter.data.model import Reply, Request
from falter.evaluation.reporting import collect
from tests.viewer.small import make_runs, make_suite


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> falter.Run:
    folder = tmp_path_factory.mktemp("failures")
    return make_runs(make_suite(folder, probes=60), folder / "runs", models=1)[0]


def test_the_failures_are_those_of_the_report(run: falter.Run) -> None:
    shown = {(failure.probe_id, failure.variant_number) for failure in collect([run]).failures}
    failures = run.failures()
    assert failures.failed == len(failures) == len(shown) > 20
    assert {(row.probe_id, row.variant) for row in failures} == shown
    assert len({row.test for row in failures[:5]}) == 5
    assert failures.to_polars().height == len(shown)


def test_a_limit_says_how_many_more_there_are(run: falter.Run) -> None:
    every, some = run.failures(), run.failures(limit=5)
    assert len(some) == 5
    assert some.failed == every.failed
    assert f"5 of {every.failed} failed pairs; {every.failed - 5} more" in some._repr_html_()
    assert f"20 of {every.failed} failed pairs; {every.failed - 20} more" in str(every)
    with pytest.raises(UsageError, match="limit is 0"):
        run.failures(limit=0)


def test_a_notebook_shows_small_images_beside_escaped_texts(tmp_path: Path) -> None:
    make_suite(tmp_path)
    image = ImageRef.from_file(tmp_path / "0.png")
    texts = {"wrong": "<script>?", "mumbled": "How so?", "lost": "Why not?", "right": "What else?"}
    items = [
        Item.make(
            suite="s", test="t", probe_id=name, expects="each", image=image, text=text, choices=("a", "b"), gold="a"
        )
        for name, text in texts.items()
    ]
    suite = falter.write_suite([Probe((item,)) for item in items], tmp_path / "own", name="s", images="copy")
    replies = {
        "<script>?": {"text": "<b>", "answer": "b"},
        "How so?": {"status": "unparsed", "text": "<hm>"},
        "Why not?": {"status": "failed", "error": "<server>"},
        "What else?": {"text": "a", "answer": "a"},
    }

    def reply(requests: list[Request]) -> list[Reply]:
        return [Reply(item_id=request.item_id, **replies[request.text]) for request in requests]

    failures = falter.run(suite, reply, name="m", out=tmp_path / "run").failures()
    outcomes = {row.probe_id: (row.reply, row.outcome, row.failure) for row in failures}
    assert outcomes == {
        "wrong": ("<b>", "incorrect", "incorrect"),
        "mumbled": ("<hm>", "unparsed", "unparsed"),
        "lost": ("<server>", "failed", "failed"),
    }
    html = failures._repr_html_()
    assert len(re.findall(r'<img src="data:image/(?:png|jpeg);base64,', html)) == 3
    assert "&lt;script&gt;" in html
    assert not re.search(r"<(script|b|hm|server)>|https?:", html)
    (tmp_path / "own" / "images").rename(tmp_path / "elsewhere")
    assert "image missing" in failures._repr_html_()
