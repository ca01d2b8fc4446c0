"""Flips single bits in the files of suites, runs and caches, and counts what changes without a word.

``python -m tests.integrity.attack 1000`` makes a thousand flips and prints the counts of each kind.
"""

from __future__ import annotations

import random
import shutil
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

from PIL import Image

from falter.core.errors import FalterError, FalterWarning
from falter.data.items import ImageRef, Probe
from falter.data.model import Request
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.data.votes import Vote, read_votes, write_votes
from falter.evaluation.engine import ReplyCache, run_suite
from falter.evaluation.runs import RunSettings, open_run
from falter.evaluation.runs.score_tables import score_runs
from falter.evaluation.score_options import ScoreOptions
from tests.engine.small_suite import Recorder, make_item

PROBES = 24
STOPPED_AFTER = 30
SETTINGS = RunSettings(repeat=2)

Result = Literal["noticed", "harmless", "silent", "crashed"]


class Target(NamedTuple):
    """What is attacked: the folder whose files are damaged, and what a user does with it afterwards."""

    folder: str
    use: Callable[[Path], Any]


class Attempt(NamedTuple):
    """One attack and what came of it."""

    target: str
    file: str
    what: str
    result: Result


def looking_model() -> Recorder:
    """A model whose answers depend on the bytes of the image, which it opens itself, and on the text."""

    def answer(request: Request) -> str:
        red = 0 if request.image is None else sum(request.image.read_bytes())
        return "yes" if (len(request.text) + red) % 3 else "no"

    model = Recorder(answer)
    model.declare(needs_image=True)
    return model


def make_targets(folder: Path) -> None:
    """A suite with images and votes, a complete and an interrupted run of it, and a cache."""
    folder.mkdir()
    images = []
    for number in range(3):
        path = folder / f"{number}.png"
        Image.radial_gradient("L").resize((9 + number, 7)).save(path)
        images.append(path)
    with create_suite(folder / "suite", SuiteManifest(name="small", licence="CC BY 4.0")) as writer:
        for number in range(PROBES):
            ref = ImageRef.from_file(images[number % 3])._replace(path=writer.add_image(images[number % 3]))
            items = [
                make_item(number, variant, text, gold=gold, test=("negation", "rephrase")[number % 2]).change(image=ref)
                for variant, (text, gold) in enumerate(
                    ((f"Is there a thing {number}?", "yes"), (f"Is there no thing {number}?", "no"))
                )
            ]
            writer.add(Probe(tuple(items)))
    write_votes(folder / "suite", [Vote(annotator=f"a{n}", answer="yes", probe_id=f"p{n:06}") for n in range(9)])
    suite = open_suite(folder / "suite")
    run_suite(suite, looking_model(), folder / "complete", SETTINGS)
    left = [STOPPED_AFTER]
    stopping = looking_model()
    reply = stopping.reply

    def stop(batch: Any) -> Any:
        left[0] -= len(batch)
        if left[0] < 0:
            raise KeyboardInterrupt
        return reply(batch)

    stopping.reply = stop  # type: ignore[method-assign]
    with suppress(KeyboardInterrupt):
        run_suite(suite, stopping, folder / "interrupted", SETTINGS)
    with ReplyCache(folder / "cache") as cache:
        run_suite(suite, looking_model(), folder / "cached", cache=cache)


def scores_of(run: Path, suite: Path) -> str:
    """What ``falter score --json`` prints, but for paths."""
    table = score_runs([open_run(run, suite_folder=suite)], ScoreOptions(n_resamples=10))
    return str([(one.model, one.suite, one.test, one.measure, one.value, one.low, one.n) for one in table.rows])


def use_suite(here: Path) -> Any:
    """Run a model on the suite and score it."""
    suite = open_suite(here / "suite")
    run = run_suite(suite, looking_model(), here / "new")
    replies = run.replies()
    failed = replies.filter(status="failed").height
    if failed:
        raise FalterError(f"{failed} failed")
    return scores_of(here / "new", here / "suite"), replies.rows(), suite.manifest, list(read_votes(here / "suite"))


