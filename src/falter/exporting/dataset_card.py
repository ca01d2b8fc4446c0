"""The card of an exported data set: what it is, how it was made, and how its scores are computed."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from falter.probes import Suite
from falter.tables import format_count

__all__ = ["dataset_card"]

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def dataset_card(suite: Suite, configs: Sequence[dict[str, object]] = ()) -> str:
    """The card as Markdown with its YAML header."""
    manifest = suite.manifest
    size = next((name for most, name in _SIZES if suite.item_count < most), "1M<n<10M")
    header: dict[str, object] = {
        "pretty_name": manifest.title or manifest.name,
        "language": ["en"],
        "license": "other",
        "license_name": manifest.licence,
        "task_categories": ["visual-question-answering"],
        "size_categories": [size],
        **({"configs": list(configs)} if configs else {}),
    }
    tests = manifest.counts.get("tests", {})
    table = [f"| {test} | {counts['probes']:,} | {counts['items']:,} |" for test, counts in sorted(tests.items())]
    lines = [
        "---",
        yaml.safe_dump(header, sort_keys=False, allow_unicode=True).rstrip(),
        "---",
        "",
        f"# {manifest.title or manifest.name}",
        "",
        f"{format_count(len(suite), 'probes')}, {format_count(suite.item_count, 'items')}, "
        f"{format_count(suite.image_count, 'images')}. A probe is an original and "
        "its variants: rows with the same `probe_id`, the original has `variant` 0. `expects` says how the answers of "
        "a probe relate.",
        "",
        *(["| test | probes | items |", "|---|---:|---:|", *table, ""] if table else []),
        f"Made by `{manifest.made_by}` with Falter {manifest.falter}"
        + ("." if manifest.seed is None else f", seed {manifest.seed}."),
        f"Licence of the items and images: {manifest.licence}.",
        f"Fingerprint of the suite: `{suite.fingerprint}`.",
        *(["", f"Citation: {manifest.citation}"] if manifest.citation else []),
        "",
        "`prompt` is the question with its instruction. Answers of any harness are scored pair by pair, with "
        "intervals: `falter run SUITE --model file:ANSWERS.jsonl`, one line an item with `item_id` and `text`.",
        "",
    ]
    return "\n".join(lines)
