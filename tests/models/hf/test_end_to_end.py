"""Every family through the command line: a suite on drawn images is run, resumed and scored."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from typer.testing import CliRunner

from falter.cli.main import build_app
from falter.core.files import sha256_of_bytes
from falter.data.items import ImageRef, Item, Probe
from falter.data.sources import open_source
from falter.data.suite import SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.runs import open_run
from falter.generation.authoring.generator import generate
from falter.generation.authoring.options import GenerateOptions
from tests.suites.made import write_pictures
from tests.tiny_suite.tiny import BUNDLE as TINY

from .conftest import regions

ANSWERING = (
    "vilt_answers",
    "lxmert_answers",
    "visual_bert_answers",
    "blip_answers",
    "blip2_answers",
    "git",
    "llava",
    "idefics3",
    "qwen2_vl",
)
MATCHING = ("vilt_matches", "lxmert_pretrained", "visual_bert_matches", "blip_matches", "blip2_matches", "llava")
CAPTIONS = (("There is a dog.", "There is no dog."), ("A red bus.", "A green bus."), ("Two cats.", "Three cats."))


class World(NamedTuple):
    questions: Path
    captions: Path
    features: Path
    images: Path


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Drawn scenes: questions about them, captions with foils, and region features."""
    folder = tmp_path_factory.mktemp("world")
    source = write_pictures(folder / "gqa", 3)
    generate(TINY, open_source(source), folder / "questions", GenerateOptions(size=10))
    images = sorted((folder / "gqa" / "images").iterdir())
    with create_suite(folder / "captions", SuiteManifest(name="captions")) as writer:
        for place, path in enumerate(images):
            digest = sha256_of_bytes(path.read_bytes())
            for number, texts in enumerate(CAPTIONS):
                shared: dict[str, Any] = {
                    "probe_id": f"p{place}-{number}",
                    "suite": "captions",
                    "test": "existence",
                    "expects": "prefer",
                    "task": "match",
                    "image": ImageRef(path.stem, path, digest),
                }
                items = [
                    Item.make(
                        **shared,
                        variant=variant,
                        text=text,
                        gold="no" if variant else "yes",
                    )
                    for variant, text in enumerate(texts)
                ]
                writer.add(Probe(tuple(items)))
    arrays = {}
    for place, path in enumerate(images):
        features, boxes = regions(place, 4)
        arrays |= {f"{path.stem}.features": features, f"{path.stem}.boxes": boxes}
    np.savez(folder / "features.npz", **arrays)
    return World(folder / "questions", folder / "captions", folder / "features.npz", folder / "gqa" / "images")


def falter(*arguments: str | Path) -> str:
    done = CliRunner().invoke(build_app(), [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def run_and_score(suite: Path, model: Path, out: Path, world: World, *options: str) -> dict[str, Any]:
    """The scores of a run by measure, summed up over tests by name."""
    command = (
        "run",
        suite,
        "--model",
        f"hf:{model}",
        "--out",
        out,
        "-M",
        f"region_features={world.features}",
        "--image-dir",
        world.images,
        "--device",
        "cpu",
    )
    falter(*command, "--max-new-tokens", "4", *options)
    scored = json.loads(falter("score", out, "--json"))[0]["scores"]
    return {f"{score['group'].get('test')}.{score['measure']}": score for score in scored}


@pytest.mark.parametrize("name", ANSWERING)
def test_a_model_that_answers(name: str, world: World, checkpoint: Callable[[str], Path], tmp_path: Path) -> None:
    out = tmp_path / "run"
    scores = run_and_score(world.questions, checkpoint(name), out, world, "-M", "answer_by=likelihood")
    run = open_run(out)
    assert run.manifest.complete
    assert run.manifest.counts["failed"] == 0
    distinct = {item.item_id for probe in open_suite(world.questions).probes() for item in probe.items}
    assert run.manifest.counts["ok"] + run.manifest.counts["unsupported"] == run.manifest.asked == len(distinct)
    assert run.manifest.counts["ok"] >= 15
    assert {f"{test}.acc" for test in ("negation", "rephrase")} <= scores.keys()
    acc = scores["negation.acc"]
    assert 0 <= acc["value"] <= 1
    assert "decide:likelihood" in acc["signature"]


@pytest.mark.parametrize("name", MATCHING)
def test_a_model_that_matches(name: str, world: World, checkpoint: Callable[[str], Path], tmp_path: Path) -> None:
    out = tmp_path / "run"
    scores = run_and_score(world.captions, checkpoint(name), out, world)
    assert open_run(out).manifest.counts["ok"] == 18
    acc = scores["existence.acc_r"]
    assert 0 <= acc["value"] <= 1
    assert "match:" in acc["signature"]


def test_generated_answers_are_the_same_bytes_for_every_batch_size_and_device(
    world: World, checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    fours, ones = tmp_path / "fours", tmp_path / "ones"
    model = checkpoint("llava")
    run_and_score(world.questions, model, fours, world, "--batch-size", "4")
    command = ("run", world.questions, "--model", f"hf:{model}", "--out", ones, "--device", "cpu,cpu")
    falter(*command, "--max-new-tokens", "4", "-M", f"region_features={world.features}", "--batch-size", "1")
    assert (fours / "replies.parquet").read_bytes() == (ones / "replies.parquet").read_bytes()
    assert open_run(fours).manifest.model.fingerprint == open_run(ones).manifest.model.fingerprint


def test_letters_show_their_bias_and_a_blind_run_asks_without_the_picture(
    world: World, checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    model = checkpoint("llava")
    scores = run_and_score(world.captions, model, tmp_path / "letters", world, "-M", "match_by=letters")
    assert any("position" in name or "lean" in name for name in scores), sorted(scores)
    run_and_score(world.captions, model, tmp_path / "blind", world, "--image-input", "none")
    seen, blind = (open_run(tmp_path / name) for name in ("letters", "blind"))
    assert blind.manifest.counts["ok"] == seen.manifest.counts["ok"] == 18


def test_what_will_be_asked_is_shown_in_tokens_of_the_model(
    world: World, checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    shown = json.loads(
        falter(
            "run",
            world.captions,
            "--model",
            f"hf:{checkpoint('vilt_matches')}",
            "--out",
            tmp_path / "run",
            "--dry-run",
            "--json",
            "--image-dir",
            world.images,
            "--device",
            "cpu",
        )
    )
    assert shown[0]["plan"]["estimate"]["counted_by"] == "the model's tokenizer"
    assert shown[0]["plan"]["estimate"]["input_tokens"] > 18 * 4
    assert shown[0]["plan"]["estimate"]["output_tokens"] == 0
    told = falter("list", "model", f"hf:{checkpoint('vilt_matches')}", "--device", "cpu")
    assert "match:head" in told