def use_complete(here: Path) -> Any:
    """Score a complete run."""
    run = open_run(here / "complete")
    return scores_of(here / "complete", here / "suite"), run.replies().rows(), run.replies(2).rows(), run.manifest


def use_interrupted(here: Path) -> Any:
    """Score an interrupted run, then resume it."""
    scores = scores_of(here / "interrupted", here / "suite")
    run = run_suite(open_suite(here / "suite"), looking_model(), here / "interrupted", SETTINGS)
    files = {path.name: path.read_bytes() for path in sorted((here / "interrupted").iterdir())}
    return scores, files, run.manifest


def use_cache(here: Path) -> Any:
    """Run a model with a cache that has its replies."""
    with ReplyCache(here / "cache") as cache:
        run = run_suite(open_suite(here / "suite"), looking_model(), here / "new", cache=cache)
    return {path.name: path.read_bytes() for path in sorted(run.folder.iterdir())}


TARGETS: dict[str, Target] = {
    "suite": Target("suite", use_suite),
    "complete run": Target("complete", use_complete),
    "interrupted run": Target("interrupted", use_interrupted),
    "cache": Target("cache", use_cache),
}


class Attack:
    """Damages copies of the targets and uses them as a user would."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0
        make_targets(folder / "whole")
        self._expected = {name: self._use(name, lambda _: None) for name in TARGETS}

    def files(self, target: str) -> list[Path]:
        """The files of a target, relative to the folder of all."""
        whole = self._folder / "whole"
        return sorted(p.relative_to(whole) for p in (whole / TARGETS[target].folder).rglob("*") if p.is_file())

    def attempt(self, target: str, file: Path, damage: Callable[[Path], None], what: str) -> Attempt:
        """Damage one file of a copy and use it."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found = self._use(target, lambda here: damage(here / file))
            except FalterError:
                return Attempt(target, file.name, what, "noticed")
            except Exception as error:
                return Attempt(target, file.name, f"{what}: {error!r:.200}", "crashed")
        if found == self._expected[target]:
            return Attempt(target, file.name, what, "harmless")
        noted = any(issubclass(one.category, FalterWarning) for one in caught)
        return Attempt(target, file.name, what, "noticed" if noted else "silent")

    def flip(self, target: str, draw: random.Random) -> Attempt:
        """Flip one random bit of a random file."""
        file = draw.choice(self.files(target))
        bit = draw.randrange((self._folder / "whole" / file).stat().st_size * 8)
        return self.attempt(target, file, lambda path: flip_bit(path, bit), f"bit {bit}")

    def _use(self, target: str, damage: Callable[[Path], None]) -> Any:
        self._number += 1
        # The run names its suite, so that all copies stand in the same place.
        here = self._folder / "whole"
        kept = self._folder / "kept"
        if not kept.exists():
            shutil.copytree(here, kept)
        shutil.rmtree(here)
        shutil.copytree(kept, here)
        damage(here)
        return TARGETS[target].use(here)


def flip_bit(path: Path, bit: int) -> None:
    """Flip one bit of a file."""
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << (bit % 8)
    path.write_bytes(data)


def count(attempts: list[Attempt]) -> dict[str, Counter[Result]]:
    """How often each came, by target."""
    counts: dict[str, Counter[Result]] = {}
    for one in attempts:
        counts.setdefault(one.target, Counter())[one.result] += 1
    return counts


def flips(folder: Path, number: int, seed: int = 0) -> list[Attempt]:
    """So many flips, spread evenly over the targets."""
    draw = random.Random(seed)
    attack = Attack(folder)
    return [attack.flip(list(TARGETS)[index % len(TARGETS)], draw) for index in range(number)]


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        done = flips(Path(name), int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    for target, counts in count(done).items():
        print(f"{target}: {sum(counts.values())} tried, " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    for one in done:
        if one.result in ("silent", "crashed"):
            print(one)
    sys.exit(any(one.result in ("silent", "crashed") for one in done))
