"""Made-up results that look like real ones: four models, six tests, simple images."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

import falter
from falter.data.blind_checks import BlindCheck, CommonSenseCheck
from falter.evaluation.measures import Group, Overlap, Score
from falter.evaluation.reporting.published import load_published
from falter.evaluation.reporting.report_data import (
    CountedTest,
    FailedTest,
    ModelInfo,
    ModelScore,
    ReportData,
    SuiteBlindCheck,
    SuiteInfo,
)
from falter.evaluation.runs.failure_records import (
    Failure,
    FailureCounts,
    FailureImage,
    PairReply,
    PairSide,
    SideReply,
    SuiteTest,
    failure_types,
)

FIGURES = Path(falter.__file__).parent / "suites/carets/published.yaml"
"""Published figures for the made-up tests; read as a file, whether or not their bundle is registered."""

TESTS = {
    "rephrase": ("same", "Is there a {c} {a} in the picture?", "Do you see a {c} {a} anywhere in this photo?"),
    "order": ("same", "Is there a {a} or a {b} in the picture?", "Is there a {b} or a {a} in the picture?"),
    "ontology": ("same", "Is there a {a} on the left side?", "Is there an animal on the left side?"),
    "visual": ("same", "What color is the {a}, {c} or {d}?", "What color is the {a}, {c} or {d}?"),
    "negation": ("different", "Is there a {c} {a} near the {b}?", "Is there no {c} {a} near the {b}?"),
    "antonym": ("different", "Is the {a} to the left of the {b}?", "Is the {a} to the right of the {b}?"),
}
MODELS = {"oracle": (1.0, 1.0), "bag": (0.81, 0.66), "blind": (0.63, 0.45), "always-yes": (0.5, 0.5)}
THINGS = ["dog", "cat", "bicycle", "kite", "lamp", "tree", "boat", "chair"]
COLOURS = {"red": "#c8442f", "blue": "#2f6bc8", "green": "#3c8f4f", "yellow": "#d9b233"}


def blind_checks() -> list[SuiteBlindCheck]:
    """One test that common sense solves, and one that it has no word of."""
    common = {"sampled_from": 900, "majority": 0.3, "baseline": "regression", "baselines": {"regression": 0.41}}
    sense = CommonSenseCheck(knows="words", known=400, accuracy=0.68, low=0.63, high=0.72, most_usual=0.66)
    choices = BlindCheck(
        **common,
        test="order",
        questions="choices",
        items=400,
        accuracy=0.41,
        low=0.36,
        high=0.46,
        chance=0.417,
        common_sense=sense,
    )
    open_ones = BlindCheck(
        **common,
        test="visual",
        questions="open",
        items=900,
        accuracy=0.31,
        low=0.29,
        high=0.33,
        common_sense_reason="no choices are offered",
    )
    return [SuiteBlindCheck("carets", choices), SuiteBlindCheck("carets", open_ones)]


def draw_image(path: Path, seed: int) -> Path:
    """A sky, a ground and a few plain shapes."""
    rng = random.Random(seed)
    image = Image.new("RGB", (480, 360), rng.choice(["#cfe4f2", "#f1e3cf", "#dbe8d4"]))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 230, 480, 360), fill=rng.choice(["#9cb48a", "#b8a48a", "#a3a7b0"]))
    for _ in range(5):
        x, y, size = rng.randrange(30, 400), rng.randrange(120, 280), rng.randrange(30, 80)
        shape = draw.ellipse if rng.random() < 0.5 else draw.rectangle
        shape((x, y, x + size, y + size), fill=rng.choice(list(COLOURS.values())))
    image.save(path)
    return path


def _score(measure: str, test: str, value: float, n: int, facet: tuple[str, str] | None = None) -> Score:
    half = 1.96 * (max(value * (1 - value), 0.0) / n) ** 0.5
    return Score(
        measure=measure,
        group=Group("carets", test, *(facet or (None, None))),
        value=value,
        low=max(value - half, 0.0),
        high=min(value + half, 1.0),
        n=n,
        signature=f"falter:0.2|carets:{test}|rule:exact|unparsed:wrong|n:{n}|seed:0",
    )


def _counted(measure: str, test: str, value: int) -> Score:
    return Score(measure=measure, group=Group("carets", test), value=float(value), n=800)


def _scores(models: Sequence[str]) -> list[ModelScore]:
    rng = random.Random(3)
    scores = []
    for model, name in enumerate(models):
        first, second = MODELS.get(name, (0.7, 0.6))
        for test, (expects, *_) in TESTS.items():
            one = min(first + rng.uniform(-0.05, 0.05), 1.0) if first < 1 else 1.0
            other = min(second + rng.uniform(-0.08, 0.08), 1.0) if second < 1 else 1.0
            other = other if expects == "same" else other * (0.55 if second < 1 else 1.0)
            acc, chance = (one + other) / 2, one * other + (1 - one) * (1 - other)
            both = min(one, other) * (0.88 if first < 1 else 1.0)
            cons = min(both + (1 - one) * 0.6, 1.0)
            if name == "always-yes":
                acc = one = other = 0.5
                both, cons = (0.0, 0.0) if expects == "different" else (0.5, 1.0)
                chance = 0.5
            for measure, value, n in (
                ("acc", acc, 800),
                ("acc_original", one, 400),
                ("acc_perturbed", other, 400),
                ("cons", cons, 400),
                ("cons_strict", cons * 0.99, 400),
                ("cons_independent", chance, 400),
                ("c_acc", both, 400),
                ("yes_rate", 1.0 if name == "always-yes" else 0.52, 800),
                ("first_choice_rate", 0.5, 240),
                ("off_list_rate", 0.0 if model != 1 else 0.03, 800),
            ):
                scores.append(ModelScore(model, _score(measure, test, value, n)))
            for measure, count in (("unparsed", model * 3), ("failed", 0), ("missing", 0), ("unsupported", 0)):
                scores.append(ModelScore(model, _counted(measure, test, count)))
            facets = {
                "answer": ("yes", "no"),
                "question_type": ("single object", "related objects", "either of two"),
            }
            if test == "order":
                facets["logic"] = ("conjunction", "disjunction")
            for facet, values in facets.items():
                for place, value in enumerate(values):
                    shift = 0.0 if first == 1 else 0.06 * (place - 1)
                    n = 210 - 60 * place
                    scores.append(
                        ModelScore(model, _score("acc", test, min(max(acc + shift, 0), 1), 2 * n, (facet, value)))
                    )
                    scores.append(
                        ModelScore(model, _score("c_acc", test, min(max(both + shift, 0), 1), n, (facet, value)))
                    )
    return scores


def _overlaps(models: int) -> list[Overlap]:
    """Every model covers the weaker ones well, and the stronger ones in part."""
    return [
        Overlap(
            group=Group("carets", test),
            over=over,
            run=i,
            given=j,
            value=(0.9 if i < j else 0.6) - (0.1 if over == "pairs" else 0),
            n=400 - 50 * j,
            signature="",
        )
        for test in TESTS
        for over in ("instances", "pairs")
        for i in range(models)
        for j in range(models)
        if i != j
    ]


def _reply(rng: random.Random, gold: str, chance: float, name: str) -> SideReply:
    if name == "always-yes":
        return SideReply(text="yes", answer="yes", correct=gold == "yes")
    if name == "bag" and rng.random() < 0.06:
        return SideReply(status="unparsed", text="I am not able to tell from the image.", correct=False)
    right = rng.random() < chance
    other = {"yes": "no", "no": "yes"}.get(gold, "green")
    answer = gold if right else other
    text = rng.choice([answer, f"{answer.capitalize()}.", f"The answer is {answer}."])
    return SideReply(text=text, answer=answer, correct=right)


def made_up(folder: Path, *, pairs: int = 25, images: int = 12) -> ReportData:
    """A whole report's data, with ``pairs`` failed pairs per test."""
    models = list(MODELS)
    folder.mkdir(parents=True, exist_ok=True)
    shown = [FailureImage(f"p{place}", draw_image(folder / f"p{place}.png", place)) for place in range(images)]
    rng = random.Random(1)
    failures: list[Failure] = []
    for test, (expects, first, second) in TESTS.items():
        while sum(failure.test == test for failure in failures) < pairs:
            a, b = rng.sample(THINGS, 2)
            c, d = rng.sample(list(COLOURS), 2)
            words = {"a": a, "b": b, "c": c, "d": d}
            gold = c if test == "visual" else rng.choice(["yes", "no"])
            turned = gold if expects == "same" else {"yes": "no", "no": "yes"}[gold]
            place = rng.randrange(images)
            other = (place + 1) % images if test == "visual" else place
            choices = (c, d) if test == "visual" else ("yes", "no")
            replies = []
            for model, name in enumerate(models):
                one, two = (_reply(rng, wanted, MODELS[name][side], name) for side, wanted in enumerate((gold, turned)))
                fits = one.answer is not None and (one.answer == two.answer) == (expects == "same")
                replies.append(
                    PairReply(model=model, original=one, variant=two, failure_types=failure_types(one, two, fits))
                )
            if not any(reply.failure_types for reply in replies):
                continue
            failures.append(
                Failure(
                    suite="carets",
                    test=test,
                    probe_id=f"{test}-{len(failures):05d}",
                    variant_number=1,
                    expects=expects,
                    original=PairSide(text=first.format(**words), gold=gold, choices=choices, image=place),
                    variant=PairSide(text=second.format(**words), gold=turned, choices=choices, image=other),
                    replies=tuple(replies),
                    facets={"question_type": "related objects", "template": f"object-{rng.randrange(18)}"},
                    image_change="obfuscation: blur" if test == "visual" else "",
                )
            )
    return ReportData(
        title="Where four models falter",
        blind_checks=blind_checks(),
        suites=[
            SuiteInfo(
                name="carets",
                title="CARETS on the embedded world",
                made_by="falter generate carets",
                seed=0,
                licence="Apache-2.0",
                citation="Jimenez, Russakovsky and Narasimhan (2022)",
                fingerprint="9f2c1d77a0b4e6589f2c1d77a0b4e658",
                probes=2400,
                items=4800,
                tests=tuple(
                    CountedTest(test=test, probes=400, items=800, answers={"original:yes": 200, "original:no": 200})
                    for test in TESTS
                ),
                sources=("gqa scene graphs, 200 scenes",),
                parameters={"size": "400"},
            )
        ],
        models=[
            ModelInfo(
                name=name,
                spec=f"builtin:{name}",
                fingerprint="a3" * 16,
                uses_images="yes" if name in ("oracle", "bag") else "unknown",
                counts={"ok": 4782, "unparsed": 18},
            )
            for name in models
        ],
        scores=_scores(models),
        overlaps=_overlaps(len(models)),
        published={"carets": load_published(FIGURES)},
        failures=failures,
        images=shown,
        failure_counts=[
            FailureCounts(suite="carets", test=test, model=model, failed=120 * model)
            for test in TESTS
            for model in range(len(models))
        ],
        failed_tests=[FailedTest(SuiteTest("carets", test), 400) for test in TESTS],
    )
