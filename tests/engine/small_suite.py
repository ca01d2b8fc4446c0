"""Small suites made in the tests, and models to put them to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from falter.data.items import YES_NO, ImageRef, Item, Probe, Task
from falter.data.model import Capabilities, Reply, Request
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite


def make_item(
    probe: int,
    variant: int,
    text: str,
    *,
    test: str = "negation",
    task: Task = "answer",
    choices: tuple[str, ...] | None = YES_NO,
    image: str | None = None,
    image_id: str | None = None,
    image_sha256: str | None = None,
    gold: str = "yes",
    meaning: str | None = None,
) -> Item:
    return Item.make(
        probe_id=f"p{probe:06}",
        variant=variant,
        suite="small",
        test=test,
        expects="different",
        task=task,
        text=text,
        gold=gold,
        image=ImageRef(image_id, image, image_sha256),
        choices=choices,
        meaning=meaning,
        source_id=f"q{probe}-{variant}",
    )


def make_suite(folder: Path, probes: int = 30, *, tests: Sequence[str] = ("negation", "rephrase")) -> Suite:
    """A suite of pairs; every tenth probe has the same variant text, which must be asked once."""
    with create_suite(folder, SuiteManifest(name="small")) as writer:
        for number in range(probes):
            test = tests[number % len(tests)]
            shared = "Is this the same?" if number % 10 == 0 else f"Is there no thing {number}?"
            writer.add(
                Probe(
                    (
                        make_item(number, 0, f"Is there a thing {number}?", test=test, image_id=f"i{number % 7}"),
                        make_item(number, 1, shared, test=test),
                    )
                )
            )
    return open_suite(folder)


class Recorder:
    """A model that remembers what it was asked."""

    name = "recorder"
    capabilities = Capabilities(batch_size=4)

    def __init__(self, answer: Callable[[Request], object] = lambda request: "yes", fingerprint: str = "1") -> None:
        self.fingerprint = fingerprint
        self.asked: list[str] = []
        self.batches: list[int] = []
        self._answer = answer

    def declare(self, **changes: object) -> None:
        """Change what it declares about itself."""
        self.capabilities = msgspec.structs.replace(self.capabilities, **changes)

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        self.batches.append(len(batch))
        self.asked.extend(request.item_id for request in batch)
        return [self._answer(request) for request in batch]  # type: ignore[misc]


def stop_after(count: int) -> Recorder:
    """A model whose user loses patience after so many items."""
    left = [count]

    def answer(request: Request) -> str:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return "no" if "no thing" in request.text else "yes"

    return Recorder(answer)
