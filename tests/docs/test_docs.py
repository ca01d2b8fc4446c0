"""The documentation says what is true: commands that exist, links that lead somewhere, tables that match the code."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from typer.core import TyperArgument, TyperGroup, TyperOption

from falter.cli.main import build_app
from falter.evaluation.answers import parse_answer
from falter.evaluation.answers.reply_reading import read_reply
from tests.docs.pages import DOCS, PAGES, ROOT, fences, page_name


def commands() -> list[tuple[str, str]]:
    """Every line of a code block that runs falter, with the page it stands on."""
    found = []
    for page in PAGES:
        for fence in fences(page):
            for line in fence.lines:
                command = re.sub(r"^\s*(\$|- run:)\s+", "", line)
                if command.startswith("falter ") and fence.language in ("console", "yaml", "bash", "sh"):
                    found.append((page_name(page), command))
    return found


OF_PLUGINS = {"shouting": "carets", "street-signs": "carets"}
"""Suites of the examples, each with one that has the same general options."""


def unknown_in(command: str) -> list[str]:
    """What is wrong with a command line, by the parameters that the program declares."""
    words = [OF_PLUGINS.get(word, word) for word in shlex.split(command)[1:]]
    part: Any = typer.main.get_command(build_app())
    if words == ["--version"]:
        return []
    while isinstance(part, TyperGroup) and words and not words[0].startswith("-"):
        if words[0] not in part.commands:
            return [f"no command {words[0]}"]
        part = part.commands[words.pop(0)]
    options = {
        name: one
        for one in part.params
        if isinstance(one, TyperOption) and not one.hidden
        for name in (*one.opts, *one.secondary_opts)
    }
    wrong: list[str] = []
    given: set[str] = set()
    bare: list[str] = []
    while words:
        word = words.pop(0)
        if not word.startswith("--") and word not in options:
            bare.append(word)
        elif word not in options:
            wrong.append(f"no option {word}")
        else:
            given.add(word)
            if not options[word].is_flag:
                if not words or words[0].startswith("--"):
                    wrong.append(f"{word} lacks its value")
                else:
                    words.pop(0)
    wrong += [
        f"{one.opts[0]} is required" for one in options.values() if one.required and given.isdisjoint({*one.opts})
    ]
    arguments = [one for one in part.params if isinstance(one, TyperArgument)]
    many = any(one.nargs == -1 for one in arguments)
    if len(bare) < sum(one.required for one in arguments) or (len(bare) > len(arguments) and not many):
        wrong.append(f"{len(bare)} arguments instead of {len(arguments)}")
    return wrong


def find_command(line: str) -> Any:
    """The command that a line such as ``falter import valse`` names."""
    part: Any = typer.main.get_command(build_app())
    for word in line.split()[1:]:
        part = part.commands[word]
    return part


def test_there_are_commands_to_look_at() -> None:
    documented = {command.split()[1] for _, command in commands()}
    root = typer.main.get_command(build_app())
    assert isinstance(root, TyperGroup)
    assert documented >= {name for name, command in root.commands.items() if not command.hidden}


@pytest.mark.parametrize(("page", "command"), commands())
def test_commands_exist_as_written(page: str, command: str) -> None:
    assert unknown_in(command) == []


@pytest.mark.parametrize(
    "command",
    [
        "falter generat carets --from gqa:w --out s",
        "falter generate carets --from gqa:w --out s --count 3",
        "falter generate carets --from gqa:w",
        "falter run --model builtin:oracle --out r",
        "falter compare a b --against c",
        "falter score a --by",
    ],
)
def test_wrong_commands_are_seen(command: str) -> None:
    assert unknown_in(command) != []


def generator(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "name", ["generate_reference", "generate_ontology", "generate_python", "generate_extend", "generate_askable"]
)
def test_generated_pages_are_up_to_date(name: str) -> None:
    module = generator(name)
    written, made = module.PAGE.read_text(encoding="utf-8").splitlines(), module.page().splitlines()
    assert [line for line in written if line not in made][:5] == [], f"run python docs/{name}.py"
    assert written == made, f"run python docs/{name}.py"


def anchors_of(page: Path) -> set[str]:
    headings = [line.lstrip("#").strip() for line in page.read_text(encoding="utf-8").splitlines() if line[:1] == "#"]
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`\n]*`(?!\])", "", text)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        there = page if not file else (page.parent / file).resolve()
        assert there.exists(), target
        assert there.is_relative_to(ROOT), target
        if anchor:
            assert anchor in anchors_of(there), target


def rows_of(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    lines = (DOCS / page).read_text(encoding="utf-8").partition(f"{heading}\n")[2].splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("|"))
    table = []
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return table


def type_of(kind: Any) -> str:
    """An Arrow type in the words of the pages."""
    words = str(kind)
    if words.startswith("list<"):
        inner = kind.value_type
        names = [inner.field(place).name for place in range(inner.num_fields)]
        return f"list of {{{', '.join(names)}}}" if names else f"list of {inner}"
    return words


@pytest.mark.parametrize(
    ("page", "heading", "schema"),
    [
        ("reference/suites.md", "## items.parquet", "falter.data.suite:ITEM_SCHEMA"),
        ("reference/runs.md", "## replies.parquet", "falter.evaluation.runs.replies:REPLY_SCHEMA"),
    ],
)
def test_columns_are_as_written(page: str, heading: str, schema: str) -> None:
    module, _, attribute = schema.partition(":")
    fields = getattr(importlib.import_module(module), attribute)
    told = [(row[0].strip("`"), row[1]) for row in rows_of(page, heading)]
    assert told == [(field.name, type_of(field.type)) for field in fields]


def test_every_measure_is_described() -> None:
    from falter.evaluation.measures import MEASURES, all_measures

    measures = all_measures(requested=MEASURES.names())
    told = [(row[0].strip("`"), row[1]) for row in rows_of("reference/measures.md", "## The formulas")]
    known = [(measure.name, measure.title) for measure in measures if measure.scale != "count"]
    assert told == known, "bring docs/reference/measures.md up to date"
    counts = "".join(row[0] for row in rows_of("reference/measures.md", "## The counts"))
    assert set(re.findall(r"`(\w+)`", counts)) == {measure.name for measure in measures if measure.scale == "count"}


def test_answers_are_read_as_written() -> None:
    for text, choices, told in rows_of("reference/answer-parsing.md", "## Reading a text"):
        parsed = parse_answer(text.strip("`"), tuple(choices.split(", ")))
        said = {"choice": parsed.answer, "off_list": f"off_list: {parsed.answer}", "unparsed": "unparsed"}[parsed.kind]
        assert said == told, text


def test_replies_are_read_by_the_policy_as_written() -> None:
    for task, choices, text, accepted, told in rows_of("reference/answer-parsing.md", "and in no other:"):
        offered = None if choices == "none" else tuple(choices.split(", "))
        read = read_reply(task, offered, text.strip("`"), accepted=[accepted])
        assert (read.answer or read.status) == told, text


def test_versions_are_those_of_the_code() -> None:
    from falter.core.version import __version__
    from falter.data.normalize import ANSWERS_VERSION
    from falter.evaluation.answers import READER_VERSION

    assert f"`{ANSWERS_VERSION}`" in (DOCS / "reference/answer-parsing.md").read_text(encoding="utf-8")
    assert f"version `{READER_VERSION}`" in (DOCS / "reference/answer-parsing.md").read_text(encoding="utf-8")
    versions = f"|answers:{ANSWERS_VERSION}|reader:{READER_VERSION}|"
    assert versions in (DOCS / "reference/measures.md").read_text(encoding="utf-8")
    (heading,) = re.findall(
        rf"^## {re.escape(__version__)} \((.*)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {__version__}\n" in citation
    assert f'date-released: "{heading}"\n' in citation


def test_every_query_is_described() -> None:
    from falter.generation.scene import Query

    described = "".join(row[0] for row in rows_of("reference/queries.md", "## The algebra"))
    assert set(re.findall(r"(\w+)\(", described)) == {query.__name__ for query in Query.__subclasses__()}


def test_placeholders_are_those_of_templates() -> None:
    from falter.generation.english import Template, default_grammar, templates

    tables = ("## Placeholders", "### Open placeholders")
    placeholders = "".join(row[0] for table in tables for row in rows_of("reference/templates.md", table))
    for placeholder in re.findall(r"\{[^{}]+\}", placeholders):
        template = Template(
            id="t", type="t", text=f"Look: {placeholder}?", means="x", phrases=default_grammar().phrases
        )
        assert template.slots == (placeholder.strip("{}").split()[1],)
    told = set(re.findall(r"\{(\w+) ", placeholders))
    assert told >= set(re.findall(r"\{(\w+) \w", templates.__doc__ or ""))


@pytest.mark.parametrize(
    ("heading", "record"),
    [
        ("## kinds*.yaml", "Kind"),
        ("Of the file:", "Attributes"),
        ("Of a family:", "AttributeFamily"),
        ("## relations*.yaml", "RelationType"),
    ],
)
def test_every_key_of_the_ontology_is_described(heading: str, record: str) -> None:
    from falter.generation.english import ontology_records as records

    told = "".join(row[0] for row in rows_of("reference/ontology.md", heading))
    assert set(re.findall(r"`(\w+)`", told)) == set(getattr(records, record).__struct_encode_fields__)


def test_the_query_is_what_the_question_reads_as() -> None:
    from falter.generation.english import default_grammar
    from falter.generation.scene import query_from_json

    (written,) = [fence.lines for fence in fences(DOCS / "reference/queries.md") if fence.language == "json"]
    assert default_grammar().parse("Is there a red cup on the table?") == (query_from_json("".join(written)),)


def test_every_test_of_carets_is_described() -> None:
    from falter.suites.carets.generator import CARETS

    told = {row[0].strip("`") for row in rows_of("suites/carets.md", "# CARETS")}
    assert told == set(CARETS.tests()), "bring docs/suites/carets.md and the list in README.md up to date"


def test_every_question_type_is_described() -> None:
    from falter.generation.english import default_grammar
    from falter.suites.carets.perturbations import CARETS_TESTS
    from falter.suites.carets.questions import QUESTION_TYPES

    rows = {row[1].strip("`"): row for row in rows_of("suites/carets.md", "## The question types")}
    asked: dict[str, list[str]] = {}
    for test in CARETS_TESTS.names():
        for kind in dict.fromkeys(QUESTION_TYPES.get(name).templates for name in CARETS_TESTS.get(test).types):
            asked.setdefault(kind, []).append(test)
    assert {name: int(row[4]) for name, row in rows.items()} == {
        name: len(default_grammar().templates_for(name)) for name in asked
    }
    assert {name: sorted(row[5].split(", ")) for name, row in rows.items()} == asked


def test_the_examples_of_question_types_can_be_read() -> None:
    from falter.generation.english import default_grammar

    for row in rows_of("suites/carets.md", "## The question types"):
        readings = default_grammar().parses(row[3])
        assert row[1].strip("`") in {reading.template.type for reading in readings}, row[3]


def test_sizes_of_the_paper_are_as_written() -> None:
    from falter.suites.carets.quotas import PAPER_SIZES

    rows = rows_of("suites/carets.md", "## How many")
    told = {row[0].strip("`"): int(row[-1].strip("| ").replace(",", "")) for row in rows}
    assert told == {test: sum(sorts.values()) for test, sorts in PAPER_SIZES.items()}


def test_entry_point_groups_are_those_of_the_registries() -> None:
    from falter.core.bundle import BUNDLES
    from falter.core.executors import EXECUTORS
    from falter.data.sources import SOURCES
    from falter.evaluation.measures import MEASURES
    from falter.evaluation.models import BACKENDS
    from falter.evaluation.models.backends import BUILTINS
    from falter.generation.english import GRAMMAR_FOLDERS
    from falter.generation.nlp.encoders import ENCODERS
    from falter.suites.basic_questions.rankers import RANKERS
    from falter.suites.carets.perturbations import CARETS_TESTS
    from falter.suites.carets.questions import QUESTION_TYPES

    suites = (CARETS_TESTS, QUESTION_TYPES, BUNDLES, RANKERS)
    registries = (*suites, SOURCES, BACKENDS, BUILTINS, MEASURES, ENCODERS, EXECUTORS, GRAMMAR_FOLDERS)
    page = (DOCS / "how-to/plugins.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(falter\.[\w.]+)` \|", page, flags=re.MULTILINE)) == {one.group for one in registries}


def test_the_rooms_are_those_that_a_test_enforces() -> None:
    from tests.test_layers import MAY_IMPORT

    rows = rows_of("architecture.md", "## Rooms")
    assert {row[0].strip("` "): set(re.findall(r"`(\w+)`", row[2])) for row in rows} == MAY_IMPORT


def functions_of_the_walk() -> list[tuple[str, str]]:
    """The file of each function that the walk names, and its qualified name."""
    found = []
    for row in rows_of("architecture.md", "## A walk as data"):
        file = ""
        for name in re.findall(r"`([^`]+)`", row[1]):
            if name.endswith(".py"):
                file = name
            else:
                found.append((file, name))
    return found


def test_the_walk_names_functions_that_exist_and_enters_every_half() -> None:
    rooms = set()
    for file, name in functions_of_the_walk():
        target: Any = importlib.import_module(f"falter.{file.removesuffix('.py').replace('/', '.')}")
        for part in name.split("."):
            target = getattr(target, part)
        assert callable(target), name
        rooms.add(file.partition("/")[0])
    assert rooms == {"cli", "api", "data", "generation", "suites", "evaluation"}


def test_what_to_change_is_where_the_architecture_says() -> None:
    for row in rows_of("architecture.md", "## Where do I change ...?"):
        for path in re.findall(r"`([\w*/-]+(?:/|\.\w+))`", row[1]):
            assert [*(ROOT / "src" / "falter").glob(f"**/{path.rstrip('/')}")], path


def test_the_repository_names_no_machine() -> None:
    for page in PAGES:
        assert not re.search(r"(?<![\w.])/(work|tmp|home|root)/", page.read_text(encoding="utf-8")), page


def test_the_site_builds(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    pytest.importorskip("material")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "reference" / "measures.html").is_file()
    colors = (tmp_path / "site" / "tokens.css").read_text(encoding="utf-8")
    assert re.findall(r'scheme="(\w+)"|--(paper|accent):', colors) == [
        *(("default", ""), ("", "paper"), ("", "accent"), ("slate", ""), ("", "paper"), ("", "accent"))
    ]
