"""The columns of a user's own table, which role each plays and which form of table they make, and what a cell says."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import Meta

from falter.core.bundle import bundle_of
from falter.core.errors import InputError, UsageError
from falter.core.files import parse_columns, read_columns_file
from falter.data.image_mode import ImageMode
from falter.generation.authoring.options import Overwrite

Form = Literal["question", "pair", "caption", "foil", "crossed-captions", "crossed-questions"]

_TEXTS = ("question", "variant", "caption", "foil", "caption_1", "caption_2", "question_1", "question_2")
_ANSWERS = ("answer", "answers", "variant_answer", "answer_1_1", "answer_1_2", "answer_2_1", "answer_2_2")
_CHOICES = ("choices", "choices_1", "choices_2")
_IMAGES = ("image", "variant_image", "image_1", "image_2")
_OTHERS = ("id", "set", "test", "expects")
ROLES = (*_TEXTS, *_ANSWERS, *_CHOICES, *_IMAGES, *_OTHERS)
"""The roles that a column may have; a column of the same name has it unless another is named."""

_SETTINGS = ("facets", "name", "test", "expects", "licence")
_LISTS = ("answers", *_CHOICES)
"""Roles that several columns may share: ``choices=option_a,option_b``."""

_RIVALS = {"answer": ("answers",), "answers": ("answer",), "choices_1": ("choices",), "choices_2": ("choices",)}
"""By role those that would not count where it has a column."""

_FORMS: tuple[tuple[Form, tuple[str, ...], tuple[str, ...]], ...] = (
    ("crossed-captions", ("caption_1", "caption_2"), ("image_1", "image_2")),
    (
        "crossed-questions",
        ("question_1", "question_2"),
        ("image_1", "image_2", "answer_1_1", "answer_1_2", "answer_2_1", "answer_2_2"),
    ),
    ("foil", ("caption", "foil"), ()),
    ("pair", ("question", "variant"), ()),
    ("caption", ("caption",), ("answer",)),
    ("question", ("question",), ()),
)
"""By form the columns that tell it, and the others that it needs."""

_TEST_NAMES: dict[Form, str] = {
    "question": "questions",
    "pair": "pairs",
    "caption": "captions",
    "foil": "foils",
    "crossed-captions": "two-by-two",
    "crossed-questions": "two-by-two",
}

Expected = Literal["same", "different", "each"]


class TableOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``falter import table``."""

    column: Annotated[
        tuple[str, ...],
        Meta(
            description=(
                f"The column that plays a role, such as question=q; may be repeated. Roles: {', '.join(ROLES)}. "
                "Default: the column of the role's own name. An empty NAME leaves the role out; answers and choices "
                "may name several columns, separated by commas."
            ),
            extra={"metavar": "ROLE=NAME"},
        ),
    ] = ()
    columns: Annotated[
        Path | None,
        Meta(description="A YAML file with columns, facets, name, test, expects, licence.", extra={"metavar": "FILE"}),
    ] = None
    facet: Annotated[
        tuple[str, ...],
        Meta(
            description="A column, or NAME=COLUMN, by which scores are broken down; may be repeated.",
            extra={"metavar": "COLUMN"},
        ),
    ] = ()
    name: Annotated[
        str, Meta(description="The suite's name. Default: that of the file.", extra={"metavar": "NAME"})
    ] = ""
    test: Annotated[
        str,
        Meta(
            description="The test of rows that name none. Default: questions, pairs, foils or so, by form.",
            extra={"metavar": "NAME"},
        ),
    ] = ""
    expects: Annotated[
        Expected | None,
        Meta(
            description=(
                "The expected relation between the answers of a pair or a set, for rows that state none. Default: from "
                "the answers of a pair; each for a set."
            )
        ),
    ] = None
    licence: Annotated[str, Meta(description="The licence of the data.", extra={"metavar": "TEXT"})] = "not stated"
    image_dir: Annotated[
        Path | None,
        Meta(description="Folder with the images. Default: that of the table.", extra={"metavar": "DIR"}),
    ] = None
    images: Annotated[
        ImageMode, Meta(description="Copy the images into the suite, link them, or do not open them.")
    ] = "copy"
    overwrite: Overwrite = False


