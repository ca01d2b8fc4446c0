"""``falter models``: what can be asked, and what each model needs."""

from __future__ import annotations

from typing import Any

import typer

from falter.cli.output import out, print_json

__all__ = ["register"]

_KINDS = {
    "builtin": ("builtin:NAME[,key=value][@SOURCE]", "the models listed below"),
    "python": ("python:module:attribute", "your own: a model, a class of models, or a function of a list of requests"),
    "file": ("file:PATH", "predictions made elsewhere: item_id or source_id, and answer or score; JSONL, CSV, Parquet"),
}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(invoke_without_command=True, rich_markup_mode=None)

    @group.callback()
    def models(
        context: typer.Context, as_json: bool = typer.Option(False, "--json", help="Print the list as JSON.")
    ) -> None:
        """List the kinds of models and the builtin ones, with what each can do and needs.

        Example: falter models
        """
        if context.invoked_subcommand is not None:
            return
        kinds, builtins = _kinds(), _builtins()
        if as_json:
            print_json({"kinds": kinds, "builtins": builtins})
            return
        out.print("Kinds of models:")
        for kind in kinds:
            out.print(f"  {kind['spec']:36} {kind['summary']}")
        out.print("\nBuiltin models:")
        for builtin in builtins:
            options = f"; options: {', '.join(builtin['options'])}" if builtin["options"] else ""
            out.print(f"  {builtin['spec']:24} {builtin['summary']}")
            out.print(f"  {'':24} can {' and '.join(builtin['abilities'])}; needs {builtin['needs']}{options}")

    @group.command()
    def show(
        spec: str = typer.Argument(..., metavar="SPEC", help="A model, e.g. builtin:always-yes."),
        scenes: str | None = typer.Option(None, "--scenes", metavar="SOURCE", help="Scene graphs, for the oracles."),
        train: str | None = typer.Option(None, "--train", metavar="SOURCE", help="Questions to learn from."),
        as_json: bool = typer.Option(False, "--json", help="Print it as JSON."),
    ) -> None:
        """Load one model and show its name, abilities and fingerprint.

        Example: falter models show builtin:always-yes
        """
        from falter.models import ModelContext, load_model
        from falter.sources import open_source

        context = ModelContext(
            scenes=None if scenes is None else open_source(scenes), train=None if train is None else open_source(train)
        )
        model = load_model(spec, context)
        shown = {
            "name": model.name,
            "abilities": sorted(model.abilities),
            "needs_image": model.needs_image,
            "reads_context": model.reads_context,
            "batch_size": model.batch_size,
            "fingerprint": model.fingerprint,
        }
        if as_json:
            print_json(shown)
            return
        for key, value in shown.items():
            out.print(f"{key.replace('_', ' '):15} {', '.join(value) if isinstance(value, list) else value}")

    app.add_typer(group, name="models")


def _kinds() -> list[dict[str, str]]:
    from falter.models import KINDS

    unknown = ("from another package", "from another package")
    return [
        {"kind": name, "spec": _KINDS.get(name, (f"{name}:...",))[0], "summary": _KINDS.get(name, unknown)[1]}
        for name in KINDS.names()
    ]


def _builtins() -> list[dict[str, Any]]:
    from falter.models.builtin import BUILTINS

    return [
        {
            "spec": f"builtin:{name}",
            "summary": entry.summary,
            "abilities": list(entry.abilities),
            "needs": entry.needs,
            "options": list(entry.options),
        }
        for name, entry in ((name, BUILTINS.get(name)) for name in BUILTINS.names())
    ]
