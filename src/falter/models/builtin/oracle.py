"""Answers from the scene graph: the upper bound of every suite that has scenes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from falter.answers import normalize
from falter.errors import UsageError
from falter.files import sha256_of_bytes
from falter.models.builtin.entry import Builtin, SpecOptions
from falter.models.builtin.source_code import hash_code
from falter.models.capabilities import Capabilities
from falter.models.load_context import LoadContext
from falter.models.request import Request
from falter.plugins import plugin_hashes
from falter.probes import Task
from falter.runs.reply import Reply
from falter.sources import HasScenes, require_scenes

__all__ = ["ORACLE", "Oracle"]

_CODE = ("falter.models.builtin", "falter.answers", "falter.english", "falter.scene", "falter.sources")
"""The packages that read a question and a scene and answer."""


class Oracle:
    """Reads a question or a caption and answers it from the scene graph of the image's id; it sees nothing else.

    What it cannot read, what reads in two ways with two answers, and what the scene leaves open, it does not answer.
    Of a dialogue it reads the last question alone.
    """

    name = "oracle"
    capabilities = Capabilities(tasks=frozenset(("answer", "match")), batch_size=256, reads_context=True)

    def __init__(self, scenes: HasScenes, extend: tuple[Path, ...] = ()) -> None:
        from falter.english import default_grammar

        self._grammar = default_grammar(*extend)
        self._scenes = scenes
        self._readings = lru_cache(maxsize=1 << 14)(self._read)
        self._scene = lru_cache(maxsize=256)(self._load_scene)
        described = msgspec.json.encode(scenes.describe(), order="deterministic")
        if extend:
            described += msgspec.json.encode(plugin_hashes(extend))
        self.fingerprint = sha256_of_bytes(f"builtin:oracle\n{hash_code(*_CODE)}\n".encode() + described)

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return [self._reply(request) for request in batch]

    def _reply(self, request: Request) -> Reply:
        answer = None if request.image_id is None else self.answer(request.text, request.image_id, request.task)
        if answer is not None and request.choices is not None:
            answer = next((choice for choice in request.choices if normalize(choice) == normalize(answer)), None)
        if answer is None:
            return Reply(item_id=request.item_id, status="unsupported")
        return Reply(item_id=request.item_id, answer=answer)

    def _read(self, text: str, task: Task) -> tuple[Any, ...]:
        """The meanings of a text by the templates that suites are written with, else by those that people's take."""
        if task == "match":
            from falter.english.grammar import captions_over

            return captions_over(self._grammar).parse(text)
        readings = self._grammar.parse(text)
        if readings:
            return readings
        from falter.english.question_reader import reader_over

        read = reader_over(self._grammar).read(text)
        return () if read is None else (read.meaning,)

    def answer(self, text: str, image_id: str, task: Task = "answer") -> str | None:
        """The scene's answer, or None where the scene does not determine one."""
        readings = self._readings(text, task)
        scene = self._scene(image_id)
        if scene is None:
            return None
        answers: set[str | None] = {reading.answer(scene) for reading in readings}
        return answers.pop() if len(answers) == 1 else None

    def _load_scene(self, image_id: str) -> Any:
        from falter.scene import Scene

        graph = self._scenes.scene(image_id)
        return None if graph is None else Scene(graph, self._grammar.ontology)


def make_oracle(options: SpecOptions, context: LoadContext) -> Oracle:
    """The oracle over the scenes of ``--scenes``."""
    if context.scenes is None:
        raise UsageError(
            f"builtin:{options.name} needs the scenes of the images: give --scenes SOURCE, e.g. gqa:FOLDER"
        )
    return Oracle(require_scenes(context.scenes), context.plugin_dirs)


ORACLE = Builtin(
    make_oracle,
    summary="reads the question and looks the answer up in the image's scene graph",
    tasks=("answer", "match"),
    needs="--scenes SOURCE",
)
