"""Scoring: plain loops over dictionaries against cells and counts, in the same run.

    python benchmarks/scoring.py [--outcomes N] [--images N] [--keep DIR] [--short]

Writes a made-up suite of N items with its run, as Parquet with string ids; scores the run from disk with intervals
(time and peak memory); then takes the interned integers and scores them by loops and by ours. The join on string ids
is told apart.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from _short_form import apart, parse_options

from falter.core.files import sha256_of_file
from falter.data.suite import ITEM_SCHEMA, SuiteManifest
from falter.evaluation.answers import READER_VERSION
from falter.evaluation.measures import Outcomes, ScoringSettings, all_measures, score_outcomes
from falter.evaluation.measures.outcomes import read_items, read_replies
from falter.evaluation.measures.outcomes.frame import outcomes
from falter.evaluation.runs import ModelRecord, RunManifest, SuiteRecord, open_run
from falter.evaluation.runs.manifest import write_run_manifest
from falter.evaluation.runs.replies import REPLY_SCHEMA
from falter.evaluation.runs.scoring import score_run
from falter.evaluation.score_options import ScoreOptions

TESTS = [
    ("rephrase", "same"),
    ("order", "same"),
    ("ontology", "same"),
    ("negation", "different"),
    ("antonym", "different"),
]
ROWS_A_GROUP = 8192


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--outcomes", type=int, default=1_000_000, help="items, each with a reply")
    arguments.add_argument("--images", type=int, default=10_000)
    arguments.add_argument("--keep", type=Path, help="write the suite and the run here, or take those that are here")
    options = parse_options(arguments, given, outcomes=2000, images=200)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        if not (folder / "run" / "run.json").exists():
            # In a process of its own, so that the peak memory told below is that of scoring.
            apart(make, folder, options.outcomes // 2, options.images, short=options.short)
        measure(folder, options.outcomes // 2 * 2)


def measure(folder: Path, number: int) -> None:
    run = open_run(folder / "run")
    print(f"{number:,} outcomes, {number // 2:,} pairs, {len(TESTS)} tests; seconds by the clock and of CPU")
    with told("from Parquet with string ids, all measures, 1,000 draws"):
        scores = score_run(run)
    print(f"{'peak memory of the process':<60}{peak():>9.2f} GB")

    items = read_items(run.suite().items_path)
    replies = read_replies(run.folder / "replies.parquet")
    with told("join on string ids, all other strings to integers, grading"):
        found = outcomes(items, replies)
    columns = Columns.from_table(items)
    del items, replies

    measures, plain = all_measures(), ScoringSettings(ScoreOptions(n_resamples=0))
    with told("ours from integers: all measures and counts, no intervals") as ours:
        ours_found = score_outcomes(found, measures=measures, settings=plain)
    again = Outcomes(found.frame, found.states, found.clusters)
    with told("ours from integers: with intervals, 1,000 draws"):
        score_outcomes(again, measures=measures, settings=ScoringSettings())
    from_run = {(score.group, score.measure): score.value for score in scores}
    assert ours_found
    assert all(from_run[score.group, score.measure] == score.value for score in ours_found)

    lists = as_lists(found, columns)
    with told("dictionary loops from integers: ACC, CONS, C-ACC and rates") as loops:
        expected = by_loops(lists, sorted(TESTS), 1)
    for score in ours_found:
        if (score.group.test, score.measure) in expected:
            assert abs((score.value or 0) - expected[score.group.test, score.measure]) < 1e-12, score
    assert len(measures) >= len({measure for _, measure in expected})
    print(f"{'loops / ours, both from integers, no intervals, CPU':<60}{loops() / ours():>9.0f} x")


@contextmanager
def told(what: str) -> Iterator[Callable[[], float]]:
    started, worked = time.perf_counter(), time.process_time()
    taken = [0.0]
    yield lambda: taken[0]
    seconds, taken[0] = time.perf_counter() - started, time.process_time() - worked
    print(f"{what:<60}{seconds:>9.3f} s {taken[0]:>9.3f} s", flush=True)


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


class Columns(NamedTuple):
    """Gold answers and the first of two choices, as numbers of answers: 1 for yes, 2 for no."""

    gold: np.ndarray
    first: np.ndarray

    @classmethod
    def from_table(cls, items: pa.Table) -> Columns:
        gold = np.asarray(pc.equal(pc.cast(items["gold"], pa.string()), "yes").to_numpy())
        return cls(np.where(gold, 1, 2), np.full(len(gold), 1))


class Lists(NamedTuple):
    """What the loops go through, as Python's own lists and dictionaries of integers."""

    variant: list[int]
    item: list[int]
    what: list[int]
    gold: list[int]
    choices: list[tuple[int, ...]]
    answer: dict[int, int]
    """By item: the answer, 0 where it is unparsed; nothing where no reply was received."""
    said: dict[int, int]
    """By item: the answer, else the text."""


