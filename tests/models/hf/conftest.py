"""Tiny checkpoints on disk, images with region features, and a world to ask about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("torch")
pytest.importorskip("transformers")

from falter.data.items import Task
from falter.data.model import Request
from falter.data.model_loading import LoadContext
from falter.data.model_options import ModelOptions
from falter.evaluation.models import load_model
from falter.evaluation.models.hf.model import HuggingFaceModel
from tests.models.tiny.vision_language import BUILDERS, REGION_SIZE

TEXTS = (
    "Is there a red bus?",
    "Is there a red bus near the tall man?",
    "Are there any dogs on the grass to the left of the table?",
    "Is the car green?",
)


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny models are faster on one thread, and sums come in one order."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model, built when first asked for."""
    made: dict[str, Path] = {}

    def build(name: str) -> Path:
        if name not in made:
            made[name] = BUILDERS[name](tmp_path_factory.mktemp(name))
        return made[name]

    return build


class Images(NamedTuple):
    paths: list[Path]
    features: Path

    def requests(self, task: Task, choices: tuple[str, ...] | None = None) -> list[Request]:
        """Every text about every image."""
        return [
            Request(
                item_id=f"{task}-{path.stem}-{number}",
                task=task,
                text=text,
                image=path,
                image_id=path.stem,
                choices=choices,
            )
            for path in self.paths
            for number, text in enumerate(TEXTS)
        ]


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> Images:
    """Images of several sizes, each with another number of regions."""
    folder = tmp_path_factory.mktemp("images")
    draw = np.random.default_rng(5)
    paths, arrays = [], {}
    for number, (width, height) in enumerate(((40, 30), (30, 40), (64, 32))):
        paths.append(folder / f"image{number}.png")
        Image.fromarray(draw.integers(0, 255, (height, width, 3), dtype=np.uint8)).save(paths[-1])
        features, boxes = regions(number, 3 + number)
        arrays |= {f"image{number}.features": features, f"image{number}.boxes": boxes}
    np.savez(folder / "features.npz", **arrays)
    return Images(paths, folder / "features.npz")


def regions(seed: int, count: int) -> tuple[Any, Any]:
    """Made-up features and boxes."""
    draw = np.random.default_rng(seed)
    boxes = np.sort(draw.random((count, 2, 2)), axis=1).reshape(count, 4)
    return draw.normal(size=(count, REGION_SIZE)).astype(np.float32), boxes.astype(np.float32)


Load = Callable[..., HuggingFaceModel]


@pytest.fixture(scope="session")
def load(checkpoint: Callable[[str], Path], images: Images) -> Load:
    """A model of a tiny checkpoint, with options; the same one for the same options."""
    made: dict[object, HuggingFaceModel] = {}

    def opened(name: str, **options: Any) -> HuggingFaceModel:
        key = name, tuple(sorted(options.items()))
        if key not in made:
            given = ModelOptions(
                **{"device": "cpu", "max_new_tokens": 5, "region_features": images.features, **options}
            )
            model = load_model(f"hf:{checkpoint(name)}", LoadContext(options=given))
            assert isinstance(model, HuggingFaceModel)
            made[key] = model
        return made[key]

    return opened
