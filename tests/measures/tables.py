"""Small suites and replies for the tests of measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from falter.data.items import YES_NO, Item, Probe
from falter.data.suite import SuiteManifest, items_to_table
from falter.data.suite_writing import create_suite


def probe(
    name: str,
    expects: str,
    golds: Sequence[str],
    *,
    test: str = "t",
    suite: str = "s",
    image_id: str | None = None,
    choices: Sequence[str] | None = YES_NO,
    facets: Sequence[Mapping[str, str]] | None = None,
    answers: Sequence[Sequence[str] | None] | None = None,
    item_ids: Sequence[str] | None = None,
    task: str = "answer",
) -> Probe:
    """A probe of which the first right answer is the original's."""
    return Probe(
        tuple(
            Item(
                probe_id=name,
                variant=number,
                item_id=item_ids[number] if item_ids else f"{name}.{number}",
                suite=suite,
                test=test,
                role="variant" if number else "original",
                expects=expects,
                task=task,
                text=f"question {number} of {name}?",
                gold=gold,
                image_id=image_id,
                choices=None if choices is None else tuple(choices),
                answers=None if answers is None or answers[number] is None else tuple(answers[number]),
                facets=dict(facets[number]) if facets else {},
            )
            for number, gold in enumerate(golds)
        )
    )


def items_of(*probes: Probe) -> pa.Table:
    return items_to_table(item for one in probes for item in one.items)


STATUSES = ("unparsed", "failed", "unsupported")


def replies_of(replies: Mapping[str, str | None]) -> pa.Table:
    """Replies by item: an answer, or a status behind a ``!`` and perhaps a text; None is an answer that is null."""
    rows: list[dict[str, Any]] = []
    for item_id, said in replies.items():
        status, _, text = said[1:].partition(" ") if said is not None and said.startswith("!") else ("ok", "", "")
        answer = said if status == "ok" else None
        rows.append({"item_id": item_id, "status": status, "answer": answer, "text": text or answer})
    schema = pa.schema([(name, pa.string()) for name in ("item_id", "status", "answer", "text")])
    return pa.Table.from_pylist(rows, schema=schema)


def write(folder: Path, *probes: Probe, name: str = "s") -> None:
    with create_suite(folder, SuiteManifest(name=name)) as writer:
        for one in probes:
            writer.add(one)
