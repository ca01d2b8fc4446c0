"""``falter list``: sources, suites, models and measures; what there is, and what each needs."""

from __future__ import annotations

from textwrap import fill
from typing import Annotated, Any

import typer

from falter.api.options import OWN_OPTIONS
from falter.cli.command_groups import PluginDirs
from falter.cli.help_layout import WholeSentences
from falter.cli.model_options import ModelKeys, collect_model_options, with_model_options
from falter.cli.options import option_rules
from falter.cli.output import note, out, print_json
from falter.core.tables import wrap_lines


def add_list(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=WholeSentences,
        help="List what is available: sources, suites, models, measures; show what one model declares.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    _add_lists(group)
    _add_models(group)
    app.add_typer(group, name="list")


def _add_models(group: typer.Typer) -> None:
    @group.command("models")
    def models(
        as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
    ) -> None:
        """List the backends and the builtin models, with what each can do and needs.

        Example: falter list models
        """
        from falter.api.listing import describe_builtins

        kinds, builtins = _kinds(), describe_builtins()
        if as_json:
            print_json({"kinds": kinds, "builtins": builtins})
            return
        out.print("Backends:")
        for kind in kinds:
            _print_wrapped(f"  {kind['spec']:36}  {kind['summary']}")
        out.print("\nBuiltin models:")
        for builtin in builtins:
            options = f"; options: {', '.join(builtin['options'])}" if builtin["options"] else ""
            _print_wrapped(f"  {builtin['spec']:24}  {builtin['summary']}")
            _print_wrapped(f"  {'':24}  can {' and '.join(builtin['abilities'])}; needs {builtin['needs']}{options}")

    def show(
        spec: Annotated[str, typer.Argument(metavar="SPEC", help="A model, e.g. builtin:always-yes.")],
        *,
        scenes: Annotated[
            str | None,
            typer.Option("--scenes", metavar="SOURCE", help="Scene graphs, for builtin:oracle and noisy-oracle."),
        ] = None,
        train: Annotated[str | None, typer.Option("--train", metavar="SOURCE", help="Questions to learn from.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
        plugin_dir: PluginDirs = None,
        model_keys: ModelKeys = None,
        model_options: dict[str, Any],
    ) -> None:
        """Load one model and show its name, capabilities and fingerprint, and its prompt on an example.

        Example: falter list model builtin:always-yes
        """
        from falter.api.listing import describe_model

        options = collect_model_options(model_keys, model_options)
        shown = describe_model(spec, scenes=scenes, train=train, options=options, plugins=plugin_dir or ())
        if as_json:
            print_json(shown)
            return
        prompt = shown.pop("prompt", None)
        for key, value in shown.items():
            out.print(f"{key.replace('_', ' '):15} {', '.join(value) if isinstance(value, list) else value}")
        if prompt is not None:
            _print_prompt(prompt)

    group.command("model")(with_model_options(show, OWN_OPTIONS))


def _add_lists(group: typer.Typer) -> None:
    @group.command("sources")
    def sources_command(
        as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    ) -> None:
        """List the data sets that Falter reads, and what each has.

        Example: falter list sources
        """
        from falter.api.listing import available

        _show([{"name": one.name, "about": one.about, **one.details} for one in available("sources")], as_json)

    @group.command("suites")
    @option_rules(idle_with={"--verbose": "--json"})
    def suites_command(
        verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also list the options of each suite.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    ) -> None:
        """List the suites that Falter generates or imports, with their tests.

        Your own data become a suite with falter import table FILE.

        Example: falter list suites
        """
        from falter.api.listing import available
        from falter.core.bundle import BUNDLES

        rows = [{"name": one.name, "about": one.about, **one.details} for one in available("suites")]
        for name, problem in BUNDLES.problems.items():
            note(f"left out {name}: {problem}")
        _show(rows, as_json, verbose=verbose)
        if not as_json:
            out.print("your own data: JSONL, CSV, TSV, Parquet or a Hugging Face dataset on disk")
            out.print("  falter import table FILE --out DIR; an example: falter import example DIR")

    @group.command("measures")
    def measures_command(
        as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    ) -> None:
        """List the measures of scores, with what each is.

        Example: falter list measures
        """
        from falter.api.listing import available

        _show([{"name": one.name, "about": one.about, **one.details} for one in available("measures")], as_json)


def _print_wrapped(line: str) -> None:
    """A line of a list in lines of 80 columns."""
    out.print(wrap_lines(line, 80))


def _print_prompt(prompt: dict[str, Any]) -> None:
    out.print(f"{'prompt':15} {prompt['fingerprint']}{': ' if prompt['about'] else ''}{prompt['about']}")
    if prompt["system"]:
        out.print(f"\nsystem:\n{_indented(prompt['system'])}")
    shown_tasks: set[str] = set()
    for template in prompt["templates"]:
        if template["task"] not in shown_tasks:
            shown_tasks.add(template["task"])
            for example in template["examples"]:
                image = "" if example["image"] is None else f" [{example['image']}]"
                out.print(f"\nworked example, {template['task']}{image}:\n{_indented(example['text'])}")
                out.print(_indented(f"-> {example['reply']}"))
        out.print(f"\n{template['task']}, {template['for']}:\n{_indented(template['text'])}")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _kinds() -> list[dict[str, str]]:
    from falter.api.listing import available

    return [{"kind": one.name, "spec": one.details["spec"], "summary": one.about} for one in available("models")]


def _show(rows: list[dict[str, Any]], as_json: bool, *, verbose: bool = False) -> None:
    if as_json:
        print_json(rows)
        return
    for row in rows:
        out.print(fill(f"{row['name']}: {row['about']}", 80, subsequent_indent="    ", break_on_hyphens=False))
        if "has" in row:
            _print_list("has", row["has"])
        if "tests" in row:
            out.print(f"  falter generate {row['name']} --from SOURCE --out DIR")
            _print_list("tests", row["tests"])
        if "imports" in row:
            _print_list("falter import", row["imports"])
        if "options" in row and verbose:
            _print_list("options of its own", row["options"])


def _print_list(heading: str, names: list[str]) -> None:
    """Names in lines of 80 columns."""
    out.print(
        fill(
            f"{heading}: {', '.join(names)}", 80, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    )
