"""COCO in its published form: boxes of 80 categories, every one of them annotated, and captions.

An image becomes a scene graph without attributes and relations. A category whose name means something else in the
ontology is renamed (COCO's mouse is a computer mouse), and a crowd is a plural. What is of no category is unknown, and
so is the absence of a few categories (:data:`DOUBTFUL_CATEGORIES`). Boxes of two categories on one thing are merged:
annotators did not agree on what it is, so it is of their common kind alone. Captions are read with the boxes, or as a
source of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import Int64, read_json, sha256_of_file
from falter.data.images import Source
from falter.generation.english import Ontology, default_grammar
from falter.generation.scene import Box, SceneGraph, SceneObject
from falter.generation.scene.graph import clip
from falter.generation.sources.protocol import HasCaptions, HasScenes, provides
from falter.generation.sources.published_files import find_licence, find_numbered_images, name_licences

_CAPTION_KEYS = ("file", "images", "licence")


class _Caption(msgspec.Struct):
    image_id: int | str
    caption: str


class _Captions(msgspec.Struct):
    annotations: list[_Caption]


def read_captions(paths: Iterable[Path]) -> dict[str, list[str]]:
    """By image the captions of files in COCO's format."""
    found: dict[str, list[str]] = {}
    for path in paths:
        for one in read_json(
            path,
            _Captions,
            what="captions in COCO's format",
            hint="mend the file, or download it again if it was published",
        ).annotations:
            found.setdefault(str(one.image_id), []).append(one.caption)
    return found


@provides(HasCaptions)
def open_coco_captions(settings: Mapping[str, str]) -> Source:
    """Open a captions file of COCO by itself: ``coco-captions:FILE`` or ``file=FILE,images=DIR``."""
    unknown = sorted(set(settings) - {"", *_CAPTION_KEYS})
    if unknown:
        raise UsageError(f"coco-captions has no setting {unknown[0]!r}: there are {', '.join(_CAPTION_KEYS)}")
    file = settings.get("file", settings.get("", ""))
    if not file:
        raise UsageError("coco-captions needs a file: coco-captions:FILE or coco-captions:file=FILE,images=DIR")
    images = Path(settings["images"]) if "images" in settings else None
    if images is not None and not images.is_dir():
        raise InputError(images, "is not a folder of images", hint="give images=DIR, or leave it out")
    return CocoCaptions(Path(file), images, settings.get("licence", ""))


class CocoCaptions:
    """Captions alone."""

    name = "coco"

    def __init__(self, captions: Path, images: Path | None = None, licence: str = "") -> None:
        self.licence = find_licence(captions, licence)
        self._path, self._images = captions, images
        self._captions = read_captions([captions])

    def describe(self) -> dict[str, Any]:
        files = {"captions": {"name": self._path.name, "sha256": sha256_of_file(self._path)}}
        return {"name": self.name, "licence": self.licence, "files": files}

    def image_ids(self) -> Sequence[str]:
        return list(self._captions)

    def image_path(self, image_id: str) -> Path | None:
        return self._image_files.get(image_id)

    def captions(self, image_id: str) -> Sequence[str]:
        return self._captions.get(image_id, [])

    @cached_property
    def _image_files(self) -> dict[str, Path]:
        return find_numbered_images(self._images)


_SAME_THING = 0.7
"""How much of the area that two boxes cover together is covered by both, from which on they are on one thing."""
_NEVER_ELSE = "person"
"""People are not taken for anything else: one who hides a chair is another thing than the chair."""


def merge_double_boxes(objects: dict[str, SceneObject], ontology: Ontology) -> tuple[dict[str, SceneObject], int]:
    """The objects, with one of the nearest common kind for each two boxes on one thing, and how many were merged.

    A box of a car and one of a truck on the same thing become a motor vehicle: whether it is a car is unknown.
    """
    merged = dict(objects)
    for first, second in combinations(objects.values(), 2):
        if first.name == second.name or not _overlap(first.box, second.box) >= _SAME_THING:
            continue
        one, other = (merged.get(thing.id) for thing in (first, second))
        if one is None or other is None:
            continue
        name = _common_kind(one.name, other.name, ontology)
        if name is not None:
            merged[one.id] = msgspec.structs.replace(one, name=name)
            del merged[other.id]
    return merged, len(objects) - len(merged)


