"""What manifests say of the models and suites of a report.

Models of one name are told apart by what was set differently, else by the folders of their runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from falter.core.errors import UsageError
from falter.core.tables import format_count
from falter.core.untrusted_text import hide_address
from falter.data.suite import Suite, SuiteManifest
from falter.evaluation.reporting.report_data import CountedTest, ModelInfo, SuiteInfo
from falter.evaluation.reporting.svg_charts import shorten
from falter.evaluation.runs import Run
from falter.evaluation.runs.scored_items import copy_notes
from falter.evaluation.score_options import Subset

_LONGEST_LABEL = 32


def distinct_names(infos: list[ModelInfo], runs: Sequence[Run], of_run: list[int]) -> list[ModelInfo]:
    """Models of one name get after it what was set differently for the same weights.

    Other weights, or what would be long to tell, are told by the folders of the runs; where these are the same too, by
    more of their paths.
    """
    infos = _name_by_settings(infos)
    folders: list[list[tuple[str, ...]]] = [[] for _ in infos]
    for run, model in zip(runs, of_run, strict=True):
        folders[model].append(run.folder.resolve().parts)
    # A folder that has the model's name says nothing more than it: the folders above do.
    above = [
        [parts[:-1] if parts[-1] == info.name else parts for parts in own]
        for own, info in zip(folders, infos, strict=True)
    ]
    names = [info.name for info in infos]
    for paths in (above, folders):
        for depth in range(1, max((len(parts) for own in paths for parts in own), default=0) + 1):
            counts = Counter(names)
            if max(counts.values(), default=0) < 2:
                break
            names = [
                name if counts[name] == 1 else f"{info.name} ({_name_folders(own, depth)})"
                for name, info, own in zip(names, infos, paths, strict=True)
            ]
    return [msgspec.structs.replace(info, name=name) for info, name in zip(infos, names, strict=True)]


def _name_folders(folders: Sequence[tuple[str, ...]], depth: int) -> str:
    """The ends of the folders of a model's runs: two of them, and how many more there are."""
    first, *others = dict.fromkeys("/".join(parts[-depth:]) for parts in folders)
    if len(others) > 1:
        return f"{first} and {len(others)} more"
    return ", ".join([first, *others])


def _name_by_settings(infos: Sequence[ModelInfo]) -> list[ModelInfo]:
    """The same weights run with other settings: "(repeat 3)". What has no setting of its own keeps the bare name."""
    found = list(infos)
    groups: dict[tuple[str, str], list[int]] = {}
    for index, info in enumerate(infos):
        groups.setdefault((info.name, info.fingerprint), []).append(index)
    of_name = Counter(name for name, _ in groups)
    for (name, _), own in groups.items():
        if len(own) < 2 or of_name[name] > 1:
            continue
        labels = [_differing(infos[index], [infos[other] for other in own]) for index in own]
        if len(set(labels)) == len(own) and all(len(label) <= _LONGEST_LABEL for label in labels):
            for index, label in zip(own, labels, strict=True):
                found[index] = msgspec.structs.replace(infos[index], name=f"{name} ({label})" if label else name)
    return found


def _differing(info: ModelInfo, group: Sequence[ModelInfo]) -> str:
    """A model's settings that not all of a group share, in words."""
    shared = set.intersection(*({*one.settings.items()} for one in group))
    return ", ".join(
        f"{key.replace('_', ' ')} {value}" for key, value in info.settings.items() if (key, value) not in shared
    )


_DIGEST = re.compile("[0-9a-f]{40,128}")

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

LONGEST_NAME = 48
"""Longer names of models have an ellipsis in the middle; the whole name is among the settings."""

_LAYOUT = ("batch_size", "concurrency", "limit", "seed")
"""Settings that do not make the same weights another model; a note tells of a limit."""

_MOST_NAMED = 6

_NOTES = {
    "shard": (
        "The run of {names} on {suite} is part {detail} of a run.",
        "The runs of {names} on {suite} are part {detail} of a run each.",
    ),
    "incomplete": (
        "The run of {names} on {suite} is not complete; missing replies are excluded.",
        "The runs of {names} on {suite} are not complete; missing replies are excluded.",
    ),
    "limit": ("{names} ran on {detail} of {suite}, not on all.",) * 2,
}
"""By what is the matter: what is said of one run, and of several."""


