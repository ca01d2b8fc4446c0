"""Checking every label by a second road: the text is read back to a query, and the scene answers it again.

:func:`suspect_labels` says what predicts a wrong label without asking anyone: the audit, and text-only baselines that
expect another answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal

import msgspec
import numpy as np

from falter.core.bundle import bundle_of
from falter.core.errors import UsageError
from falter.data.blind_checks import CHOICES, POLAR, is_pair, question_kind
from falter.data.images import Source
from falter.data.items import Item, Probe
from falter.data.suite import Suite
from falter.data.validation import Suspicion
from falter.generation.english import Grammar
from falter.generation.english.grammar import captions_over
from falter.generation.english.question_reader import reader_over
from falter.generation.inspection.ngram_baselines import (
    NgramQuestion,
    ngram_scores,
    offer_choices,
    offer_yes_no,
    split_images,
)
from falter.generation.scene import Query, Scene, query_from_json
from falter.generation.sources import HasScenes, require_scenes

AuditStatus = Literal["agrees", "disagrees", "not audited"]
_BY_PEOPLE = "people gave the label"
"""Why nothing can derive a label again."""

Auditor = Callable[[Probe, Source | None], str | None]
"""The slot ``audit`` of a bundle: what is wrong with a probe's labels, or ""; None where nothing tells."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What the audit says of one item."""

    probe_id: str
    variant: int
    test: str
    verdict: AuditStatus
    reason: str = ""
    text: str = ""


class Audit(msgspec.Struct, kw_only=True):
    """Counts over a suite, and the disagreements themselves (the first of them)."""

    items: int = 0
    agree: int = 0
    disagree: int = 0
    not_audited: dict[str, int] = msgspec.field(default_factory=dict)
    disagreements: list[Finding] = msgspec.field(default_factory=list)
    reasons: dict[str, int] = msgspec.field(default_factory=dict)

    @property
    def is_all_by_people(self) -> bool:
        """Whether people gave every label, so that no scene could derive one again."""
        return set(self.not_audited) == {_BY_PEOPLE} and not self.agree + self.disagree


def audit(probes: Iterable[Probe], source: Source | None, grammar: Grammar, *, keep: int = 100) -> Audit:
    """Audit probes against the scenes they were made from; what cannot be audited is counted apart."""
    result = Audit()
    apart: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for finding in findings(probes, source, grammar):
        result.items += 1
        if finding.verdict == "agrees":
            result.agree += 1
        elif finding.verdict == "not audited":
            apart[finding.reason] += 1
        else:
            result.disagree += 1
            reasons[finding.reason] += 1
            if len(result.disagreements) < keep:
                result.disagreements.append(finding)
    result.not_audited = dict(sorted(apart.items()))
    result.reasons = dict(sorted(reasons.items()))
    return result


def findings(probes: Iterable[Probe], source: Source | None, grammar: Grammar) -> Iterator[Finding]:
    """One finding per item, in the order of the suite.

    Labels that no query holds are checked by the bundle of their suite, where it has an audit.
    """
    scenes = source if isinstance(source, HasScenes) else None
    scene: Scene | None = None
    auditors: dict[str, Auditor | None] = {}
    for probe in probes:
        between = _between(probe)
        suite = probe.original.suite
        if suite not in auditors:
            auditors[suite] = _auditor(suite, source)
        own = auditors[suite]
        derived: str | None = None if own is None or between else own(probe, source)
        between = between or derived or ""
        for item in probe.items:
            if scene is None or scene.graph.image_id != item.image_id:
                graph = None if scenes is None or item.image_id is None else scenes.scene(item.image_id)
                scene = None if graph is None else Scene(graph, grammar.ontology)
            verdict, reason = _judge(item, scene, grammar)
            if verdict != "disagrees" and between:
                verdict, reason = "disagrees", between
            elif verdict == "not audited" and own is not None:
                verdict, reason = ("agrees", "") if derived is not None else (verdict, _untold(item, reason, scenes))
            yield Finding(
                probe_id=item.probe_id,
                variant=item.variant,
                test=item.test,
                verdict=verdict,
                reason=reason,
                text="" if verdict == "agrees" else item.text,
            )


def _untold(item: Item, reason: str, scenes: HasScenes | None) -> str:
    """Why the bundle of the suite derives no label."""
    if item.meaning is not None:
        return reason
    return _BY_PEOPLE if scenes is None else f"{_BY_PEOPLE}, or no scene settles it"


def _auditor(suite: str, source: Source | None) -> Auditor | None:
    """The audit of the suite's bundle; without one, the source must have scene graphs."""
    bundle = bundle_of(suite)
    found: Auditor | None = None if bundle is None else bundle.get("audit")
    if found is None and source is None:
        raise UsageError(f"labels of {suite} are derived again from scene graphs; pass --scenes SOURCE")
    if found is None and source is not None:
        require_scenes(source)
    return found


