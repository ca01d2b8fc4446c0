"""What the engine costs, beside a bare loop over the same requests in the same run.

Three parts: a model that answers at once (what an item costs by itself), a model that takes 10 ms an item (time with
Falter over time of the bare loop; the goal is at most 1.05), and a pipeline as in front of a GPU: real JPEGs are
decoded while the model is busy with the batch before, beside a loop whose pictures were all decoded beforehand (at most
1.05).

    python benchmarks/engine_overhead.py [--items N] [--slow-items N] [--short]

0 leaves a part out.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np
from _short_form import parse_options
from PIL import Image

from falter.core.files import sha256_of_file
from falter.data.items import ImageRef, Item, Probe
from falter.data.model import Capabilities, Reply, Request, load_image
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import ReplyCache, run_suite
from falter.evaluation.engine.requests import distinct_requests
from falter.evaluation.models.weights.batching import BatchingConfig, LoadedRequest
from falter.evaluation.models.weights.inference import infer_unordered

CHOICES = ("yes", "no")
A_REPLY = 0.010
"""Seconds that the slow models take for an item."""
SIZE = (640, 480)


class AtOnce:
    """Answers without a thought."""

    capabilities = Capabilities(batch_size=64)

    def __init__(self, name: str, text: str | None) -> None:
        self.name = name
        self.fingerprint = name
        self._text = text

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        if self._text is None:
            return [Reply(item_id=request.item_id, answer="yes") for request in batch]
        return [Reply(item_id=request.item_id, text=self._text) for request in batch]


class TenMilliseconds(AtOnce):
    """Takes its time, item by item, and leaves the processor alone meanwhile, as a device or a server does."""

    capabilities = Capabilities(batch_size=8)

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        time.sleep(A_REPLY * len(batch))
        return super().reply(batch)


class TenMillisecondsStreamed(TenMilliseconds):
    """The same, as a model that arranges its own work."""

    def __init__(self, name: str, text: str | None) -> None:
        super().__init__(name, text)
        self.capabilities = Capabilities(batch_size=8, reply_unordered=self.reply_unordered)

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None) -> Iterator[Reply]:
        while batch := list(islice(requests, batch_size or self.capabilities.batch_size)):
            yield from self.reply(batch)


class Pipeline(AtOnce):
    """Looks at pictures: the shared machinery of batches opens them ahead, and the device is busy for each batch."""

    def __init__(self, name: str) -> None:
        super().__init__(name, None)
        self.capabilities = Capabilities(needs_image=True, batch_size=16, reply_unordered=self.reply_unordered)
        self.busy = 0.0

    def ask(self, batch: Sequence[LoadedRequest]) -> Sequence[Reply]:
        """One batch on the device."""
        began = time.perf_counter()
        time.sleep(A_REPLY * len(batch))
        assert all(loaded.image is not None for loaded in batch)
        self.busy += time.perf_counter() - began
        return self.reply([loaded.request for loaded in batch])

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None) -> Iterator[Reply]:
        size = self.capabilities.batch_size
        config = BatchingConfig(default_size=size, largest_size=size, load_image=load_image)
        return infer_unordered(requests, [self.ask], config, batch_size)


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=100_000, help="for the model that answers at once")
    parser.add_argument("--slow-items", type=int, default=1_000, help="for those that take their time")
    options = parse_options(parser, given, items=200, slow_items=8)
    if options.items:
        at_once(options.items)
    if options.slow_items:
        ten_milliseconds(options.slow_items)
        pipeline(options.slow_items)


def ten_milliseconds(count: int) -> None:
    """Time with Falter over the time of a bare loop, for a model that takes 10 ms an item."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite = _suite(folder / "suite", count)
        requests = list(distinct_requests(suite))
        print(f"\n{count:,} items, {1000 * A_REPLY:.0f} ms each")
        bare = _seconds(lambda: _bare_loop(requests, TenMilliseconds("bare", "Yes.")))
        print(f"{'bare loop over requests in memory':44} {bare:7.2f} s   1.000 x")
        for what, model in (
            ("engine, batch by batch", TenMilliseconds("batches", "Yes.")),
            ("engine, a model that streams", TenMillisecondsStreamed("stream", "Yes.")),
        ):
            seconds = _seconds(partial(run_suite, suite, model, folder / model.name))
            print(f"{what:44} {seconds:7.2f} s {seconds / bare:7.3f} x")
        with ReplyCache(folder / "cache") as cache:
            model = TenMillisecondsStreamed("cached", "Yes.")
            seconds = _seconds(lambda: run_suite(suite, model, folder / "cached", cache=cache))
            print(f"{'engine, a model that streams, with a cache':44} {seconds:7.2f} s {seconds / bare:7.3f} x")


