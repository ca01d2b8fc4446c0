"""``falter demo``: everything on the embedded world, offline, to a report."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from falter.cli.output import note, out, progress
from falter.errors import UsageError

if TYPE_CHECKING:
    from falter.runs import Run

__all__ = ["register"]

PAIRS = 300
"""Of each test: enough for intervals of a few points, few enough for a coffee break."""

MODELS = (
    "builtin:oracle",
    "builtin:noisy-oracle,p=0.8",
    "builtin:bow-image",
    "builtin:blind",
    "builtin:prior",
    "builtin:always-yes",
)


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("demo")
    def demo_command(
        target: Annotated[Path, typer.Option("--out", help="The folder to write.")] = Path("demo"),
        scenes: Annotated[int, typer.Option("--scenes", min=50, help="How many pictures to draw.")] = 400,
        pairs: Annotated[int, typer.Option("--pairs", min=1, help="How many pairs of each test.")] = PAIRS,
        seed: Annotated[int, typer.Option("--seed", help="Another seed gives another world.")] = 0,
        workers: Annotated[int | None, typer.Option("--workers", min=1, help="Processes; one a core.")] = None,
    ) -> None:
        """Draw a world, make tests from it, ask six small models, and write a report.

        Example: falter demo --out demo
        """
        from falter.files import refuse_full_folder

        refuse_full_folder(target)
        run_demo(target, scenes=scenes, pairs=pairs, seed=seed, workers=workers or os.cpu_count() or 1)


def run_demo(target: Path, *, scenes: int, pairs: int, seed: int, workers: int) -> None:
    """The steps a user would take by hand, each with the command that does it."""
    from falter.api.results import score
    from falter.cli.output import print_result
    from falter.reporting import collect, write_report

    _draw(target / "world", scenes, seed, workers)
    _make(target, pairs, seed, workers)
    _audit(target)
    runs = _ask(target)
    print_result(score(runs, measures=("pairs", "acc", "cons", "c_acc")))
    report = target / "report.html"
    note(f"falter report {target}/runs --out {report}")
    write_report(collect(runs, title="Where six small models falter"), report)
    out.print(f"report: {report}")


def _draw(world: Path, scenes: int, seed: int, workers: int) -> None:
    from falter.world import write_world

    note(f"falter world --out {world} --scenes {scenes} --seed {seed} --workers {workers}")
    with progress() as bar:
        task = bar.add_task("drawing", total=scenes)
        write_world(world, scenes, seed, workers=workers, progress=lambda done: bar.advance(task, done))


def _make(target: Path, pairs: int, seed: int, workers: int) -> None:
    from falter.authoring.generate import generate
    from falter.authoring.generator import GenerateOptions
    from falter.bundle import BUNDLES
    from falter.parallel import executor_for
    from falter.sources import open_source

    bundle = next((one for one in BUNDLES.available() if one.demo is not None), None)
    if bundle is None or bundle.demo is None:
        raise UsageError("no suite has a demo; see falter suites")
    source = f"{bundle.demo.source}:{target}/world/val"
    asked = f"--from {source} --size {pairs} --seed {seed} --workers {workers} --out {target}/suite"
    note(f"falter generate {bundle.name} {asked}")
    with progress() as bar:
        task = bar.add_task("making probes", total=None)
        options = GenerateOptions(size=pairs, seed=seed)
        generate(
            bundle,
            open_source(source),
            target / "suite",
            options,
            executor=executor_for(workers),
            progress=lambda: bar.advance(task),
        )


def _audit(target: Path) -> None:
    from falter.english import default_grammar
    from falter.inspection.audit import audit
    from falter.probes import open_suite
    from falter.sources import open_source

    source = f"gqa:{target}/world/val"
    note(f"falter audit {target}/suite --scenes {source}")
    result = audit(open_suite(target / "suite").probes(), open_source(source), default_grammar())
    out.print(f"audit: {result.agree} of {result.items} labels re-derived, {result.disagree} disagreements")
    if result.disagree:
        raise typer.Exit(1)


def _ask(target: Path) -> list[Run]:
    from falter.cli.run import run_folders
    from falter.engine import run_suite
    from falter.models import LoadContext, load_model
    from falter.probes import open_suite
    from falter.sources import open_source

    scenes, train = f"gqa:{target}/world/val", f"gqa:{target}/world/train"
    specs = " ".join(f"--model {spec}" for spec in MODELS)
    note(f"falter run {target}/suite {specs} --scenes {scenes} --train {train} --out {target}/runs")
    suite = open_suite(target / "suite")
    context = LoadContext(scenes=open_source(scenes), train=open_source(train))
    runs = []
    models = [load_model(spec, context) for spec in MODELS]
    folders = run_folders(target / "runs", [model.name for model in models])
    with progress() as bar:
        task = bar.add_task("asking models", total=len(MODELS))
        for spec, model, folder in zip(MODELS, models, folders, strict=True):
            runs.append(run_suite(suite, model, folder, spec=spec))
            bar.advance(task)
    return runs
