"""Writes docs/reference/extend.md from the names of falter.extend."""

from __future__ import annotations

import re
from pathlib import Path

from falter import extend
from falter.core.bundle import BUNDLES

PAGE = Path(__file__).parent / "reference" / "extend.md"

HEAD = """# Everything for extensions

This page is written from `falter/extend.py` by `docs/generate_extend.py`.

An extension imports from `falter` and `falter.extend` alone. All other modules are private: their names may change
without notice. [Write a plugin](../how-to/plugins.md) shows how the names are used. `help(falter.extend.NAME)` tells
more of each.
"""


def page() -> str:
    """The page, from the names as they are now."""
    parts = [HEAD]
    for section, modules in extend.CONTENTS.items():
        sentences = {name: sentence for names in modules.values() for name, sentence in names.items()}
        rows = "".join(f"| `{name}` | {_escape(sentence)} |\n" for name, sentence in sentences.items())
        parts.append(f"## {section}\n\n| Name | What it is |\n|---|---|\n{rows}")
    rows = "".join(
        f"| `{name}` | `{bundle.name}` |\n" for bundle in BUNDLES.available() for name in sorted(bundle.extension_names)
    )
    parts.append(f"## Names that suites add\n\n| Name | Suite |\n|---|---|\n{rows}")
    return "\n".join(parts)


def _escape(sentence: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", sentence)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
