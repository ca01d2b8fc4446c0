"""Files are read in ``falter.files`` alone: a reader of its own would forget a guard."""

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
    "scene/query_json.py": {"msgspec.json.Decoder"},
    "engine/cache.py": {"msgspec.json.Decoder"},
    "answers/unwrap.py": {"msgspec.json.decode"},
    "authoring/table_cells.py": {"msgspec.json.decode"},
    "models/openai/http_errors.py": {"msgspec.json.decode"},
    "models/openai/client.py": {"msgspec.json.decode"},
    "models/openai/completion.py": {"msgspec.json.Decoder"},
    "people/crowd_page.py": {"msgspec.json.decode", ".read_text"},
    "serving/application.py": {"msgspec.json.decode"},
    "exporting/reply_scores.py": {"msgspec.json.decode"},
    "viewer/comments.py": {".open", "msgspec.json.Decoder"},
    # Scans again what was opened through the guard: the items of a suite, the replies of a run.
    "viewer/pair_index.py": {"pl.scan_parquet"},
    "viewer/selection.py": {"pl.scan_parquet"},
    # Opens what was read through the guard, with the formats that are named.
    "images/opening.py": {"Image.open"},
    # Writes, locks or lists.
    "authoring/example_table.py": {".open"},
    "world/write_world.py": {".open"},
    "nlp/span_ranking/score_log.py": {".open"},
    # Opens a browser.
    "cli/view.py": {".open"},
    # Opens the system's null device, to which output goes that nobody reads.
    "cli/output.py": {".open"},
    # Reads back what it has just written itself.
    "world/write_visdial.py": {".open", "msgspec.json.decode"},
    "runs/lock.py": {".open"},
    "runs/reply_log.py": {".open"},
    # Reads what is installed with the program.
    "exporting/inspect_task.py": {".read_text"},
    "exporting/lmms_eval.py": {".read_text"},
    "reporting/page.py": {".read_text"},
    "reporting/look.py": {".read_text"},
    "serving/assets.py": {".read_text"},
    "models/builtin/source_code.py": {".read_bytes"},
    # Reads the modules of a model, which Python has imported.
    "models/code_fingerprint.py": {".read_bytes"},
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
    assert opening == ["images/opening.py"]
