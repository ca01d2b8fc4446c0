"""What the engine costs an item, with a model that answers at once, beside a bare loop over the same requests.

Run with ``python benchmarks/engine_overhead.py [ITEMS]``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from falter.models import Reply, Request
from falter.probes import Item, Manifest, Probe, Suite, Task, item_id_of, open_suite, write_suite
from falter.runs import ReplyCache, run_suite
from falter.runs.requests import requests_of

CHOICES = ("yes", "no")


class AtOnce:
    """Answers without a thought."""

    abilities: frozenset[Task] = frozenset(("answer",))
    needs_image = False
    reads_context = False
    batch_size = 64

    def __init__(self, name: str, text: str | None) -> None:
        self.name = name
        self.fingerprint = name
        self._text = text

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        if self._text is None:
            return [Reply(item_id=request.item_id, answer="yes") for request in batch]
        return [Reply(item_id=request.item_id, text=self._text) for request in batch]


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite = _suite(folder / "suite", count)
        answers = AtOnce("answers", None)
        reading = _seconds(lambda: sum(1 for _ in requests_of(suite)))
        requests = list(requests_of(suite))
        bare = _seconds(lambda: _bare_loop(requests, answers))
        print(f"{count:,} items, batches of {answers.batch_size}")
        print(f"{'bare loop over requests in memory':44} {1e6 * bare / count:7.2f} µs an item   1.0 x")
        _line("reading the requests from the suite", reading, bare, count)
        whole = _seconds(lambda: run_suite(suite, answers, folder / "answers"))
        _line("engine, the model gives answers", whole, bare, count)
        short = AtOnce("short", "Yes.")
        _line(
            "engine, the model gives short texts", _seconds(lambda: run_suite(suite, short, folder / "s")), bare, count
        )
        wordy = AtOnce("wordy", "Yes, there is a dog in the picture.")
        _line("engine, the model gives sentences", _seconds(lambda: run_suite(suite, wordy, folder / "w")), bare, count)
        with ReplyCache(folder / "cache") as cache:
            filling = _seconds(lambda: run_suite(suite, answers, folder / "c1", cache=cache))
            _line("engine, filling a cache", filling, bare, count)
            taking = _seconds(lambda: run_suite(suite, answers, folder / "c2", cache=cache))
            _line("engine, taking all from the cache", taking, bare, count)


def _suite(folder: Path, count: int) -> Suite:
    with write_suite(folder, Manifest(name="overhead")) as writer:
        for number in range(count // 2):
            texts = (f"Is there a dog number {number}?", f"Is there no dog number {number}?")
            writer.add(Probe(tuple(_item(number, variant, text) for variant, text in enumerate(texts))))
    return open_suite(folder)


def _item(number: int, variant: int, text: str) -> Item:
    return Item(
        probe_id=f"p{number}",
        variant=variant,
        item_id=item_id_of(task="answer", text=text, choices=CHOICES),
        suite="overhead",
        test="negation",
        role="variant" if variant else "original",
        expects="different",
        task="answer",
        text=text,
        gold="yes",
        image_id=f"i{number % 1000}",
        choices=CHOICES,
        facets={"question type": "verify", "template": "exists"},
    )


def _bare_loop(requests: Sequence[Request], model: AtOnce) -> None:
    replies: list[Reply] = []
    for start in range(0, len(requests), model.batch_size):
        replies.extend(model.reply(requests[start : start + model.batch_size]))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _line(what: str, seconds: float, bare: float, count: int) -> None:
    print(f"{what:44} {1e6 * seconds / count:7.2f} µs an item {seconds / bare:5.1f} x")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
