"""The demo: everything on the world, offline, to a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from falter.api.generating import generate
from falter.api.inspecting import audit
from falter.api.reporting import report
from falter.api.results import score
from falter.api.running import run
from falter.api.suites import write_world

if TYPE_CHECKING:
    from falter.core.bundle import SuiteBundle
    from falter.evaluation.runs.score_tables import Scores

DEMO_PAIRS = 300
"""Per test: enough for intervals of a few points, few enough to wait for."""

DEMO_MODELS = (
    "builtin:oracle",
    "builtin:noisy-oracle,p=0.8",
    "builtin:bow-image",
    "builtin:blind",
    "builtin:prior",
    "builtin:always-yes",
)

_COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

_HEADLINE = ("pairs", "acc", "cons", "c_acc")


def run_demo(
    out: Path,
    *,
    scenes: int,
    pairs: int,
    seed: int,
    workers: int,
    announce: Callable[[str], None],
    show: Callable[[str | Scores], None],
) -> bool:
    """The steps a user would take, for every bundle that has a demo; False where a label disagrees with its scene.

    Where the only demos are fallbacks, the first of them runs. ``announce`` is told the command of each step, ``show``
    its result.
    """
    bundles = bundles_to_show()
    world = out / "world"
    announce(f"falter world --out {world} --num-scenes {scenes} --seed {seed} --workers {workers}")
    write_world(world, scenes=scenes, seed=seed, workers=workers)
    if not bundles:
        show(f"no suite has a demo; the world is in {world}")
    for place, bundle in enumerate(bundles):
        # The first is what the tutorial shows.
        folder = out if place == 0 else out / bundle.name
        if not _run_bundle(bundle, world, folder, pairs, seed, workers, announce, show):
            return False
    return True


def bundles_to_show() -> list[SuiteBundle]:
    from falter.core.bundle import BUNDLES

    bundles = [bundle for bundle in BUNDLES.available() if bundle.demo is not None]
    main = [bundle for bundle in bundles if bundle.demo is not None and not bundle.demo.fallback]
    return main or bundles[:1]


def _run_bundle(
    bundle: SuiteBundle,
    world: Path,
    out: Path,
    pairs: int,
    seed: int,
    workers: int,
    announce: Callable[[str], None],
    show: Callable[[str | Scores], None],
) -> bool:
    assert bundle.demo is not None
    scenes, train = f"{bundle.demo.source}:{world}/val", f"{bundle.demo.source}:{world}/train"
    size = bundle.demo.size or pairs
    suite = out / "suite"
    options = "".join(f" --{name.replace('_', '-')} {value}" for name, value in bundle.demo.options.items())
    options += "".join(f" --test {test}" for test in bundle.demo.tests)
    announce(
        f"falter generate {bundle.name} --from {scenes} --size {size} --seed {seed} --workers {workers}{options} "
        f"--out {suite}"
    )
    generate(
        bundle.name,
        scenes,
        out=suite,
        tests=bundle.demo.tests,
        size=size,
        seed=seed,
        workers=workers,
        **bundle.demo.options,
    )
    announce(f"falter audit {suite} --scenes {scenes}")
    result = audit(suite, scenes)
    show(f"audit: {result.agree:,} of {result.items:,} labels re-derived, {result.disagree:,} disagreements")
    if result.disagree:
        return False
    models = bundle.demo.models or DEMO_MODELS
    specs = " ".join(f"--model {spec}" for spec in models)
    graphs = f"gqa:{world}/val"
    given = {"--scenes": graphs, "--train": train}
    sources = {option: source for option, source in given.items() if _is_read(option, models)}
    named = "".join(f"{option} {source} " for option, source in sources.items())
    announce(f"falter run {suite} {specs} {named}--out {out}/runs")
    runs = run(suite, [*models], out=out / "runs", scenes=sources.get("--scenes"), train=sources.get("--train"))
    show(score(runs, measures=bundle.demo.measures or _HEADLINE))
    page = out / "report.html"
    announce(f"falter report {out}/runs --out {page}")
    report(runs, page, title=f"Where {_COUNT_WORDS[len(models)]} small models falter")
    show(f"report: {page}")
    return True


def _is_read(option: str, models: Sequence[str]) -> bool:
    from falter.api.model_jobs import sources_not_read

    return not all(option in sources_not_read(spec, scenes=True, train=True) for spec in models)
