"""Whatever a server quotes of the key, and however, it reaches neither the terminal nor a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from falter.core.errors import FalterError
from falter.evaluation.engine import ReplyCache, run_suite
from falter.evaluation.models.openai.pacing import RetryPolicy
from falter.evaluation.models.openai.redaction import Redaction
from tests.models.openai.asked import make_suite, model_of
from tests.models.openai.commands import here
from tests.models.openai.faulty import right_answer
from tests.models.openai.indiscreet import DISGUISES, ENDS, ITEMS, KEY, Quote, leaks, number_of, quotes
from tests.models.openai.server import Asked, Out, Server, completion

QUICK = RetryPolicy(attempts=2, rate_limits=1, first_wait=0.001, longest_wait=0.01, failures_to_stop=10**6)
FIRST = 8
"""Questions that are answered well, so that the server is known to work."""


def answer_with(said: list[Quote], places: dict[str, Callable[[Asked, str], Out]]) -> Callable[[Asked], Out]:
    def script(asked: Asked) -> Out:
        number = number_of(asked) - FIRST
        if number < 0:
            return Out(completion(asked, right_answer(asked.text)))
        out = places[said[number].place](asked, said[number].text)
        # A header is bytes of one line.
        echo = said[number].text.encode("ascii", "ignore").decode().translate(dict.fromkeys(range(32)))
        return replace(out, headers=out.headers | {"X-Echo": echo, "Server": echo})

    return script


def attack_items(folder: Path, number: int, *, report: bool) -> list[str]:
    """What got through of so many replies and refusals: to the log, the table, the cache and the report."""
    said = quotes(ITEMS, number)
    suite = make_suite(folder / "suite", 2 * ((FIRST + number) // 2))
    with Server(answer_with(said, ITEMS)) as server, ReplyCache(folder / "cache") as cache:
        run_suite(suite, model_of(server, key=KEY, retry_policy=QUICK), folder / "run", cache=cache)
    if not report:
        return leaks_in(folder)
    commands = (["report", str(folder / "run"), "--out", str(folder / "report.html")], ["score", str(folder / "run")])
    ended = [here(*command) for command in commands]
    assert [one.code for one in ended] == [0, 0], ended
    return leaks_in(folder, *(text for one in ended for text in (one.out, one.err)))


def attack_ends(folder: Path, number: int) -> list[str]:
    """What got through of so many answers that end a run, with the key among the names of models as well."""
    suite = make_suite(folder / "suite", 2)
    shown: list[str] = []
    with Server(lambda asked: ENDS[quote.place](asked, quote.text)) as server:
        for index, quote in enumerate(quotes(ENDS, number)):
            server.models = (quote.text, f"tiny-vl {quote.text}")
            model = model_of(server, key=KEY, retry_policy=QUICK)
            try:
                run_suite(suite, model, folder / f"run{index}")
            except FalterError as error:
                shown.append(str(error))
    assert (folder / "run7" / "run.json").read_text().count("replied_as") == 1
    return leaks_in(folder, *shown)


def leaks_in(folder: Path, *shown: str) -> list[str]:
    texts = list(shown)
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".parquet" and path.name.startswith("replies"):
            texts += [str(row) for row in pl.read_parquet(path).rows()]
            texts += [str(value) for row in pl.read_parquet(path).rows() for value in row]
        elif path.is_file() and "suite" not in path.parts:
            text = path.read_bytes().decode("utf-8", "replace")
            texts += text.splitlines() if path.suffix == ".jsonl" else [text]
    return [f"{text[:300]!r} holds {found[0]}" for text in texts if (found := list(leaks(text)))]


def test_no_piece_of_the_key_gets_through(tmp_path: Path) -> None:
    assert not attack_items(tmp_path / "items", 2 * len(DISGUISES), report=False)
    assert not attack_ends(tmp_path / "ends", 2 * len(ENDS))


@pytest.mark.soak
def test_no_piece_of_the_key_gets_through_in_any_place_and_disguise(tmp_path: Path) -> None:
    assert not attack_items(tmp_path / "items", 1000, report=True)
    assert not attack_ends(tmp_path / "ends", 300)


@pytest.mark.parametrize("disguise", DISGUISES)
def test_the_rest_of_a_text_stays(disguise: str) -> None:
    redact = Redaction(KEY)
    shown = redact(f"Yes, 50% of it: {DISGUISES[disguise](KEY)} is red.")
    assert re.fullmatch(r"Yes, 50% of it: \S{0,14}\[key\]\S{0,4} is red\.", shown), shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (KEY, "A bus&#32;\u00e9\x1b[31m 100%25 \\u0041 Zm9v 736b2d " + KEY[20:27]),
        ("my-key-for-the-local-server", "It is for the local server."),
        ("sk-no-key-required", "No key required."),
        ("EMPTY", "The glass is EMPTY."),
        ("", "yes"),
    ],
)
def test_a_text_without_the_key_is_left_as_it_is(key: str, text: str) -> None:
    assert Redaction(key)(text) == text
