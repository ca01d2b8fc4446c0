"""Checking every label by a second road: the text is read back to a query, and the scene answers it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import msgspec

from falter.bundle import bundle_of
from falter.english import Grammar
from falter.english.grammar import captions_over
from falter.english.question_reader import reader_over
from falter.errors import UsageError
from falter.probes import Item, Probe
from falter.scene import Query, Scene, query_from_json
from falter.sources import HasScenes, Source, require_scenes

__all__ = ["Audit", "AuditStatus", "Auditor", "Finding", "audit"]

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
