"""The prose of the pages uses the words of the glossary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, page_name

AVOIDED = {
    r"pictures?": "image",
    r"yardsticks?": "baseline, upper bound",
    r"at hand": "available",
    r"mend(ed|s|ing)?": "fix",
    r"(made|make|written|measured) anew": "regenerate",
    r"embedded world": "the world",
    r"left out": "excluded",
    r"(?<!-)posed": "build a question",
    r"habits?": "co-occurrence, response bias",
    r"leans?|leaning": "bias",
    r"sorts? of": "kind, stratum",
    r"a road|the same road": "way",
}
"""Words that the pages do not use, with what they say instead."""

PROSE = [page for page in PAGES if page.name not in ("CHANGELOG.md", "ontology.md", "command-line.md")]


def prose_of(page: Path) -> list[tuple[int, str]]:
    """The numbered lines of a page without code, tables and quoted texts."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^ *```.*?^ *```", lambda block: "\n" * block[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`|\"[^\"]*\"|\*\*?[^*\n]*\*?\*", lambda quoted: "\n" * quoted[0].count("\n"), text)
    return [(number, line) for number, line in enumerate(text.split("\n"), start=1) if not line.startswith(("|", "!["))]


@pytest.mark.parametrize("page", PROSE, ids=page_name)
def test_words_of_the_field(page: Path) -> None:
    found = [
        f"{page_name(page)}:{number}: {word[0]!r}: say {instead}"
        for number, line in prose_of(page)
        for avoided, instead in AVOIDED.items()
        if (word := re.search(rf"\b({avoided})\b", line, flags=re.IGNORECASE))
    ]
    assert found == []


def test_an_avoided_word_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        '# A page\n\n```text\na picture\n```\n\nSay "a picture" or `picture`, never picture.\n', encoding="utf-8"
    )
    (line,) = [line for _, line in prose_of(page) if "picture" in line]
    assert line.count("picture") == 1
