"""``falter inspect``, ``audit`` and ``debias``: what is in a suite, what is wrong with it, and a repair."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from falter.cli.command_groups import PluginDirs
from falter.cli.options import option_rules
from falter.cli.output import note, out, print_json, print_result, print_table, progress
from falter.core.tables import format_count


def add_inspect(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("inspect")
    @option_rules(
        needs={
            "--blind-sample": "--blind",
            "--scorer": "--blind",
            "--scenes": ("--blind", "--second-opinion"),
            "--captions": "--second-opinion",
            "--hierarchy": "--second-opinion",
            "--seed": ("--sample", "--blind", "--second-opinion"),
        }
    )
    def inspect_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder.")],
        sample: Annotated[int, typer.Option("--sample", min=0, help="Number of probes to print.")] = 3,
        seed: Annotated[int, typer.Option("--seed", help="Random seed of the samples.")] = 0,
        blind: Annotated[bool, typer.Option("--blind", help="Score text-only baselines on the suite.")] = False,
        blind_sample: Annotated[
            int,
            typer.Option(
                "--blind-sample",
                min=0,
                metavar="N",
                help="Questions per test and kind of question that --blind uses; 0: all.",
            ),
        ] = 5000,
        scenes: Annotated[
            str | None,
            typer.Option(
                "--scenes",
                metavar="SOURCE",
                help="Source the suite was generated from: --blind then uses the other objects in the image too.",
            ),
        ] = None,
        scorer: Annotated[
            list[str] | None,
            typer.Option(
                "--scorer",
                metavar="SPEC",
                help="Rank captions and foils of --blind by this too: lm:NAME or grammar:NAME; may be repeated.",
            ),
        ] = None,
        second_opinion: Annotated[
            bool,
            typer.Option(
                "--second-opinion",
                help="Compare yes/no labels with WordNet, --captions and --hierarchy; needs --scenes.",
            ),
        ] = False,
        captions: Annotated[
            list[Path] | None,
            typer.Option("--captions", metavar="FILE", help="Captions of the images in COCO's format; repeatable."),
        ] = None,
        hierarchy: Annotated[
            Path | None,
            typer.Option("--hierarchy", metavar="FILE", help="Names by class, as GQA's class_hierarchy.json."),
        ] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    ) -> None:
        """Show what a suite holds: counts, balance, facets, samples, and how far text-only baselines get.

        Example: falter inspect suites/negation --sample 20 --seed 7 --blind
        """
        from falter.api.inspecting import inspect

        found = inspect(
            suite,
            sample=sample,
            seed=seed,
            blind=blind,
            blind_sample=blind_sample or None,
            scenes=scenes,
            scorers=scorer or (),
            second_opinion=second_opinion,
            captions=captions or (),
            hierarchy=hierarchy,
        )
        if as_json:
            print_json(found.to_dict())
        else:
            print_table(found.blocks())


def add_audit(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("audit")
    @option_rules(idle_with={"--show": "--json"})
    def audit_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder.")],
        scenes: Annotated[
            str | None,
            typer.Option("--scenes", metavar="SOURCE", help="Source the suite was generated from, e.g. gqa:DIR."),
        ] = None,
        plugin_dir: PluginDirs = None,
        show: Annotated[int, typer.Option("--show", min=0, help="How many disagreements to print.")] = 10,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Derive every label again: parse the text to a query and answer it from the scene.

        Exit 1: a label disagrees, or none could be audited.

        Example: falter audit suites/negation --scenes gqa:data/gqa
        """
        from falter.api.inspecting import audit

        with progress() as display:
            advance = display.start_stage("probes")
            result = audit(suite, scenes, plugins=plugin_dir or [], progress=lambda: advance(1))
        if as_json:
            print_json(result)
        else:
            out.print(
                f"{format_count(result.items, 'items')}: {result.agree:,} agree, {result.disagree:,} disagree", end=""
            )
            out.print(f", {sum(result.not_audited.values()):,} not audited")
            for reason, count in {**result.reasons, **result.not_audited}.items():
                out.print(f"  {count:,} x {reason}")
            for finding in result.disagreements[:show]:
                out.print(f"  {finding.probe_id} variant {finding.variant}: {finding.reason}: {finding.text}")
        if not result.agree + result.disagree:
            hint = "; pass --scenes with the source that the suite was generated from"
            note(f"nothing was audited{'' if result.is_all_by_people else hint}")
        if result.disagree or not result.agree:
            raise typer.Exit(1)


def add_debias(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("debias")
    def debias_command(
        suite: Annotated[Path, typer.Argument(help="A suite folder with captions and foils.")],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        scorer: Annotated[
            list[str] | None,
            typer.Option(
                "--scorer",
                metavar="SPEC",
                help=(
                    "Choose pairs by this too, besides their words: common-sense, lm:NAME or grammar:NAME; may be "
                    "repeated. Default: common-sense. words: by their words alone."
                ),
            ),
        ] = None,
        judge: Annotated[
            list[str] | None,
            typer.Option(
                "--judge",
                metavar="SPEC",
                help="Judge by this too, besides n-grams and length: lm:NAME or grammar:NAME; may be repeated.",
            ),
        ] = None,
        min_kept: Annotated[
            float, typer.Option("--min-kept", metavar="SHARE", help="Share of a test's pairs that stays at least.")
        ] = 0.5,
        subset: Annotated[
            Literal["all", "valid", "unanimous"],
            typer.Option("--subset", help="Pairs to take where annotators voted. Others are left out."),
        ] = "valid",
        test: Annotated[
            list[str] | None, typer.Option("--test", help="Test to repair; may be repeated. Default: all.")
        ] = None,
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Subsample pairs of caption and foil so that text alone does not tell which is which.

        Pairs are chosen by one scorer and the result is judged by others. Images and votes are carried over.

        Example: falter debias suites/valse --out suites/valse-debiased
        """
        from falter.api.debiasing import debias

        with progress() as display:
            advance = display.start_stage("tests")
            result = debias(
                suite,
                out=target,
                scorers=scorer or ("common-sense",),
                judges=judge or (),
                min_kept=min_kept,
                subset=subset,
                tests=test or (),
                overwrite=overwrite,
                progress=lambda _: advance(1),
            )
        print_result(result, as_json)
