"""From runs on disk to what a report shows."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from falter.errors import UsageError
from falter.measures import (
    Coverage,
    Score,
    blind_pairs,
    blindness,
    cover_runs,
    outcomes,
    prompt_groups,
    score_run,
    spread,
)
from falter.measures.outcomes import FACET
from falter.measures.robustness import robustness_of_frame
from falter.measures.vqabq import vqabq_of_run
from falter.probes import Suite, SuiteManifest
from falter.reporting.data import (
    BlindScore,
    CountedTest,
    ModelCard,
    ModelRobustness,
    ModelScore,
    ModelVqabq,
    PromptSpread,
    ReportData,
    Shown,
    SuiteCard,
)
from falter.reporting.failures import Chosen, Judged, failures_of
from falter.runs import Run

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FAILURES", "collect"]

FAILURES = 200
"""How many failed pairs the browser shows of each test and model."""

NOISY = "basic-questions"
"""The suite whose variants are noise of rising strength."""

_FACET_VALUES = range(2, 401)
"""A facet with one value says nothing; one with more than this is a name, not a facet."""

_MOST_WITH_INTERVALS = 120
"""Hundreds of values would take longer to draw intervals for than all else, and most of them are not shown."""

_DIGEST = re.compile("[0-9a-f]{40,128}")

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_LAYOUT = ("batch_size", "concurrency", "seed")
"""Settings that do not make the same weights another model."""


def collect(
    runs: Sequence[Run],
    *,
    title: str | None = None,
    failures: int = FAILURES,
    seed: int = 0,
    draws: int = 1000,
    subset: str | None = None,
    tick: Callable[[str], None] = lambda _: None,
) -> ReportData:
    """Scores, counts and failed pairs of runs, over one suite or several; ``subset`` as in :func:`score_run`."""
    runs = list({run.folder.resolve(): run for run in runs}.values())
    if not runs:
        raise UsageError("a report needs at least one run")
    suites = _suites(runs)
    models, place = _models(runs)
    data = ReportData(
        title=title or _title(models, suites),
        suites=[card_of(suite.manifest) for suite in suites.values()],
        models=models,
        scores=[],
        notes=_notes(runs),
    )
    for fingerprint, suite in suites.items():
        judged = []
        for number, run in enumerate(runs):
            if not _is_of(run, fingerprint):
                continue
            tick(models[place[number]].name)
            replies = run.replies()
            frame = outcomes(suite, replies, subset=subset)
            judged.append(Judged(place[number], frame, replies))
            scores = _scores(run, _facets(frame), seed, draws, subset)
            data.scores += [ModelScore(place[number], score) for score in scores]
            _under_noise(data, place[number], run, frame, seed, draws)
        own = [(run, at) for run, at in zip(runs, place, strict=True) if _is_of(run, fingerprint)]
        data.coverages += _coverages(own, subset)
        data.blindness += _blindness(own, seed, draws)
        data.spreads += _spreads(own, seed, draws)
        chosen = choose(judged, failures)
        data.shown += chosen.shown
        data.failures += failures_of(suite, judged, chosen, data.pictures)
    data.scores.sort(key=lambda entry: entry.model)
    return data


def _under_noise(data: ReportData, model: int, run: Run, frame: pl.DataFrame, seed: int, draws: int) -> None:
    """What a run on basic questions tells besides its scores."""
    noisy = frame.filter(frame["suite"] == NOISY)
    if not len(noisy):
        return
    for found in robustness_of_frame(noisy, seed=seed, draws=draws):
        data.robustness.append(ModelRobustness(model, found))
    data.vqabq += [ModelVqabq(model, found) for found in vqabq_of_run(run, seed=seed, draws=draws)]


def _is_of(run: Run, fingerprint: str) -> bool:
    return run.manifest.suite.fingerprint == fingerprint


def _coverages(runs: Sequence[tuple[Run, int]], subset: str | None) -> list[Coverage]:
    """How much of one another's right answers the models cover that were asked one suite."""
    if len(runs) < 2:
        return []
    places = [place for _, place in runs]
    return [
        msgspec.structs.replace(one, covering=places[one.covering], covered=places[one.covered])
        for one in cover_runs([run for run, _ in runs], subset=subset)
    ]


def _blindness(runs: Sequence[tuple[Run, int]], seed: int, draws: int) -> list[BlindScore]:
    """Models with their pictures beside themselves without."""
    return [
        BlindScore(runs[normal][1], runs[blind][1], score)
        for normal, blind in blind_pairs([run for run, _ in runs])
        for score in blindness(runs[normal][0], runs[blind][0], seed=seed, draws=draws)
    ]


