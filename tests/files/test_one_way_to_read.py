"""Files are read in ``falter.core.files`` alone: a reader of its own would forget a guard."""

from __future__ import annotations

import ast
from pathlib import Path

import falter

ROOT = Path(falter.__file__).parent

READERS = {
    *("json.load", "json.loads", "yaml.load", "yaml.safe_load", "yaml.parse", "yaml.compose", "yaml.scan", "np.load"),
    *("msgspec.json.decode", "msgspec.json.Decoder", "msgspec.yaml.decode", "msgspec.msgpack.decode", "np.fromfile"),
    *("pl.read_parquet", "pl.scan_parquet", "pl.read_json", "pl.read_ndjson", "pl.read_csv", "pl.scan_csv"),
    *("pq.read_table", "pq.ParquetFile", "pq.read_schema", "pq.read_metadata", "pq.ParquetDataset", "pickle.load"),
    *("Image.open", "h5py.File", "np.loadtxt", "np.genfromtxt", "np.memmap", "mmap.mmap", "csv.reader"),
}
METHODS = {"read_bytes", "read_text", "open"}

EXCEPTIONS = {
    # Decodes what is in memory: a column, a database, what a server sent, with its errors handled there.
    "generation/scene/open_query.py": {"msgspec.json.Decoder"},
    "evaluation/engine/cache.py": {"msgspec.json.Decoder"},
    "evaluation/answers/unwrapping.py": {"msgspec.json.decode"},
    "generation/authoring/table_columns.py": {"msgspec.json.decode"},
    "evaluation/models/openai/errors.py": {"msgspec.json.decode"},
    "evaluation/models/openai/client.py": {"msgspec.json.decode"},
    "evaluation/models/openai/completion.py": {"msgspec.json.Decoder"},
    "apps/people/platforms.py": {"msgspec.json.decode", ".read_text"},
    "apps/serving/application.py": {"msgspec.json.decode", ".read_text"},
    "evaluation/exporting/harness_items.py": {"msgspec.json.decode"},
    "apps/viewer/workbench.py": {".open", "msgspec.json.Decoder"},
    # Scans again what was opened through the guard: the items of a suite, the replies of a run.
    "apps/viewer/pair_index.py": {"pl.scan_parquet"},
    "apps/viewer/selection.py": {"pl.scan_parquet"},
    # Opens what was read through the guard, with the formats that are named.
    "data/images.py": {"Image.open"},
    # Writes, locks or lists.
    "generation/authoring/example_table.py": {".open"},
    "world/write_world.py": {".open"},
    "generation/nlp/span_ranking.py": {".open"},
    # Opens a browser.
    "cli/reporting.py": {".open"},
    # Opens the system's null device, to which output goes that nobody reads.
    "cli/output.py": {".open"},
    # Reads back what it has just written itself.
    "world/write_visdial.py": {".open", "msgspec.json.decode"},
    "evaluation/runs/replies.py": {".open"},
    # Reads what is installed with the program.
    "evaluation/answers/open_answers/word_relations.py": {".read_bytes", "msgspec.json.decode"},
    "evaluation/exporting/harness_tasks.py": {".read_text"},
    "evaluation/reporting/page.py": {".read_text"},
    # Reads the modules of a model, which Python has imported.
    "evaluation/models/code_fingerprint.py": {".read_bytes"},
}


def calls(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name in READERS or name in ("open", "io.open"):
            found.add(name)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            found.add(f".{node.func.attr}")
    return found


def test_no_module_reads_files_past_the_guard() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): own
        for path in sorted(ROOT.rglob("*.py"))
        if path.parent.name != "files" and (own := calls(path))
    }
    assert found == EXCEPTIONS


def test_images_are_opened_in_one_module() -> None:
    opening = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if "Image.open" in calls(path)]
    assert opening == ["data/images.py"]
