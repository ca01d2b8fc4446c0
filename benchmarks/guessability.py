"""How far common sense and a language model get on a suite without its images.

    python benchmarks/guessability.py [SUITE] [SOURCE] [--lm smollm2] [--statements N] [--cache FILE] [--short]

Yes/no questions: the area under the curve with which a score tells yes from no; 0.50 is chance. Scores by counts of
co-occurrence (the half that no generator draws by): how common the kinds are that are asked about, how often two occur
together, an attribute of its kind, a relation of its kinds, and how plausible the kinds are next to the other objects
of the image (with the SOURCE that the suite was generated from): those that the question does not name, where there
are any; or, as *each*, all but the one that is scored, with 0 where there are none. The second scorer is a language
model: the mean loglikelihood per token of the statement that the question asks about.

Choices: how often the most usual option, the most plausible one in the image and the model's most likely statement
are correct, next to the chance of guessing among those offered.

Intervals are 95 % bootstrap intervals over images. Only originals count.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _short_form import parse_options

import falter
from falter.core.causal_lm import Continuation, load_causal_lm
from falter.data.blind_checks import CHOICES, POLAR, question_kind
from falter.data.items import Item
from falter.data.sources import open_source
from falter.data.suite import open_suite
from falter.generation.cooccurrence import Plausibility, load_table
from falter.generation.english import default_grammar
from falter.generation.english.statements import statements
from falter.generation.inspection.claims import ClaimReader, Claims
from falter.generation.inspection.common_sense import FEATURES, CommonSense, ImageKinds, area
from falter.generation.sources import require_scenes

RESAMPLES = 500
FEWEST = 20
WEIGHTS = {"And": 3, "Or": 3}
"""Forms of which the language model scores so many times as many as of the others."""
USUAL = ("frequency", "usual_attribute", "usual_relation")


class Asked(NamedTuple):
    """An original with what its options claim (of a yes/no question: yes), and their features."""

    item: Item
    claims: Sequence[Claims]
    features: np.ndarray
    each: float
    """The mean plausibility of the kinds next to all others, also those that the question names; 0 next to none."""
    said: Sequence[str | None]
    """A statement for each option; of a yes/no question that of yes."""

    @property
    def gold(self) -> int:
        return (
            int(self.item.gold == "yes") if len(self.claims) == 1 else (self.item.choices or ()).index(self.item.gold)
        )

    def value(self, name: str, option: int = 0) -> float:
        return float(self.features[option, FEATURES.index(name)]) * (-1 if self.claims[option].denied else 1)


def main(given: Sequence[str] | None = None) -> None:
    """Print one block a kind of question."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("suite", type=Path, nargs="?", help="by default one that is made from the world")
    parser.add_argument("--scenes", type=int, default=600, help="of the world, where no suite is given")
    parser.add_argument("source", nargs="?", help="where the suite's scene graphs are, e.g. gqa:DIR")
    parser.add_argument("--lm", default="", help="a causal language model, e.g. smollm2")
    parser.add_argument("--statements", type=int, default=400, help="questions that the model scores, by form alike")
    parser.add_argument("--cache", type=Path, help="a JSON file of loglikelihoods, read and written")
    options = parse_options(parser, given, scenes=40)
    if options.suite is None:
        with tempfile.TemporaryDirectory() as folder:
            suite, source = Path(folder) / "suite", f"gqa:{folder}/world/val"
            falter.write_world(Path(folder) / "world", scenes=options.scenes, images=False)
            falter.generate("carets", source, out=suite, tests=["negation", "order"], images="none")
            measure(suite, source, options)
    else:
        measure(options.suite, options.source, options)


def measure(suite: Path, source: str | None, options: argparse.Namespace) -> None:
    """Print the tables of one suite."""
    asked = read(suite, source)
    likely = score_statements(asked, options.lm, options.statements, options.cache) if options.lm else {}
    print(f"{suite.name}: {len(asked):,} originals, {len({one.item.image_id for one in asked}):,} images")
    print_yes_no([one for one in asked if len(one.claims) == 1], likely)
    print_choices([one for one in asked if len(one.claims) > 1], likely)