def _spreads(runs: Sequence[tuple[Run, int]], seed: int, draws: int) -> list[PromptSpread]:
    """Models beside themselves under other prompts."""
    return [
        PromptSpread(tuple(runs[place][1] for place in places), one)
        for places in prompt_groups([run for run, _ in runs])
        for one in spread([runs[place][0] for place in places], seed=seed, draws=draws)
    ]


def choose(judged: Sequence[Judged], most: int) -> Chosen:
    """Of every test and model the same few failed pairs, drawn by a hash, so that models are seen on the same ones."""

    kept: dict[tuple[str, int], bytes] = {}
    counts = []
    for each in judged:
        frame = each.outcomes.filter(_failed(each.outcomes))
        keys = frame.select("suite", "test", "probe_id", "variant").rows()
        drawn: dict[tuple[str, str], list[tuple[bytes, str, int]]] = {}
        for suite, test, probe_id, variant in keys:
            drawn.setdefault((suite, test), []).append((_draw(probe_id, variant), probe_id, variant))
        for (suite, test), found in sorted(drawn.items()):
            first = sorted(found)[:most]
            kept |= {(probe_id, variant): rank for rank, probe_id, variant in first}
            counts.append((suite, test, each.model, len(found), len(first)))
    shown = [
        Shown(suite=suite, test=test, model=model, failed=failed, shown=seen)
        for suite, test, model, failed, seen in sorted(counts)
    ]
    return Chosen(kept, shown)


def _failed(frame: pl.DataFrame) -> pl.Expr:
    """Which pairs went wrong: an answer, or a foil that scored as high as its caption."""
    import polars as pl

    answered = pl.col("kept") & ~(pl.col("original_right") & pl.col("variant_right"))
    if "preferred" not in frame.columns:
        return answered
    return pl.when(pl.col("expects") == "prefer").then(~pl.col("preferred")).otherwise(answered)


def _draw(probe_id: str, variant: int) -> bytes:
    return hashlib.sha256(f"{probe_id}\n{variant}".encode("utf-8", "surrogatepass")).digest()[:8]


def _facets(frame: Any) -> dict[str, int]:
    """The facets worth a table, each with the number of its values."""
    names = [name for name in frame.columns if name.startswith(FACET)]
    if "preferred" in frame.columns:
        # They come together by piece anyway; a facet that is the same throughout a test tells nothing new.
        names = [name for name in names if _varies(frame, name)]
    sizes = {name.removeprefix(FACET): frame[name].drop_nulls().n_unique() for name in names}
    return {name: size for name, size in sizes.items() if size in _FACET_VALUES}


def _varies(frame: pl.DataFrame, column: str) -> bool:
    """Whether a column has several values within a test."""
    import polars as pl

    within = frame.group_by("suite", "test").agg(pl.col(column).n_unique().alias("values"))
    return bool((within["values"] > 1).any())


def _scores(run: Run, facets: dict[str, int], seed: int, draws: int, subset: str | None) -> list[Score]:
    """Tests and facets with intervals; facets of very many values, which are read for their tails, without."""
    few = [name for name, size in facets.items() if size <= _MOST_WITH_INTERVALS]
    many = [name for name in facets if name not in few]
    scores = score_run(run, by=few, seed=seed, draws=draws, subset=subset)
    if many:
        scores += [
            score
            for score in score_run(run, by=many, seed=seed, draws=0, subset=subset)
            if score.group.facet is not None
        ]
    return scores


def _suites(runs: Sequence[Run]) -> dict[str, Suite]:
    suites: dict[str, Suite] = {}
    for run in runs:
        suites.setdefault(run.manifest.suite.fingerprint, run.suite())
    twice = [name for name, number in Counter(suite.name for suite in suites.values()).items() if number > 1]
    if twice:
        raise UsageError(f"the runs are of different suites named {twice[0]!r}: make a report of each")
    return suites


