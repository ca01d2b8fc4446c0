"""The options of scores are declared once: the struct, the keywords of Python and the options of commands agree."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import typer
from msgspec.structs import fields

import falter
from falter.cli.main import build_app
from falter.core.errors import UsageError
from falter.evaluation.score_options import IntervalOptions, PairOptions, ScoreKeywords, ScoreOptions, read_options

SOURCE = Path(falter.__file__).parent
OF_COMMANDS = {
    "score": {"by", "measures", "subset", "vqa_rule", "seed"},
    "compare": {"by", "measures", "subset", "vqa_rule", "seed"},
    "check": {"subset", "vqa_rule", "seed"},
    "report": {"subset", "vqa_rule"},
    "plot": {"subset", "vqa_rule", "seed"},
    "view": {"subset"},
}


def test_python_has_a_keyword_for_every_field() -> None:
    assert set(ScoreKeywords.__annotations__) == {field.name for field in fields(ScoreOptions)}
    assert set(PairOptions.__annotations__) < set(IntervalOptions.__annotations__) < set(ScoreKeywords.__annotations__)


@pytest.mark.parametrize("name", OF_COMMANDS)
def test_commands_have_the_options_that_the_struct_declares(name: str) -> None:
    group = typer.main.get_command(build_app())
    parameters = {one.name: one for one in group.commands[name].params}  # type: ignore[attr-defined]
    declared = {field.name: field.default for field in fields(ScoreOptions) if field.name in OF_COMMANDS[name]}
    assert declared.keys() <= parameters.keys()
    for field, default in declared.items():
        assert (parameters[field].default or None) == (default or None), field


def test_keywords_are_read_alike_everywhere() -> None:
    assert read_options({"by": "form", "measures": ["acc"]}) == ScoreOptions(by=("form",), measures=("acc",))
    with pytest.raises(TypeError, match="unexpected keyword argument 'by'; options: subset, vqa_rule"):
        read_options({"by": "form"}, PairOptions)
    with pytest.raises(UsageError, match="unknown VQA rule 'v3'"):
        read_options({"vqa_rule": "v3"})


def test_the_rule_of_vqa_accuracy_travels_in_the_options() -> None:
    """Only judging itself, and the line that signs a score, have the rule as a parameter."""
    named = {
        function.name
        for path in SOURCE.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
        for one in (*function.args.args, *function.args.kwonlyargs)
        if one.arg == "vqa_rule" or (one.annotation is not None and ast.unparse(one.annotation) == "VqaRule")
    }
    assert named == {"signature", "outcomes", "grade", "vqa_credit", "_judge", "_judge_all"}
