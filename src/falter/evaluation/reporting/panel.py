"""What a bundle adds to the report: a panel, and the section that it builds of text, tables and figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from falter.core.errors import UsageError
from falter.evaluation.reporting.charts import Figure

if TYPE_CHECKING:
    from falter.evaluation.measures import Estimate, Score
    from falter.evaluation.reporting.report_view import ReportView

Place = Literal["results", "breakdowns", "control-runs", "failures"]
"""The part of the page that a panel follows."""


class TableCell(NamedTuple):
    """One cell with what belongs to it.

    ``interval`` is shown when the cell is pointed at, ``note`` behind an asterisk, ``below`` in small type;
    ``model``, an index into the report's models, puts the model's color before the text.
    """

    text: str
    interval: str = ""
    note: str = ""
    below: str = ""
    model: int | None = None


CellValue: TypeAlias = "str | int | float | TableCell | Estimate | Score | None"
"""What a cell may be given as: text, a number, or an estimate or score, which is shown as its measure says."""


class Table(msgspec.Struct, kw_only=True):
    """Rows of cells, the first of each row heading it.

    With ``grouped``, equal first cells that follow one another become one over their rows. ``published`` rows are gray.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[CellValue]]
    title: str = ""
    notes: Sequence[str] = ()
    published: Sequence[Sequence[CellValue]] = ()
    grouped: bool = False


class Section(msgspec.Struct, kw_only=True):
    """What a panel shows, in this order: text (a paragraph or several), figures, tables, a template's output, parts.

    ``figures`` may hold figures and sequences of figures that are set together, as ``bars`` gives
    them. A part is a section with a ``title`` of its own; a ``folded`` one is closed until it is opened. ``template``
    names a Jinja template in the bundle's folder; it sees ``values``, is escaped, and may hold no script.
    """

    text: str | Sequence[str] = ""
    figures: Sequence[Figure | Sequence[Figure]] = ()
    tables: Sequence[Table] = ()
    parts: Sequence[Section] = ()
    title: str = ""
    folded: bool = False
    template: str = ""
    values: Mapping[str, Any] = {}

    @property
    def paragraphs(self) -> Sequence[str]:
        """The text as paragraphs."""
        return ([self.text] if self.text else []) if isinstance(self.text, str) else self.text


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """A section of the report that a bundle adds, for the runs on its suites.

    ``build`` gets a ``ReportView`` of these runs; None means that there is nothing to show.
    ``name`` is the section's id in the page: small letters, digits and hyphens.
    """

    name: str
    title: str
    build: Callable[[ReportView], Section | None]
    place: Place = "results"

    def __post_init__(self) -> None:
        if not re.fullmatch("[a-z][a-z0-9-]*", self.name):
            raise UsageError(
                f"a panel cannot be named {self.name!r}; use small letters, digits and hyphens, a letter first"
            )
        if self.place not in Place.__args__:  # type: ignore[attr-defined]
            raise UsageError(
                f"the panel {self.name!r} has the place {self.place!r}; available: {', '.join(Place.__args__)}"  # type: ignore[attr-defined]
            )