def distinct_suites(runs: Sequence[Run]) -> dict[str, Suite]:
    """The suites of the runs, by their fingerprints."""
    suites: dict[str, Suite] = {}
    for run in runs:
        suites.setdefault(run.manifest.suite.fingerprint, run.suite())
    for name, number in Counter(suite.name for suite in suites.values()).items():
        if number > 1:
            first = {run.manifest.suite.fingerprint: run for run in reversed(runs) if run.manifest.suite.name == name}
            folders = " and ".join(str(run.folder) for run in [*reversed(first.values())][:2])
            raise UsageError(f"the runs are of different suites named {name!r} ({folders}); write a report of each")
    return suites


def model_infos(runs: Sequence[Run]) -> tuple[list[ModelInfo], list[int]]:
    """The models in the order of their runs, and for each run the index of its model; runs of one model share it."""
    indices: dict[tuple[str, ...], int] = {}
    of_run: list[int] = []
    infos: list[ModelInfo] = []
    taken: set[tuple[int, str]] = set()
    for run in runs:
        record, settings = run.manifest.model, run.manifest.settings
        shown = {
            setting: _format_setting(value)
            for setting, value in sorted(settings.items())
            if setting not in _LAYOUT and value is not None
        }
        if record.rule is not None:
            shown["method"] = record.rule
        if record.prompt_fingerprint is not None:
            shown["prompt"] = record.prompt_fingerprint
        name = shorten(record.name, LONGEST_NAME)
        if name != record.name:
            shown["name"] = record.name
        key = (record.name, record.fingerprint, *(f"{name}={value}" for name, value in shown.items()))
        if (indices.get(key, -1), run.manifest.suite.fingerprint) in taken:
            # The same model was run twice on one suite: each run is shown as a model of its own.
            key = (*key, str(run.folder))
        index = indices.setdefault(key, len(infos))
        taken.add((index, run.manifest.suite.fingerprint))
        of_run.append(index)
        counts = run.status_counts()
        if index == len(infos):
            infos.append(
                ModelInfo(
                    name=name,
                    spec=hide_address(record.spec),
                    fingerprint=record.fingerprint,
                    uses_images=uses_images(run),
                    complete=run.manifest.complete,
                    settings=shown,
                    counts={name: number for name, number in counts.items() if number},
                )
            )
        else:
            infos[index] = _merge(infos[index], counts, run.manifest.complete)
    return distinct_names(infos, runs, of_run), of_run


_WITHOUT_THE_IMAGE = {"none": "no image given", "blank": "a blank image given", "shuffle": "another image given"}
_TEXT_ONLY = ("builtin", "lm")
"""Backends whose models use an image only if they declare it."""


def uses_images(run: Run) -> str:
    """What is known of a model's use of images; what neither it nor its backend declares is unknown."""
    record, given = run.manifest.model, run.manifest.settings.get("image")
    backend = record.spec.partition(":")[0]
    if given is not None:
        return _WITHOUT_THE_IMAGE.get(str(given), f"image: {given}")
    if record.needs_image:
        return "sent, use unknown" if backend == "openai" else "yes"
    return "no" if backend in _TEXT_ONLY else "unknown"


def _merge(info: ModelInfo, counts: dict[str, int], complete: bool) -> ModelInfo:
    total = Counter(info.counts)
    total.update(counts)
    merged = {name: number for name, number in total.items() if number}
    return msgspec.structs.replace(info, counts=merged, complete=info.complete and complete)


