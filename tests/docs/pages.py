"""The pages of the documentation and their code blocks.

Two comments in the source of a page tell the tests about the code block that follows: ``<!-- no-run: REASON -->`` for
one that cannot run here, ``<!-- file: NAME -->`` for one that the reader saves under that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))])

_MARKER = re.compile(r"<!-- (no-run|file): (\S.*) -->")


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


class Fence(NamedTuple):
    page: Path
    language: str
    lines: list[str]
    first_line: int
    """The line of the page that the first line of the block is on, from 1."""
    no_run: str
    """Why the block cannot run; empty for one that can."""
    file: str
    """The name that the reader saves the block under; empty for none."""

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


def fences(page: Path) -> Iterator[Fence]:
    """The code blocks of a page, in order, with the markers before them."""
    inside: Fence | None = None
    markers: dict[str, str] = {}
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if line.lstrip().startswith("```"):
            if inside is not None:
                yield inside
                inside, markers = None, {}
            else:
                language = line.strip().removeprefix("```")
                no_run, file = markers.get("no-run", ""), markers.get("file", "")
                inside = Fence(page, language, [], number + 1, no_run, file)
        elif inside is not None:
            inside.lines.append(line)
        elif marker := _MARKER.fullmatch(line.strip()):
            markers[marker[1]] = marker[2]
        elif line.strip():
            assert not markers, f"{page_name(page)}, line {number}: a marker must stand before a code block"
    assert inside is None, f"{page_name(page)}: a code block is not closed"