def as_lists(found: Outcomes, columns: Columns) -> Lists:
    reply, answer, said = (found.codes(name) for name in ("reply", "answer", "said"))
    received = np.isin(found.states["outcome"].to_list(), ("failed", "missing"), invert=True)[found.codes("state")]
    return Lists(
        found.codes("variant").tolist(),
        reply.tolist(),
        found.codes("test").tolist(),
        columns.gold.tolist(),
        [(1, 2)] * len(found),
        dict(zip(reply[received].tolist(), answer[received].tolist(), strict=True)),
        dict(zip(reply[received].tolist(), said[received].tolist(), strict=True)),
    )


def by_loops(lists: Lists, tests: list[tuple[str, str]], yes: int) -> dict[tuple[str, str], float]:
    """The measures as one would write them down: a pass over the pairs, sums in dictionaries."""
    variant, item, what, gold, choices, answer, said = lists
    names = ("pairs", "right", "original", "perturbed", "both", "consistent", "strict", "yes", "off")
    sums = {code: dict.fromkeys(names, 0) for code in range(len(tests))}
    original = 0
    for row, number in enumerate(variant):
        if number == 0:
            original = row
            continue
        said1, said2 = answer.get(item[original]), answer.get(item[row])
        if said1 is None or said2 is None:
            continue
        right1, right2 = said1 == gold[original], said2 == gold[row]
        listed1, listed2 = said1 in choices[original], said2 in choices[row]
        consistent = (said[item[original]] == said[item[row]]) == (tests[what[row]][1] == "same")
        one = sums[what[row]]
        one["pairs"] += 1
        one["right"] += right1 + right2
        one["original"] += right1
        one["perturbed"] += right2
        one["both"] += right1 and right2
        one["consistent"] += consistent
        one["strict"] += consistent and listed1 and listed2
        one["yes"] += (said1 == yes) + (said2 == yes)
        one["off"] += (said1 != 0 and not listed1) + (said2 != 0 and not listed2)
    values = {}
    for code, (name, _) in enumerate(tests):
        one = sums[code]
        pairs = one["pairs"]
        values |= {
            (name, "acc"): one["right"] / (2 * pairs),
            (name, "acc_original"): one["original"] / pairs,
            (name, "acc_perturbed"): one["perturbed"] / pairs,
            (name, "c_acc"): one["both"] / pairs,
            (name, "cons"): one["consistent"] / pairs,
            (name, "cons_strict"): one["strict"] / pairs,
            (name, "yes_rate"): one["yes"] / (2 * pairs),
            (name, "off_list_rate"): one["off"] / (2 * pairs),
        }
    return values


