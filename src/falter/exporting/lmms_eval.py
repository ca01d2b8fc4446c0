"""A suite as a task of lmms-eval: a task file, its functions, and the items as Parquet files with images."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pyarrow.parquet as pq

from falter.exporting.dataset_card import dataset_card
from falter.exporting.dataset_records import RECORD_SCHEMA, record_batches
from falter.exporting.inspect_task import task_name
from falter.files import write_atomically
from falter.models import ModelOptions
from falter.models.prompts import load_prompt
from falter.probes import Suite

__all__ = ["LMMS_EVAL", "LmmsEval"]

_UTILS = resources.files("falter.exporting") / "harness_files" / "lmms_eval_utils.py.txt"
_DATA = "data/test-00000-of-00001.parquet"
_LONGEST_REPLY = 32
_TASK = """\
# Give lmms-eval this folder with --include_path, and change dataset_path when the folder moves.
task: {task}
dataset_path: {folder}
test_split: test
output_type: generate_until
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_target: answer
generation_kwargs:
  max_new_tokens: {longest}
  temperature: 0
  do_sample: false
process_results: !function utils.process_results
metric_list:
  - metric: accuracy
    aggregation: !function utils.mean_score
    higher_is_better: true
metadata:
  - version: 1
    suite: {fingerprint}
"""


class LmmsEval:
    """Writes ``falter_SUITE.yaml``, ``utils.py`` and ``data/``, which the package ``datasets`` loads by the folder."""

    def write(self, suite: Suite, folder: Path, out: Path) -> dict[str, int]:
        (folder / "data").mkdir()
        with pq.ParquetWriter(folder / _DATA, RECORD_SCHEMA) as writer:
            for batch in record_batches(suite, load_prompt(ModelOptions())):
                writer.write_batch(batch)
        task = f"falter_{task_name(suite.name)}"
        where = out.resolve()
        text = _TASK.format(task=task, folder=f'"{where}"', longest=_LONGEST_REPLY, fingerprint=suite.fingerprint[:16])
        write_atomically(folder / f"{task}.yaml", text.encode())
        write_atomically(folder / "utils.py", _UTILS.read_text(encoding="utf-8").encode())
        files = [{"split": "test", "path": _DATA}]
        configs: list[dict[str, object]] = [{"config_name": "default", "data_files": files}]
        write_atomically(folder / "README.md", dataset_card(suite, configs).encode())
        return {_DATA: suite.item_count}


LMMS_EVAL = LmmsEval()
