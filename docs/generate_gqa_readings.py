"""Write how GQA's questions are read, from real ones: ``python docs/generate_gqa_readings.py``.

It needs published questions with their programs in ``../shared/data/gqa`` beside the checkout. The page is kept in the
repository, and a test checks it where the questions are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from falter.generation.english.query_agreement import QueryAgreement
from falter.generation.english.question_reader import question_reader
from falter.generation.scene.programs import ProgramError, query_from_program

PAGE = Path(__file__).parent / "background" / "readings" / "gqa.md"
FOLDER = Path(__file__).parents[1] / "../shared/data/gqa"
FILES = ("questions_val_sample", "questions_testdev_half", "questions_with_graphs")

HEAD = """\
# How GQA's questions are read

Published questions of GQA (Hudson and Manning, 2019; CC BY 4.0) come with functional programs, and so with a second
account of what they ask. This page is made by `docs/generate_gqa_readings.py` from {total:,} of them, from the
balanced validation and testdev splits. The program becomes a [query](../../reference/queries.md) for {programs}, the
text is read for {read}, and of those that are read both ways, text and program ask the same for {agree}.

They ask the same up to order, synonyms, number and articles. A wider word agrees with a narrower one, since texts say
"the vehicle" of what programs call a car; so does a noun alone at the end of a relation that is asked for, as
programs leave out its attributes; and "Where is the man?" agrees with a program that asks what he is on or in.

The templates were written with these questions available. For other questions, the texts of 876 that are not among them
are the better guide: 824 (94.1 %) were read before templates were added for what was missing among them (what two
things have in common, comparisons, "Where is the ...?"), and 875 since. These have no programs. About 320 of their
readings, some of each template, were compared with the texts by eye: four meant something else ("Which part of the
photo is the cup in, the bottom or the top?", "Is it an indoors scene?"). Of 112 questions that were then written in the
forms of GQA, 105 were read, three of them as something else ("Is the man in the blue shirt to the left of the car?"
as of a shirt beside the car). All seven are read rightly since. Of the questions that the [world](../world.md) writes,
all are read.

| Structural type | Detailed type | Questions | Programs | Texts read | The same |
|---|---|---|---|---|---|
"""


class Found:
    """What became of each question."""

    def __init__(self) -> None:
        self.total: Counter[tuple[str, str]] = Counter()
        self.programs: Counter[tuple[str, str]] = Counter()
        self.read: Counter[tuple[str, str]] = Counter()
        self.agree: Counter[tuple[str, str]] = Counter()
        self.unread: list[str] = []
        self.different: list[tuple[str, str, str]] = []


def questions() -> Iterator[dict[str, Any]]:
    """The published questions."""
    for name in FILES:
        yield from json.loads((FOLDER / f"{name}.json").read_text("utf-8")).values()


def measure() -> Found:
    """Read every question, and compare what was read with its program."""
    reader, found = question_reader(), Found()
    agreement = QueryAgreement(reader.grammar.ontology)
    for record in questions():
        kind = record["types"]["structural"], record["types"]["detailed"]
        found.total[kind] += 1
        try:
            program = query_from_program(record["semantic"], reader.grammar.ontology.lexeme)
        except ProgramError:
            program = None
        parse = reader.read(record["question"])
        found.programs[kind] += program is not None
        if parse is None:
            found.unread.append(record["question"])
            continue
        found.read[kind] += 1
        if program is None:
            continue
        same = agreement.agree(parse.meaning, program)
        found.agree[kind] += same
        if not same:
            found.different.append((record["question"], parse.meaning.describe(), program.describe()))
    return found


def page() -> str:
    """The page."""
    found = measure()
    total, programs, read, agree = (counts.total() for counts in (found.total, found.programs, found.read, found.agree))
    written = HEAD.format(
        total=total, programs=_share(programs, total), read=_share(read, total), agree=_share(agree, read)
    )
    for kind in sorted(found.total):
        counts = (counts[kind] for counts in (found.total, found.programs, found.read, found.agree))
        written += f"| {kind[0]} | `{kind[1]}` | {' | '.join(map(str, counts))} |\n"
    written += f"| all | | {total:,} | {programs:,} | {read:,} | {agree:,} |\n"
    written += "\n## Not read\n\n" + "".join(f"- {one}\n" for one in found.unread)
    written += (
        "\n## Text and program differ\n\n"
        "Some programs relate a thing to itself, where the text names another one; some ask for an age where the text\n"
        "asks for an activity; some name a thing by a word that is no synonym in the ontology.\n\n"
        "| Question | Its text | Its program |\n|---|---|---|\n"
    )
    return written + "".join(f"| {' | '.join(one)} |\n" for one in found.different)


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.1f} %)"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
