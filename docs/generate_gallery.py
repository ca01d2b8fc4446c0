"""Writes docs/background/gallery.md and its images: a failed pair of each test of CARETS, by a small model.

    python docs/generate_gallery.py [FOLDER]

Without a folder the page goes to docs, its images to docs/images. The world, the suite and the model are those of the
five-minute page, so that everybody gets the same failures.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import polars as pl
from PIL import Image

import falter
from falter.core.files import write_atomically

WIDTH = 300
HEAD = """# What failures look like

One failed pair of each test of CARETS, from the world and the suite of [the five-minute
page](../start/five-minutes.md). The replies are those of `builtin:bow-image`, a model that learns in seconds from
pixels and words: it sees the image, and falters often. The report shows every failed pair of your own model like this,
with its image.
"""
MEANS = {
    "antonym": (
        "Of two opposites at most one holds. The model says the same of both: it goes by the question's form, not by "
        "the property."
    ),
    "negation": 'A "no" in the question turns the answer. The model gives the same answer with and without it.',
    "ontology": "What holds of a kind holds of the wider kind. The model says yes to the one and no to the other.",
    "order": "The alternatives are the same in another order. The model changes its answer with their order.",
    "rephrase": "The question is the same in other words. The model answers another way.",
    "visual": (
        "The background is hidden; what is asked about is still there. The model's answer came from the background."
    ),
}
STAYS = {
    "order": (
        "The alternatives are the same in another order. The model keeps to its answer, and is wrong twice: "
        "consistency alone is no merit."
    ),
}
"""The same, where both replies are equal and wrong."""
FOOT = """
## Failures that one answer shows

| Reply | What Falter makes of it |
|---|---|
| "I cannot tell from the image." | unparsed: incorrect, and counted apart |
| "Yes" to each of 398 yes/no questions | `falter run` says so at once; the yes rate stands beside the accuracy |
| "purple" where red and blue were the choices | off-list: incorrect, and counted as a rate |
| a text that ends at the token limit before its answer | truncated: incorrect, never read from half a thought |
| a server that timed out | failed: no answer; the pair is excluded, counted, and asked again by the same command |
| "Right side" where gold is "right" | incorrect by the official rule, correct by the careful one; both are shown |

[Open answers](../reference/open-answers.md) has these two rules, [measures](../reference/measures.md) what is counted
where, and [published benchmarks](../suites/benchmarks.md) how single questions, captions and foils and sets of two by
two are scored.
"""


class Failure(NamedTuple):
    """A pair whose two replies do not go together."""

    test: str
    rows: list[dict[str, str]]


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        falter.write_world(folder / "world", scenes=60)
        suite = falter.generate("carets", f"gqa:{folder / 'world/val'}", out=folder / "suite", size=40)
        run = falter.run(suite, "builtin:bow-image", train=f"gqa:{folder / 'world/train'}", out=folder / "run")
        items = suite.to_polars().join(
            run.replies().select("item_id", pl.col("answer").alias("said")), on="item_id", how="left"
        )
        parts = [HEAD]
        for test, means in MEANS.items():
            failure = find_failure(items.filter(pl.col("test") == test))
            first, second = failure.rows
            told = STAYS.get(test, means) if first["said"] == second["said"] != first["gold"] else means
            parts.append(f"\n## {test.capitalize()}\n\n{told}\n\n")
            parts.append("| | Question | Gold | Reply |\n|---|---|---|---|\n")
            for number, row in enumerate(failure.rows):
                name = f"gallery-{test}-{number}.jpg"
                if number == 0 or row["image"] != failure.rows[0]["image"]:
                    write_atomically(target / "images" / name, shrink(suite.folder / row["image"]))
                else:
                    name = f"gallery-{test}-0.jpg"
                picture = f"![the image of the question](../images/{name})" if name.endswith(f"{number}.jpg") else ""
                parts.append(f"| {picture} | {row['text']} | {row['gold']} | **{row['said']}** |\n")
        parts.append(FOOT)
        write_atomically(target / "background" / "gallery.md", "".join(parts).encode())


def find_failure(items: pl.DataFrame) -> Failure:
    """The first probe whose original is answered correctly and whose variant is not; else any with a wrong variant."""
    found: list[tuple[bool, list[dict[str, str]]]] = []
    for _, probe in items.sort("probe_id", "variant").group_by("probe_id", maintain_order=True):
        first, *variants = probe.select("text", "gold", "said", "image", "test").to_dicts()
        found += [
            (first["said"] == first["gold"], [first, one])
            for one in variants
            if one["said"] != one["gold"] and one["said"] is not None and first["said"] is not None
        ]
    found.sort(key=lambda one: not one[0])
    return Failure(found[0][1][0]["test"], found[0][1])


def shrink(path: Path) -> bytes:
    with Image.open(path) as image:
        small = image.convert("RGB")
        small.thumbnail((WIDTH, WIDTH))
    data = io.BytesIO()
    small.save(data, "JPEG", quality=82)
    return data.getvalue()


if __name__ == "__main__":
    main()