def make(folder: Path, pairs: int, images: int) -> None:
    """A suite and a run of so many pairs, in pieces."""
    rng = np.random.default_rng(0)
    suite, run = folder / "suite", folder / "run"
    suite.mkdir(parents=True, exist_ok=True)
    run.mkdir(parents=True, exist_ok=True)
    item_keys = rng.integers(0, 256, size=(2 * pairs, 16), dtype=np.uint8)
    test = np.sort(rng.integers(0, len(TESTS), size=pairs))
    gold = rng.integers(0, 2, size=pairs)
    with pq.ParquetWriter(suite / "items.parquet", ITEM_SCHEMA, compression="zstd") as writer:
        for start in range(0, pairs, ROWS_A_GROUP // 2):
            part = slice(start, min(start + ROWS_A_GROUP // 2, pairs))
            writer.write_table(_items(rng, item_keys, test, gold, part, images))
    manifest = SuiteManifest(name="made-up", items_sha256=sha256_of_file(suite / "items.parquet"))
    (suite / "suite.json").write_bytes(manifest.to_json())
    differs = np.array([expects == "different" for _, expects in TESTS])[test]
    golds = np.stack([gold, gold ^ differs], axis=1).ravel()
    said = np.where(rng.random(2 * pairs) < 0.75, golds, 1 - golds)
    said[rng.random(2 * pairs) < 0.02] = 2
    status = np.zeros(2 * pairs, dtype=np.int32)
    status[rng.random(2 * pairs) < 0.01] = 1
    status[rng.random(2 * pairs) < 0.01] = 2
    order = np.argsort(item_keys[:, :8].copy().view(">u8").ravel(), kind="stable")
    with pq.ParquetWriter(run / "replies.parquet", REPLY_SCHEMA, compression="zstd") as writer:
        for start in range(0, len(order), 8 * ROWS_A_GROUP):
            rows = order[start : start + 8 * ROWS_A_GROUP]
            answer = np.where(status[rows] == 0, said[rows], -1)
            columns = {
                "item_id": _hex(item_keys[rows]),
                "status": _words(["ok", "unparsed", "failed"], status[rows]),
                "text": _texts(rows, status[rows] == 1),
                "answer": _words(["yes", "no", "perhaps"], answer),
            }
            writer.write_table(_table(REPLY_SCHEMA, columns, len(rows)))
    write_run_manifest(
        run,
        RunManifest(
            model=ModelRecord(spec="-", name="made-up", fingerprint="-", abilities=("answer",), needs_image=False),
            suite=SuiteRecord(name="made-up", path="../suite", fingerprint=manifest.items_sha256, items=2 * pairs),
            asked=2 * pairs,
            complete=True,
            reader=READER_VERSION,
            files={"replies.parquet": sha256_of_file(run / "replies.parquet")},
        ),
    )


def _items(
    rng: np.random.Generator, keys: np.ndarray, test: np.ndarray, gold: np.ndarray, part: slice, images: int
) -> pa.Table:
    number = part.stop - part.start
    twice = np.repeat(np.arange(number), 2)
    own = test[part][twice]
    expects = [expects for _, expects in TESTS]
    differs = np.array([name == "different" for name in expects])[own]
    variant = np.tile([0, 1], number)
    words = _words(["yes", "no"], gold[part][twice] ^ (differs & (variant == 1)))
    probe = _hex(rng.integers(0, 256, size=(number, 16), dtype=np.uint8))
    columns = {
        "probe_id": probe.take(pa.array(twice)),
        "variant": pa.array(variant, pa.int32()),
        "item_id": _hex(keys[2 * part.start : 2 * part.stop]),
        "suite": _words(["made-up"], np.zeros(2 * number, dtype=int)),
        "test": _words([name for name, _ in TESTS], own),
        "role": _words(["original", "variant"], variant),
        "expects": _words(expects, own),
        "task": _words(["answer"], np.zeros(2 * number, dtype=int)),
        "image_id": _words([f"image-{n:07d}" for n in range(images)], rng.integers(0, images, size=number)[twice]),
        "text": pa.array([f"Is there a dog in image {row}?" for row in range(2 * part.start, 2 * part.stop)]),
        "gold": words,
        "choices": pa.ListArray.from_arrays(
            pa.array(np.arange(2 * number + 1) * 2, pa.int32()), _words(["yes", "no"], np.tile([0, 1], 2 * number))
        ),
    }
    return _table(ITEM_SCHEMA, columns, 2 * number)


def _table(schema: pa.Schema, columns: dict[str, pa.Array], rows: int) -> pa.Table:
    arrays = [columns.get(field.name, pa.nulls(rows, field.type)).cast(field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def _words(words: list[str], codes: np.ndarray) -> pa.Array:
    return pa.array(words, pa.string()).take(pa.array(codes, pa.int32(), mask=codes < 0))


def _texts(rows: np.ndarray, unparsed: np.ndarray) -> pa.Array:
    """What replies that cannot be parsed say, each something else."""
    says = [f"It is hard to tell what is in image {row}" for row in rows[unparsed]]
    return pa.array(says, pa.string()).take(pa.array(np.cumsum(unparsed) - 1, mask=~unparsed))


def _hex(keys: np.ndarray) -> pa.Array:
    text = pa.py_buffer(keys.tobytes().hex().encode())
    offsets = pa.py_buffer(np.arange(0, 32 * len(keys) + 1, 32, dtype=np.int32).tobytes())
    return pa.StringArray.from_buffers(len(keys), offsets, text)


if __name__ == "__main__":
    main()
