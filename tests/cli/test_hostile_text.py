"""Escape sequences and direction controls of data, models and files never reach the terminal, in any command."""

from __future__ import annotations

import ast
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import falter
from falter.cli import output
from falter.core.progress import ProgressDisplay
from falter.core.tables import Column, Grid, print_blocks
from falter.core.untrusted_text import escape_invisible, escape_json
from falter.data.items import Item, Probe
from falter.data.suite import open_suite
from falter.data.suite_writing import write_suite
from tests.cli.in_process import Finished, falter_here

HOSTILE = "a\x1b[31mb\x07\x08\x9b2Jc\u202ed\u2066e\u2069f\u200bg\x7fh\x1b]8;;http://x\x1b\\i\x85j\u2028k\u061cl\ufeff"
QUIET = HOSTILE.replace("\x85", "").replace("\u2028", "")
"""Without line ends: for places that hold one line."""

_ALLOWED = frozenset("\n\t\u00ad\u200c\u200d")


def raw_in(text: str) -> set[str]:
    """What a terminal would act on."""
    return {
        f"U+{ord(one):04X}"
        for one in text
        if one not in _ALLOWED and unicodedata.category(one) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    }


def hostile_suite(folder: Path) -> Path:
    probes = []
    for number in range(6):
        items = [
            Item.make(
                suite=f"s{QUIET}",
                test=f"t{QUIET}{number % 2}",
                probe_id=f"p{QUIET}{number}",
                variant=variant,
                expects="same",
                text=f"Is it {HOSTILE} {number} {variant}?",
                gold="yes",
                choices=("yes", "no"),
                source_id=f"id{QUIET}{number}{variant}",
                facets={f"f{QUIET}": f"v{QUIET}{number % 2}"},
            )
            for variant in range(2)
        ]
        probes.append(Probe(tuple(items)))
    suite = write_suite(
        probes, folder, name=f"s{QUIET}", title=f"T{HOSTILE}", licence=f"L{HOSTILE}", citation=f"C{HOSTILE}"
    )
    return suite.folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite, two runs with hostile names and replies, and files that are wrong in hostile words."""
    folder = tmp_path_factory.mktemp("hostile")
    suite = open_suite(hostile_suite(folder / "suite"))
    for name in ("one", "two"):
        lines = [
            {"item_id": item.item_id, "text": f"yes {HOSTILE}" if name == "one" else HOSTILE} for item in suite.items()
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, [*lines, {"item_id": QUIET, "text": "no"}])))
        done = falter_here(
            "run", folder / "suite", "--model", f"file:{folder / name}.jsonl#name={name}{QUIET.replace(',', '')}",
            "--out", folder / "runs" / name,
        )  # fmt: skip
        assert done.code in (0, 1), done.stderr
        assert raw_in(done.stdout + done.stderr) == set()
    (folder / "prompt.yaml").write_text(
        json.dumps(
            {
                "version": 1,
                "about": HOSTILE,
                "answer": dict.fromkeys(("open", "binary", "choices"), f"{{text}} {HOSTILE}"),
                "match": {"yes_no": f"{{text}} {HOSTILE}", "letters": f"{{text}} {{a}} {{b}} {HOSTILE}"},
            }
        )
    )
    (folder / "bad.yaml").write_text(json.dumps({QUIET: {HOSTILE: HOSTILE}}))
    (folder / "bad.jsonl").write_text(json.dumps({"item_id": "x", "score_kind": HOSTILE, "answer": [HOSTILE]}))
    (folder / "carets").mkdir()
    (folder / "carets" / "object_verification_negation_test.json").write_text(
        json.dumps([{"img_id": QUIET, "label": {HOSTILE: 1}, "question_id": QUIET, "sent": HOSTILE, "assignment": {}}])
    )
    (folder / "coco").mkdir()
    (folder / "coco" / f"instances{QUIET.replace('/', '')}.json").write_text("{}")
    (folder / "plugin").mkdir()
    (folder / "plugin" / "kinds.yaml").write_text(json.dumps({HOSTILE: {"is": [HOSTILE]}}))
    return folder


def commands(made: Path) -> dict[str, list[Any]]:
    runs = [made / "runs" / "one", made / "runs" / "two"]
    requirement = f"s{QUIET}.t{QUIET}0.c_acc>=0.5"
    return {
        "score": ["score", *runs, "--by", f"f{QUIET}"],
        "score json": ["score", *runs, "--json"],
        "score unknown facet": ["score", *runs, "--by", "nothing"],
        "compare": ["compare", *runs],
        "compare json": ["compare", *runs, "--json"],
        "overlap": ["compare", *runs, "--what", "overlap"],
        "overlap json": ["compare", *runs, "--what", "overlap", "--json"],
        "check": ["check", runs[0], "--require", requirement],
        "inspect": ["inspect", made / "suite", "--sample", "6"],
        "inspect json": ["inspect", made / "suite", "--sample", "6", "--json"],
        "audit": ["audit", made / "suite"],
        "run again": ["run", made / "suite", "--model", f"file:{made}/one.jsonl", "--out", runs[0]],
        "dry run json": [
            *("run", made / "suite", "--model", "builtin:always-yes", "--out", made / "dry", "--dry-run", "--json")
        ],
        "dry run": ["run", made / "suite", "--model", "builtin:always-yes", "--out", made / "dry", "--dry-run"],
        "list model": ["list", "model", "builtin:always-yes", "--prompt", made / "prompt.yaml"],
        "bad prompt": ["list", "model", "builtin:always-yes", "--prompt", made / "bad.yaml"],
        "bad answers": ["run", made / "suite", "--model", f"file:{made}/bad.jsonl", "--out", made / "bad"],
        "bad release": ["import", "carets", made / "carets", "--out", made / "imported"],
        "bad source": ["generate", "carets", "--from", f"coco:{made / 'coco'}", "--out", made / "generated"],
        "bad plugin": ["list", "models", "--plugin-dir", made / "plugin"],
        "merge": ["merge", *runs, "--out", made / "merged"],
        "report json": ["report", *runs, "--out", made / "report.html", "--json"],
        "named by the user": ["score", f"no such run {QUIET}"],
    }


@pytest.mark.parametrize("name", sorted(commands(Path())))
def test_a_command_never_sends_controls_to_the_terminal(name: str, made: Path) -> None:
    done = falter_here(*commands(made)[name])
    assert done.stdout or done.stderr
    assert "internal error" not in done.stderr
    assert raw_in(done.stdout) == set()
    assert raw_in(done.stderr) == set()
    if name.endswith("json"):
        assert "c\u202ed\u2066e" in _texts(done)


def _texts(done: Finished) -> str:
    found: list[str] = []

    def walk(value: Any) -> None:
        for one in value if isinstance(value, list) else value.items() if isinstance(value, dict) else ():
            for part in one if isinstance(one, tuple) else (one,):
                found.append(part) if isinstance(part, str) else walk(part)

    walk(json.loads(done.stdout))
    return "\n".join(found)


def test_json_stays_json_with_the_same_values() -> None:
    value = {HOSTILE: [HOSTILE, {"emoji": "👍🏽", "words": "naïve 日本"}, 1.5, None]}
    written = escape_json(value)
    assert json.loads(written) == value
    assert raw_in(written) == set()
    assert "naïve 日本" in written
    assert escape_json({"a": "é", "b": [1]}) == '{\n  "a": "é",\n  "b": [\n    1\n  ]\n}'
    assert json.loads(escape_json({"path": "a\udcffb"})) == {"path": "a\udcffb"}


def test_tables_notes_and_progress_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.text import Text

    print_blocks([Grid([Column(HOSTILE, [Text(HOSTILE, style="bold")])], [Column("n", [Text("1")])]), HOSTILE])
    output.note(HOSTILE)
    output.out.print(HOSTILE)
    display = ProgressDisplay()
    display.add_task(HOSTILE)
    shown = capsys.readouterr()
    assert raw_in(shown.out + shown.err + str(display._stages[0])) == set()
    assert shown.err.count("\n") == 1
    assert escape_invisible("naïve 日本 👩‍👧\n") == "naïve 日本 👩‍👧\n"


STREAMS = {"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__", "os.write"}
PRINTING = {"echo", "secho", "print_exception", "print_exc", "Console", "print"}


def printing_calls(path: Path) -> list[str]:
    """Calls and names by which a module could write to the terminal itself."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PRINTING:
            found.append(node.func.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called = f"{node.value.id}.{node.attr}"
            if called in STREAMS or (node.attr in PRINTING and node.value.id != "out"):
                found.append(called)
    return found


def test_one_module_of_the_command_line_prints() -> None:
    root = Path(falter.__file__).parent
    modules = [*(root / "cli").glob("*.py"), *(root / "suites").rglob("commands.py")]
    wrong = {str(path.relative_to(root)): calls for path in modules if (calls := printing_calls(path))}
    assert set(wrong) == {"cli/output.py"}
