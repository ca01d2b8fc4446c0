"""Write the listing of the ontology from its files: ``python docs/generate_ontology.py``.

The page is kept in the repository, and a test holds that it is up to date.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from falter.english import Ontology, load_ontology
from falter.english.grammar import DATA
from falter.english.ontology.records import AttributeFamily, Attributes, Kind, RelationType, read_records

PAGE = Path(__file__).parent / "ontology.md"

HEAD = """\
# The ontology

This is all that Falter knows of words, written from its files by `docs/generate_ontology.py`. [The
reference](reference/ontology.md) says what each mark means to the program, and how to add words of your own. Every
name of an object, attribute and relation in GQA's published vocabulary can be read with it. Links between kinds are
compared with WordNet by a test, with a reviewed list of those that WordNet lacks; where GQA's own class hierarchy
says otherwise, [the differences](ontology-differences.md) are listed.
"""

KINDS = """\
## Kinds

Indented below a kind is what belongs to it. A kind that belongs to several stands in full below the first of them and
is only named below the others. Two kinds that share nothing below them, and of which no line here says that they may
be the same, exclude each other.

*In brackets*: other names of the same kind, read and never written. *Mass*: "water", never "a water". *Plural only*:
"pants". *Role*: a name beside a kind; a player is a man or a woman too. *Often unannotated*: so often missing from
annotations that its absence cannot be told. *Not askable*: no question names it. *Unique*: never in the plural.
*Parts*: what it has or may have without being annotated. *Implies nearby*: of these, one is probably near. *May be*:
other kinds that may be the same thing.
"""

ATTRIBUTES = """\
## Attributes

A thing has at most one value of an exclusive family, but for the values that are listed as going together.
*Opposites* make pairs of the antonym test. A family that is called something in questions can be asked for by that
name: "What color is the cup?" A word may stand in several families: a short man, short hair.
"""

RELATIONS = """\
## Relations

