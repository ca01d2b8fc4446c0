"""A suite as a task of Inspect: ``inspect eval DIR/task.py`` asks it; its log comes back as a run."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from falter.exporting.asked_items import asked_items, read_image
from falter.exporting.reply_scores import score_fields
from falter.files import atomic_file, write_atomically
from falter.models import ModelOptions
from falter.models.openai.messages import conversation
from falter.models.prompts import Prompt, load_prompt
from falter.models.request import Request
from falter.probes import Item, Suite

__all__ = ["INSPECT_TASK", "InspectTask", "task_name"]

_TEMPLATE = resources.files("falter.exporting") / "harness_files" / "inspect_task.py.txt"


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
                record = _sample(asked.item, suite, prompt, image, asked.target)
                stream.write(msgspec.json.encode(record) + b"\n")
                written += 1
        text = _TEMPLATE.read_text(encoding="utf-8")
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


def _sample(item: Item, suite: Suite, prompt: Prompt, image: str | None, target: str) -> dict[str, Any]:
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
