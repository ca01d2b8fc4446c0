"""A second opinion on labels, from witnesses that share nothing with the links between kinds that made them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, get_args

import msgspec

from falter.inspection.blind_sample import draw_sample
from falter.inspection.witnesses import Witness
from falter.probes import Item, Suite
from falter.scene import And, Exists, Not, ObjectDescription, Or, Query, SceneGraph, TruthValue, query_from_json
from falter.scene.logic import conjunction, disjunction, negate
from falter.sources import HasScenes

__all__ = ["SECOND_OPINION_SAMPLE", "Claim", "Contradiction", "OpinionRate", "SecondOpinion", "second_opinion"]

Claim = Literal["denial", "affirmation"]

SECOND_OPINION_SAMPLE = 5000
"""How many probes of a test are read."""


class Contradiction(msgspec.Struct, frozen=True, kw_only=True):
    """A label that a witness contradicts."""

    witness: str
    item_id: str
    image_id: str
    text: str
    gold: str


class OpinionRate(msgspec.Struct, frozen=True, kw_only=True):
    """How often a witness contradicts labels by which something is there, or is not there, with a 95 % interval."""

    witness: str
    claim: Claim
    items: int
    contradicted: int
    rate: float
    low: float
    high: float


class SecondOpinion(msgspec.Struct, frozen=True, kw_only=True):
    """Rates by witness and claim, and the contradictions themselves (the first of each)."""

    rates: tuple[OpinionRate, ...]
    contradictions: tuple[Contradiction, ...]
    notes: tuple[str, ...] = ()
    """Witnesses that were not heard, and why."""


def second_opinion(
    suite: Suite,
    scenes: HasScenes,
    witnesses: Sequence[Witness],
    *,
    most: int | None = SECOND_OPINION_SAMPLE,
    seed: int = 0,
    keep: int = 20,
    notes: Iterable[str] = (),
) -> SecondOpinion:
    """Ask witnesses about yes/no questions of a suite; a question about the same image counts once.

    A denial ("Is there a dog?" no, "Is there no dog?" yes) is contradicted where a witness sees what is denied, an
    affirmation where it sees no object of the kind. Of a test with more than ``most`` originals a sample is read, which
    ``seed`` draws; None reads all.
    """
    counts: dict[tuple[str, Claim], list[int]] = {
        (witness.name, claim): [0, 0] for witness in witnesses for claim in get_args(Claim)
    }
    found: dict[tuple[str, Claim], list[Contradiction]] = {key: [] for key in counts}
    graph: SceneGraph | None = None
    seen: set[tuple[str, str]] = set()
    for item in _questions(suite, most, seed):
        assert item.image_id is not None  # as are its meaning and its gold: see _questions
        assert item.meaning is not None
        assert item.gold is not None
        if (item.image_id, item.meaning) in seen:
            continue
        seen.add((item.image_id, item.meaning))
        if graph is None or graph.image_id != item.image_id:
            graph = scenes.scene(item.image_id)
        if graph is None:
            continue
        query = query_from_json(item.meaning)
        descriptions = list(_descriptions(query))
        for witness in witnesses:
            if not descriptions or not all(witness.can_judge(one, graph) for one in descriptions):
                continue
            key = (witness.name, _claim(query, item.gold))
            counts[key][0] += 1
            if _contradicts(query, item.gold, witness, graph):
                counts[key][1] += 1
                if len(found[key]) < keep:
                    found[key].append(_contradiction(item, witness.name))
    rates = tuple(_rate(witness, claim, *both) for (witness, claim), both in counts.items())
    kept = tuple(one for some in found.values() for one in some)
    return SecondOpinion(rates=rates, contradictions=kept, notes=tuple(notes))


def _questions(suite: Suite, most: int | None, seed: int) -> Iterable[Item]:
    for probe in draw_sample(suite, most, seed).probes():
        for item in probe.items:
            if item.gold in ("yes", "no") and item.meaning is not None and item.image_id is not None:
                yield item


def _contradiction(item: Item, witness: str) -> Contradiction:
    return Contradiction(
        witness=witness, item_id=item.item_id, image_id=item.image_id or "", text=item.text, gold=item.gold or ""
    )


def _contradicts(query: Query, gold: str, witness: Witness, graph: SceneGraph) -> bool:
    opinion = _evaluate(query, lambda description: witness.exists(description, graph))
    return opinion is not None and opinion != (gold == "yes")


def _descriptions(query: Query) -> Iterable[ObjectDescription]:
    """What a question asks for; nothing where it asks for more than whether something is there."""
    match query:
        case Exists(of=description):
            return [description]
        case Not(of=inner):
            return _descriptions(inner)
        case And(of=parts) | Or(of=parts):
            found = [list(_descriptions(part)) for part in parts]
            return [one for some in found for one in some] if all(found) else []
    return []


def _claim(query: Query, gold: str) -> Claim:
    """Whether a label says that what is asked about is there, or that it is not."""
    return "affirmation" if (gold == "yes") != _is_negated(query) else "denial"


def _is_negated(query: Query) -> bool:
    """Whether a question is about what is not there: "no dog", "no dog or no cat"."""
    match query:
        case Not(of=inner):
            return not _is_negated(inner)
        case And(of=parts) | Or(of=parts):
            return all(_is_negated(part) for part in parts)
    return False


def _evaluate(query: Query, exists: Callable[[ObjectDescription], TruthValue]) -> TruthValue:
    match query:
        case Exists(of=description):
            return exists(description)
        case Not(of=inner):
            return negate(_evaluate(inner, exists))
        case And(of=parts):
            return conjunction(_evaluate(part, exists) for part in parts)
        case Or(of=parts):
            return disjunction(_evaluate(part, exists) for part in parts)
    return None


def _rate(witness: str, claim: Claim, items: int, contradicted: int) -> OpinionRate:
    from scipy.stats import binomtest

    if not items:
        return OpinionRate(witness=witness, claim=claim, items=0, contradicted=0, rate=0.0, low=0.0, high=1.0)
    interval = binomtest(contradicted, items).proportion_ci(method="wilson")
    return OpinionRate(
        witness=witness,
        claim=claim,
        items=items,
        contradicted=contradicted,
        rate=contradicted / items,
        low=float(interval.low),
        high=float(interval.high),
    )