def read(folder: Path, source: str | None) -> list[Asked]:
    """All originals of a suite with their features; the same question in several tests is there several times."""
    ontology = default_grammar().ontology
    reader, sense, said = ClaimReader(ontology), CommonSense(load_table().check, ontology), statements()
    plausibility = Plausibility(load_table().check, ontology)
    kinds = None if source is None else ImageKinds(require_scenes(open_source(source)), ontology)
    found = []
    for probe in open_suite(folder).probes():
        item = probe.original
        asked = question_kind(item.role, item.task, item.expects, item.gold, item.choices)
        if asked == POLAR:
            claims = [reader.of_yes_no(item.text, item.meaning)]
        elif asked == CHOICES:
            claims = reader.of_options(item.text, item.choices or (), item.meaning)
        else:
            continue
        there = None if kinds is None or item.image_id is None else kinds.get(item.image_id)
        beside = () if there is None else sense.others(claims, there)
        by_choice = said.for_question(item.text, item.choices) or {}
        sentences = [by_choice.get("yes")] if asked == POLAR else [by_choice.get(one) for one in item.choices or ()]
        each = [plausibility.of_kind(kind, (there or frozenset()) - {kind}) for kind in claims[0].kinds]
        if claims[0].denied:
            each = [-value for value in each]
        features = np.array([sense.score(one, beside) for one in claims])
        found.append(Asked(item, claims, features, float(np.mean(each)) if each else 0.0, sentences))
    return found


def score_statements(asked: Sequence[Asked], name: str, most: int, cache: Path | None) -> dict[str, float]:
    """The mean loglikelihood per token of the statements of a sample of the questions."""
    known: dict[str, float] = json.loads(cache.read_text()) if cache is not None and cache.is_file() else {}
    by_form: dict[str, list[Asked]] = {}
    for one in asked:
        if all(one.said):
            by_form.setdefault(one.claims[0].form if len(one.claims) == 1 else "choices", []).append(one)
    wanted: dict[str, None] = {}
    weights = {form: WEIGHTS.get(form, 1) for form in by_form}
    for form, drawn in by_form.items():
        drawn.sort(key=lambda one: blake2b(one.item.probe_id.encode()).digest())
        number = most * weights[form] // sum(weights.values())
        wanted |= {said: None for one in drawn[:number] for said in one.said if said}
    new = [said for said in wanted if said not in known]
    if new:
        import torch

        torch.set_num_threads(1)
        model = load_causal_lm(name)
        scores = model.score([Continuation(said) for said in new])
        known |= {said: score.mean for said, score in zip(new, scores, strict=True)}
        if cache is not None:
            cache.write_text(json.dumps(known, indent=0))
    return {said: known[said] for said in wanted}


def print_yes_no(asked: Sequence[Asked], likely: dict[str, float]) -> None:
    """Areas by test, and over all tests by form."""
    print(
        f"\n{'yes/no':34s}"
        + "".join(f"{name:>26s}" for name in ("frequency", "together", "image", "image, each", "language model"))
    )
    for name, group in groups(asked, lambda one: one.claims[0].form):
        cells = [
            area_cell([(one, one.value("frequency")) for one in group if one.claims[0].kinds]),
            area_cell([(one, one.value("together")) for one in group if names_two(one.claims[0])]),
            area_cell([(one, one.value("image")) for one in group if has_image(one)]),
            area_cell([(one, one.each) for one in group if one.claims[0].kinds]),
            area_cell([(one, likely[said]) for one in group if (said := one.said[0]) in likely]),
        ]
        print(f"{name[:34]:34s}" + "".join(f"{cell:>26s}" for cell in cells))
    print(f"\n{'yes/no':34s}{'attribute':>26s}{'relation':>26s}")
    for name, group in groups(asked, lambda _: "all"):
        cells = [
            area_cell([(one, one.value(sort)) for one in group if getattr(one.claims[0], f"{sort}s")])
            for sort in ("attribute", "relation")
        ]
        print(f"{name[:34]:34s}" + "".join(f"{cell:>26s}" for cell in cells))