class TableColumns(NamedTuple):
    """A table's form, and by role the names of its columns."""

    form: Form
    names: Mapping[str, tuple[str, ...]]
    facets: Mapping[str, str]
    """By facet the column."""
    name: str
    test: str
    expects: Expected | None
    licence: str
    unused: tuple[str, ...] = ()

    def cells(self, values: Mapping[str, Any], role: str) -> Any:
        """What a row has for a role that several columns may share; None for nothing."""
        names = self.names.get(role)
        if names is None:
            return None
        if len(names) == 1:
            return values.get(names[0])
        return [found for name in names if (found := values.get(name)) is not None] or None


def find_columns(there: Collection[str], options: TableOptions, where: str, name: str) -> TableColumns:
    """The roles of a table's columns; what is missing or unknown is an error that names what there is."""
    told: dict[str, Any] = {}
    if options.columns is not None:
        told = read_columns_file(options.columns, ROLES, _SETTINGS)
    given = {**told.get("columns", {}), **parse_columns(options.column, ROLES, "a table")}
    names: dict[str, tuple[str, ...]] = {}
    for role in ROLES:
        # Beside a column that the user names, one of the other role's name may hold anything, such as predictions.
        displaced = any(given.get(rival) for rival in _RIVALS.get(role, ()))
        wanted = given.get(role, role if role in there and not displaced else "")
        if wanted:
            names[role] = _existing(wanted, role, there, where)
    form = _find_form(names, there, where)
    facets = _facets([*_listed(told.get("facets"), options.columns), *options.facet], there, where)
    used = {column for columns in names.values() for column in columns} | set(facets.values())
    expects = options.expects or told.get("expects")
    if expects not in (None, *get_args(Expected)):
        raise UsageError(f"expects is one of {', '.join(get_args(Expected))}, not {expects!r:.40}")
    return TableColumns(
        form=form,
        names=names,
        facets=facets,
        name=_suite_name(options.name or str(told.get("name") or ""), name),
        test=options.test or str(told.get("test") or _TEST_NAMES[form]),
        expects=expects,
        licence=options.licence if options.licence != "not stated" else str(told.get("licence") or "not stated"),
        unused=tuple(column for column in there if column not in used),
    )


def _suite_name(given: str, default: str) -> str:
    """The name that was given, else one made of the file's; none that a bundle answers for."""
    name = given or re.sub(r"[^\w-]+", "-", default).strip("-") or "table"
    if bundle_of(name) is None:
        return name
    if given:
        raise UsageError(f"the name {given!r:.60} is that of a suite that Falter knows; choose another --name")
    return f"{name}-table"


def _existing(wanted: str, role: str, there: Collection[str], where: str) -> tuple[str, ...]:
    if wanted in there:
        return (wanted,)
    parts = tuple(part.strip() for part in wanted.split(",")) if role in _LISTS else (wanted,)
    missing = [part for part in parts if part not in there]
    if missing:
        raise InputError(where, f"has no column {missing[0]!r:.60} for {role}", hint=_there(there))
    return parts