def _between(probe: Probe) -> str:
    """What is wrong between the labels of a probe, whatever the scene says."""
    original = probe.original
    for variant in probe.variants:
        if None in (original.gold, variant.gold):
            continue
        if variant.expects == "same" and variant.gold != original.gold:
            return "the labels differ where the answer must stay"
        if variant.expects == "different" and variant.gold == original.gold:
            return "the labels are equal where the answer must turn"
    return ""


def _judge(item: Item, scene: Scene | None, grammar: Grammar) -> tuple[AuditStatus, str]:
    if item.gold is None:
        return "not audited", "the item has no single right answer"
    if item.seen_id() != item.item_id:
        return "disagrees", "the item is not what its id says"
    readings = _readings(item, grammar)
    if not readings:
        # A text that was made from a meaning and cannot be read back any more was changed.
        if item.meaning is not None:
            return "disagrees", "the text can no longer be read as what it was made from"
        return "not audited", "no template reads the text"
    if item.meaning is not None and _stored(item.meaning) not in readings:
        return "disagrees", "the text means something else than the stored meaning"
    if scene is None:
        return "not audited", "the picture has no scene graph here"
    answers = {reading.answer(scene) for reading in readings}
    if answers == {item.gold}:
        return "agrees", ""
    if len(answers) > 1:
        return "disagrees", "the text has readings with different answers"
    if answers == {None}:
        return "disagrees", "the scene cannot settle the answer"
    return "disagrees", "the scene gives another answer"


def _readings(item: Item, grammar: Grammar) -> tuple[Query, ...]:
    """What the text means, by the templates that suites are written with, else by those that read people's questions.

    Both are heard where the stored meaning is not among the first.
    """
    if item.task == "match" and item.meaning is not None:
        return captions_over(grammar).parse(item.text)
    readings = grammar.parse(item.text)
    if item.meaning is None or _stored(item.meaning) in readings:
        return readings
    read = reader_over(grammar).read(item.text)
    return readings if read is None else (*readings, read.meaning)


def _stored(meaning: str) -> Query | None:
    try:
        return query_from_json(meaning)
    except msgspec.MsgspecError:
        return None


_FOLDS = 3
_FEWEST = 30


def suspect_labels(suite: Suite, source: Source | None, grammar: Grammar | None) -> dict[str, Suspicion]:
    """By probe what predicts that its labels are wrong; the audit where ``grammar`` is given, blind baselines always.

    A prediction need not be good: an estimate that uses it is right whatever it is worth.
    """
    audited: dict[str, float] = {}
    if grammar is not None:
        for one in findings(suite.probes(), source, grammar):
            audited[one.probe_id] = max(audited.get(one.probe_id, 0.0), float(one.verdict == "disagrees"))
    blind = _expect_otherwise(suite)
    return {
        probe.probe_id: Suspicion(audited.get(probe.probe_id, 0.0), blind.get(probe.probe_id, 0.0))
        for probe in suite.probes()
    }


def _expect_otherwise(suite: Suite) -> Mapping[str, float]:
    """By probe the mean over its items of how sure the n-gram baseline is of an answer that is not the label."""
    asked: dict[tuple[str, str], list[Item]] = {}
    for probe in suite.probes():
        if is_pair(probe):
            continue
        for item in probe.items:
            kind = question_kind("original", item.task, item.expects, item.gold, item.choices)
            if kind in (POLAR, CHOICES):
                asked.setdefault((item.test, kind), []).append(item)
    doubts: dict[str, list[float]] = {}
    for (_, kind), items in sorted(asked.items()):
        groups = [item.image_id or item.probe_id for item in items]
        if len(items) < _FEWEST or len(set(groups)) < _FOLDS or len({item.gold for item in items}) < 2:
            continue
        if kind == POLAR:
            options = offer_yes_no([item.text for item in items], [item.gold == "yes" for item in items])
        else:
            questions = [
                NgramQuestion(item.text, tuple(item.choices or ()), list(item.choices or ()).index(item.gold or ""))
                for item in items
            ]
            options = offer_choices(questions)
        scores = ngram_scores(options, split_images(groups, _FOLDS))
        exponents = np.exp(scores - np.repeat(np.maximum.reduceat(scores, options.starts), options.sizes))
        shares = exponents / np.repeat(np.add.reduceat(exponents, options.starts), options.sizes)
        for item, share in zip(items, shares[options.starts + options.gold], strict=True):
            doubts.setdefault(item.probe_id, []).append(1 - float(share))
    return {probe_id: float(np.mean(found)) for probe_id, found in doubts.items()}