def names_two(claims: Claims) -> bool:
    return bool(claims.kinds) and len({*claims.kinds, *claims.given}) > 1


def print_choices(asked: Sequence[Asked], likely: dict[str, float]) -> None:
    """Accuracies by test, and over all tests by question type."""
    print(f"\n{'choices':34s}{'chance':>8s}" + "".join(f"{name:>26s}" for name in ("usual", "image", "language model")))
    for name, group in groups(asked, lambda one: one.item.facets.get("type", "")):
        chance = np.mean([1 / len(one.claims) for one in group])
        cells = [
            share_cell([(one, credit(one, usual(one))) for one in group]),
            share_cell(
                [(one, credit(one, one.features[:, FEATURES.index("image")])) for one in group if has_image(one)]
            ),
            share_cell(
                [
                    (one, credit(one, np.array([likely[said] for said in one.said if said])))
                    for one in group
                    if all(said in likely for said in one.said)
                ]
            ),
        ]
        print(f"{name[:34]:34s}{chance:8.3f}" + "".join(f"{cell:>26s}" for cell in cells))


def usual(one: Asked) -> np.ndarray:
    """How often each option is counted."""
    return np.asarray(one.features[:, [FEATURES.index(name) for name in USUAL]].sum(axis=1))


def has_image(one: Asked) -> bool:
    return not np.isnan(one.features[:, FEATURES.index("image")]).any()


def credit(one: Asked, scores: np.ndarray) -> float:
    """1 where the correct option has the highest score; ties share it."""
    best = scores == scores.max()
    return float(best[one.gold] / best.sum())


def groups(asked: Sequence[Asked], form: Callable[[Asked], str]) -> Iterator[tuple[str, list[Asked]]]:
    """By test, then over all tests by form, then all."""
    for key in (lambda one: one.item.test, lambda one: f"all, {form(one)}", lambda _: "all"):
        found: dict[str, list[Asked]] = {}
        for one in asked:
            found.setdefault(key(one), []).append(one)
        yield from sorted(found.items())


def area_cell(scored: Sequence[tuple[Asked, float]]) -> str:
    """An area with its interval."""
    if not scored:
        return "-"
    values, gold = np.array([value for _, value in scored]), np.array([bool(one.gold) for one, _ in scored])
    if min(gold.sum(), (~gold).sum()) < FEWEST // 2:
        return f"- n={len(scored)}"
    return cell(scored, lambda rows: area(values[rows], gold[rows]), digits=2)


def share_cell(scored: Sequence[tuple[Asked, float]]) -> str:
    """A share with its interval."""
    values = np.array([value for _, value in scored])
    if len(scored) < FEWEST:
        return f"- n={len(scored)}" if scored else "-"
    return cell(scored, lambda rows: float(values[rows].mean()), digits=3)


def cell(scored: Sequence[tuple[Asked, float]], measure: Callable[[np.ndarray], float | None], digits: int) -> str:
    """A value, its interval over resampled images, and the number of questions."""
    by_image: dict[str | None, list[int]] = {}
    for row, (one, _) in enumerate(scored):
        by_image.setdefault(one.item.image_id, []).append(row)
    rows = [np.array(found) for found in by_image.values()]
    rng = np.random.default_rng(0)
    drawn = [
        measure(np.concatenate([rows[index] for index in rng.integers(len(rows), size=len(rows))]))
        for _ in range(RESAMPLES)
    ]
    low, high = np.quantile([value for value in drawn if value is not None], (0.025, 0.975))
    value = measure(np.arange(len(scored)))
    return f"{value:.{digits}f} ({low:.{digits}f}-{high:.{digits}f}) {len(scored)}"


if __name__ == "__main__":
    main()
