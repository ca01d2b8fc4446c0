"""From the rows of a user's own table to probes, by the form of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from falter.core.tables import format_count
from falter.data.items import TOTALS, YES_NO, Expects, ImageRef, Item, Probe, Task
from falter.data.normalize import normalize
from falter.generation.authoring.table_columns import ROLES, CellError, TableColumns, text, texts, yes_no

_OTHER = {"yes": "no", "no": "yes"}
_EXPECTS = ("same", "different", "each")


class Row(NamedTuple):
    """A row with its name in messages, and the id that it has, or its number."""

    record: str
    values: Mapping[str, Any]
    number: int


class _Gold(NamedTuple):
    gold: str
    answers: tuple[str, ...] | None
    choices: tuple[str, ...] | None


class ProbeBuilder:
    """Builds a probe of one row, or of the rows of a set; what is wrong with a row is a :class:`CellError`."""

    def __init__(self, columns: TableColumns, place: Callable[[Any, str], ImageRef | None]) -> None:
        self.columns = columns
        self._name = {role: names[0] if (names := columns.names.get(role)) else None for role in ROLES}
        """By role the column, None for no column: a row has nothing under that name."""
        self._has_expects = columns.expects is not None or "expects" in columns.names
        self._facets = tuple(columns.facets.items())
        self._place = place
        self._of_form = {
            "question": self._single,
            "caption": self._single,
            "pair": self._pair,
            "foil": self._foil,
            "crossed-captions": self._crossed,
            "crossed-questions": self._crossed,
        }[columns.form]
        self._task: Task = "match" if columns.form in ("caption", "foil", "crossed-captions") else "answer"

    def _cell(self, values: Mapping[Any, Any], role: str) -> Any:
        return values.get(self._name[role])

    def row_id(self, row: Row) -> str:
        """The id of a row: that of its column, else its number."""
        name = self._name["id"]
        return (None if name is None else text(row.values.get(name), "id")) or str(row.number)

    def set_id(self, row: Row) -> str | None:
        """The set that a row belongs to; None where the table has no sets."""
        if "set" not in self.columns.names:
            return None
        found = text(self._cell(row.values, "set"), "set")
        if found is None:
            raise CellError("has no set")
        return found

    def build(self, row: Row) -> Probe:
        """The probe of one row."""
        id_ = self.row_id(row)
        return self._of_form(row, self._shared(row, id_, id_))

    def build_item(self, row: Row, probe_id: str, first: Row, variant: int) -> Item:
        """An item of a set; what is expected, and the test, are those of its first row."""
        shared = self._shared(row, probe_id, self.row_id(row))
        told = self._shared(first, probe_id, "") if variant else shared
        if shared["test"] != told["test"]:
            raise CellError(f"has the test {shared['test'][:40]!r}, and its set {told['test'][:40]!r}")
        item = self._single(row, {**shared, "expects": told["expects"] or "each"}).original
        return item if not variant else item.change(variant=variant)

    def _shared(self, row: Row, probe_id: str, source_id: str) -> dict[str, Any]:
        """What all items of a row have alike."""
        values = row.values
        expects = None
        if self._has_expects:
            expects = text(self._cell(values, "expects"), "expects") or self.columns.expects
            if expects is not None and expects not in _EXPECTS:
                raise CellError(f"expects {expects[:40]!r}, which is none of {', '.join(_EXPECTS)}")
        column = self._name["test"]
        test = self.columns.test if column is None else text(values.get(column), "test") or self.columns.test
        if test in TOTALS:
            raise CellError(f"has the test {test!r}, which is the name of a total; give it another name")
        return {
            "suite": self.columns.name,
            "test": test,
            "probe_id": probe_id,
            "task": self._task,
            "expects": expects,
            "facets": {name: found for name, column in self._facets if (found := text(values.get(column), name))},
            "source_id": source_id,
        }

    def _required(self, row: Row, role: str) -> str:
        found = text(self._cell(row.values, role), role)
        if found is None:
            raise CellError(f"has no {role}")
        return found

    def _single(self, row: Row, shared: dict[str, Any]) -> Probe:
        shared["expects"] = shared["expects"] or "each"
        values = row.values
        role = "question" if self._task == "answer" else "caption"
        asked, image = self._required(row, role), self._place(self._cell(values, "image"), "image")
        if self._task == "match":
            fits = yes_no(self._cell(values, "answer"), "answer")
            if fits is None:
                raise CellError("has no answer: whether the caption fits, yes or no")
            return Probe((Item.make(text=asked, image=image, gold=fits, **shared),))
        gold, answers, choices = self._gold(row)
        return Probe((Item.make(text=asked, image=image, gold=gold, answers=answers, choices=choices, **shared),))

    def _gold(self, row: Row, role: str = "answer", choices_role: str = "choices") -> _Gold:
        """The gold answer: that of the row, else the commonest of several people's."""
        values: Mapping[Any, Any] = row.values
        given = (
            texts(self.columns.cells(values, "answers"), "answers")
            if role == "answer" and self._name["answers"]
            else ()
        )
        gold = text(values.get(self._name[role]), role)
        if gold is None and given:
            # The commonest; of several, the one that was given first.
            gold = Counter(given).most_common(1)[0][0]
        if gold is None:
            raise CellError(f"has no {role}")
        choices = texts(self.columns.cells(values, choices_role), choices_role) if self._name[choices_role] else ()
        return _check_gold(gold, given if len(given) > 1 else None, choices)

    def _pair(self, row: Row, shared: dict[str, Any]) -> Probe:
        values, cell = row.values, self._cell
        asked, original = self._required(row, "question"), self._gold(row)
        variants = texts(cell(values, "variant"), "variant", split=False)
        if not variants:
            raise CellError("has no variant")
        golds = texts(cell(values, "variant_answer"), "variant_answer", split=len(variants) > 1)
        expects: Expects | None = shared["expects"]
        answers = [
            self._variant_gold(original, golds, number, len(variants), expects) for number in range(len(variants))
        ]
        shared["expects"] = expects or _relation(original.gold, [one.gold for one in answers])
        image = self._place(cell(values, "image"), "image")
        other = self._place(cell(values, "variant_image"), "variant_image") or image
        id_ = shared.pop("source_id")
        items = [Item.make(text=asked, image=image, source_id=id_, **original._asdict(), **shared)]
        for number, (one, gold) in enumerate(zip(variants, answers, strict=True), start=1):
            source_id = f"{id_}/variant" if len(variants) == 1 else f"{id_}/variant-{number}"
            items.append(
                Item.make(text=one, image=other, variant=number, source_id=source_id, **gold._asdict(), **shared)
            )
        return Probe(tuple(items))

    def _variant_gold(
        self, original: _Gold, golds: Sequence[str], number: int, variants: int, expects: Expects | None
    ) -> _Gold:
        if golds and len(golds) != variants:
            raise CellError(f"has {format_count(len(golds), 'answers')} of {variants} variants")
        if golds:
            found = _check_gold(golds[number], None, original.choices or ())
            if expects == "same" and normalize(found.gold) != normalize(original.gold):
                raise CellError(f"expects same and has the answers {original.gold[:40]!r} and {found.gold[:40]!r}")
            if expects == "different" and normalize(found.gold) == normalize(original.gold):
                raise CellError(f"expects different and has the answer {found.gold[:40]!r} twice")
            return found
        if expects == "different":
            if original.gold not in _OTHER:
                raise CellError("expects different and has no variant_answer")
            return original._replace(gold=_OTHER[original.gold], answers=None)
        return original

    def _foil(self, row: Row, shared: dict[str, Any]) -> Probe:
        caption = self._required(row, "caption")
        foils = texts(self._cell(row.values, "foil"), "foil", split=False)
        if not foils:
            raise CellError("has no foil")
        image = self._place(self._cell(row.values, "image"), "image")
        id_ = shared.pop("source_id")
        shared["expects"] = "prefer"
        names = ["caption", *(["foil"] if len(foils) == 1 else [f"foil-{n}" for n in range(1, len(foils) + 1)])]
        return Probe(
            tuple(
                Item.make(
                    text=one,
                    image=image,
                    gold="no" if number else "yes",
                    variant=number,
                    source_id=f"{id_}/{names[number]}",
                    **shared,
                )
                for number, one in enumerate((caption, *foils))
            )
        )

    def _crossed(self, row: Row, shared: dict[str, Any]) -> Probe:
        role = "caption" if self._task == "match" else "question"
        written = [self._required(row, f"{role}_{number}") for number in (1, 2)]
        images = [self._place(self._cell(row.values, f"image_{number}"), f"image_{number}") for number in (1, 2)]
        if None in images:
            raise CellError(f"has no image_{1 + images.index(None)}")
        id_ = shared.pop("source_id")
        shared["expects"] = "crossed"
        items = []
        for variant, (image, number) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
            if self._task == "match":
                gold: dict[str, Any] = {"gold": "yes" if image == number else "no"}
            else:
                choices = f"choices_{number + 1}" if f"choices_{number + 1}" in self.columns.names else "choices"
                gold = self._gold(row, f"answer_{image + 1}_{number + 1}", choices)._asdict()
            items.append(
                Item.make(
                    text=written[number],
                    image=images[image],
                    variant=variant,
                    source_id=f"{id_}/{image + 1}-{number + 1}",
                    **gold,
                    **shared,
                )
            )
        return Probe(tuple(items))


def _relation(original: str, variants: Sequence[str]) -> Expects:
    """What the gold answers say of each other."""
    same = {normalize(one) == normalize(original) for one in variants}
    return "each" if len(same) > 1 else "same" if same == {True} else "different"


def _check_gold(gold: str, answers: tuple[str, ...] | None, choices: Sequence[str]) -> _Gold:
    """A gold answer as it is among the choices; one of yes or no makes these the choices, where none are given."""
    if not choices:
        lower = gold.lower()
        return _Gold(lower, None, YES_NO) if answers is None and lower in _OTHER else _Gold(gold, answers, None)
    if len({normalize(one) for one in choices}) < len(choices):
        raise CellError(f"has a choice twice: {', '.join(choices)[:80]}")
    if gold not in choices:
        same = [one for one in choices if normalize(one) == normalize(gold)]
        if not same:
            raise CellError(f"has the answer {gold[:40]!r}, which is not among the choices {', '.join(choices)[:80]}")
        gold = same[0]
    return _Gold(gold, answers, tuple(choices))
