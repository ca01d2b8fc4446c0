"""Write the listing of the ontology from its files: ``python docs/generate_ontology.py``.

The page is kept in the repository, and a test checks that it is up to date.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from falter.generation.english import Ontology, load_ontology

PAGE = Path(__file__).parent / "background" / "ontology.md"

HEAD = """\
# The ontology

The words of the ontology, generated from its files by `docs/generate_ontology.py`. What else they say of a word (other
names, parts, what it excludes or implies) is in the files themselves, `src/falter/generation/english/data`; [Ontology
files](../reference/ontology.md) says what each property means, and how to add words. Every name of an object, attribute
and relation in GQA's published vocabulary can be parsed with it. A test compares the links between kinds with WordNet,
with a reviewed list of those that WordNet lacks. [Another page](ontology-differences.md) lists the differences from
GQA's class hierarchy.
"""

KINDS = """\
## Kinds

In brackets are the kinds below a kind. A kind with several parents stands below the first. Two kinds that share no kind
below them, and that no entry lists as possibly the same, exclude each other.
"""

ATTRIBUTES = """\
## Attributes

An object has at most one value of an exclusive family, except for values that are listed as going together.
"""

RELATIONS = """\
## Relations

From the first object to the second: "the cup is on the table".
"""

RELATION_CLASSES = ("spatial", "contact", "possession", "wearing", "holding", "action", "comparison")


def page() -> str:
    """The whole page."""
    ontology = load_ontology()
    parts = [HEAD, *_counts(ontology), KINDS, *_kinds(ontology), ATTRIBUTES, *_attributes(ontology)]
    return "\n".join([*parts, RELATIONS, *_relations(ontology)]).rstrip() + "\n"


def _counts(ontology: Ontology) -> Iterator[str]:
    kinds = ontology.kinds.values()
    rows = {
        "kinds": len(kinds),
        "of which have kinds below them": sum(bool(below) for below in ontology.descendants.values()),
        "of which are never asked about": sum(not kind.askable for kind in kinds),
        "written forms of kinds": len(ontology.nouns),
        "links from a kind to a more general one": sum(len(kind.parent_names) for kind in kinds),
        "links from a kind to a part": sum(len(kind.parts) for kind in kinds),
        "families of attributes": len(ontology.families),
        "attributes": len(ontology.family_by_value),
        "pairs of antonyms": len(_opposites(ontology)),
        "relations": len(ontology.relations),
    }
    yield "| | Number |\n|---|---|"
    yield "\n".join(f"| {what} | {many:,} |" for what, many in rows.items()) + "\n"


def _opposites(ontology: Ontology) -> set[tuple[str, ...]]:
    words = ontology.attributes
    return {tuple(sorted((value, other))) for value in ontology.family_by_value for other in words.antonyms(value)}


def _kinds(ontology: Ontology) -> Iterator[str]:
    (root,) = [name for name, kind in ontology.kinds.items() if not kind.parent_names]
    below: dict[str, list[str]] = {}
    for name, kind in ontology.kinds.items():
        for parent in kind.parent_names[:1]:
            below.setdefault(parent, []).append(name)
    branches = sorted((name for name in below[root] if name in below), key=str.lower)
    for branch in branches:
        yield f"- **{branch}**: {_names(below[branch], below)}"
    yield f"- everything else: {', '.join(sorted(set(below[root]) - {*branches}))}\n"


def _names(kinds: Iterable[str], below: Mapping[str, list[str]]) -> str:
    return ", ".join(f"{name} ({_names(below[name], below)})" if name in below else name for name in sorted(kinds))


def _attributes(ontology: Ontology) -> Iterator[str]:
    yield "| Family | Values | |\n|---|---|---|"
    for name, family in ontology.families.items():
        yield f"| {name} | {', '.join(family.values)} | {'exclusive' if family.exclusive else ''} |"
    yield ""


def _relations(ontology: Ontology) -> Iterator[str]:
    for relation_class in RELATION_CLASSES:
        words = [name for name, record in ontology.relations.items() if record.relation_class == relation_class]
        yield f"- **{relation_class}**: {', '.join(sorted(words))}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
