"""Gives the site the colors and fonts of the report: a hook of MkDocs that writes them where the theme finds them."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

LOOK = Path(__file__).parents[1] / "src" / "falter" / "evaluation" / "reporting" / "assets" / "look.css"
SCHEMES = {":root": "default", ':root[data-theme="dark"]': "slate"}
"""By selector of the report the color scheme of the theme that has the same colors."""


def tokens() -> str:
    """The custom properties of the report, under the selectors of the theme."""
    look = LOOK.read_text(encoding="utf-8")
    blocks = []
    for selector, scheme in SCHEMES.items():
        (values,) = re.findall(rf"^ *{re.escape(selector)} \{{(.*?)\}}", look, flags=re.DOTALL | re.MULTILINE)
        blocks.append(f'[data-md-color-scheme="{scheme}"] {{{values}}}\n')
    fonts = re.findall(r"^ *--(?:sans|serif|mono): .*;$", look, flags=re.MULTILINE)
    return "\n".join(["[data-md-color-scheme] {", *fonts, "}", *blocks])


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the stylesheet to the files of the site."""
    files.append(File.generated(config, "tokens.css", content=tokens()))
    return files
