"""Answers yes to everything: a baseline that ignores image and text."""

from __future__ import annotations

from collections.abc import Sequence

from falter.models.builtin.entry import Builtin, SpecOptions
from falter.models.builtin.source_code import hash_code
from falter.models.capabilities import Capabilities
from falter.models.load_context import LoadContext
from falter.models.request import Request
from falter.runs.reply import Reply

__all__ = ["ALWAYS_YES", "AlwaysYes"]


class AlwaysYes:
    """Answers "yes" to every question and matches every text with its image."""

    name = "always-yes"
    capabilities = Capabilities(tasks=frozenset(("answer", "match")), reads_context=True, batch_size=1024)

    def __init__(self) -> None:
        self.fingerprint = f"builtin:always-yes:{hash_code('falter.models.builtin')}"

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return [
            Reply(item_id=request.item_id, answer="yes")
            if request.task == "answer"
            else Reply(item_id=request.item_id, answer="yes", score=1.0, score_kind="probability")
            for request in batch
        ]


def _make(options: SpecOptions, context: LoadContext) -> AlwaysYes:
    del options, context
    return AlwaysYes()


ALWAYS_YES = Builtin(_make, summary="says yes to everything", tasks=("answer", "match"))