Read from the first thing to the second: "the cup is on the table". *Between* says which kinds stand on either side,
where that is not everything.
"""

RELATION_CLASSES = ("spatial", "contact", "possession", "wearing", "holding", "action", "comparison")


def page() -> str:
    """The whole page."""
    ontology = load_ontology()
    parts = [HEAD, *_counts(ontology), KINDS, *_kinds(ontology), ATTRIBUTES, *_attributes(ontology)]
    parts += _across_families(read_records([DATA]).attributes)
    return "\n".join([*parts, RELATIONS, *_relations(ontology)]).rstrip() + "\n"


def _counts(ontology: Ontology) -> Iterator[str]:
    kinds = ontology.kinds.values()
    rows = {
        "kinds": len(kinds),
        "of which have kinds below them": sum(bool(below) for below in ontology.descendants.values()),
        "of which are never asked about": sum(not kind.askable for kind in kinds),
        "written forms that are read as a kind": len(ontology.nouns),
        "links from a kind to a wider one": sum(len(kind.parent_names) for kind in kinds),
        "links from a kind to a part": sum(len(kind.parts) for kind in kinds),
        "families of attributes": len(ontology.families),
        "attributes": len(ontology.family_by_value),
        "pairs of opposites": len(_opposites(ontology)),
        "relations": len(ontology.relations),
    }
    yield "| | How many |\n|---|---|"
    yield "\n".join(f"| {what} | {many:,} |" for what, many in rows.items()) + "\n"


def _opposites(ontology: Ontology) -> set[tuple[str, ...]]:
    words = ontology.attributes
    return {tuple(sorted((value, other))) for value in ontology.family_by_value for other in words.antonyms(value)}


def _kinds(ontology: Ontology) -> Iterator[str]:
    (root,) = [name for name, kind in ontology.kinds.items() if not kind.parent_names]
    below = _children(ontology)
    branches = sorted((name for name in below[root] if name in below), key=str.lower)
    for branch in branches:
        yield f"### {branch}\n"
        yield "\n".join(_tree(branch, root, 0, ontology, below)) + "\n"
    yield "### Everything else\n"
    yield "\n".join(f"- {_told(name, ontology.kinds[name])}" for name in sorted(set(below[root]) - {*branches})) + "\n"


def _children(ontology: Ontology) -> dict[str, list[str]]:
    below: dict[str, list[str]] = {}
    for name, kind in ontology.kinds.items():
        for parent in kind.parent_names:
            below.setdefault(parent, []).append(name)
    return below


def _tree(name: str, parent: str, depth: int, ontology: Ontology, below: dict[str, list[str]]) -> Iterator[str]:
    kind = ontology.kinds[name]
    first = kind.parent_names[0]
    if first != parent:
        yield f"{'    ' * depth}- {name} (below {first})"
        return
    yield f"{'    ' * depth}- {_told(name, kind)}"
    for child in sorted(below.get(name, ())):
        yield from _tree(child, name, depth + 1, ontology, below)


def _told(name: str, kind: Kind) -> str:
    also = f" ({', '.join(kind.synonyms)})" if kind.synonyms else ""
    marks = {
        "mass": kind.number == "mass",
        "plural only": kind.number == "plural",
        "role": kind.role,
        "unique": kind.unique,
        "often unannotated": kind.often_unannotated,
        "not askable": not kind.askable,
    }
    said = [f"*{mark}*" for mark, true in marks.items() if true]
    if kind.plural:
        said.append(f"plural: {kind.plural}")
    if kind.parts:
        said.append(f"parts: {', '.join(kind.parts)}")
    if kind.implies_nearby:
        said.append(f"implies nearby: {', '.join(kind.implies_nearby)}")
    if kind.overlaps:
        said.append(f"may be: {', '.join(kind.overlaps)}")
    return f"**{name}**{also}" + "".join(f"; {one}" for one in said)


def _attributes(ontology: Ontology) -> Iterator[str]:
    for name, family in ontology.families.items():
        yield f"### {name}\n"
        yield "\n".join(_family(family)) + "\n"


def _family(family: AttributeFamily) -> Iterator[str]:
    kinds = ", ".join(family.applies_to) + (
        f", but not {', '.join(family.not_applicable_to)}" if family.not_applicable_to else ""
    )
    called = [f'called "{family.label}" in questions'] if family.label else []
    asked = [] if family.askable else ["not askable"]
    traits = ["exclusive" if family.exclusive else "not exclusive", f"of {kinds}", *called, *asked]
    sentence = "; ".join(traits)
    yield f"{sentence[0].upper()}{sentence[1:]}."
    yield ""
    yield f"- Values: {', '.join(family.values)}"
    if family.antonyms:
        yield f"- Opposites: {_groups(family.antonyms)}"
    if family.overlaps:
        yield f"- May go together: {_groups(family.overlaps)}"


def _across_families(attributes: Attributes) -> Iterator[str]:
    yield "### Across families\n"
    if attributes.antonyms:
        yield f"- Opposites: {_groups(attributes.antonyms)}"
    yield f"- What implies what: {'; '.join(f'{one} is {_and(more)}' for one, more in attributes.implies.items())}"
    yield f"- Only before a noun: {', '.join(attributes.attributive_only)}"
    yield f'- Only after "is": {", ".join(attributes.predicative_only)}\n'


def _and(words: list[str]) -> str:
    return " and ".join(words)


def _groups(groups: Iterable[Iterable[str]]) -> str:
    return "; ".join(" / ".join(group) for group in groups)


def _relations(ontology: Ontology) -> Iterator[str]:
    for relation_class in RELATION_CLASSES:
        words = {name: record for name, record in ontology.relations.items() if record.relation_class == relation_class}
        yield f"### {relation_class.capitalize()}\n"
        yield "| Relation | The other way round | Implies | Excludes | Between | |\n|---|---|---|---|---|---|"
        yield "\n".join(_row(name, record) for name, record in sorted(words.items())) + "\n"


def _row(name: str, record: RelationType) -> str:
    back = "the same" if record.symmetric else record.inverse or ""
    sides = [", ".join(side) if side != ["thing"] else "anything" for side in (record.subjects, record.objects)]
    between = "" if sides == ["anything", "anything"] else " and ".join(sides)
    marks = [] if record.askable else ["*not askable*"]
    if not record.definite:
        marks.append('with "a"')
    cells = [name, back, ", ".join(record.implies), ", ".join(record.excludes), between, ", ".join(marks)]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
