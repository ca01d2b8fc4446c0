"""Requests, images and models for the tests of servers."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PIL import Image

from falter.data.items import YES_NO, ImageRef, Item, Probe
from falter.data.model import Reply, Request
from falter.data.model_options import ModelOptions
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.models.openai import OpenAIModel
from falter.evaluation.models.openai.endpoint import parse_endpoint
from falter.evaluation.models.openai.pacing import RetryPolicy
from tests.models.openai.faulty import right_answer
from tests.models.openai.server import Server

QUICK = RetryPolicy(first_wait=0.01, longest_wait=0.05)


def model_of(
    server: Server | str,
    *,
    retry_policy: RetryPolicy = QUICK,
    key: str | None = None,
    name: str = "tiny-vl",
    **options: Any,
) -> OpenAIModel:
    base = server if isinstance(server, str) else server.base
    environment = {} if key is None else {"OPENAI_API_KEY": key}
    return OpenAIModel(
        parse_endpoint(f"{name}@{base}", environment), ModelOptions(**options), retry_policy=retry_policy
    )


def question(number: int, **fields: Any) -> Request:
    shown = {"task": "answer", "text": f"Is thing {number} even?", "choices": YES_NO} | fields
    return Request(item_id=f"i{number}", **shown)


def by_id(replies: Iterable[Reply]) -> dict[str, Reply]:
    listed = list(replies)
    found = {reply.item_id: reply for reply in listed}
    assert len(found) == len(listed)
    return found


def png(shade: int = 0) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 8), (shade % 256, 40, 90)).save(out, "PNG")
    return out.getvalue()


def make_suite(folder: Path, items: int, images: int = 5) -> Suite:
    """Questions about numbers, two to a probe, each with one of a few images."""
    drawn = folder.parent / "drawn"
    drawn.mkdir(parents=True, exist_ok=True)
    with create_suite(folder, SuiteManifest(name="numbers")) as writer:
        for number in range(images):
            (drawn / f"{number}.png").write_bytes(png(number))
            writer.add_image(drawn / f"{number}.png")
        for number in range(0, items, 2):
            writer.add(Probe(tuple(_item(number + variant, variant, images) for variant in range(2))))
    return open_suite(folder)


def _item(number: int, variant: int, images: int) -> Item:
    text = f"Is thing {number} even?"
    shade = number // 2 % images
    sha256 = hashlib.sha256(png(shade)).hexdigest()
    return Item.make(
        probe_id=f"p{number // 2:06}",
        variant=variant,
        suite="numbers",
        test="parity",
        expects="different",
        task="answer",
        text=text,
        gold=right_answer(text),
        image=ImageRef(str(shade), f"images/{shade}.png", sha256),
        choices=YES_NO,
    )
