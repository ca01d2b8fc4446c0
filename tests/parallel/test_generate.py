"""A suite is generated with the executor that a plugin brings, and has the same bytes."""

from __future__ import annotations

from pathlib import Path

from tests.cli.commands import falter, refused
from tests.suites.made import raw_graphs, write_graphs

PLUGIN = '''
from pathlib import Path

from falter.core.executors import EXECUTORS, Inline
from falter.core.plugins import register


class Counting(Inline):
    """Counts what passes through."""

    def __init__(self, trace, workers):
        self.trace = Path(trace)
        self.tell("workers", workers)

    def tell(self, *words):
        with self.trace.open("a") as stream:
            print(*words, file=stream)

    def map(self, work, items, *, state, chunk=16):
        for number, result in enumerate(super().map(work, items, state=state, chunk=chunk), start=1):
            self.tell(number)
            yield result


@register(EXECUTORS, "counting")
def make(argument, workers):
    return Counting(argument, workers)
'''


def test_a_plugins_executor_generates_the_same_bytes(tmp_path: Path) -> None:
    source = write_graphs(tmp_path / "gqa", raw_graphs(6))
    (tmp_path / "plugin").mkdir()
    (tmp_path / "plugin" / "counting.py").write_text(PLUGIN)
    made = ("generate", "carets", "--from", source, "--size", "8", "--images", "none", "--test", "negation")
    plugin = ("--plugin-dir", tmp_path / "plugin")
    trace = tmp_path / "trace.txt"
    for name, more in (
        ("inline", ()),
        ("processes", ("--executor", "processes:2")),
        ("counting", ("--workers", "3", "--executor", f"counting:{trace}")),
    ):
        done = falter(*made, *plugin, "--out", tmp_path / name, *more)
        assert done.returncode == 0, done.stderr
    for file in ("items.parquet", "suite.json"):
        assert len({(tmp_path / name / file).read_bytes() for name in ("inline", "processes", "counting")}) == 1
    lines = trace.read_text().splitlines()
    assert lines[0] == "workers 3"
    assert lines[1:2] == ["1"], "the scenes passed through it"
    assert "unknown executor 'ray'" in refused(*made, "--out", tmp_path / "none", "--executor", "ray:here")


def test_a_plugins_question_type_is_known_to_worker_processes(tmp_path: Path) -> None:
    source = write_graphs(tmp_path / "gqa", raw_graphs(60))
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "plugins.md").read_text()
    _, _, code = page.partition("<!-- file: animals/animals.py -->\n```python\n")
    (tmp_path / "animals").mkdir()
    (tmp_path / "animals" / "animals.py").write_text(code.partition("```")[0])
    made = ("generate", "carets", "--from", source, "--images", "none", "--test", "animal-capitals", "--size", "6")
    for workers in ("1", "2"):
        out = tmp_path / f"suite-{workers}"
        done = falter(*made, "--plugin-dir", tmp_path / "animals", "--workers", workers, "--out", out)
        assert done.returncode == 0, done.stderr
    for file in ("items.parquet", "suite.json"):
        assert (tmp_path / "suite-1" / file).read_bytes() == (tmp_path / "suite-2" / file).read_bytes()
