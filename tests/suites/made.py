"""Scenes of the embedded world as raw GQA files, and suites made from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from falter.core.bundle import BUNDLES
from falter.core.progress import StageCallback, no_stages
from falter.data.sources import open_source
from falter.data.suite import SuiteManifest
from falter.generation.authoring.generator import generate
from falter.generation.authoring.options import GenerateOptions, build_options
from falter.world.compose import compose
from falter.world.object_groups import SceneMix
from falter.world.write_questions import gqa_graph
from falter.world.write_world import render_jpeg


def raw_graphs(number: int, *, seed: int = 0, mix: SceneMix = "default") -> dict[str, dict[str, Any]]:
    """The first scenes of a world, as GQA writes them."""
    scenes = (compose(seed, index, mix) for index in range(number))
    return {scene.image_id: gqa_graph(scene.graph) for scene in scenes}


def write_graphs(folder: Path, graphs: dict[str, dict[str, Any]]) -> str:
    """Put graphs into a folder and give the spec of the source."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "val_sceneGraphs.json").write_text(json.dumps(graphs))
    return f"gqa:{folder}"


def write_pictures(folder: Path, number: int, *, seed: int = 0) -> str:
    """A tiny world with its pictures, and the spec of the source."""
    spec = write_graphs(folder, raw_graphs(number, seed=seed))
    (folder / "images").mkdir()
    for index in range(number):
        scene = compose(seed, index)
        (folder / "images" / f"{scene.image_id}.jpg").write_bytes(render_jpeg(scene))
    return spec


def make_suite(
    source: str,
    out: Path,
    *,
    workers: int = 1,
    plugin_dirs: tuple[Path, ...] = (),
    own: dict[str, Any] | None = None,
    suite: str = "carets",
    start_stage: StageCallback = no_stages,
    **options: Any,
) -> SuiteManifest:
    """Generate a suite, CARETS unless another is named, without images unless they are asked for."""
    bundle = BUNDLES.get(suite)
    chosen = build_options(suite, bundle.get("options"), own or {})
    wanted = GenerateOptions(
        **{"images": "none", **options}, workers=workers, plugins=plugin_dirs, suite_options=chosen
    )
    return generate(
        bundle,
        open_source(source),
        out,
        wanted,
        start_stage=start_stage,
    )
