"""The page of the person in charge over 100,000 answers.

    python benchmarks/people.py [--probes N] [--rounds N] [--short]

Prints the milliseconds of its page and of its data, and the memory that serving it a hundred times takes.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import httpx
from _short_form import parse_options
from PIL import Image

from falter.apps.people.plan import plan_study
from falter.apps.people.site import serve_study
from falter.apps.people.store import AnswerRow, AnswerStore
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite

PEOPLE = 50
PER_ITEM = 5


def main(given: Sequence[str] | None = None) -> None:
    """Make a suite of 10,000 pairs, answer it five times, and time the pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--probes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7, help="of which the fastest counts")
    options = parse_options(parser, given, probes=20, rounds=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with create_suite(folder / "suite", SuiteManifest(name="made")) as writer:
            (writer.folder / "images").mkdir()
            Image.new("RGB", (64, 48), "teal").save(writer.folder / "images" / "0.png")
            for number in range(options.probes):
                shared: dict[str, Any] = {
                    "suite": "made",
                    "test": f"test-{number % 6}",
                    "probe_id": f"p{number}",
                    "choices": ("yes", "no"),
                    "image": ImageRef(f"i{number}", "images/0.png"),
                }
                items = [
                    Item.make(text=f"Is it {number}, {side}?", gold="yes", variant=side, **shared) for side in (0, 1)
                ]
                writer.add(Probe(tuple(items)))
        study = plan_study(open_suite(folder / "suite"), folder / "study", sample=None, per_item=PER_ITEM)
        rng = Random(0)
        rows = [
            AnswerRow(f"p{(number + turn) % PEOPLE}", task.task_id, one, rng.choice(["yes"] * 9 + ["no"]), 3.0)
            for number, task in enumerate(study.tasks.values())
            for turn in range(PER_ITEM)
            for one in task.questions
        ]
        store = AnswerStore(study)
        print(f"{store.import_answers(rows, 'made'):,} answers")
        store.close()
        with serve_study(study) as served, served.server:
            token = served.manage_link.rpartition("=")[2]
            client = httpx.Client(base_url=served.server.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
            for path in ("/manage", "/manage/data"):
                times = []
                for number in range(options.rounds):
                    time.sleep(1.1 if number else 0)  # longer than what is computed once is kept
                    start, used = time.perf_counter(), time.process_time()
                    client.get(path).raise_for_status()
                    times.append((1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used)))
                print(f"{path}: {min(times)[0]:.0f} ms, of which {min(one for _, one in times):.0f} ms processor time")
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for _ in range(100):
                client.get("/manage/data").raise_for_status()
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(f"memory after a hundred more: {(after - before) / 1024:.0f} MB more")


if __name__ == "__main__":
    main()
