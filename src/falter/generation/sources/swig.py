"""SWiG and imSitu in their published form: an image with a verb and three frames, and the space file with the verbs.

``imsitu_space.json`` has the abstract of every verb and the nouns of synsets. Without it, ``templates`` names a file
with a verb and its abstract per line. Records stay encoded and are decoded one at a time; one that cannot be used is
skipped and counted in ``problems``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from os.path import normpath
from pathlib import Path
from typing import Any

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import JsonDecoder, is_regular, map_json, read_lines, sha256_of_file
from falter.data.images import Source
from falter.generation.sources.protocol import HasSituations, Situation, provides
from falter.generation.sources.published_files import find_licence

_KEYS = ("frames", "space", "templates", "images", "licence")
_SPACE = "imsitu_space.json"
_SPLITS = ("train.json", "dev.json", "test.json")
_HINT = "give swig:FOLDER or swig:frames=FILE,space=imsitu_space.json,images=DIR"


class _Record(msgspec.Struct):
    verb: str
    frames: list[dict[str, str]]


class _Verb(msgspec.Struct):
    abstract: str = ""


class _Noun(msgspec.Struct):
    gloss: list[str] = []


class _Space(msgspec.Struct):
    verbs: dict[str, _Verb] = {}
    nouns: dict[str, _Noun] = {}


_record = JsonDecoder(_Record, "an image of SWiG")


@provides(HasSituations)
def open_swig(settings: Mapping[str, str]) -> Source:
    """Open SWiG or imSitu from ``frames=FILE,space=FILE,images=DIR`` or from a folder that holds them."""
    unknown = sorted(set(settings) - {"", *_KEYS})
    if unknown:
        raise UsageError(f"swig has no setting {unknown[0]!r}: there are {', '.join(_KEYS)}")
    images = Path(settings["images"]) if "images" in settings else None
    if images is not None and not images.is_dir():
        raise InputError(images, "is not a folder of images", hint="give images=DIR, or leave it out")
    if "" in settings:
        return _open_folder(Path(settings[""]))
    if "frames" not in settings:
        raise UsageError("swig needs frames=FILE, or a folder: swig:FOLDER")
    files = {name: Path(settings[name]) for name in ("space", "templates") if name in settings}
    for path in (Path(settings["frames"]), *files.values()):
        if not path.is_file():
            raise InputError(path, "does not exist", hint=_HINT)
    return SwigSource([Path(settings["frames"])], images, licence=settings.get("licence", ""), **files)


def _open_folder(folder: Path) -> SwigSource:
    if not folder.is_dir():
        raise InputError(folder, "is not a folder", hint=_HINT)
    frames = sorted(folder.glob("swig_*.json")) or [folder / name for name in _SPLITS if (folder / name).is_file()]
    if not frames:
        raise InputError(folder, f"holds none of {', '.join(_SPLITS)}", hint=_HINT)
    space, images = folder / _SPACE, folder / "images"
    return SwigSource(frames, images if images.is_dir() else None, space=space if space.is_file() else None)


class SwigSource:
    """Situations, and what their verbs and synsets are called."""

    name = "swig"

    def __init__(
        self,
        frames: Sequence[Path],
        images: Path | None = None,
        *,
        space: Path | None = None,
        templates: Path | None = None,
        licence: str = "",
    ) -> None:
        self.problems: Counter[str] = Counter()
        self.licence = find_licence(frames[0], licence)
        self._files = [*frames, *(path for path in (space, templates) if path is not None)]
        self._images = None if images is None else images.absolute()
        self._space = _Space() if space is None else map_json(space, _Space, what="imSitu's space file", hint=_HINT)
        self._abstracts = {verb: info.abstract for verb, info in self._space.verbs.items() if info.abstract}
        for verb, abstract in _read_templates(templates, self.problems) if templates is not None else ():
            self._abstracts.setdefault(verb, abstract)
        self._records: dict[str, tuple[Path, msgspec.Raw]] = {}
        first: InputError | None = None
        for path in frames:
            content = map_json(path, dict[str, msgspec.Raw], what="SWiG's format", hint=_HINT)
            for image, raw in content.items():
                try:
                    record = _record.decode(raw, path, record=image)
                except InputError as error:
                    first = first or error
                    self.problems["the record of an image is malformed"] += 1
                    continue
                if not record.frames:
                    self.problems["the image has no frame"] += 1
                else:
                    self._records[image] = path, raw
        if first is not None and not self._records:
            raise first

    def describe(self) -> dict[str, Any]:
        """The name and the hashes of the files."""
        return {"name": self.name, "files": [{"name": one.name, "sha256": sha256_of_file(one)} for one in self._files]}

    def image_ids(self) -> Sequence[str]:
        return list(self._records)

    def image_path(self, image_id: str) -> Path | None:
        """The file of an image; a name never leads out of the folder."""
        if self._images is None:
            return None
        path = Path(normpath(self._images / image_id))
        return path if path.is_relative_to(self._images) and is_regular(path) else None

    def situations(self) -> Iterator[Situation]:
        for image, (path, raw) in self._records.items():
            record = _record.decode(raw, path, record=image)
            yield Situation(image_id=image, verb=record.verb, frames=tuple(record.frames))

    def abstract(self, verb: str) -> str | None:
        return self._abstracts.get(verb)

    def noun(self, synset: str) -> str | None:
        found = self._space.nouns.get(synset)
        return found.gloss[0] if found is not None and found.gloss else None


def _read_templates(path: Path, problems: Counter[str]) -> Iterator[tuple[str, str]]:
    for raw in read_lines(path):
        line = raw.decode(errors="replace").rstrip("\r\n")
        verb, tab, abstract = line.partition("\t")
        if tab and verb.strip() and abstract.strip():
            yield verb.strip(), abstract.strip()
        elif line.strip():
            problems["the line of a template is malformed"] += 1