def _find_form(names: Collection[str], there: Collection[str], where: str) -> Form:
    found = [one for one in _FORMS if all(role in names for role in one[1])]
    if not found:
        problem = "has no column question, nor caption, nor two of either"
        raise InputError(where, problem, hint=f"name one with --column question=NAME; {_there(there)}")
    form, told_by, needed = found[0]
    # Single questions and captions are part of the forms with two texts; of two other forms, which one is meant?
    other = next((one for one in found[1:] if not set(one[1]) <= set(told_by)), None)
    if other is not None:
        both = f"{' and '.join(told_by)} as well as {' and '.join(other[1])}"
        raise InputError(where, f"has {both}", hint=f"leave one out with --column {other[1][0]}=")
    missing = [role for role in needed if role not in names]
    if missing:
        hint = f"name it with --column {missing[0]}=NAME; {_there(there)}"
        raise InputError(where, f"has {' and '.join(told_by)}, and no column {missing[0]}", hint=hint)
    if form in ("question", "pair") and not {"answer", "answers"} & set(names):
        hint = f"name it with --column answer=NAME; {_there(there)}"
        raise InputError(where, "has no column answer or answers", hint=hint)
    return form


def _there(there: Collection[str]) -> str:
    shown = [f"{name!s:.40}" for name in there]
    return f"its columns are {', '.join(shown[:12])}{' ...' if len(shown) > 12 else ''}"


def _listed(value: Any, path: Path | None) -> list[str]:
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [f"{name}={column}" for name, column in value.items()]
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InputError(str(path), "has facets that are no list", hint="write facets: [a, b]")
    return [str(one) for one in value]


def _facets(given: Sequence[str], there: Collection[str], where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        name, equals, column = one.partition("=")
        column = column if equals and one not in there else one
        if column not in there:
            raise InputError(where, f"has no column {column!r:.60} for a facet", hint=_there(there))
        found[name if equals and one != column else one] = column
    return found


_YES_NO = {"yes": "yes", "no": "no", "true": "yes", "false": "no", "1": "yes", "0": "no"}
_LONGEST = 100_000
"""Characters of a text that a model may be shown."""


class CellError(ValueError):
    """What is wrong with a cell, for a message that names the row; ``hint`` says what to do about it."""

    def __init__(self, problem: str, *, hint: str = "fix the row, or leave it out") -> None:
        super().__init__(problem)
        self.hint = hint


def text(value: Any, role: str) -> str | None:
    """A cell as a text, None where it is empty: numbers are written out, true and false are yes and no."""
    if type(value) is str:
        found = value.strip()
        if len(found) > _LONGEST:
            raise CellError(f"has {len(found):,} characters as {role}; at most {_LONGEST:,} are allowed")
        return found or None
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "item") and not isinstance(value, Mapping):  # numbers of numpy
        return text(value.item(), role)
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() else f"{value:g}"
    if isinstance(value, int):
        return str(value)
    raise CellError(f"has {_kind(value)} as {role}, not a text")


def texts(value: Any, role: str, *, split: bool = True) -> tuple[str, ...]:
    """A cell as several texts: a list, a JSON list written as text, or texts between bars (with ``split``)."""
    if value is None:
        return ()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, str):
        stripped = value.strip()
        if stripped.startswith("["):
            try:
                value = msgspec.json.decode(stripped)
            except (msgspec.DecodeError, RecursionError):
                if split:
                    raise CellError(f"has {stripped[:40]!r} as {role}, which is no JSON list") from None
        elif split and "|" in stripped:
            value = stripped.split("|")
    if not isinstance(value, list | tuple):
        one = text(value, role)
        return () if one is None else (one,)
    found = []
    for each in value:
        # VQA has records of an answer and what is known of it.
        one = text(each.get("answer") if isinstance(each, Mapping) and "answer" in each else each, role)
        if one is None:
            raise CellError(f"has an empty text among {role}")
        found.append(one)
    return tuple(found)


def yes_no(value: Any, role: str) -> str | None:
    """A cell that says whether a caption fits: yes or no, true or false, 1 or 0."""
    found = text(value, role)
    if found is None:
        return None
    known = _YES_NO.get(found.lower())
    if known is None:
        raise CellError(f"has {found[:40]!r} as {role}; a caption fits or not: yes or no, true or false, 1 or 0")
    return known


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a record"
    if isinstance(value, list | tuple):
        return "a list"
    return "bytes" if isinstance(value, bytes | bytearray | memoryview) else f"a {type(value).__name__}"
