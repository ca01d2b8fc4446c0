"""What people are asked about an item or a pair: the prompt, the options, instructions and worked examples."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

import msgspec

from falter.errors import InputError, UsageError
from falter.files import read_yaml
from falter.people.known_answer import PAIR_WORDS

__all__ = ["BUILT_IN_FORMS", "Form", "FormOption", "WorkedExample", "load_form", "options_for"]

BUILT_IN_FORMS = ("answer", "validate", "caption-or-foil", "pairs")

_HINT = "see docs/how-to/people.md for the keys of a form"


class FormOption(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer that may be given: what is stored, what the page says, and the key that gives it."""

    value: str
    label: str
    key: str = ""
    hint: str = ""


class WorkedExample(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An example in the instructions; ``scene`` says in words what its image would show."""

    text: str
    answer: str
    why: str
    scene: str = ""
    second: str | None = None
    label: str | None = None


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A kind of task, as its YAML file states it."""

    name: str
    title: str
    prompt: str
    about: Literal["item", "pair"] = "item"
    """Whether a question shows one item, or an original beside a variant."""
    options: tuple[FormOption, ...] = ()
    choices: bool = False
    """Offer the item's own choices before the options."""
    free_text: bool = False
    """Let people type an answer where an item has no choices."""
    shows_image: bool = True
    shows_label: bool = False
    """Show the item's gold answer, to be judged. The page shows it nowhere else."""
    two_sides: bool = False
    """Draw which of the two texts comes first; ``first`` and ``second`` become ``caption`` and ``foil`` again."""
    marks_differences: bool = False
    confirms: str | None = None
    """The answer that confirms the suite's label: an option's value, ``caption``, ``gold`` (the item's gold answer) or
    ``expects`` (``same`` or ``different``, as the variant expects); none where answers confirm nothing."""
    instructions: tuple[str, ...] = ()
    examples: tuple[WorkedExample, ...] = ()


def load_form(name: str | Path) -> Form:
    """A built-in form by its name, or one's own by its YAML file."""
    if isinstance(name, str) and name in BUILT_IN_FORMS:
        with as_file(files("falter.people").joinpath("data", f"{name}.yaml")) as path:
            return _check(path, read_yaml(path, Form, what="a form"))
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        raise UsageError(f"unknown task {name!s:.80}: choose {', '.join(BUILT_IN_FORMS)}, or give a YAML file")
    return _check(path, read_yaml(path, Form, what="a form", hint=_HINT))


def options_for(form: Form, choices: tuple[str, ...] | None) -> tuple[FormOption, ...]:
    """What may be answered to one question; options without a key of their own get digits."""
    offered = [FormOption(choice, choice) for choice in choices or ()] if form.choices else []
    if {option.value for option in offered} == {"yes", "no"}:
        offered = [FormOption(option.value, option.label.capitalize(), option.value[0]) for option in offered]
    own = [option for option in form.options if option.value not in {one.value for one in offered}]
    used = {option.key for option in (*offered, *own) if option.key}
    free = iter([digit for digit in "123456789" if digit not in used])
    return tuple(
        option if option.key else msgspec.structs.replace(option, key=next(free, "")) for option in (*offered, *own)
    )


def _check(path: Path, form: Form) -> Form:
    values = [option.value for option in form.options]
    keys = [option.key for option in form.options if option.key]
    problem = ""
    if len(set(values)) < len(values):
        problem = "has the same option twice"
    elif len(set(keys)) < len(keys) or any(len(key) != 1 for key in keys):
        problem = "has a key that is used twice, or is not one character"
    elif not form.choices and not form.free_text and len(values) < 2:
        problem = "needs two options at least, or the item's choices, or free text"
    elif form.two_sides and form.about != "pair":
        problem = "draws sides, and is not about pairs"
    elif form.confirms is not None and form.confirms not in (*values, *PAIR_WORDS, "gold", "expects"):
        problem = f"confirms {form.confirms!r:.40}, which is none of its options"
    if problem:
        raise InputError(path, problem, hint=_HINT)
    return form
