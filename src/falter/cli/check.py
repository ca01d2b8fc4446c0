"""``falter check``: a gate for continuous integration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from falter.cli.output import print_json
from falter.cli.score import rule_of
from falter.cli.scoring_options import AsJson, IntervalSeed, RuleName, SubsetName, SuiteFolder
from falter.errors import UsageError

if TYPE_CHECKING:
    from falter.measures.requirements import CheckResult

__all__ = ["as_junit", "as_markdown", "register"]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def check(
        run: Path = typer.Argument(help="The folder of a run."),
        *,
        require: list[str] = typer.Option(
            [],
            "--require",
            metavar="REQUIREMENT",
            help="suite.test.measure[facet=value] with >=, >, <= or < and a number or percentage; may repeat. A floor "
            "is judged on the lower end of the interval, a ceiling on the upper end.",
        ),
        junit: Path | None = typer.Option(None, "--junit", metavar="FILE", help="Write the verdicts as JUnit XML."),
        markdown: Path | None = typer.Option(None, "--markdown", metavar="FILE", help="Write them as Markdown."),
        suite: SuiteFolder = None,
        subset: SubsetName = None,
        rule: RuleName = "vqa-v2",
        seed: IntervalSeed = 0,
        json: AsJson = False,
    ) -> None:
        """Hold a run to requirements: exit 0 if it meets all, 1 if it fails one, 2 if one cannot be judged.

        Example: falter check runs/mine --require 'carets.negation.c_acc>=0.6' --junit check.xml
        """
        from falter.files import write_atomically
        from falter.measures.requirements import check_requirement, facets_required, parse_requirement
        from falter.runs import open_run
        from falter.runs.scoring import score_run

        if not require:
            raise UsageError("nothing is required: give at least one --require")
        requirements = [parse_requirement(text) for text in require]
        opened = open_run(run, suite_folder=suite)
        scores = score_run(opened, by=facets_required(requirements), seed=seed, vqa_rule=rule_of(rule), subset=subset)
        verdicts = [check_requirement(requirement, scores) for requirement in requirements]
        model = opened.manifest.model.name
        if junit is not None:
            write_atomically(junit, as_junit(model, verdicts))
        if markdown is not None:
            write_atomically(markdown, as_markdown(model, verdicts))
        if json:
            print_json({"model": model, "passed": all(one.passed for one in verdicts), "verdicts": verdicts})
        else:
            _print(verdicts)
        if not all(one.passed for one in verdicts):
            raise typer.Exit(1)


def _print(verdicts: Sequence[CheckResult]) -> None:
    from rich.text import Text

    from falter.cli.tables import Column, print_columns

    told = [Text("pass" if one.passed else "FAIL", style="green" if one.passed else "bold red") for one in verdicts]
    print_columns(
        [Column("", told), Column("requirement", [Text(one.requirement.text) for one in verdicts])],
        [
            Column("value", [Text(_value(one)) for one in verdicts], right=True),
            Column("interval", [Text(_interval(one)) for one in verdicts]),
            Column("n", [Text(f"{one.score.n:,}") for one in verdicts], right=True),
            Column("why", [Text(one.reason) for one in verdicts]),
        ],
    )


def _value(one: CheckResult) -> str:
    return "–" if one.score.value is None else f"{one.score.value:.4g}"


def _interval(one: CheckResult) -> str:
    low, high = one.score.low, one.score.high
    return "–" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def as_junit(model: str, verdicts: Sequence[CheckResult]) -> bytes:
    """The verdicts as a JUnit report, one test case a requirement."""
    from xml.etree import ElementTree

    failed = sum(not one.passed for one in verdicts)
    attributes = {"name": _xml(f"falter check {model}"), "tests": str(len(verdicts)), "failures": str(failed)}
    root = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(root, "testsuite", attributes | {"errors": "0", "skipped": "0"})
    for one in verdicts:
        group = one.requirement.group
        case = ElementTree.SubElement(
            suite,
            "testcase",
            {"classname": _xml(f"{group.suite}.{group.test}"), "name": _xml(one.requirement.text), "time": "0"},
        )
        if not one.passed:
            failure = ElementTree.SubElement(case, "failure", {"message": _xml(one.reason), "type": "requirement"})
            failure.text = _xml(f"value {_value(one)}, interval {_interval(one)}, {one.score.signature}")
    ElementTree.indent(root)
    report: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return report + b"\n"


def _xml(text: str) -> str:
    """Text without the characters that XML 1.0 cannot hold in any form."""
    return "".join(character if _allowed_in_xml(ord(character)) else "\ufffd" for character in text)


def _allowed_in_xml(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def as_markdown(model: str, verdicts: Sequence[CheckResult]) -> str:
    """The verdicts as a Markdown table."""
    failed = sum(not one.passed for one in verdicts)
    told = "all requirements met" if not failed else f"{failed} of {len(verdicts)} requirements failed"
    lines = [
        f"### falter check: {_markdown(model)}: {told}",
        "",
        "| | Requirement | Value | 95 % interval | n | Why |",
        "|---|---|---:|---|---:|---|",
    ]
    lines += [
        f"| {'✅' if one.passed else '❌'} | {_markdown(one.requirement.text)} | {_value(one)} | {_interval(one)} "
        f"| {one.score.n:,} | {_markdown(one.reason)} |"
        for one in verdicts
    ]
    return "\n".join(lines) + "\n"


def _markdown(text: str) -> str:
    """Text that stays within its cell and is no markup."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{character}" if character in "\\`*_{}[]|#~" else character for character in plain)
