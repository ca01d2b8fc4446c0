"""A suite as a task of another harness: of Inspect, of lmms-eval, and of VLMEvalKit.

- Inspect: ``inspect eval DIR/task.py`` asks it; its log comes back as a run.
- lmms-eval: a task file, its functions, and the items as Parquet files with images.
- VLMEvalKit: one TSV file with the images in base64, for its folder ``LMUData``.
"""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq

from falter.core.files import atomic_file, write_atomically
from falter.data.items import Item
from falter.data.model import Request
from falter.data.model_options import ModelOptions
from falter.data.suite import Suite
from falter.evaluation.exporting.harness_items import answer_kind, asked_items, read_image, score_fields
from falter.evaluation.exporting.hf_dataset import RECORD_SCHEMA, dataset_card, record_batches
from falter.evaluation.models.openai.messages import conversation
from falter.evaluation.models.prompts import Prompt, load_prompt

_INSPECT_TEMPLATE = resources.files("falter.evaluation.exporting") / "harness_files" / "inspect_task.py.txt"


class InspectTask:
    """Writes ``task.py``, ``samples.jsonl`` (every distinct item once) and the images beside them."""

    def write(self, suite: Suite, folder: Path, out: Path) -> dict[str, int]:
        del out
        prompt = load_prompt(ModelOptions())
        images: dict[tuple[str, str | None], str] = {}
        written = 0
        with atomic_file(folder / "samples.jsonl") as stream:
            for asked in asked_items(suite, prompt):
                image = _copy_image(asked.image, asked.item, folder, images)
                record = _inspect_sample(asked.item, suite, prompt, image, asked.target)
                stream.write(msgspec.json.encode(record) + b"\n")
                written += 1
        text = _INSPECT_TEMPLATE.read_text(encoding="utf-8")
        name = task_name(suite.name)
        filled = text.replace("{file}", "task.py").replace("{name}", name).replace("{suite!r}", repr(suite.name))
        write_atomically(folder / "task.py", filled.encode())
        return {"samples.jsonl": written} if written else {}


def task_name(suite: str) -> str:
    """The name of a suite as one of a Python function.

    >>> task_name("my suite-2")
    'my_suite_2'
    """
    name = re.sub(r"\W+", "_", suite, flags=re.ASCII).strip("_").lower() or "suite"
    return f"suite_{name}" if name[0].isdigit() else name


def _inspect_sample(item: Item, suite: Suite, prompt: Prompt, image: str | None, target: str) -> dict[str, Any]:
    request = Request.from_item(item, suite)
    turns = conversation(request, prompt.question(request))
    return {
        "id": item.item_id,
        "turns": [
            {"role": turn.role, "text": turn.text, "image": image if not number else None}
            for number, turn in enumerate(turns)
        ],
        "target": target,
        "metadata": {
            "test": item.test,
            "probe_id": item.probe_id,
            "variant": item.variant,
            "item": score_fields(item),
        },
    }


def _copy_image(path: Path | None, item: Item, folder: Path, written: dict[tuple[str, str | None], str]) -> str | None:
    """The image's path below the folder; files of one name from different folders get names of their own."""
    if path is None:
        return None
    key = (str(path), item.image_sha256)
    if key not in written:
        name = f"images/{path.name}"
        if name in written.values():
            name = f"images/{path.stem}-{len(written)}{path.suffix}"
        (folder / "images").mkdir(exist_ok=True)
        (folder / name).write_bytes(read_image(path, item.image_sha256))
        written[key] = name
    return written[key]


INSPECT_TASK = InspectTask()


_LMMS_EVAL_UTILS = resources.files("falter.evaluation.exporting") / "harness_files" / "lmms_eval_utils.py.txt"
_LMMS_EVAL_DATA = "data/test-00000-of-00001.parquet"
_LONGEST_REPLY = 32
_LMMS_EVAL_TASK = """\
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
        with pq.ParquetWriter(folder / _LMMS_EVAL_DATA, RECORD_SCHEMA) as writer:
            for batch in record_batches(suite, load_prompt(ModelOptions())):
                writer.write_batch(batch)
        task = f"falter_{task_name(suite.name)}"
        where = out.resolve()
        text = _LMMS_EVAL_TASK.format(
            task=task, folder=f'"{where}"', longest=_LONGEST_REPLY, fingerprint=suite.fingerprint[:16]
        )
        write_atomically(folder / f"{task}.yaml", text.encode())
        write_atomically(folder / "utils.py", _LMMS_EVAL_UTILS.read_text(encoding="utf-8").encode())
        files = [{"split": "test", "path": _LMMS_EVAL_DATA}]
        configs: list[dict[str, object]] = [{"config_name": "default", "data_files": files}]
        write_atomically(folder / "README.md", dataset_card(suite, configs).encode())
        return {_LMMS_EVAL_DATA: suite.item_count}


LMMS_EVAL = LmmsEval()


_TSV_COLUMNS = ("index", "image", "question", "answer", "category", "kind", "item_id")


class VlmEvalKit:
    """Writes ``falter_SUITE.tsv``: every distinct item once; an image stands in the first row that shows it.

    VLMEvalKit asks such a table as open questions and writes a file of predictions with the same columns, which
    ``falter run SUITE --model file:PREDICTIONS.xlsx`` scores: it has ``item_id`` and ``prediction``.
    """

    def write(self, suite: Suite, folder: Path, out: Path) -> dict[str, int]:
        del out
        name = f"falter_{task_name(suite.name)}.tsv"
        first: dict[tuple[str, str | None], int] = {}
        number = 0
        with atomic_file(folder / name) as stream:
            stream.write(_tsv_line(_TSV_COLUMNS))
            for number, asked in enumerate(asked_items(suite, load_prompt(ModelOptions())), start=1):
                item, image = asked.item, ""
                if asked.image is not None:
                    known = first.setdefault((str(asked.image), item.image_sha256), number)
                    image = str(known) if known != number else _encode_image(asked.image, item.image_sha256)
                kind = answer_kind(item)
                stream.write(_tsv_line((number, image, asked.prompt, asked.target, item.test, kind, item.item_id)))
        return {name: number} if number else {}


def _tsv_line(cells: Sequence[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text, "excel-tab", lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _encode_image(path: Path, sha256: str | None) -> str:
    return base64.b64encode(read_image(path, sha256)).decode()


VLMEVALKIT = VlmEvalKit()
