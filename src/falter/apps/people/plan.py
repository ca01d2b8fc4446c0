"""Making a study of a suite: a sample of whole probes, questions about them, controls, and tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from random import Random

import msgspec

from falter.apps.people.questions import (
    can_ask,
    compose_tasks,
    make_controls,
    make_questions,
    require_probes,
    sureness,
)
from falter.apps.people.study import (
    ANSWERS_NAME,
    STUDY_FOLDER,
    Form,
    Study,
    StudyManifest,
    StudyQuestion,
    load_form,
    open_study,
    write_study,
)
from falter.core.errors import InputError, UsageError, warn_user
from falter.core.files import refuse_full_folder, sha256_of_bytes
from falter.data.items import Item, Probe
from falter.data.suite import Suite
from falter.data.thumbnails import thumbnail
from falter.evaluation.runs.asked import select_probes
from falter.evaluation.runs.manifest import path_to_suite

_IMAGE_SIDE = 1600
_MOST_CONTROLS = 60
_QUALIFICATION = 4
_CANDIDATES = 400


def plan_study(
    suite: Suite,
    out: Path,
    *,
    task: str | Path = "answer",
    sample: int | None = 100,
    per_item: int = 3,
    seed: int = 0,
    task_length: int = 24,
    controls: int = 4,
    control_suite: Suite | None = None,
    probe_ids: Collection[str] | None = None,
    overwrite: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> Study:
    """Write a study: ``sample`` probes in turn from each test (None: all), each question for ``per_item`` people.

    Controls come from ``control_suite``, else from the surest probes that are not in the sample. ``probe_ids`` takes
    the place of the sample. The same suite and seed give the same bytes.
    """
    form = load_form(task)
    _check_numbers(sample, per_item)
    if overwrite and (out / ANSWERS_NAME).exists():
        raise UsageError(f"{out} holds answers of people; move it away, or choose another --out")
    inputs = [suite.folder, *([] if control_suite is None else [control_suite.folder])]
    inputs += [Path(task)] if Path(task).is_file() else []
    refuse_full_folder(out, overwrite=overwrite, kind=STUDY_FOLDER, inputs=inputs)
    chosen = _choose(suite, sample, seed, probe_ids)
    probes, others, sizes = _split(suite, form, chosen)
    require_probes(str(suite.folder), form, len(probes))
    missing = sorted(set(probe_ids or ()) - {probe.probe_id for probe in probes})
    if missing:
        raise InputError(suite.folder, f"has no probe {missing[0]!r:.80} that can be asked", hint="check --probes")
    images = _Images(progress)
    questions = list(make_questions(form, probes, images.name_in(suite), seed))
    source = suite if control_suite is None else control_suite
    candidates = _surest(control_suite.probes(), form) if control_suite is not None else others or probes
    most = min(_MOST_CONTROLS, max(controls, 1) * 10) + _QUALIFICATION if controls else 0
    known = make_controls(form, candidates, most, images.name_in(source), seed)
    if controls and len(known) < controls:
        raise InputError(
            source.folder,
            f"has {len(known)} questions whose answers are known, fewer than {controls} controls",
            hint="give fewer --controls, or another suite with --control-suite",
        )
    named = _number([*questions, *known], seed)
    asked, controlling = named[: len(questions)], named[len(questions) :]
    # People are told the answers to these: tasks have others.
    qualifying = min(_QUALIFICATION, len(controlling) - controls)
    if controls and qualifying < _QUALIFICATION:
        warn_user(
            f"{source.folder} has {len(known)} questions whose answers are known: {controls} are for controls, so the "
            f"qualification has {qualifying} of {_QUALIFICATION}; give another suite with --control-suite for more"
        )
    tasks = compose_tasks(asked, controlling[qualifying:], length=task_length, controls_each=controls, seed=seed)
    drawn = Counter(probe.original.test for probe in probes)
    manifest = StudyManifest(
        form=form,
        suite=suite.name,
        suite_path=path_to_suite(out, suite.folder),
        suite_sha256=suite.fingerprint,
        seed=seed,
        per_item=per_item,
        strata={test: (drawn[test], sizes[test]) for test in sorted(sizes)},
        qualification=tuple(one.question_id for one in controlling[:qualifying]),
        parameters={
            "sample": None if probe_ids is not None else sample,
            "task_length": task_length,
            "controls": controls,
            "probes": sorted(probe_ids) if probe_ids is not None else None,
        },
    )
    ordered = sorted((*asked, *controlling), key=lambda one: one.question_id)
    write_study(out, manifest, ordered, tasks, images.files, overwrite=overwrite, inputs=inputs)
    return open_study(out)


def _check_numbers(sample: int | None, per_item: int) -> None:
    if sample is not None and sample < 1:
        raise UsageError(f"a sample has one probe at least, not {sample}")
    if per_item < 1:
        raise UsageError(f"one person at least answers a question, not {per_item}")


def _choose(suite: Suite, sample: int | None, seed: int, probe_ids: Collection[str] | None) -> frozenset[str] | None:
    if probe_ids is not None:
        return frozenset(probe_ids)
    return None if sample is None else select_probes(suite, limit=sample, seed=seed)


def _split(suite: Suite, form: Form, chosen: frozenset[str] | None) -> tuple[list[Probe], list[Probe], dict[str, int]]:
    """The probes of the sample, some surest ones beside it, and how many probes each test has."""
    probes: list[Probe] = []
    rest: list[Probe] = []
    sizes: Counter[str] = Counter()
    for probe in suite.probes():
        if not can_ask(form, probe):
            continue
        sizes[probe.original.test] += 1
        if chosen is None or probe.probe_id in chosen:
            probes.append(probe)
        else:
            rest.append(probe)
            if len(rest) >= 2 * _CANDIDATES:
                rest = _surest(rest, form)
    return probes, _surest(rest, form), sizes


def _surest(probes: Iterable[Probe], form: Form) -> list[Probe]:
    ranked = sorted((one for one in probes if can_ask(form, one)), key=lambda one: (-sureness(one), one.probe_id))
    return ranked[:_CANDIDATES]


def _number(questions: list[StudyQuestion], seed: int) -> list[StudyQuestion]:
    """Ids in a drawn order, so that they say nothing about tests, roles and controls."""
    places = list(range(1, len(questions) + 1))
    Random(f"people ids\n{seed}").shuffle(places)
    return [
        msgspec.structs.replace(one, question_id=f"q{place:06d}") for one, place in zip(questions, places, strict=True)
    ]


class _Images:
    """Copies of images, named by the hash of their bytes: no name, metadata or odd format is passed on."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        self.files: dict[str, bytes] = {}
        self._names: dict[tuple[Path, str | None], str] = {}
        self._progress = progress

    def name_in(self, suite: Suite) -> Callable[[Item], str | None]:
        def name(item: Item) -> str | None:
            if item.image is None and item.image_id is None:
                return None
            path = suite.image_path(item)
            if path is None:
                raise InputError(
                    suite.folder,
                    f"has no file for image {item.image_id!r:.80}",
                    record=item.probe_id,
                    hint="give the folder of its images with --image-dir",
                )
            key = (path, item.image_sha256)
            if key not in self._names:
                found = thumbnail(path, side=_IMAGE_SIDE, quality=90, sha256=item.image_sha256)
                if found.data is None:
                    raise InputError(path, f"cannot be shown: it is {found.problem}", record=item.probe_id)
                ending = "png" if found.data.startswith(b"\x89PNG") else "jpg"
                self._names[key] = f"{sha256_of_bytes(found.data)[:24]}.{ending}"
                self.files[self._names[key]] = found.data
                self._progress(1)
            return self._names[key]

        return name
