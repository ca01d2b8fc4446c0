"""GQA's own evaluation: accuracy by type, consistency, validity, plausibility, distribution; and its command."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
import typer

from falter.cli.options import AsJson, SuiteFolder
from falter.cli.output import out, print_json, print_table
from falter.core.errors import InputError, UsageError
from falter.core.files import JsonDecoder, map_json
from falter.core.tables import format_count
from falter.data.model import own_id
from falter.evaluation.answers.open_answers.reply_claims import given_answer
from falter.suites.benchmarks.gqa.release import Entailments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from falter.evaluation.runs import Run

_BY = ("structural", "semantic", "detailed", "steps", "words")
_COMMON = ("color", "material", "shape")
"""The answers that are valid where a question asks what two things have in common."""
_extra = JsonDecoder(Entailments, "what a question entails")


class _Choices(msgspec.Struct):
    valid: list[str] = msgspec.field(default_factory=list)
    plausible: list[str] = msgspec.field(default_factory=list)


_choices = JsonDecoder(_Choices, "the valid and plausible answers of a question")


class _Asked(NamedTuple):
    id: str
    gold: str
    balanced: bool
    facets: Mapping[str, str]
    entailments: Entailments


class OfficialScores(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of one run; None where the files that were given do not allow one. Distribution: lower is better."""

    run: str
    questions: int
    accuracy: float | None
    binary: float | None
    open: float | None
    consistency: float | None
    validity: float | None
    plausibility: float | None
    distribution: float | None
    by: dict[str, dict[str, tuple[float, int]]]
    """By type of question the accuracy for each value, with the number of questions."""
    notes: tuple[str, ...] = ()


def official_scores(run: Run, *, choices: str | Path | None = None) -> OfficialScores:
    """Score a run on an imported GQA as its authors' evaluation does.

    ``choices`` is the file of valid and plausible answers (``val_choices.json``), without which there is neither
    validity nor plausibility. Consistency is over the entailed questions that the run answers.
    """
    asked = list(_asked(run))
    if not asked:
        raise UsageError(f"{run.folder} is no run on a suite of falter import gqa")
    written = _predictions(run)
    said = {one: text.lower() for one, text in written.items()}
    answered = {one.id: said[one.id] == one.gold for one in asked if one.id in said}
    balanced = [one for one in asked if one.balanced and one.id in said]
    missing = sum(one.balanced and one.id not in said for one in asked)
    notes = []
    if missing:
        notes.append(f"{format_count(missing, 'balanced questions')} without an answer: in no score")
    capitals = sum(answered[one.id] and written[one.id] != one.gold for one in balanced)
    if capitals:
        notes.append(
            f"{format_count(capitals, 'answers')} correct but for capital letters, which GQA's own program takes for "
            "wrong"
        )
    consistency, absent = _consistency(balanced, answered)
    if absent:
        notes.append(f"{format_count(absent, 'entailed questions')} not in the run: consistency is over the others")
    known = None if choices is None else map_json(Path(choices), dict[str, msgspec.Raw], what="a file of choices")
    return OfficialScores(
        run=str(run.folder),
        questions=len(balanced),
        accuracy=_percent(answered[one.id] for one in balanced),
        binary=_percent(answered[one.id] for one in balanced if one.facets.get("form") == "binary"),
        open=_percent(answered[one.id] for one in balanced if one.facets.get("form") == "open"),
        consistency=consistency,
        validity=_belonging(balanced, said, known, "valid", choices),
        plausibility=_belonging(balanced, said, known, "plausible", choices),
        distribution=_distribution(balanced, said),
        by={name: _by_facet(balanced, answered, name) for name in _BY},
        notes=tuple(notes),
    )


def _asked(run: Run) -> Iterator[_Asked]:
    probes = run.probe_ids()
    for item in run.suite().items():
        if item.suite != "gqa" or item.source_id is None or item.gold is None:
            continue
        if probes is None or item.probe_id in probes:
            extra = _extra.decode(item.extra, run.folder, record=item.source_id) if item.extra else Entailments()
            yield _Asked(item.source_id, item.gold, not item.test.endswith("-unbalanced"), item.facets, extra)


def _predictions(run: Run) -> dict[str, str]:
    """By question what was said, taken out of a wrapping; exact comparison is in lower case."""
    said: dict[str, str] = {}
    for row in run.replies().iter_rows(named=True):
        if row["status"] not in ("ok", "unparsed"):
            continue
        text = row["answer"] if row.get("given") or row["text"] is None else row["text"]
        said[row["item_id"]] = given_answer(text or "")
    found: dict[str, str] = {}
    for item in run.suite().items():
        if item.source_id is not None:
            answer = said.get(own_id(item.item_id, item.source_id), said.get(item.item_id))
            if answer is not None:
                found[item.source_id] = answer
    return found


