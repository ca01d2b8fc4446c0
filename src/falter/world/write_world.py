"""Writes a world to a folder: train and validation splits, each in the published formats of the data sets.

Scenes are made chunk by chunk, in as many processes as asked for, and written in their order as they come: the bytes
are the same for any number of workers, and no more than a few chunks are in memory.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

import msgspec
from PIL import Image

from falter.core.errors import UsageError
from falter.core.executors import Executor, executor_for, stateless
from falter.core.files import FolderKind, NameTest, atomic_folder
from falter.core.version import __version__
from falter.world.captions import caption_records
from falter.world.compose import WorldScene, compose
from falter.world.dialogues import draft_dialogue
from falter.world.drawing import Canvas, draw, draw_background, draw_dressed
from falter.world.object_groups import SceneMix
from falter.world.write_questions import gqa_graph, gqa_questions, visual7w_record, vqa_records
from falter.world.write_swig import situation_space, swig_record
from falter.world.write_visdial import VisdialWriter


def render(scene: WorldScene) -> Image.Image:
    """Draw the image of a scene."""
    canvas = Canvas()
    draw_background(canvas, scene.background, scene.background_seed)
    for index, appearance in enumerate(scene.appearances):
        if index in scene.wearers:
            continue
        worn = [scene.appearances[item] for item, wearer in scene.wearers.items() if wearer == index]
        if worn:
            draw_dressed(canvas, appearance, worn)
        else:
            draw(canvas, appearance)
    return canvas.finish()


def render_jpeg(scene: WorldScene) -> bytes:
    """Draw the image of a scene and encode it as JPEG."""
    stream = io.BytesIO()
    render(scene).save(stream, "JPEG", quality=90, subsampling=0, optimize=False)
    return stream.getvalue()


SPLITS = ("train", "val")
_LICENSE = "Made by Falter, Apache-2.0: the pictures and annotations may be used by anybody for anything."


_SPLIT_FILES = (
    *("captions_{}.json", "dataset_v7w_telling.json", "foilv1.0_{}.json", "imsitu_space.json", "swig_{}.json"),
    *("{}_balanced_questions.json", "{}_sceneGraphs.json", "v2_OpenEnded_mscoco_{}2014_questions.json"),
    *("v2_mscoco_{}2014_annotations.json", "visdial_1.0_{}.json"),
)


def _own_files(folder: Path) -> NameTest | None:
    if not all((folder / name).exists() for name in ("world.json", *SPLITS)):
        return None
    names = {f"{split}/{name.format(split)}" for split in SPLITS for name in _SPLIT_FILES}
    names |= {"world.json", "LICENSE.txt"}
    # Ids of images count from 1000001: see compose.
    image = re.compile(rf"({'|'.join(SPLITS)})/images/[1-9]\d{{6,}}\.jpg")
    return lambda path: path in names or image.fullmatch(path) is not None


WORLD_FOLDER = FolderKind("a world", _own_files)


class WorldCounts(NamedTuple):
    """Number of scenes and questions written, by split."""

    scenes: dict[str, int]
    gqa_questions: dict[str, int]
    vqa_questions: dict[str, int]


class _Made(NamedTuple):
    """One scene in its written forms."""

    image_id: str
    split: str
    graph: bytes
    questions: list[tuple[str, bytes]]
    vqa_questions: list[bytes]
    vqa_annotations: list[bytes]
    dialogue: bytes
    situation: bytes | None
    captions: list[bytes]
    foils: list[bytes]
    visual7w: bytes
    image: bytes | None


def split_for(index: int) -> str:
    """The split of a scene: three of ten scenes are for validation."""
    return "val" if index % 10 in (2, 5, 8) else "train"


def write_world(
    out: Path,
    scenes: int,
    seed: int,
    workers: int = 1,
    overwrite: bool = False,
    progress: Callable[[int], None] | None = None,
    images: bool = True,
    mix: SceneMix = "default",
) -> WorldCounts:
    """Write a world of so many scenes; ``progress`` is told of every scene that is done."""
    if scenes < 1:
        raise UsageError(f"a world needs at least one scene, not {scenes}")
    executor = executor_for(workers)
    with atomic_folder(out, overwrite=overwrite, kind=WORLD_FOLDER) as folder, ExitStack() as stack:
        splits = {split: stack.enter_context(_Split(folder / split, split, seed, images)) for split in SPLITS}
        for made in _make_all(scenes, seed, executor, images, mix):
            splits[made.split].add(made)
            if progress is not None:
                progress(1)
        (folder / "LICENSE.txt").write_text(f"{_LICENSE}\n", encoding="utf-8")
        about = {
            "format": 1,
            "falter": __version__,
            "scenes": scenes,
            "seed": seed,
            "images": images,
            "licence": _LICENSE,
            **({} if mix == "default" else {"mix": mix}),
        }
        (folder / "world.json").write_bytes(msgspec.json.format(msgspec.json.encode(about)) + b"\n")
    return WorldCounts(
        {name: split.scenes for name, split in splits.items()},
        {name: split.questions for name, split in splits.items()},
        {name: split.vqa for name, split in splits.items()},
    )


def _make_all(scenes: int, seed: int, executor: Executor, images: bool, mix: SceneMix) -> Iterator[_Made]:
    return executor.map(partial(_make, seed=seed, images=images, mix=mix), range(scenes), state=stateless)


def _make(_: None, index: int, *, seed: int, images: bool, mix: SceneMix) -> _Made:
    encode = msgspec.json.encode
    scene = compose(seed, index, mix)
    vqa = vqa_records(scene, seed)
    situation = swig_record(scene, seed)
    captions = caption_records(scene, seed)
    return _Made(
        image_id=scene.image_id,
        split=split_for(index),
        graph=encode(gqa_graph(scene.graph)),
        questions=[(id_, encode(record)) for id_, record in gqa_questions(scene, seed).items()],
        vqa_questions=[encode(record) for record in vqa.questions],
        vqa_annotations=[encode(record) for record in vqa.annotations],
        dialogue=encode(draft_dialogue(scene, seed)),
        situation=None if situation is None else encode(situation),
        captions=[encode(record) for record in captions.captions],
        foils=[encode(record) for record in captions.foils],
        visual7w=encode(visual7w_record(scene, seed, split_for(index))),
        image=render_jpeg(scene) if images else None,
    )


class _Split:
    """The open files of one split."""

    def __init__(self, folder: Path, split: str, seed: int, images: bool) -> None:
        self.scenes = self.questions = self.vqa = 0
        self._images = folder / "images"
        self._images.mkdir(parents=True) if images else folder.mkdir(parents=True)
        info = {"description": "Falter's embedded world", "version": __version__, "seed": seed}
        license_ = {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0", "note": _LICENSE}
        head = msgspec.json.encode({"info": info, "license": license_, "data_subtype": f"{split}2014"})[:-1]
        asked = head + b',"task_type":"Open-Ended","data_type":"mscoco","questions":['
        self._graphs = _Stream(folder / f"{split}_sceneGraphs.json", b"{", b"}")
        self._questions = _Stream(folder / f"{split}_balanced_questions.json", b"{", b"}")
        self._vqa_questions = _Stream(folder / f"v2_OpenEnded_mscoco_{split}2014_questions.json", asked, b"]}")
        annotated = head + b',"data_type":"mscoco","annotations":['
        self._vqa_annotations = _Stream(folder / f"v2_mscoco_{split}2014_annotations.json", annotated, b"]}")
        self._dialogues = VisdialWriter(folder, split, seed)
        self._situations = _Stream(folder / f"swig_{split}.json", b"{", b"}")
        (folder / "imsitu_space.json").write_bytes(msgspec.json.encode(situation_space()) + b"\n")
        captioned = msgspec.json.encode({"info": info, "licenses": [license_]})[:-1] + b',"annotations":['
        self._captions = _Stream(folder / f"captions_{split}.json", captioned, b"]}")
        self._foils = _Stream(folder / f"foilv1.0_{split}.json", captioned, b"]}")
        self._visual7w = _Stream(folder / "dataset_v7w_telling.json", b'{"dataset":"v7w","images":[', b"]}")
        questions = (self._questions, self._vqa_questions, self._vqa_annotations, self._visual7w)
        self._streams = (self._graphs, *questions, self._situations, self._captions, self._foils)

    def __enter__(self) -> _Split:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in self._streams:
            stream.close()
        self._dialogues.close()

    def add(self, made: _Made) -> None:
        """Write one scene."""
        self.scenes += 1
        self._graphs.add(made.graph, key=made.image_id)
        for question_id, record in made.questions:
            self._questions.add(record, key=question_id)
        for record in made.vqa_questions:
            self._vqa_questions.add(record)
        for record in made.vqa_annotations:
            self._vqa_annotations.add(record)
        self._dialogues.add(made.dialogue)
        self._visual7w.add(made.visual7w)
        for record in made.captions:
            self._captions.add(record)
        for record in made.foils:
            self._foils.add(record)
        if made.situation is not None:
            self._situations.add(made.situation, key=f"{made.image_id}.jpg")
        self.questions += len(made.questions)
        self.vqa += len(made.vqa_questions)
        if made.image is not None:
            (self._images / f"{made.image_id}.jpg").write_bytes(made.image)


class _Stream:
    """A JSON object or list written entry by entry."""

    def __init__(self, path: Path, head: bytes, tail: bytes) -> None:
        self._file: IO[bytes] = path.open("wb")
        self._tail = tail
        self._first = True
        self._file.write(head)

    def add(self, record: bytes, key: str | None = None) -> None:
        self._file.write(b"\n" if self._first else b",\n")
        self._first = False
        if key is not None:
            self._file.write(msgspec.json.encode(key) + b":")
        self._file.write(record)

    def close(self) -> None:
        self._file.write(b"\n" + self._tail + b"\n")
        self._file.close()
