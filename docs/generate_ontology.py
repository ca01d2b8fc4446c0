"""Write the listing of the ontology from its files: ``python docs/generate_ontology.py``.

The page is kept in the repository, and a test checks that it is up to date.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from falter.generation.english import Ontology, load_ontology
from falter.generation.english.grammar import DATA
from falter.generation.english.ontology_records import AttributeFamily, Attributes, Kind, RelationType, read_records

PAGE = Path(__file__).parent / "background" / "ontology.md"

HEAD = """\
# The ontology

This page lists the whole ontology. It is generated from the ontology's files by `docs/generate_ontology.py`. [Ontology
files](../reference/ontology.md) says what each property means, and how to add words. Every name of an object, attribute
and relation in GQA's published vocabulary can be parsed with it. A test compares the links between kinds with WordNet,
with a reviewed list of those that WordNet lacks. [Another page](ontology-differences.md) lists the differences from
GQA's class hierarchy.
"""

KINDS = """\
## Kinds

The kinds below a kind are indented. A kind with several parents is listed in full below the first and only named below
the others. Two kinds that share no kind below them, and that no entry lists as possibly the same, exclude each other.

*In brackets*: other names of the same kind, used for parsing only. *Mass*: "water", never "a water". *Plural only*:
"pants". *Role*: a name that applies in addition to a kind; a player is also a man or a woman. *Often unannotated*: so
often missing from annotations that its absence is unknown. *Not askable*: no question names it. *Unique*: never in the
plural. *Parts*: what it has or may have without being annotated. *Implies nearby*: one of these is probably near. *May
be*: other kinds that the same object may belong to. *Vague*: without clear limits, so that its absence is unknown
unless every object is annotated; *includes for some*: what only some people call so. *Occupants*: probably inside.
*Fixtures*: what tells that an image shows such a room. *Backdrop*: without left and right. *Imitates*: what it may look
like without being it; *imitated by*: attributes of imitations. *Shows images*: what is in or on it may be an image.
Often unannotated, backdrop and shows images hold for the kinds below too.
"""

ATTRIBUTES = """\
## Attributes

An object has at most one value of an exclusive family, except for values that are listed as going together.
*Antonyms* are the pairs of the antonym test. A family with a name in questions can be asked for by that name: "What
color is the cup?" A word may belong to several families: a short man, short hair.
"""

RELATIONS = """\
## Relations

From the first object to the second: "the cup is on the table". *Between* lists the kinds on either side, where the
relation is restricted.
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
        "often unannotated": kind.often_unannotated is True,
        "never often unannotated": kind.often_unannotated is False,
        "vague": kind.vague,
        "unspecific": kind.unspecific,
        "backdrop": kind.backdrop,
        "shows images": kind.shows_images,
        "not askable": not kind.askable,
    }
    said = [f"*{mark}*" for mark, true in marks.items() if true]
    if kind.plural:
        said.append(f"plural: {kind.plural}")
    if kind.parts:
        said.append(f"parts: {', '.join(kind.parts)}")
    if kind.implies_nearby:
        said.append(f"implies nearby: {', '.join(kind.implies_nearby)}")
    lists = {
        "occupants": kind.occupants,
        "stands on": kind.stands_on,
        "fixtures": kind.fixtures,
        "may be": kind.overlaps,
        "includes for some": kind.disputed,
        "imitates": kind.imitates,
        "imitated by": kind.imitated_by,
    }
    said += [f"{what}: {', '.join(names)}" for what, names in lists.items() if names]
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
        yield f"- Antonyms: {_groups(family.antonyms)}"
    if family.overlaps:
        yield f"- May go together: {_groups(family.overlaps)}"
    for other, values in family.leaves_open.items():
        yield f"- Leaves the {other} open: {', '.join(values)}"
    if family.told_by_relations:
        yield f"- Told by relations: {', '.join(family.told_by_relations)}"
    if family.told_by:
        yield f"- Given away by: {', '.join(family.told_by)}"


def _across_families(attributes: Attributes) -> Iterator[str]:
    yield "### Across families\n"
    if attributes.antonyms:
        yield f"- Antonyms: {_groups(attributes.antonyms)}"
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
        yield "| Relation | Inverse | Implies | Excludes | Between | |\n|---|---|---|---|---|---|"
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
