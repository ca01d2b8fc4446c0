"""Freeze what careful reading needs of the ontology: ``python scripts/freeze_word_relations.py``.

Answers are read without anything that makes questions, so the file stands beside the code that reads them. A test
compares it with the ontology.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from falter.evaluation.answers.open_answers.phrases import plain_words
from falter.evaluation.answers.open_answers.word_relations import DATA, KindRelations, WordRelations
from falter.generation.english import load_ontology


def freeze() -> WordRelations:
    """What the ontology says of all kinds and describing words."""
    ontology = load_ontology()
    positions = {kind: position for position, kind in enumerate(ontology.kinds)}
    names: dict[str, set[str]] = {}
    for form, meanings in ontology.nouns.items():
        names.setdefault("".join(plain_words(form)), set()).update(kind for kind, _ in meanings)
    families = ontology.attributes.families_by_value
    words = sorted({*families, *(other for word in families for other in ontology.opposites(word))})
    excludes = {
        word: [other for other in words[place + 1 :] if ontology.attributes.exclude(word, other)]
        for place, word in enumerate(words)
    }
    return WordRelations(
        kinds={
            kind: KindRelations(
                parents=list(record.parent_names),
                together=sorted(
                    positions[other] for other in ontology.kinds_meeting(kind) if positions[other] > positions[kind]
                ),
                imitated_by=sorted(word for word in ontology.imitating_values if ontology.is_imitation(kind, (word,))),
            )
            for kind, record in ontology.kinds.items()
        },
        names={form: sorted(kinds) for form, kinds in sorted(names.items())},
        families=dict(sorted(families.items())),
        excludes={word: others for word, others in excludes.items() if others},
    )


def write(relations: WordRelations, path: Path) -> None:
    """Write a line for each record, so that a change of the ontology is a change of lines."""
    sections = (_section(name, records) for name, records in msgspec.to_builtins(relations).items())
    path.write_text("{\n" + ",\n".join(sections) + "\n}\n", "utf-8")


def _section(name: str, records: dict[str, Any]) -> str:
    lines = (f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}" for key, value in records.items())
    return f'"{name}":{{\n' + ",\n".join(lines) + "\n}"


if __name__ == "__main__":
    write(freeze(), DATA)
