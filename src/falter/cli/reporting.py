"""``falter report``, ``plot``, ``view``, ``export``: runs as a page, as charts, in a browser, for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from falter.api.results import ScoreOptions
from falter.cli.options import ImageDir, SuiteFolder, with_struct_options
from falter.cli.output import note, out, print_json, progress, stages
from falter.core.tables import format_count


def add_report(app: typer.Typer) -> None:
    """Add the command."""

    def report(
        runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, or folders of run folders.")],
        *,
        out_file: Annotated[Path, typer.Option("--out", metavar="FILE.html", help="The file to write.")],
        failures: Annotated[
            int, typer.Option("--failures", min=0, metavar="N", help="Failed pairs to show per test and model.")
        ] = 200,
        title: Annotated[str, typer.Option("--title", metavar="T", help="The heading of the report.")] = "",
        suite: SuiteFolder = None,
        image_dir: ImageDir = None,
        scenes: Annotated[
            str | None,
            typer.Option(
                "--scenes",
                metavar="SOURCE",
                help="Source the suite was generated from: the blind checks then use the other objects in the image.",
            ),
        ] = None,
        scorer: Annotated[
            list[str] | None,
            typer.Option(
                "--scorer",
                metavar="SPEC",
                help="Rank captions and foils without the image by this too: lm:NAME or grammar:NAME; may be repeated.",
            ),
        ] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
        options: Mapping[str, Any],
    ) -> None:
        """Write one self-contained HTML file from runs: scores, charts, breakdowns and a viewer of failures.

        The file needs no network. It is at most 15 MB, or larger if --failures exceeds 200.

        Example: falter report runs/oracle runs/blind --out report.html
        """
        from falter.api.reporting import build_report

        with progress() as bar:
            written = build_report(
                runs,
                out_file,
                title=title or None,
                failures=failures,
                suite=suite,
                image_dir=image_dir,
                scenes=scenes,
                scorers=scorer or (),
                start_stage=stages(bar),
                **options,
            )
        size = written.path.stat().st_size
        if as_json:
            print_json(
                {
                    "report": str(written.path),
                    "bytes": size,
                    "models": written.models,
                    "failures": written.failures,
                    "failed_pairs": written.failed,
                    "notes": written.notes,
                    "pictures_not_shown": written.images_not_shown,
                }
            )
            return
        for line in written.notes:
            note(line)
        for problem, number in written.images_not_shown.items():
            note(f"not shown: {format_count(number, 'images')}: {problem}")
        shown = f"{written.failures:,} of {format_count(written.failed, 'failures')} shown"
        out.print(f"{written.path} ({size / 1e6:.1f} MB, {shown})")

    app.command()(with_struct_options(report, ScoreOptions, into="options", only=("subset", "vqa_rule")))


def add_plot(app: typer.Typer) -> None:
    """Add the command."""

    def plot_command(
        runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, or folders of run folders.")],
        *,
        kind: Annotated[
            str,
            typer.Option(
                "--kind",
                metavar="drop|breakdown|noise|foils|coverage",
                help="Which chart: ACC to C-ACC; scores by facet; accuracy under noise; captions against foils; "
                "what models get right in common.",
            ),
        ] = "drop",
        out_folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write into.")] = Path(
            "plots"
        ),
        format_: Annotated[
            list[str] | None,
            typer.Option("--format", metavar="svg|pdf|png", help="A format; may be repeated. Default: all three."),
        ] = None,
        by: Annotated[
            list[str] | None,
            typer.Option("--by", metavar="FACET", help="Facets of breakdowns; may be repeated. Default: all."),
        ] = None,
        measure: Annotated[
            str | None,
            typer.Option("--measure", metavar="NAME", help="What breakdowns show. Default: c_acc, acc_r or acc."),
        ] = None,
        suite: SuiteFolder = None,
        options: Mapping[str, Any],
    ) -> None:
        """Draw a chart of the report for a paper, as SVG, PDF and PNG, with its values as CSV.

        Example: falter plot runs --kind drop --out figures
        """
        from falter.api.paths import as_runs
        from falter.api.reporting import plot

        opened = as_runs(runs, suite)
        with progress() as bar:
            scored = bar.start_stage("scoring", len(opened))
            plots = plot(
                opened,
                kind,
                by=by or (),
                measure=measure,
                progress=lambda _: scored(1),
                **options,
            )
        for line in dict.fromkeys(line for one in plots for line in one.data.notes):
            note(line)
        for one in plots:
            files = one.save(out_folder, format_ or ("svg", "pdf", "png"))
            out.print(f"{files[0].with_suffix('')} ({', '.join(file.suffix[1:] for file in files)})")

    app.command("plot")(
        with_struct_options(plot_command, ScoreOptions, into="options", only=("subset", "vqa_rule", "seed"))
    )


def add_view(app: typer.Typer) -> None:
    """Add the command."""

    def view(
        runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, or folders of run folders.")],
        *,
        port: Annotated[
            int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on. Default: a free one.")
        ] = 0,
        browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
        suite: SuiteFolder = None,
        image_dir: ImageDir = None,
        options: Mapping[str, Any],
    ) -> None:
        """Show all pairs of runs in a browser: filters, search, side by side, comments.

        Serves on 127.0.0.1 until interrupted with Ctrl-C; the link carries a token, and nothing but the page that it
        opens can read or change anything. Runs under way are shown as they grow. Comments are kept beside each run.

        Example: falter view runs
        """
        from falter.api.reporting import prepare_view

        opened = prepare_view(
            runs,
            suite=suite,
            image_dir=image_dir,
            port=port,
            progress=lambda name: note(f"reading the runs on {name}"),
            **options,
        )
        out.print(opened.url)
        note("Ctrl-C to stop")
        if browser:
            _open_browser(opened.url)
        opened.run()

    app.command()(with_struct_options(view, ScoreOptions, into="options", only=("subset",)))


def _open_browser(url: str) -> None:
    """Open the page where there is a screen; elsewhere the address on the terminal suffices."""
    import os
    import sys
    import webbrowser

    has_screen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if has_screen and out.is_terminal:
        webbrowser.open(url)


def _complete_format(begun: str) -> list[str]:
    from falter.api.reporting import export_formats

    return [name for name in export_formats() if name.startswith(begun)]


def add_export(app: typer.Typer) -> None:
    """Add the command."""

    @app.command("export")
    def export_command(
        folder: Annotated[Path, typer.Argument(metavar="DIR", help="A suite or a run.")],
        to: Annotated[
            str,
            typer.Option(
                "--to",
                metavar="NAME",
                autocompletion=_complete_format,
                help="The format. Suites: hf, inspect, lmms-eval, vlmevalkit, valse. Runs: every-eval-ever, vqa, gqa.",
            ),
        ],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        subset: Annotated[
            Literal["all", "valid", "unanimous"],
            typer.Option("--subset", help="Of a suite that people voted on: leave out what they did not confirm."),
        ] = "all",
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace what such a command wrote, and nothing else.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    ) -> None:
        """Write a suite for another harness, or a run as a result file.

        Example: falter export suites/mine --to inspect --out task
        """
        from falter.api.reporting import export

        written = export(folder, to, out=target, subset=subset, overwrite=overwrite)
        if as_json:
            print_json(written)
            return
        for name, number in written.items():
            out.print(f"{target / name}: {format_count(number, 'entries')}")
