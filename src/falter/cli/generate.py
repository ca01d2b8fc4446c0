"""``falter generate``: make a suite from a source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from falter.cli.output import note, out, print_json, progress, stages
from falter.cli.suite_options import given_settings, with_suite_options
from falter.errors import UsageError

if TYPE_CHECKING:
    from falter.authoring.generator import Order, SuiteMaker

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("generate")
    @with_suite_options
    def generate_command(
        suite: Annotated[str, typer.Argument(help="The suite to make; falter suites lists them.")],
        source: Annotated[str, typer.Option("--from", help="The data to make it from, e.g. gqa:DIR.")],
        target: Annotated[Path, typer.Option("--out", help="The folder to write.")],
        test: Annotated[list[str] | None, typer.Option("--test", help="A test to make; all when left out.")] = None,
        size: Annotated[
            str | None, typer.Option("--size", metavar="N|paper", help="Pairs a test; all that fit when left out.")
        ] = None,
        mean_colour: Annotated[
            str | None,
            typer.Option("--mean-colour", metavar="R,G,B", help="For masked pictures; else the source's mean."),
        ] = None,
        seed: Annotated[int, typer.Option("--seed", help="Another seed, another draw.")] = 0,
        workers: Annotated[int, typer.Option("--workers", min=1, help="Processes; the bytes are the same.")] = 1,
        images: Annotated[
            Literal["copy", "link", "none"],
            typer.Option("--images", help="Copy the pictures, link them, or leave them."),
        ] = "copy",
        extend: Annotated[
            list[Path] | None, typer.Option("--extend", help="A folder with YAML or Python of your own.")
        ] = None,
        wordnet: Annotated[
            bool, typer.Option("--wordnet", help="Place names that the ontology lacks in it by WordNet.")
        ] = False,
        form: Annotated[
            Literal["suite", "training"],
            typer.Option("--as", help="A suite to test with, or questions in GQA's format to train on."),
        ] = "suite",
        split: Annotated[str, typer.Option("--split", help="The split named in the training file.")] = "train",
        overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
        **of_suites: Any,
    ) -> None:
        """Make a suite of probes whose right answers are known.

        Example: falter generate carets --from gqa:data/gqa --test negation --size 1000 --out suites/negation
        """
        import msgspec

        from falter.authoring.generate import generate
        from falter.authoring.generator import SUITES, Order
        from falter.plugins import load_plugins
        from falter.sources import open_source

        folders = load_plugins(extend or [])
        order = Order(
            tests=tuple(test or ()),
            size=_size(size),
            seed=seed,
            workers=workers,
            images=images,
            extend=folders,
            mean_colour=_colour(mean_colour),
            wordnet=wordnet,
            settings=given_settings(of_suites),
        )
        maker = SUITES.get(suite)
        if form == "training":
            if wordnet:
                raise UsageError(
                    "--wordnet does not go with --as training: make a suite, and give its folder words as --extend"
                )
            _write_training(maker, source, target, order, split, overwrite=overwrite, as_json=as_json)
            return
        with progress() as bar:
            task = bar.add_task("probes", total=_total(order, maker))
            order = msgspec.structs.replace(order, stage=stages(bar))
            manifest = generate(
                maker, open_source(source), target, order, overwrite=overwrite, tick=lambda: bar.advance(task)
            )
        if as_json:
            print_json(manifest)
            return
        for name, counts in manifest.counts["tests"].items():
            unit = "pairs" if counts["items"] == 2 * counts["probes"] else "probes"
            out.print(f"{name}: {counts['probes']} {unit}")
        for reason, count in {**manifest.counts["refused"], **manifest.counts.get("problems", {})}.items():
            note(f"left out {count} x: {reason}")
        out.print(f"{target}")


def _size(given: str | None) -> int | Literal["paper"] | None:
    if given is None or given == "paper":
        return "paper" if given else None
    if not given.isascii() or not given.isdigit() or int(given) < 1:
        raise UsageError(f"--size {given!r} is neither a number of pairs nor 'paper'")
    return int(given)


def _colour(given: str | None) -> tuple[int, int, int] | None:
    if given is None:
        return None
    parts = given.split(",")
    if len(parts) != 3 or not all(part.strip().isdigit() and int(part) < 256 for part in parts):
        raise UsageError(f"--mean-colour {given!r} is not R,G,B with numbers from 0 to 255")
    red, green, blue = (int(part) for part in parts)
    return red, green, blue


def _total(order: Order, maker: SuiteMaker) -> int | None:
    return order.size * len(order.tests or maker.tests()) if isinstance(order.size, int) else None


def _write_training(
    maker: SuiteMaker, source: str, target: Path, order: Order, split: str, *, overwrite: bool, as_json: bool
) -> None:
    from falter.exporting.training import write_training
    from falter.sources import open_source

    if not split.replace("-", "").replace("_", "").isalnum():
        raise UsageError(f"--split {split!r} becomes part of a file name: use letters and digits")
    with progress() as bar:
        task = bar.add_task("questions", total=None)
        counts = write_training(
            maker,
            open_source(source),
            target,
            order,
            split=split,
            overwrite=overwrite,
            tick=lambda: bar.advance(task),
        )
    if as_json:
        print_json(counts._asdict())
        return
    for name, count in counts.questions.items():
        out.print(f"{name}: {count} questions")
    for reason, count in counts.refused.items():
        note(f"left out {count} x: {reason}")
    out.print(f"{target}")
