"""What people said about the questions of a study, with sides resolved and controls apart; one answer from several.

The answer of several is by majority, as the papers do, or by Dawid and Skene's model of annotators. Answers become
votes on the suite, or a run whose replies are what people say together or what one of them says.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from falter.apps.people.store import AnswerRow
from falter.apps.people.study import Study, StudyQuestion, resolve_side
from falter.core.errors import UsageError
from falter.core.files import atomic_folder, refuse_full_folder, sha256_of_bytes
from falter.core.optional_packages import import_package
from falter.data.items import Item
from falter.data.model import Reply
from falter.data.normalize import normalize
from falter.data.suite import Suite
from falter.data.votes import Vote
from falter.evaluation.answers import READER_VERSION
from falter.evaluation.runs.manifest import ModelRecord, RunManifest, SuiteRecord, path_to_suite
from falter.evaluation.runs.store import RUN_FOLDER, compact


class PersonJudgement(NamedTuple):
    """One person's answer to one question. ``first`` and ``second`` are the caption and the foil again."""

    question: StudyQuestion
    annotator: str
    answer: str
    shown: str
    """The answer as the page worded it."""
    seconds: float | None

    @property
    def confirms(self) -> bool | None:
        """Whether it confirms the suite's label; None where nothing is expected."""
        return None if self.question.expected is None else is_confirmed(self.question, self.answer)


def is_confirmed(question: StudyQuestion, answer: str | None) -> bool:
    """Whether an answer is the expected one; typed answers are compared as models' answers are."""
    if answer is None or question.expected is None:
        return False
    return answer == question.expected or (not question.choices and normalize(answer) == normalize(question.expected))


def read_judgements(study: Study, rows: Iterable[AnswerRow], *, controls: bool = False) -> list[PersonJudgement]:
    """The judgements of the suite, or the answers to controls; a question that was answered twice counts once."""
    found: dict[tuple[str, str], PersonJudgement] = {}
    for row in rows:
        question = study.questions.get(row.question_id)
        if question is None or question.control != controls:
            continue
        key = (row.annotator, row.question_id if not controls else f"{row.task_id} {row.question_id}")
        resolved = resolve_side(row.answer, question.original_first)
        found.setdefault(key, PersonJudgement(question, row.annotator, resolved, row.answer, row.seconds))
    return list(found.values())


def group_by_question(judgements: Sequence[PersonJudgement]) -> Iterator[tuple[StudyQuestion, list[PersonJudgement]]]:
    """The judgements of each question, in the order of ids."""
    groups: dict[str, list[PersonJudgement]] = {}
    for one in judgements:
        groups.setdefault(one.question.question_id, []).append(one)
    for name in sorted(groups):
        yield groups[name][0].question, groups[name]


Method = Literal["majority", "dawid-skene"]
_ITERATIONS = 100


class Aggregated(NamedTuple):
    """What people say together about a question."""

    question: StudyQuestion
    answer: str | None
    """None where no answer has a majority, which counts as wrong."""
    votes: Counter[str]

    @property
    def is_right(self) -> bool:
        """Whether it is the expected answer; no majority is wrong, and so is "ambiguous"."""
        return is_confirmed(self.question, self.answer)


def aggregate(judgements: Sequence[PersonJudgement], method: Method = "majority") -> dict[str, Aggregated]:
    """By question what people say together. A majority is more than half of the answers.

    Dawid-Skene weighs people by how often they err, by crowd-kit; it needs closed answers.
    """
    grouped = {
        question.question_id: (question, Counter(one.answer for one in found))
        for question, found in group_by_question(judgements)
    }
    if method == "dawid-skene":
        labels = _dawid_skene(judgements)
        return {name: Aggregated(one, labels[name], votes) for name, (one, votes) in grouped.items()}
    return {name: Aggregated(one, _majority(votes), votes) for name, (one, votes) in grouped.items()}


def share_right(found: Sequence[Aggregated]) -> float | None:
    """The share of questions on which people together are right."""
    judged = [one for one in found if one.question.expected is not None]
    return sum(one.is_right for one in judged) / len(judged) if judged else None


def _majority(votes: Counter[str]) -> str | None:
    answer, number = max(votes.items(), key=lambda one: (one[1], one[0]))
    return answer if 2 * number > votes.total() else None


def _dawid_skene(judgements: Sequence[PersonJudgement]) -> dict[str, str]:
    aggregation = import_package("crowdkit.aggregation", "Dawid-Skene")
    import pandas as pd  # comes with crowd-kit

    rows = sorted((one.question.question_id, one.annotator, one.answer) for one in judgements)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # What pandas will no longer take one day is the library's affair.
        labels = aggregation.DawidSkene(n_iter=_ITERATIONS).fit_predict(
            pd.DataFrame(rows, columns=["task", "worker", "label"])
        )
    return {str(name): str(label) for name, label in labels.items()}


def make_votes(judgements: Iterable[PersonJudgement]) -> list[Vote]:
    """A vote for each judgement: on the item that was shown, or on the probe where a pair was."""
    votes = []
    for one in judgements:
        question = one.question
        # The answer of a vote on a caption and its foil says by itself what it confirms.
        plain = question.item_id is None and question.expected == "caption"
        votes.append(
            Vote(
                annotator=one.annotator,
                answer=one.answer,
                item_id=question.item_id,
                probe_id=None if question.item_id is not None else question.probe_id,
                seconds=one.seconds,
                caption_first=question.original_first if question.second is not None else None,
                confirms=None if plain else one.confirms,
            )
        )
    return sorted(votes, key=lambda vote: (vote.probe_id or "", vote.item_id or "", vote.annotator))


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