def run_notes(runs: Sequence[Run], subset: Subset | None = None) -> list[str]:
    """What a reader must know of runs that are not of the whole suite, and of copies in it.

    Models of which the same is true share a note.
    """
    found: dict[tuple[str, str, str], list[str]] = {}
    for run in runs:
        name, suite = shorten(run.manifest.model.name, LONGEST_NAME), run.manifest.suite.name
        limit = run.manifest.settings.get("limit")
        true_of_it = {
            "shard": "" if run.shard is None else str(run.shard),
            "incomplete": "" if run.manifest.complete else "yes",
            "limit": "" if limit is None else format_count(limit, "probes"),
        }
        for kind, detail in true_of_it.items():
            if detail:
                found.setdefault((kind, detail, suite), []).append(name)
    copies = dict.fromkeys(f"{line[:1].upper()}{line[1:]}." for run in runs for line in copy_notes(run, subset))
    notes = [
        _NOTES[kind][len(names) > 1].format(names=list_names(list(dict.fromkeys(names))), suite=suite, detail=detail)
        for (kind, detail, suite), names in found.items()
    ]
    return [*notes, *copies]


def list_names(names: Sequence[str]) -> str:
    """Names in a row; of many the first, and how many more there are.

    >>> list_names(["a", "b", "c"])
    'a, b and c'
    """
    shown = (
        [*names] if len(names) <= _MOST_NAMED else [*names[: _MOST_NAMED - 1], f"{len(names) - _MOST_NAMED + 1} more"]
    )
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def report_title(models: Sequence[ModelInfo], suites: Iterable[Suite]) -> str:
    """The heading of a report that was given none."""
    *names, last = (suite.name for suite in suites)
    tested = f"{', '.join(names)} and {last}" if names else last
    if len(models) == 1:
        return f"Where {models[0].name} falters on {tested}"
    number = _NUMBERS[len(models)] if len(models) < len(_NUMBERS) else str(len(models))
    return f"Where {number} models falter on {tested}"


def suite_info(manifest: SuiteManifest) -> SuiteInfo:
    """A suite's manifest, ready to show."""
    tests = manifest.counts.get("tests")
    return SuiteInfo(
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
        tests=tuple(_test_info(name, counts) for name, counts in tests.items()) if isinstance(tests, dict) else (),
        sources=tuple(_format_source(source) for source in manifest.sources),
        parameters={name: _format_setting(value) for name, value in manifest.parameters.items()},
        notes=tuple(manifest.notes),
    )


def _format_source(source: Mapping[str, Any]) -> str:
    """A source in words: its name and files with their digests, what else is told of it, and its licence last.

    >>> _format_source({"name": "gqa", "files": {"graphs": {"name": "val.json", "sha256": "b6" * 32}}, "licence": "BY"})
    'gqa: val.json (sha256 b6b6b6b6b6b6…); licence: BY'
    """
    others = {name: value for name, value in source.items() if name not in ("name", "files", "sha256", "licence")}
    files, digest = _format_files(source.get("files")), source.get("sha256")
    if isinstance(digest, str):
        files = f"{files} (sha256 {_format_setting(digest)})".strip()
    told = [": ".join(filter(None, [_format_setting(source.get("name", "")), files]))]
    told += [f"{name.replace('_', ' ')}: {_format_setting(value)}" for name, value in sorted(others.items())]
    if "licence" in source:
        told.append(f"licence: {_format_setting(source['licence'])}")
    return "; ".join(filter(None, told))


def _format_files(files: Any) -> str:
    """The files of a source by their names, or how many they are."""
    if files is None:
        return ""
    if isinstance(files, int):
        return format_count(files, "files")
    if isinstance(files, dict):
        files = list(files.values())
    if not isinstance(files, list | tuple):
        return _format_setting(files)
    return ", ".join(_format_file(file) for file in files)


def _format_file(file: Any) -> str:
    if not isinstance(file, dict) or not isinstance(file.get("name"), str):
        return _format_setting(file)
    name, digest = file["name"], file.get("sha256")
    return f"{name} (sha256 {_format_setting(digest)})" if isinstance(digest, str) else name


def _test_info(name: str, counts: Any) -> CountedTest:
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


def _format_setting(value: Any) -> str:
    """A setting as text: paths by their last part, digests by their first digits, nested values in a row."""
    if value is None:
        return "none"
    if isinstance(value, str):
        shown = Path(value).name if value.startswith("/") else value
        return f"{shown[:12]}…" if _DIGEST.fullmatch(shown) else shown
    if isinstance(value, dict):
        return ", ".join(f"{name} ({_format_setting(each)})" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_format_setting(each) for each in value)
    return msgspec.json.encode(value).decode()
