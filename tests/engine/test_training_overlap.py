"""Training data and few-shot examples from the tested suite are named."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from PIL import Image

import falter
from falter.core.errors import FalterWarning
from falter.data.items import ImageRef, Item, Probe
from falter.data.sources import open_source
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from tests.engine.prompted_models import Prompted


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("overlap") / "world"
    falter.write_world(folder, scenes=12, seed=1, images=False)
    return folder


def suite_about(folder: Path, images: list[ImageRef]) -> Suite:
    with create_suite(folder, SuiteManifest(name="about")) as writer:
        for number, image in enumerate(images):
            asked = Item.make(
                suite="about", test="asked", probe_id=f"p{number}", text=f"Is it {number}?", gold="yes", image=image
            )
            writer.add(Probe((asked,)))
    return open_suite(folder)


def test_training_images_of_the_suite_are_counted(world: Path, tmp_path: Path) -> None:
    source = open_source(f"vqa:{world}/train")
    ids = sorted({question.image_id for question in source.questions()})  # type: ignore[attr-defined]
    mixed = suite_about(tmp_path / "mixed", [*(ImageRef(one) for one in ids[:3]), ImageRef("elsewhere")])
    with pytest.warns(FalterWarning, match="prior was trained on 3 of the 4 images of about"):
        falter.run(mixed, "builtin:prior", out=tmp_path / "run", train=f"vqa:{world}/train")
    apart = suite_about(tmp_path / "apart", [ImageRef("elsewhere")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("falter.api.model_jobs.warn_user", pytest.fail)
        falter.run(apart, "builtin:prior", out=tmp_path / "other", train=f"vqa:{world}/train")


def test_few_shot_examples_of_the_suite_are_counted(tmp_path: Path) -> None:
    for name, color in (("shown", "red"), ("other", "blue")):
        Image.new("RGB", (4, 4), color).save(tmp_path / f"{name}.png")
    # The bytes tell, under whatever name.
    (tmp_path / "renamed.png").write_bytes((tmp_path / "shown.png").read_bytes())
    suite = suite_about(tmp_path / "suite", [ImageRef.from_file(tmp_path / "shown.png"), ImageRef(None)])
    examples = tmp_path / "examples.yaml"
    written = [
        {"text": "What is it?", "reply": "a thing", "image": "renamed.png"},
        {"text": "What is it?", "reply": "a thing", "image": "other.png"},
        {"text": "Is it 1?", "reply": "yes"},
        {"text": "Is it 0?", "reply": "yes"},
    ]
    examples.write_text(yaml.safe_dump(written))
    given = {"few_shot": examples}
    with pytest.warns(FalterWarning, match="2 of 4 few-shot examples of prompted are from about"):
        falter.run(suite, Prompted(), out=tmp_path / "run", options=given)
    examples.write_text(yaml.safe_dump(written[1:2]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("falter.api.model_jobs.warn_user", pytest.fail)
        falter.run(suite, Prompted(), out=tmp_path / "apart", options=given)