def _models(runs: Sequence[Run]) -> tuple[list[ModelCard], list[int]]:
    """The models in the order they come, and the place of each run's model; runs of one model share a place."""
    places: dict[tuple[str, ...], int] = {}
    of_run: list[int] = []
    cards: list[ModelCard] = []
    taken: set[tuple[int, str]] = set()
    for run in runs:
        record, settings = run.manifest.model, run.manifest.settings
        told = {
            name: _said(value) for name, value in sorted(settings.items()) if name not in _LAYOUT and value is not None
        }
        if record.rule is not None:
            told["rule"] = record.rule
        if record.prompt_fingerprint is not None:
            told["prompt"] = record.prompt_fingerprint
        key = (record.name, record.fingerprint, *(f"{name}={value}" for name, value in told.items()))
        if (places.get(key, -1), run.manifest.suite.fingerprint) in taken:
            # The same model was run twice on one suite: each run is shown as a model of its own.
            key = (*key, str(run.folder))
        place = places.setdefault(key, len(cards))
        taken.add((place, run.manifest.suite.fingerprint))
        of_run.append(place)
        counts = run.manifest.counts or dict(Counter(run.replies()["status"].to_list()))
        if place == len(cards):
            cards.append(
                ModelCard(
                    name=record.name,
                    spec=record.spec,
                    fingerprint=record.fingerprint,
                    needs_image=record.needs_image,
                    complete=run.manifest.complete,
                    settings=told,
                    counts={name: number for name, number in counts.items() if number},
                )
            )
        else:
            cards[place] = _joined(cards[place], counts, run.manifest.complete)
    return _told_apart(cards, runs, of_run), of_run


def _joined(card: ModelCard, counts: dict[str, int], complete: bool) -> ModelCard:
    total = Counter(card.counts)
    total.update(counts)
    together = {name: number for name, number in total.items() if number}
    return msgspec.structs.replace(card, counts=together, complete=card.complete and complete)


def _told_apart(cards: list[ModelCard], runs: Sequence[Run], of_run: list[int]) -> list[ModelCard]:
    """Models of one name get the folder of their first run after it."""
    names = Counter(card.name for card in cards)
    return [
        card
        if names[card.name] == 1
        else msgspec.structs.replace(card, name=f"{card.name} ({runs[of_run.index(place)].folder.name})")
        for place, card in enumerate(cards)
    ]


def _notes(runs: Sequence[Run]) -> list[str]:
    notes = []
    for run in runs:
        name = run.manifest.model.name
        if not run.manifest.complete:
            notes.append(f"The run of {name} on {run.manifest.suite.name} is not complete: the rest is left out.")
        limit = run.manifest.settings.get("limit")
        if limit is not None:
            notes.append(f"{name} was asked {limit} probes of {run.manifest.suite.name}, not all.")
    return notes


def _title(models: Sequence[ModelCard], suites: dict[str, Suite]) -> str:
    tested = " and ".join(suite.name for suite in suites.values())
    if len(models) == 1:
        return f"Where {models[0].name} falters on {tested}"
    number = _NUMBERS[len(models)] if len(models) < len(_NUMBERS) else str(len(models))
    return f"Where {number} models falter on {tested}"


def card_of(manifest: SuiteManifest) -> SuiteCard:
    """A suite's manifest, ready to show."""
    tests = manifest.counts.get("tests")
    return SuiteCard(
        name=manifest.name,
        title=manifest.title,
        made_by=manifest.made_by,
        falter=manifest.falter,
        seed=manifest.seed,
        licence=manifest.licence,
        citation=manifest.citation,
        fingerprint=manifest.items_sha256,
        probes=_number(manifest.counts.get("probes")),
        items=_number(manifest.counts.get("items")),
        tests=tuple(_test_card(name, counts) for name, counts in tests.items()) if isinstance(tests, dict) else (),
        sources=tuple(
            "; ".join(f"{name}: {_said(value)}" for name, value in sorted(source.items(), key=_name_first))
            for source in manifest.sources
        ),
        parameters={name: _said(value) for name, value in manifest.parameters.items()},
        notes=tuple(manifest.notes),
    )


def _name_first(entry: tuple[str, Any]) -> tuple[bool, str]:
    return entry[0] != "name", entry[0]


def _test_card(name: str, counts: Any) -> CountedTest:
    if not isinstance(counts, dict):
        return CountedTest(test=name)
    answers = counts.get("answers")
    return CountedTest(
        test=name,
        probes=_number(counts.get("probes")),
        items=_number(counts.get("items")),
        answers={answer: _number(number) for answer, number in answers.items()} if isinstance(answers, dict) else {},
    )


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _said(value: Any) -> str:
    """A setting in words: paths by their last part, digests by their beginning, what is nested in a row."""
    if isinstance(value, str):
        shown = Path(value).name if value.startswith("/") else value
        return f"{shown[:12]}…" if _DIGEST.fullmatch(shown) else shown
    if isinstance(value, dict):
        return ", ".join(f"{name} ({_said(each)})" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_said(each) for each in value)
    return msgspec.json.encode(value).decode()