def _overlap(first: Box, second: Box) -> float:
    """The area that both boxes cover, as a share of what they cover together."""
    both = first.share_within(second) * first.w * first.h
    return both / (first.w * first.h + second.w * second.h - both)


def _common_kind(first: str, second: str, ontology: Ontology) -> str | None:
    """The narrowest kind that both names belong to; None for people and for names that the ontology does not have."""
    kinds = [ontology.kind_for_name(name) for name in (first, second)]
    known = [kind for kind in kinds if kind is not None and not ontology.is_a(kind, _NEVER_ELSE)]
    if len(known) < len(kinds):
        return None
    common = ontology.ancestors(known[0]) & ontology.ancestors(known[1])
    return max(sorted(common), key=lambda kind: len(ontology.ancestors(kind)), default=None)


_INSTANCE_KEYS = ("instances", "captions", "images", "licence")
_ID = re.compile(r"-?[0-9]{1,19}")
_RENAMED = {"mouse": "computer mouse", "remote": "remote control", "hair drier": "hair dryer", "tv": "video screen"}

DOUBTFUL_CATEGORIES = {
    "dining table": "often not annotated under plates: of 18 images whose captions tell of a table, 9 have none",
    "video screen": "the category tv holds computer monitors too, so that nothing tells a television from a monitor",
}
"""Names in the ontology of categories whose absence the annotation does not tell, each with the reason."""


class _Category(msgspec.Struct):
    id: Int64
    name: str


class _Image(msgspec.Struct):
    id: Int64
    file_name: str
    width: Int64
    height: Int64


class _Annotation(msgspec.Struct):
    id: Int64
    image_id: Int64
    category_id: Int64
    bbox: tuple[float, float, float, float]
    iscrowd: Int64 = 0


class _Licence(msgspec.Struct):
    name: str = ""


class _Instances(msgspec.Struct):
    images: list[_Image]
    annotations: list[_Annotation]
    categories: list[_Category]
    licenses: list[_Licence] = msgspec.field(default_factory=list)
    """Those of the images; the format has no place for one of the annotations."""


def ontology_name(category: str) -> str:
    """The name in the ontology of a category of COCO.

    >>> ontology_name("mouse"), ontology_name("dog")
    ('computer mouse', 'dog')
    """
    return _RENAMED.get(category, category)


@provides(HasScenes, HasCaptions)
def open_coco(settings: Mapping[str, str]) -> Source:
    """Open COCO from ``instances=FILE,captions=FILE,images=DIR`` or from a folder with an instances file."""
    unknown = sorted(set(settings) - {"", *_INSTANCE_KEYS})
    if unknown:
        raise UsageError(f"coco has no setting {unknown[0]!r}: there are {', '.join(_INSTANCE_KEYS)}")
    if "" in settings:
        return _open_folder(Path(settings[""]))
    if "instances" not in settings and "captions" not in settings:
        raise UsageError("coco needs instances=FILE or captions=FILE, or a folder: coco:FOLDER")
    images = Path(settings["images"]) if "images" in settings else None
    if images is not None and not images.is_dir():
        raise InputError(images, "is not a folder of images", hint="give images=DIR, or leave it out")
    licence = settings.get("licence", "")
    if "captions" not in settings:
        return CocoSource(Path(settings["instances"]), images, licence)
    captions = Path(settings["captions"])
    if "instances" not in settings:
        return CocoCaptions(captions, images, licence)
    return CaptionedCocoSource(Path(settings["instances"]), captions, images, licence)