def _percent(values: Iterable[float]) -> float | None:
    found = [float(value) for value in values]
    return sum(found) / len(found) * 100 if found else None


def _by_facet(asked: Iterable[_Asked], answered: Mapping[str, bool], name: str) -> dict[str, tuple[float, int]]:
    groups: dict[str, list[bool]] = defaultdict(list)
    for one in asked:
        if name in one.facets:
            groups[one.facets[name]].append(answered[one.id])
    order = sorted(groups, key=lambda value: (int(value) if value.isdigit() else 0, value))
    return {value: (sum(groups[value]) / len(groups[value]) * 100, len(groups[value])) for value in order}


def _consistency(balanced: Iterable[_Asked], answered: Mapping[str, bool]) -> tuple[float | None, int]:
    """The mean, over questions answered correctly, of the share of entailed ones that are; and how many are absent."""
    shares, absent = [], 0
    for one in balanced:
        if not answered[one.id]:
            continue
        there = [answered[other] for other in one.entailments.entailed if other in answered]
        absent += len(one.entailments.entailed) - len(there)
        if there:
            shares.append(sum(there) / len(there))
    return _percent(shares), absent


def _belonging(
    balanced: Iterable[_Asked],
    said: Mapping[str, str],
    choices: Mapping[str, msgspec.Raw] | None,
    kind: str,
    path: Any,
) -> float | None:
    """The share of answers that are among those that a question can have, or has anywhere in GQA."""
    if choices is None:
        return None
    found = []
    for one in balanced:
        if one.id not in choices:
            raise InputError(path, f"has no choices for the question {one.id}", hint="give the file of the same tier")
        own = _choices.decode(choices[one.id], path, record=one.id)
        group = _COMMON if "Common" in one.facets.get("detailed", "") else getattr(own, kind)
        found.append(said[one.id] in group)
    return _percent(found)


def _distribution(balanced: Iterable[_Asked], said: Mapping[str, str]) -> float | None:
    """The chi-square statistic of answers against golds within groups, weighted by the groups' sizes, over 100."""
    gold: dict[str, Counter[str]] = defaultdict(Counter)
    predicted: dict[str, Counter[str]] = defaultdict(Counter)
    for one in balanced:
        group = one.entailments.group
        if group is not None:
            gold[group][one.gold] += 1
            predicted[group][said[one.id]] += 1
    total = weights = 0.0
    for group, expected in gold.items():
        statistic = sum((predicted[group][answer] - count) ** 2 / count for answer, count in expected.items())
        total += statistic * expected.total()
        weights += expected.total()
    return total / weights / 100 if weights else None


_SCORES = ("accuracy", "binary", "open", "consistency", "validity", "plausibility", "distribution")


def scores_command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, or folders of run folders, on an imported GQA.")],
    *,
    choices: Annotated[
        Path | None,
        typer.Option(
            "--choices", metavar="FILE", help="GQA's file of valid and plausible answers, such as val_choices.json."
        ),
    ] = None,
    suite: SuiteFolder = None,
    json: AsJson = False,
) -> None:
    """Score runs as GQA's own evaluation does, in percent; distribution is a distance, lower is better.

    A score that the files do not allow is left out: validity and plausibility need --choices, consistency the entailed
    questions (those of val_all_questions.json).

    Example: falter gqa scores runs/mine --choices val_choices.json
    """
    from falter.api.paths import as_runs

    found = [official_scores(run, choices=choices) for run in as_runs(runs, suite)]
    if json:
        print_json(found)
        return
    print_table(_blocks(found))
    for one in found:
        for note in one.notes:
            out.print(f"{Path(one.run).name}: {note}")


def _blocks(found: Sequence[OfficialScores]) -> list[Any]:
    from rich.text import Text

    from falter.core.tables import Column, Grid

    def columns(cells: Sequence[Sequence[str]]) -> list[Column]:
        return [
            Column(Path(one.run).name, [Text(cell) for cell in own], right=True)
            for one, own in zip(found, cells, strict=True)
        ]

    whole = [[_format(getattr(one, name)) for name in _SCORES] for one in found]
    blocks: list[Any] = [Grid([Column("score", [Text(name) for name in _SCORES])], columns(whole))]
    for name in found[0].by:
        values = list(dict.fromkeys(value for one in found for value in one.by[name]))
        if values:
            cells = [[_format(*one.by[name].get(value, (None,))) for value in values] for one in found]
            blocks += ["", Grid([Column(name, [Text(value) for value in values])], columns(cells))]
    return blocks


def _format(value: float | None, questions: int | None = None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if questions is None else f"{value:.2f} ({questions:,})"
