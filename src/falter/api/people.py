"""``falter.people``: studies of a suite, pages to answer on, votes, agreement and human baselines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from falter.api.paths import PathOrStr, SourceLike, SuiteLike, as_source, as_suite
from falter.api.people_tables import ErrorRates, PeopleAgreement, Validation
from falter.core.errors import UsageError
from falter.core.progress import no_progress

if TYPE_CHECKING:
    from falter.apps.people.judgements import Method, PersonJudgement
    from falter.apps.people.site import ServedStudy
    from falter.apps.people.store import AnswerStore
    from falter.apps.people.study import Study
    from falter.data.suite import Suite
    from falter.evaluation.runs import Run
    from falter.generation.inspection.debias import PairSubset


def plan(
    suite: SuiteLike,
    *,
    out: PathOrStr,
    task: PathOrStr = "answer",
    sample: int | None = 100,
    per_item: int = 3,
    seed: int = 0,
    task_length: int = 24,
    controls: int = 4,
    control_suite: SuiteLike | None = None,
    probe_ids: Sequence[str] | None = None,
    overwrite: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Study:
    """Write a study: tasks for people about a sample of a suite's probes, taken in turn from each test.

    ``task`` is answer, validate, caption-or-foil, pairs or a YAML file of one's own. ``sample`` is the number of probes
    (None: all), ``per_item`` how many people answer each question. Controls come from ``control_suite``, else from the
    suite's surest probes beside the sample. ``probe_ids`` takes the place of the sample.
    """
    from falter.apps.people.plan import plan_study

    return plan_study(
        as_suite(suite),
        Path(out),
        task=task if isinstance(task, Path) else str(task),
        sample=sample,
        per_item=per_item,
        seed=seed,
        task_length=task_length,
        controls=controls,
        control_suite=None if control_suite is None else as_suite(control_suite),
        probe_ids=probe_ids,
        overwrite=overwrite,
        progress=progress or no_progress,
    )


@contextmanager
def serve(
    study: PathOrStr,
    *,
    annotators: int | Sequence[str] = 0,
    host: str = "127.0.0.1",
    port: int | None = None,
    public_url: str | None = None,
    return_after: float = 3600.0,
) -> Iterator[ServedStudy]:
    """Serve the pages of a study; ``with served.server:`` answers in the background, ``served.server.run()`` here."""
    from falter.core.optional_packages import require_packages

    require_packages("starlette", "uvicorn", what="the page", extra="people")
    from falter.apps.people.site import serve_study
    from falter.apps.people.study import open_study

    with serve_study(
        open_study(Path(study)),
        annotators=annotators,
        host=host,
        port=port,
        public_url=public_url,
        return_after=return_after,
    ) as served:
        yield served


class CollectedVotes(NamedTuple):
    """How many answers were new, how many there are, and what they say of the suite where votes were written."""

    added: int
    answers: int
    validation: Validation | None


def collect_votes(
    study: PathOrStr,
    *,
    files: Sequence[PathOrStr] = (),
    out: PathOrStr | None = None,
    suite: SuiteLike | None = None,
    screen: float = 0.0,
    subset: PairSubset = "all",
    overwrite: bool = False,
) -> CollectedVotes:
    """Read answers that were given elsewhere into a study, and write its suite with the votes of all who count.

    ``files`` are exports of Label Studio, batch results of Mechanical Turk, what the saved page gives, or CSV, JSONL,
    JSON and Parquet with the columns question_id (or probe_id), annotator and answer. ``out`` gets the suite with
    ``votes.parquet`` and the facets ``valid`` and ``unanimous``.
    """
    from falter.apps.people.judgements import make_votes
    from falter.apps.people.platforms import collect_file
    from falter.generation.inspection.mark_votes import write_voted

    opened = _open(study)
    store = _open_store(opened)
    try:
        added = sum(collect_file(opened, store, Path(file)) for file in files)
    finally:
        store.close()
    judgements, _ = _judgements(opened)
    if out is None:
        return CollectedVotes(added, len(judgements), None)
    if opened.form.confirms is None:
        raise UsageError(f"answers to {opened.form.name} confirm no label: its file has no key confirms")
    if not judgements:
        raise UsageError(f"{study} has no answers yet")
    found = write_voted(
        _suite(opened, suite),
        make_votes(judgements),
        Path(out),
        made_by="falter people collect",
        source=opened.folder.name,
        screen=screen,
        subset=subset,
        overwrite=overwrite,
        inputs=[opened.folder, *map(Path, files)],
    )
    return CollectedVotes(added, len(judgements), Validation(found.tests, found.screened))


def export(
    study: PathOrStr, to: str, *, out: PathOrStr, image_url: str | None = None, overwrite: bool = False
) -> dict[str, int]:
    """Write the tasks of a study for ``label-studio``, ``mturk`` or ``prolific``; gives by file the number of entries.

    Images are named by ``image_url`` followed by their file's name, as in the study's folder ``images``; without it
    they are in the files themselves.
    """
    from falter.apps.people.platforms import export_crowd, export_label_studio
    from falter.core.files import read_bytes, refuse_full_folder
    from falter.data.thumbnails import data_uri

    opened = _open(study)
    target = Path(out)
    refuse_full_folder(target, overwrite=overwrite, inputs=[opened.folder])

    def locate(name: str) -> str:
        if image_url is not None:
            return f"{image_url.rstrip('/')}/{name}"
        return data_uri(read_bytes(opened.image_path(name)))

    if to == "label-studio":
        return export_label_studio(opened, target, locate, overwrite=overwrite)
    if to == "prolific":
        return export_crowd(opened, target, locate, embed=True, overwrite=overwrite)
    if to != "mturk":
        raise UsageError(f"a study is written for label-studio, mturk or prolific, not {to!r:.40}")
    if image_url is None and any(one.image is not None for one in opened.questions.values()):
        raise UsageError("Mechanical Turk needs images at an address: put the folder images there, pass --image-url")
    return export_crowd(opened, target, locate, embed=False, overwrite=overwrite)


def as_run(
    study: PathOrStr,
    *,
    out: PathOrStr,
    suite: SuiteLike | None = None,
    annotator: str | None = None,
    method: Method = "majority",
    overwrite: bool = False,
) -> Run:
    """Make a run of what people say together, or of one ``annotator``, to be scored and compared like any other."""
    from falter.apps.people.judgements import write_people_run
    from falter.evaluation.runs import open_run

    opened = _open(study)
    judgements, _ = _judgements(opened)
    write_people_run(
        opened,
        _suite(opened, suite),
        judgements,
        Path(out),
        method=method,
        annotator=annotator,
        overwrite=overwrite,
    )
    return open_run(Path(out), suite_folder=None if suite is None else as_suite(suite).folder)


def agreement(study: PathOrStr, *, method: Method = "majority") -> PeopleAgreement:
    """How far people agree, how often they are right, and how each of them does, with 95 % intervals."""
    from falter.apps.people.agreement import measure_agreement

    judgements, controls = _judgements(_open(study))
    if not judgements:
        raise UsageError(f"{study} has no answers yet")
    return PeopleAgreement(*measure_agreement(judgements, controls, method=method))


def error_rate(
    studies: PathOrStr | Sequence[PathOrStr],
    *,
    suite: SuiteLike | None = None,
    scenes: SourceLike | None = None,
    next_number: int = 0,
    method: Method = "majority",
) -> ErrorRates:
    """Estimate the error rate of a whole suite from the votes of one or several studies of it.

    Predictions sharpen it: text-only baselines, and the audit where ``scenes`` names the suite's source. The estimate
    is right whatever they are worth. ``next_number`` chooses the probes whose votes would shrink the interval most.
    """
    from falter.apps.people.error_rate import estimate_errors, label_probes
    from falter.generation.english import default_grammar
    from falter.generation.inspection.audit import suspect_labels

    several = [studies] if isinstance(studies, str | Path) or not isinstance(studies, Sequence) else list(studies)
    opened = [_open(one) for one in several]
    if len({one.manifest.suite_sha256 for one in opened}) != 1 or len({one.form.name for one in opened}) != 1:
        raise UsageError("the studies must be of one suite and one task")
    first = opened[0]
    if first.form.confirms is None:
        raise UsageError(f"answers to {first.form.name} confirm no label: its file has no key confirms")
    wrong: dict[str, bool] = {}
    for one in opened:
        wrong |= label_probes(_judgements(one)[0], method)
    found_suite = _suite(first, suite)
    source = as_source(scenes)
    suspicions = suspect_labels(found_suite, source, None if source is None else default_grammar())
    found = estimate_errors(
        found_suite, first.form, wrong, suspicions, seed=first.manifest.seed, next_number=next_number
    )
    return ErrorRates(found.tests, found.next_probes)


def add_votes(
    suite: SuiteLike,
    votes: PathOrStr,
    *,
    out: PathOrStr,
    screen: float = 0.7,
    subset: PairSubset = "all",
    overwrite: bool = False,
) -> Validation:
    """Write a suite with the votes of annotators on its pairs, marked as valid and unanimous; give the agreement.

    ``votes`` is a CSV, JSONL, JSON or Parquet file with the columns probe_id, annotator and answer. Annotators who
    choose the caption in less than ``screen`` of their votes do not count; ``subset`` leaves out other pairs.
    """
    from falter.generation.inspection.mark_votes import mark_votes

    found = mark_votes(as_suite(suite), Path(votes), Path(out), screen=screen, subset=subset, overwrite=overwrite)
    return Validation(found.tests, found.screened)


def refuse_study_file(path: PathOrStr, studies: Sequence[PathOrStr]) -> None:
    """Refuse to write over a file of studies that are read."""
    from falter.apps.people.study import ANSWERS_NAME, STUDY_FOLDER
    from falter.core.files import refuse_input_file

    folders = [Path(study) for study in studies]
    refuse_input_file(Path(path), [one / ANSWERS_NAME for one in folders], [(one, STUDY_FOLDER) for one in folders])


def _open(study: PathOrStr) -> Study:
    from falter.apps.people.study import open_study

    return open_study(Path(study))


def _open_store(study: Study) -> AnswerStore:
    from falter.apps.people.store import AnswerStore

    return AnswerStore(study)


def _judgements(study: Study) -> tuple[list[PersonJudgement], list[PersonJudgement]]:
    """The judgements of all who count, and their answers to controls."""
    from falter.apps.people.judgements import read_judgements

    store = _open_store(study)
    try:
        rows = list(store.answers())
    finally:
        store.close()
    return read_judgements(study, rows), read_judgements(study, rows, controls=True)


def _suite(study: Study, given: SuiteLike | None) -> Suite:
    """The suite that was asked about; one that has changed since is refused."""
    from falter.data.suite import open_suite
    from falter.evaluation.runs.manifest import SuiteRecord, find_suite

    manifest = study.manifest
    if given is None:
        record = SuiteRecord(name=manifest.suite, path=manifest.suite_path, fingerprint=manifest.suite_sha256, items=0)
        return open_suite(find_suite(study.folder, record))
    found = as_suite(given)
    # A suite with the votes of the study has other facets, and names the one that it was made from.
    former = {source.get("items_sha256") for source in found.manifest.sources}
    if manifest.suite_sha256 not in (found.fingerprint, *former):
        raise UsageError(f"{found.folder} is not the suite of the study {study.folder}: the fingerprints differ")
    return found
