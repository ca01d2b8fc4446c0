"""``falter models``: what can be asked, and what each model needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from falter.cli.model_options import takes_model_options
from falter.cli.output import out, print_json

if TYPE_CHECKING:
    from falter.models import Capabilities, Model, ModelOptions
    from falter.models.prompts import Prompt

__all__ = ["register"]


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
    @takes_model_options
    def show(
        spec: str = typer.Argument(..., metavar="SPEC", help="A model, e.g. builtin:always-yes."),
        *,
        scenes: str | None = typer.Option(None, "--scenes", metavar="SOURCE", help="Scene graphs, for the oracles."),
        train: str | None = typer.Option(None, "--train", metavar="SOURCE", help="Questions to learn from."),
        as_json: bool = typer.Option(False, "--json", help="Print it as JSON."),
        options: ModelOptions,
    ) -> None:
        """Load one model and show its name, abilities, rule and fingerprint, and what it is told on an example.

        Example: falter models show builtin:always-yes
        """
        from falter.models import LoadContext, load_model
        from falter.models.load_context import layouts_of
        from falter.sources import open_source

        context = LoadContext(
            scenes=None if scenes is None else open_source(scenes),
            train=None if train is None else open_source(train),
            options=options,
            layouts=layouts_of(),
        )
        shown = _shown(load_model(spec, context))
        if as_json:
            print_json(shown)
            return
        prompt = shown.pop("prompt", None)
        for key, value in shown.items():
            out.print(f"{key.replace('_', ' '):15} {', '.join(value) if isinstance(value, list) else value}")
        if prompt is not None:
            _print_prompt(prompt)

    app.add_typer(group, name="models")


def _shown(model: Model) -> dict[str, Any]:
    from falter.models.prompts import Prompt

    declared = model.capabilities
    shown: dict[str, Any] = {
        "name": model.name,
        "abilities": sorted(declared.tasks),
        "needs_image": declared.needs_image,
        "reads_context": declared.reads_context,
        "batch_size": declared.batch_size,
    }
    rule, prompt = declared.method or None, declared.prompt_used()
    if rule:
        shown["rule"] = rule
    shown["fingerprint"] = model.fingerprint
    if isinstance(prompt, Prompt):
        shown["prompt"] = _shown_prompt(prompt, declared)
    return shown


def _shown_prompt(prompt: Prompt, declared: Capabilities) -> dict[str, Any]:
    from falter.models.prompts import preview_prompt

    return {
        "name": prompt.name,
        "fingerprint": prompt.fingerprint,
        "about": prompt.wording.about,
        "system": prompt.system,
        "templates": [
            {
                "task": said.task,
                "for": said.of,
                "text": said.text,
                "examples": [
                    {"text": text, "image": None if picture is None else str(picture), "reply": reply}
                    for text, picture, reply in prompt.shown_examples(said.task)
                ],
            }
            for said in preview_prompt(prompt)
            if said.task in (declared.tasks if declared.prompted_tasks is None else declared.prompted_tasks)
        ],
    }


def _print_prompt(prompt: dict[str, Any]) -> None:
    out.print(f"{'prompt':15} {prompt['fingerprint']}{': ' if prompt['about'] else ''}{prompt['about']}")
    if prompt["system"]:
        out.print(f"\nsystem:\n{_indented(prompt['system'])}")
    told: set[str] = set()
    for template in prompt["templates"]:
        if template["task"] not in told:
            told.add(template["task"])
            for example in template["examples"]:
                picture = "" if example["image"] is None else f" [{example['image']}]"
                out.print(f"\nworked example, {template['task']}{picture}:\n{_indented(example['text'])}")
                out.print(_indented(f"-> {example['reply']}"))
        out.print(f"\n{template['task']}, {template['for']}:\n{_indented(template['text'])}")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _kinds() -> list[dict[str, str]]:
    from falter.api.listing import available

    return [{"kind": one.name, "spec": one.details["spec"], "summary": one.about} for one in available("models")]


def _builtins() -> list[dict[str, Any]]:
    from falter.models.builtin import BUILTINS

    return [
        {
            "spec": f"builtin:{name}",
            "summary": entry.summary,
            "abilities": list(entry.tasks),
            "needs": entry.needs,
            "options": list(entry.options),
        }
        for name, entry in ((name, BUILTINS.get(name)) for name in BUILTINS.names())
    ]
