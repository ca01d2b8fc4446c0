"""``falter generate SUITE``: generate a suite from a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any, Literal

import typer

from falter.cli.command_groups import LazyCommand, PluginDirs, lazy_group
from falter.cli.options import option_rules, with_struct_options
from falter.cli.output import note, out, print_json, progress, stages
from falter.core.bundle import BUNDLES, SuiteBundle
from falter.core.errors import UsageError
from falter.core.tables import PIPE_WIDTH, format_count

_CAUSES = 6
"""So many causes of few probes are printed; the manifest has all."""
_SINGULAR = {"have": "has", "are": "is", "do": "does", "lack": "lacks"}
_MOST_LINES, _FEW_LINES = 8, 4
"""So many reasons are printed one by one; of more, only the most frequent."""


def add_generate(app: typer.Typer) -> None:
    """Add the group; its commands are the suites that can be generated."""
    group = typer.Typer(
        cls=lazy_group(_names, _build),
        help=(
            "Generate a suite of probes whose correct answers are known. Each suite has options of its own.\n\n"
            "Example: falter generate carets --from gqa:data/gqa --test negation --size 1000 --out suites/negation"
        ),
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    app.add_typer(group, name="generate")

    @group.callback()
    def generate_group() -> None:
        pass


def _names() -> Iterable[str]:
    found = [bundle.name for bundle in BUNDLES.available() if bundle.generator is not None]
    for name, problem in BUNDLES.problems.items():
        note(f"left out {name}: {problem}")
    return found


def _build(name: str) -> LazyCommand:
    if name not in BUNDLES:
        raise UsageError(f"unknown suite {name!r}: there are {', '.join(sorted(_names()))}")
    from falter.api.generating import GenerateOptions, TrainingOptions

    bundle = BUNDLES.get(name)
    if bundle.generator is None:
        raise UsageError(f"{name} cannot be generated; there are {', '.join(sorted(_names()))}")

    @option_rules(
        needs=dict.fromkeys(("--format", "--split", "--evaluation"), "--as training"),
        idle_with={
            "--images": "--as training",
            "--verbose": "--json",
            "--workers": ("--executor inline", "--executor processes:*"),
        },
    )
    def command(
        source: Annotated[str, typer.Option("--from", metavar="SOURCE", help="Source data, e.g. gqa:DIR.")],
        target: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write.")],
        options: dict[str, Any],
        of_suite: dict[str, Any],
        of_training: dict[str, Any],
        plugin_dir: PluginDirs = None,
        form: Annotated[
            Literal["suite", "training"],
            typer.Option("--as", help="A suite to test with, or questions to train on."),
        ] = "suite",
        verbose: Annotated[
            bool, typer.Option("--verbose", "-v", help="Print every reason for which something was excluded.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
    ) -> None:
        given = {**options, **of_suite, "plugins": plugin_dir or ()}
        if form == "training":
            _write_training(name, source, target, as_json, verbose, training=of_training, **given)
        else:
            _write_suite(name, source, target, as_json, verbose, **given)

    made = with_struct_options(
        command,
        GenerateOptions,
        into="options",
        left_out=("plugins", "suite_options") + (() if bundle.training else ("form",)),
    )
    made = with_struct_options(made, TrainingOptions if bundle.training else None, into="of_training")
    made = with_struct_options(made, bundle.get("options"), into="of_suite")
    made.__annotations__["tests"].__metadata__[0].autocompletion = _complete_test
    if bundle.training:
        _name_formats(made.__annotations__["format"].__metadata__[0], list(bundle.training))
    return LazyCommand(made, f"{bundle.title}.{_example(bundle)}")


def _name_formats(option: Any, formats: Sequence[str]) -> None:
    """Say which formats of training files a suite has."""
    option.help += f" Default: {formats[0]}."
    if len(formats) > 1:
        option.metavar = "|".join(formats)


def _example(bundle: SuiteBundle) -> str:
    """A command to start from, for bundles that say what they read."""
    if bundle.demo is None:
        return ""
    source = bundle.demo.source
    return f"\n\nExample: falter generate {bundle.name} --from {source}:data/{source} --out suites/{bundle.name}"


def _complete_test(context: typer.Context, incomplete: str) -> list[str]:
    """The tests of the suite that the command is named for, for a shell."""
    bundle = BUNDLES.get(context.info_name or "")
    return [test for test in bundle.get("generator").tests() if test.startswith(incomplete)]


def _write_suite(name: str, source: str, target: Path, as_json: bool, verbose: bool, **settings: Any) -> None:
    from falter.api.generating import generate

    size, tests = settings.get("size"), settings.get("tests") or BUNDLES.get(name).get("generator").tests()
    with progress() as bar:
        task = bar.add_task("probes", total=int(size) * len(tests) if size and size.isdigit() else None)
        suite = generate(
            name,
            source,
            out=target,
            progress=lambda: bar.advance(task),
            start_stage=stages(bar),
            **settings,
        )
    manifest = suite.manifest
    if as_json:
        print_json(manifest)
        return
    made, scarce = manifest.counts["tests"], manifest.counts.get("scarce", {})
    for test in (*made, *(test for test in scarce if test not in made)):
        counts = made.get(test, {"items": 0, "probes": 0})
        unit = "pairs" if counts["items"] == 2 * counts["probes"] else "probes"
        out.print(f"{test}: {format_count(counts['probes'], unit)}")
    _note_causes(scarce, verbose=verbose)
    # What a test lacks has lines of its own, and all of it is in the manifest.
    told = tuple(f"{test}, " for test in scarce)
    refused = {reason: count for reason, count in manifest.counts["refused"].items() if not reason.startswith(told)}
    _note_rejected({**refused, **manifest.counts.get("problems", {})}, tests, verbose=verbose)
    for line in manifest.notes:
        note(line)
    out.print(f"{target}")


def _note_causes(scarce: Mapping[str, Mapping[str, Mapping[str, int]]], *, verbose: bool) -> None:
    """Why tests have few probes: what was met most often, once for all tests that share it."""
    tests: dict[tuple[str, str], list[str]] = {}
    for test, types in scarce.items():
        for kind, counts in types.items():
            most = sorted(counts.items(), key=lambda cause: -cause[1])
            for cause, count in most if verbose else most[:1]:
                named = f"{kind.replace('_', ' ')}, " if len(types) > 1 else ""
                tests.setdefault((named, _agree(count, cause)), []).append(test)
    if not tests:
        return
    note("fewer than asked for, mostly because:" if not verbose else "fewer than asked for, because:")
    lines = [f"{', '.join(own)}: {named}{cause}" for (named, cause), own in tests.items()]
    for line in lines if verbose else lines[:_CAUSES]:
        _note_lines(line, "  ")
    if len(lines) > _CAUSES and not verbose:
        note(f"  and {format_count(len(lines) - _CAUSES, 'more causes')}: --verbose prints all")


def _note_lines(text: str, indent: str = "") -> None:
    for line in wrap(text, PIPE_WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False):
        note(line)


def _agree(count: int, cause: str) -> str:
    """A cause with its number.

    >>> _agree(1, "images have nothing that is absent"), _agree(12, "objects are not named uniquely")
    ('1 image has nothing that is absent', '12 objects are not named uniquely')
    """
    noun, _, rest = cause.partition(" ")
    verb, _, rest = rest.partition(" ")
    if count != 1 or verb not in _SINGULAR:
        return f"{count:,} {cause}"
    return f"1 {noun.removesuffix('s')} {_SINGULAR[verb]} {rest}"


def _write_training(name: str, source: str, target: Path, as_json: bool, verbose: bool, **settings: Any) -> None:
    from falter.api.generating import generate

    with progress() as bar:
        task = bar.add_task("questions", total=None)
        counts = generate(name, source, out=target, progress=lambda: bar.advance(task), **settings)
    if as_json:
        print_json(counts._asdict())
        return
    for test, count in counts.questions.items():
        out.print(f"{test}: {format_count(count, 'questions')}")
    told = counts.statistics
    out.print(
        f"{format_count(told['originals'], 'originals')} and {format_count(told['variants'], 'variants')} on "
        f"{format_count(told['images'], 'images')}"
    )
    _note_rejected(counts.refused, (), verbose=verbose)
    out.print(f"{target}")


def _note_rejected(reasons: Mapping[str, int], tests: Collection[str], *, verbose: bool) -> None:
    """A line for each reason; where there are many, the most frequent ones, over all tests together."""
    if verbose or len(reasons) <= _MOST_LINES:
        for reason, count in reasons.items():
            _note_lines(f"rejected {count:,} x: {reason}")
        return
    summed: Counter[str] = Counter()
    for reason, count in reasons.items():
        test, _, rest = reason.partition(": ")
        summed[rest if rest and test in tests else reason] += count
    most = summed.most_common(_FEW_LINES)
    for reason, count in most:
        _note_lines(f"rejected {count:,} x: {reason}")
    others = summed.total() - sum(count for _, count in most)
    if others:
        note(f"rejected {others:,} x for {format_count(len(summed) - len(most), 'other reasons')}")
    note("--verbose prints the reasons of each test")
