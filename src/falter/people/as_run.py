"""People as a model: a run whose replies are what they say together, or what one of them says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from falter.answers import READER_VERSION
from falter.errors import UsageError
from falter.files import atomic_folder, refuse_full_folder, sha256_of_bytes
from falter.people.aggregate import Method, aggregate
from falter.people.judgements import PersonJudgement
from falter.people.study import Study
from falter.probes import Item, Suite
from falter.runs.manifest import ModelRecord, RunManifest, SuiteRecord
from falter.runs.reply import Reply
from falter.runs.store import RUN_FOLDER, compact
from falter.runs.suite_location import path_to_suite

__all__ = ["write_people_run"]

_NO_ANSWERS = ("ambiguous", "cannot tell")


def write_people_run(
    study: Study,
    suite: Suite,
    judgements: Sequence[PersonJudgement],
    out: Path,
    *,
    method: Method = "majority",
    annotator: str | None = None,
    overwrite: bool = False,
) -> RunManifest:
    """Write a run of ``human``, or of one annotator; what has no majority or is ambiguous counts as wrong.

    It is about the probes of the study's sample. A question without an answer is a failed reply, and its pair is
    excluded.
    """
    if study.form.confirms not in ("gold", "caption"):
        raise UsageError(
            f"the task {study.form.name} does not answer the suite's questions: a run takes answer or caption-or-foil"
        )
    inputs = [study.folder, suite.folder]
    refuse_full_folder(out, overwrite=overwrite, kind=RUN_FOLDER, inputs=inputs)
    counted = [one for one in judgements if annotator is None or one.annotator == annotator]
    if not counted:
        who = "nobody" if annotator is None else f"{annotator!r:.60} has not"
        raise UsageError(f"{who} answered: there is nothing to make a run of")
    people = len({one.annotator for one in counted})
    replies = dict(_replies(study, suite, counted, method))
    settings: dict[str, Any] = {"seed": study.manifest.seed}
    if _is_sampled(study, suite):
        settings["limit"] = study.manifest.parameters["sample"]
    manifest = RunManifest(
        model=ModelRecord(
            spec=f"people:{study.form.name}",
            name="human" if annotator is None else f"human-{annotator}",
            fingerprint=_fingerprint(counted),
            abilities=("answer", "match"),
            needs_image=True,
            rule=f"people:{method},annotators:{people}",
        ),
        suite=SuiteRecord(
            name=suite.name,
            path=path_to_suite(out, suite.folder),
            fingerprint=suite.fingerprint,
            items=suite.item_count,
        ),
        settings=settings,
        asked=len(replies),
        reader=READER_VERSION,
    )
    with atomic_folder(out, overwrite=overwrite, kind=RUN_FOLDER, inputs=inputs) as folder:
        compact(folder, manifest, replies)
    return manifest


def _replies(
    study: Study, suite: Suite, judgements: Sequence[PersonJudgement], method: Method
) -> Iterator[tuple[str, Reply]]:
    """A reply for each distinct item of the sample's probes; of other probes, where there is no sample, as well."""
    found = aggregate(judgements, method)
    items: dict[str, list[str]] = {}
    pairs: dict[str, dict[int, Counter[str]]] = {}
    for name, one in found.items():
        if one.question.second is None and one.question.item_id is not None:
            items.setdefault(one.question.item_id, []).append(name)
        else:
            pairs.setdefault(one.question.probe_id, {})[one.question.variant] = one.votes
    asked = {one.probe_id for one in study.judged.values()}
    everything = not _is_sampled(study, suite)
    for probe in suite.probes():
        if probe.probe_id not in asked:
            if everything:
                for item in probe.items:
                    yield item.item_id, Reply(item_id=item.item_id, status="unsupported", error="nobody was asked")
            continue
        for item in probe.items:
            if study.form.about == "pair":
                yield item.item_id, _pair_reply(item, pairs.get(item.probe_id, {}))
                continue
            names = items.get(item.item_id)
            if not names:
                yield item.item_id, Reply(item_id=item.item_id, status="failed", error="nobody answered")
                continue
            one = found[names[0]]
            yield item.item_id, _item_reply(item, one.answer, one.votes)


def _is_sampled(study: Study, suite: Suite) -> bool:
    """Whether the run can say by its limit and seed which probes it is about."""
    return study.manifest.parameters.get("sample") is not None and suite.fingerprint == study.manifest.suite_sha256


def _item_reply(item: Item, answer: str | None, votes: Counter[str]) -> Reply:
    if item.task == "match":
        return Reply(item_id=item.item_id, score=votes["yes"] / votes.total(), score_kind="probability")
    if answer is None or (answer in _NO_ANSWERS and answer not in (item.choices or ())):
        told = answer or "no majority: " + ", ".join(f"{name} {number}" for name, number in votes.most_common())
        return Reply(item_id=item.item_id, status="unparsed", text=told, given=True)
    return Reply(item_id=item.item_id, text=answer, answer=answer, given=True)


def _pair_reply(item: Item, by_variant: Mapping[int, Counter[str]]) -> Reply:
    """The share of people who find that a text describes the image; a caption has one for each of its foils."""
    word = "foil" if item.variant else "caption"
    found = [votes for variant, votes in by_variant.items() if not item.variant or variant == item.variant]
    if not found:
        return Reply(item_id=item.item_id, status="failed", error="nobody answered")
    share = sum((votes[word] + votes["both"]) / votes.total() for votes in found) / len(found)
    return Reply(item_id=item.item_id, score=share, score_kind="probability")


def _fingerprint(judgements: Sequence[PersonJudgement]) -> str:
    lines = sorted(f"{one.question.question_id}\t{one.annotator}\t{one.answer}" for one in judgements)
    return sha256_of_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))[:16]
