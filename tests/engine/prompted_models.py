"""A model with a prompt, for the tests of the command line: ``python:prompted_models:Prompted``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from falter.data.model import Capabilities, Reply, Request
from falter.data.model_loading import LoadContext
from falter.data.model_options import ModelOptions
from falter.evaluation.models.prompts import load_prompt


class Prompted:
    """Right by its picture; without it, right by what the wording happens to be good for."""

    name = "prompted"
    declared = Capabilities(method="decide:generate", seconds_per_item=0.25)

    def __init__(self, options: ModelOptions | None = None) -> None:
        self.prompt = load_prompt(options or ModelOptions())
        self.capabilities = msgspec.structs.replace(self.declared, prompt=self.prompt, count_tokens=self.count_tokens)
        self.fingerprint = f"prompted {self.prompt.fingerprint}"
        self._times: dict[str, int] = {}

    def count_tokens(self, requests: Sequence[Request]) -> int:
        return 10 * len(requests)

    def reply(self, batch: Sequence[Request]) -> list[Reply]:
        return [Reply(item_id=request.item_id, text=self._said(request)) for request in batch]

    def _said(self, request: Request) -> str:
        draw = hashlib.sha256(f"{self.prompt.name} {request.text}".encode()).digest()[0]
        seen = request.image_id is not None or draw % 2
        self._times[request.item_id] = self._times.get(request.item_id, 0) + 1
        wavers = draw % 10 == 0 and self._times[request.item_id] == 2
        return ("yes" if "no thing" not in request.text else "no") if seen and not wavers else "maybe a horse"


def load_prompted(rest: str, context: LoadContext) -> Prompted:
    """A kind of models of its own, as another package would add one."""
    del rest
    return Prompted(context.options)
