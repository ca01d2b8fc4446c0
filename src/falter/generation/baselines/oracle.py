"""Answers from the scene graph: the upper bound of every suite that has scenes, and one that errs at a known rate.

The noisy oracle's expected scores can be computed by hand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from falter.core.errors import UsageError
from falter.core.files import sha256_of_bytes
from falter.core.files.checksums import hash_code
from falter.core.plugins import plugin_hashes
from falter.data.items import Task
from falter.data.model import Capabilities, Reply, Request
from falter.data.model_loading import Builtin, LoadContext, SpecOptions
from falter.data.normalize import normalize
from falter.generation.sources import HasScenes, require_scenes

_CODE = (
    "falter.generation.baselines",
    "falter.data.normalize",
    "falter.data.word_forms",
    "falter.generation.english",
    "falter.generation.scene",
    "falter.generation.sources",
)
"""The packages that read a question and a scene and answer."""


class Oracle:
    """Reads a question or a caption and answers it from the scene graph of the image's id; it sees nothing else.

    What it cannot read, what reads in two ways with two answers, and what the scene leaves open, it does not answer.
    Of a dialogue it reads the last question alone.
    """

    name = "oracle"
    capabilities = Capabilities(tasks=frozenset(("answer", "match")), batch_size=256, reads_context=True)

    def __init__(self, scenes: HasScenes, extend: tuple[Path, ...] = ()) -> None:
        from falter.generation.english import default_grammar

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
            from falter.generation.english.grammar import captions_over

            return captions_over(self._grammar).parse(text)
        readings = self._grammar.parse(text)
        if readings:
            return readings
        from falter.generation.english.question_reader import reader_over

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
        from falter.generation.scene import Scene

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


_OPPOSITE = {"yes": "no", "no": "yes"}


class NoisyOracle:
    """Right with probability ``p``, each item by itself; the draw depends on the seed and the item alone."""

    capabilities = Capabilities(tasks=frozenset(("answer", "match")), batch_size=256)

    def __init__(self, oracle: Oracle, *, p: float = 0.8, seed: int = 0) -> None:
        self._oracle = oracle
        self._p = p
        self._seed = seed
        self.name = f"noisy-oracle p={p:g}" + (f" seed={seed}" if seed else "")
        self.fingerprint = f"{oracle.fingerprint}:noisy:{p!r}:{seed}"

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return [self._disturb(request, reply) for request, reply in zip(batch, self._oracle.reply(batch), strict=True)]

    def _disturb(self, request: Request, reply: Reply) -> Reply:
        if reply.answer is None or self._draw("right", request.item_id) < self._p:
            return reply
        return Reply(item_id=request.item_id, answer=self._wrong(request, reply.answer))

    def _wrong(self, request: Request, right: str) -> str:
        others = [choice for choice in request.choices or () if choice != right]
        if others:
            return others[int(self._draw("which", request.item_id) * len(others))]
        if right.isdecimal():
            return str(int(right) + 1)
        return _OPPOSITE.get(right, "something else")

    def _draw(self, purpose: str, item_id: str) -> float:
        """A number from 0 to below 1."""
        digest = hashlib.sha256(f"{self._seed}\n{purpose}\n{item_id}".encode()).digest()
        return int.from_bytes(digest[:6], "big") / (1 << 48)


def _make(options: SpecOptions, context: LoadContext) -> NoisyOracle:
    p = options.number("p", 0.8, low=0, high=1)
    return NoisyOracle(make_oracle(options, context), p=p, seed=options.whole("seed", 0))


NOISY_ORACLE = Builtin(
    _make,
    summary="the oracle, but right only with probability p (0.8)",
    tasks=("answer", "match"),
    needs="--scenes SOURCE",
    options=("p", "seed"),
)
