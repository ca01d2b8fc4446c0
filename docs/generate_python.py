"""Writes docs/reference/python.md from the public names of the package."""

from __future__ import annotations

import inspect
import operator
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import falter
import falter.extend
from falter.cli.options import declared_fields
from falter.data.run_options import RunOptions

PAGE = Path(__file__).parent / "reference" / "python.md"

GROUPS = {
    "Suites": [
        "load",
        "generate",
        "import_suite",
        "import_table",
        "write_suite",
        "write_world",
        "inspect",
        "audit",
        "debias",
        "export",
        "available",
    ],
    "Runs": ["run", "merge"],
    "Results": [
        "score",
        "compare",
        "evaluate",
        "check",
        "report",
        "plot",
        "view",
    ],
    "People": [
        "people.plan",
        "people.serve",
        "people.export",
        "people.collect_votes",
        "people.add_votes",
        "people.agreement",
        "people.as_run",
        "people.error_rate",
    ],
    "Planning": ["plan.power", "plan.gates"],
    "Classes": [
        "Suite",
        "Run",
        "Item",
        "Probe",
        "ImageRef",
        "ModelOptions",
        "Score",
    ],
    "Errors": ["FalterError", "extend.UsageError", "extend.InputError"],
    "Models of your own": ["extend.Request", "extend.Reply", "extend.Capabilities"],
}

HEAD = """# Python

This page is written from the program by `docs/generate_python.py`.

`import falter` gives everything below. Each name is imported when it is first used. Paths may be strings or `Path`s; a
suite, a run or a source may be given as itself or as the path or spec it is opened from. The command line calls the
same functions.

```python
import falter

falter.write_world("small-world", scenes=80)
suite = falter.generate("carets", "gqa:small-world/val", out="suites/negation", tests=["negation"], size=20)
run = falter.run(suite, lambda requests: ["Yes." for _ in requests], name="mine", out="runs/mine")
oracle = falter.run(suite, "builtin:oracle", scenes="gqa:small-world/val", out="runs/oracle")
print(run.scores(by="type").filter(measure="c_acc").to_polars())
print(falter.compare(run, oracle))
falter.report([run, oracle], "negation.html")
```

Result tables (`Scores`, `Comparisons`, `Overlaps`, `ImageAblations`, `PromptSpreads`, `CheckResults`) are sequences of
rows. They have `to_polars()`, `to_pandas()`, `to_json()`, `filter(column=value, ...)`, the text of the command as
`str()`, and an HTML form for notebooks.
"""


def page() -> str:
    """The page, from the names as they are now."""
    grouped = [name for names in GROUPS.values() for name in names]
    public = {name.partition(".")[0] for name in grouped}
    missing = sorted(set(falter.__all__) - {*public, "__version__"})
    if missing or public - {*falter.__all__, "extend"}:
        raise SystemExit(f"names in no group, or in a group and not public: {missing}")
    parts = [HEAD]
    for group, names in GROUPS.items():
        parts.append(f"## {group}\n")
        parts += [_describe(name) for name in names]
        if group == "Results":
            parts.append(_score_options())
    functions = _bundle_functions()
    if functions:
        parts.append("## Functions of bundles\n")
        parts += [_describe(name) for name in functions]
    return "\n".join(parts)


def _bundle_functions() -> list[str]:
    from falter.core.bundle import BUNDLES

    return sorted(name for bundle in BUNDLES.available() for name in bundle.functions)


def _score_options() -> str:
    """The keywords that functions of results share, from the struct that declares them."""
    from msgspec import Meta
    from msgspec.structs import fields

    from falter.evaluation.score_options import IntervalOptions, PairOptions, ScoreKeywords, ScoreOptions

    rows = []
    hints = get_type_hints(ScoreOptions, include_extras=True)
    for field in fields(ScoreOptions):
        (meta,) = (one for one in get_args(hints[field.name]) if isinstance(one, Meta))
        kinds = [
            one.__name__ for one in (PairOptions, IntervalOptions, ScoreKeywords) if field.name in one.__annotations__
        ]
        names = ", ".join(f"`{one}`" for one in kinds)
        rows.append(f"| `{field.name}` | `{field.default!r}` | {meta.description} | {names} |\n")
    return (
        "### Options of scores\n\nKeywords that these functions share; a single facet or measure may be given as it "
        "is. One that a function has no use for is an unexpected argument.\n\n"
        f"| Keyword | Default | Meaning | Where |\n|---|---|---|---|\n{''.join(rows)}"
    )


def _describe(name: str) -> str:
    thing = operator.attrgetter(name)(falter)
    text = _prose(inspect.getdoc(thing) or "")
    if inspect.isclass(thing):
        return f"### falter.{name}\n\n{text}\n"
    short = name.rpartition(".")[2]
    return (
        f"### falter.{name}\n\n```text\n{short}{_signature(thing)}\n```\n\n{text}\n{_options(thing)}{_keywords(thing)}"
    )


def _options(function: Any) -> str:
    """What the options mean that a struct declares for a function, as a table."""
    shown = inspect.signature(function).parameters
    rows = []
    for name, hint in get_type_hints(getattr(function, "options_struct", object), include_extras=True).items():
        said = " ".join(one.description for one in get_args(hint)[1:] if getattr(one, "description", None))
        if said and name in shown:
            rows.append(f"| `{name}` | {said.replace('|', chr(92) + '|')} |")
    return "\n".join(["", "| Option | Meaning |", "|---|---|", *rows, ""]) if rows else ""


def _keywords(function: Any) -> str:
    """The keywords that a struct of options declares, as a table."""
    if function is not falter.run:
        return ""
    rows = [f"| `{name}` | {description} |" for name, (_, description, _) in declared_fields(RunOptions).items()]
    return "\n".join(["", "| Keyword | Meaning |", "|---|---|", *rows, ""])


def _signature(function: Any) -> str:
    """A signature with one parameter per line where it is long."""
    signature = inspect.signature(function)
    short = str(signature).replace("'", "")
    if len(short) <= 100:
        return short
    parameters, star = [], False
    for one in signature.parameters.values():
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            parameters.append("*")
            star = True
        parameters.append(_parameter(one))
    returned = str(signature.return_annotation).replace("'", "")
    lines = "".join(f"    {one},\n" for one in parameters)
    return f"(\n{lines}) -> {returned}"


def _parameter(one: inspect.Parameter) -> str:
    """A parameter as it is written in code; annotations are texts already."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(one.kind, "")
    default = "" if one.default is inspect.Parameter.empty else f" = {one.default!r}"
    return f"{stars}{one.name}: {one.annotation}{default}"


def _prose(doc: str) -> str:
    """A docstring as Markdown: references become code."""
    text = re.sub(r":\w+:`~?([^`]+)`", lambda match: f"`{match[1].rpartition('.')[2]}`", doc)
    return text.replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
