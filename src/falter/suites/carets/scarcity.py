"""Why a test stays thin: what the objects of the images lack, counted for the strata that few images give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from falter.english import Grammar
from falter.scene import Scene, SceneGraph
from falter.suites.carets.questions import QUESTION_TYPES, SceneInputs
from falter.suites.carets.questions.cooccurrence import CooccurrenceCounts
from falter.suites.carets.sizes import StratumKey
from falter.suites.carets.stratum import StratumSampler

__all__ = ["MOST_IMAGES", "count_causes", "is_thin"]

MOST_IMAGES = 1000
"""Causes are counted over so many images at the most."""


def is_thin(stratum: StratumSampler, images: int) -> bool:
    """Whether a stratum has less than was wanted or, without a size, pairs from less than half of the images."""
    return not stratum.full if stratum.wanted is not None else 2 * stratum.num_images < images


def count_causes(
    graphs: Iterable[SceneGraph],
    thin: Mapping[str, Sequence[StratumKey]],
    grammar: Grammar,
    cooccurrence: CooccurrenceCounts,
    seed: int,
) -> dict[str, dict[str, dict[str, int]]]:
    """By test and question type the causes why its strata are thin, each with how often it was met."""
    keys = sorted({key for wanted in thin.values() for key in wanted})
    met: dict[StratumKey, Counter[str]] = {key: Counter() for key in keys}
    for graph in graphs:
        inputs = SceneInputs(Scene(graph, grammar.ontology), grammar, cooccurrence, seed)
        for key in keys:
            inputs.causes = met[key]
            _look(inputs, key, Random(f"{seed}|candidates|{graph.image_id}|{key.type}|{key.form}"))
    return {test: _told(wanted, met) for test, wanted in thin.items()}


def _look(inputs: SceneInputs, key: StratumKey, rng: Random) -> None:
    before = inputs.causes.total()
    question = QUESTION_TYPES.get(key.type)()
    cells = question.candidates(inputs, key.form, rng)
    if inputs.causes.total() > before:
        return
    # Types that ask whether something is there look at images, not at objects.
    lacking = [cell for group in question.balance_groups for cell in group if not cells.get(cell)]
    if lacking:
        sure = [answer for answer in ("yes", "no") if not inputs.things(key.form, answer)]
        where = " in a relation to something named uniquely" if key.form == "related" else ""
        what = {
            "yes": f"have nothing that is surely there{where}",
            "no": f"have nothing that surely is not there{where}",
        }
        inputs.causes[f"images {what[sure[0]] if sure else 'lack one of the answers'}"] += 1


def _told(keys: Sequence[StratumKey], met: Mapping[StratumKey, Counter[str]]) -> dict[str, dict[str, int]]:
    causes: dict[str, Counter[str]] = {}
    for key in keys:
        known = causes.setdefault(key.type, Counter())
        for cause, count in met[key].items():
            # The two forms of a type meet the same objects: they are counted once, by the form that lacks more.
            known[cause] = max(known[cause], count)
    return {name: dict(known.most_common()) for name, known in causes.items() if known}
