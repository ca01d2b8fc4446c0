"""The script that draws the sheets of docs/background/world.md still runs."""

from __future__ import annotations

import runpy

from falter.world.drawing import DRAWABLE
from tests.docs.pages import DOCS


def test_sheets_are_drawn() -> None:
    script = runpy.run_path(str(DOCS / "draw_world_sheets.py"))
    scenes = script["scenes_sheet"](count=3, columns=2, width=40, gap=2)
    assert scenes.size == (2 * 42 + 2, 2 * 32 + 2)
    kinds = script["kinds_sheet"]()
    rows = -(-len(DRAWABLE) // 11)
    assert kinds.size == (11 * script["CELL"], rows * script["CELL"])
    assert len(kinds.getcolors(1 << 20)) > 1000