def pipeline(count: int) -> None:
    """Time with Falter, decoding included, over the time of a loop whose pictures are in memory already."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite = _suite_of_pictures(folder, count)
        requests = list(distinct_requests(suite))
        decoding = _seconds(lambda: [load_image(request) for request in requests[:100]])
        print(f"\n{count:,} items, each with its own JPEG of {SIZE[0]}x{SIZE[1]}, {1000 * A_REPLY:.0f} ms each")
        print(f"{'decoding one picture, in one thread':44} {1000 * decoding / 100:7.2f} ms")
        bare = Pipeline("bare")
        ready = [LoadedRequest(request, object()) for request in requests]
        size = bare.capabilities.batch_size
        alone = _seconds(lambda: [bare.ask(ready[start : start + size]) for start in range(0, len(ready), size)])
        print(f"{'bare loop, images decoded beforehand':44} {alone:7.2f} s   1.000 x")
        model = Pipeline("pipeline")
        seconds = _seconds(lambda: run_suite(suite, model, folder / "run"))
        print(f"{'engine, images decoded meanwhile':44} {seconds:7.2f} s {seconds / alone:7.3f} x")
        print(f"{'share of that in which the model was busy':44} {100 * model.busy / seconds:7.1f} %")


def at_once(count: int) -> None:
    """What the engine costs an item."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite = _suite(folder / "suite", count)
        answers = AtOnce("answers", None)
        reading = _seconds(lambda: sum(1 for _ in distinct_requests(suite)))
        requests = list(distinct_requests(suite))
        bare = _seconds(lambda: _bare_loop(requests, answers))
        print(f"{count:,} items, batches of {answers.capabilities.batch_size}")
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


def _suite_of_pictures(folder: Path, count: int) -> Suite:
    """A suite in which every item has a picture of its own, noise over a slope, as large as a photograph."""
    rng = np.random.default_rng(0)
    slope = np.linspace(0, 200, SIZE[0], dtype=np.float64)[None, :, None]
    with create_suite(folder / "suite", SuiteManifest(name="pictures")) as writer:
        for number in range(count):
            noise = rng.normal(0, 12, (SIZE[1] // 4, SIZE[0] // 4, 3)).repeat(4, axis=0).repeat(4, axis=1)
            path = folder / f"{number}.jpg"
            Image.fromarray(np.clip(slope + noise + 20, 0, 255).astype(np.uint8)).save(path, quality=90)
            item = msgspec.structs.replace(
                _item(number, 0, f"Is there a dog number {number}?"),
                image=writer.add_image(path),
                image_id=f"i{number}",
                image_sha256=sha256_of_file(path),
            )
            writer.add(Probe((item,)))
    return open_suite(folder / "suite")


def _suite(folder: Path, count: int) -> Suite:
    with create_suite(folder, SuiteManifest(name="overhead")) as writer:
        for number in range(count // 2):
            texts = (f"Is there a dog number {number}?", f"Is there no dog number {number}?")
            writer.add(Probe(tuple(_item(number, variant, text) for variant, text in enumerate(texts))))
    return open_suite(folder)


def _item(number: int, variant: int, text: str) -> Item:
    return Item.make(
        probe_id=f"p{number}",
        variant=variant,
        suite="overhead",
        test="negation",
        expects="different",
        task="answer",
        text=text,
        gold="yes",
        image=ImageRef(f"i{number % 1000}"),
        choices=CHOICES,
        facets={"question type": "verify", "template": "exists"},
    )


def _bare_loop(requests: Sequence[Request], model: AtOnce) -> None:
    replies: list[Reply] = []
    size = model.capabilities.batch_size
    for start in range(0, len(requests), size):
        replies.extend(model.reply(requests[start : start + size]))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _line(what: str, seconds: float, bare: float, count: int) -> None:
    print(f"{what:44} {1e6 * seconds / count:7.2f} µs an item {seconds / bare:5.1f} x")


if __name__ == "__main__":
    main()