def _open_folder(folder: Path) -> CocoSource:
    if not folder.is_dir():
        raise InputError(folder, "is not a folder", hint="give coco:FOLDER or coco:instances=FILE,images=DIR")
    files = sorted({*folder.glob("instances*.json"), *folder.glob("annotations/instances*.json")})
    if len(files) != 1:
        found = ", ".join(path.name for path in files) or "none"
        raise InputError(
            folder, f"should hold one instances file, found {found}", hint="name it: coco:instances=FILE,images=DIR"
        )
    images = folder / "images"
    return CocoSource(files[0], images if images.is_dir() else None)


class CocoSource:
    """COCO's boxes as scene graphs; a box that cannot be used is excluded and counted in ``problems``."""

    name = "coco"

    def __init__(self, instances: Path, images: Path | None, licence: str = "") -> None:
        self.problems: Counter[str] = Counter()
        self._path, self._images = instances, images
        record = read_json(
            instances,
            _Instances,
            what="an instances file of COCO",
            hint="mend the file, or download it again if it was published",
        )
        self.licence = find_licence(instances, licence, name_licences([one.name for one in record.licenses]))
        self._names = {one.id: ontology_name(one.name) for one in record.categories}
        self.categories = frozenset(self._names.values()).difference(DOUBTFUL_CATEGORIES)
        self._records = {one.id: one for one in record.images}
        self._annotations: dict[int, list[_Annotation]] = {}
        for one in record.annotations:
            if one.image_id not in self._records:
                self.problems["box of an unlisted image"] += 1
            elif one.category_id not in self._names:
                self.problems["box of an unlisted category"] += 1
            else:
                self._annotations.setdefault(one.image_id, []).append(one)
        self._graphs = {str(one.id): self._graph(one) for one in self._records.values()}

    def describe(self) -> dict[str, Any]:
        files = {"instances": {"name": self._path.name, "sha256": sha256_of_file(self._path)}}
        return {"name": self.name, "licence": self.licence, "files": files}

    def image_ids(self) -> Sequence[str]:
        return list(self._graphs)

    def scene(self, image_id: str) -> SceneGraph | None:
        return self._graphs.get(image_id)

    def scenes(self) -> Iterator[SceneGraph]:
        yield from self._graphs.values()

    def image_path(self, image_id: str) -> Path | None:
        record = self._records.get(int(image_id)) if _ID.fullmatch(image_id) else None
        return None if record is None else self._image_files.get(record.file_name)

    @cached_property
    def _image_files(self) -> dict[str, Path]:
        """By file name: the content of the instances file is never used as a path."""
        return {} if self._images is None else {path.name: path for path in self._images.iterdir() if path.is_file()}

    def _graph(self, image: _Image) -> SceneGraph:
        objects: dict[str, SceneObject] = {}
        for one in self._annotations.get(image.id, []):
            box = clip(Box(*one.bbox), image.width, image.height)
            if box is None:
                self.problems["box of no size or outside the image"] += 1
                continue
            name = self._names[one.category_id]
            objects[str(one.id)] = SceneObject(
                id=str(one.id), name=_plural_name(name) if one.iscrowd else name, box=box
            )
        merged, doubles = merge_double_boxes(objects, default_grammar().ontology)
        if doubles:
            self.problems["box of a second category on one thing"] += doubles
        return SceneGraph(
            image_id=str(image.id),
            width=image.width,
            height=image.height,
            objects=merged,
            categories=self.categories,
        )


class CaptionedCocoSource(CocoSource):
    """Boxes and captions of the same images."""

    def __init__(self, instances: Path, captions: Path, images: Path | None, licence: str = "") -> None:
        super().__init__(instances, images, licence)
        self._captions_path, self._captions = captions, read_captions([captions])

    def describe(self) -> dict[str, Any]:
        described = super().describe()
        path = self._captions_path
        return described | {
            "files": described["files"] | {"captions": {"name": path.name, "sha256": sha256_of_file(path)}}
        }

    def captions(self, image_id: str) -> Sequence[str]:
        return self._captions.get(image_id, [])


def _plural_name(name: str) -> str:
    """The name of a crowd; "skis" is a plural already."""
    ontology = default_grammar().ontology
    lexeme = ontology.lexeme(name)
    return name if lexeme is not None and lexeme[1] == "plural" else ontology.plural(name)
