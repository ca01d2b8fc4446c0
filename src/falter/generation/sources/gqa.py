"""GQA in its published form: a file of scene graphs, a file of questions, a folder of images.

The files stay mapped from disk, and a record is decoded when it is requested, so memory does not grow with the number
of images.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files import Int64, JsonDecoder, map_json_object, sha256_of_file
from falter.data.images import Source
from falter.generation.scene import Box, Relation, SceneGraph, SceneObject
from falter.generation.scene.graph import clip
from falter.generation.sources.protocol import HasQuestions, HasScenes, Question, provides
from falter.generation.sources.published_files import find_licence

_KEYS = ("graphs", "questions", "images", "licence", "folder", "complete")
_ENDINGS = (".jpg", ".jpeg", ".png")


class _RelationRecord(msgspec.Struct):
    name: str
    object: str


class _ObjectRecord(msgspec.Struct):
    name: str
    x: float
    y: float
    w: float
    h: float
    attributes: list[str] = msgspec.field(default_factory=list)
    relations: list[_RelationRecord] = msgspec.field(default_factory=list)


class _GraphRecord(msgspec.Struct):
    width: Int64
    height: Int64
    objects: dict[str, _ObjectRecord]
    location: str | None = None
    weather: str | None = None
    complete: list[str] = msgspec.field(default_factory=list)


class _Types(msgspec.Struct):
    detailed: str | None = None
    semantic: str | None = None
    structural: str | None = None


class _QuestionRecord(msgspec.Struct, rename={"image_id": "imageId"}):
    question: str
    image_id: str
    answer: str | None = None
    types: _Types = msgspec.field(default_factory=_Types)
    semantic: list[dict[str, Any]] | None = None


_graph = JsonDecoder(_GraphRecord, "a scene graph")
_question = JsonDecoder(_QuestionRecord, "a question")
_native = JsonDecoder(dict[str, Any], "a question")


@provides(HasScenes, HasQuestions)
def open_gqa(settings: Mapping[str, str]) -> Source:
    """Open GQA from ``graphs=FILE,questions=FILE,images=DIR`` or from a folder that holds the published names."""
    unknown = sorted(set(settings) - {"", *_KEYS})
    if unknown:
        raise UsageError(f"gqa has no setting {unknown[0]!r}: there are {', '.join(_KEYS)}")
    complete = frozenset(filter(None, settings.get("complete", "").split("+")))
    if "" in settings or "folder" in settings:
        return _open_folder(Path(settings.get("folder", settings.get("", ""))), complete)
    if "graphs" not in settings and "questions" not in settings:
        raise UsageError("gqa needs graphs=FILE or questions=FILE, or a folder: gqa:FOLDER")
    images = Path(settings["images"]) if "images" in settings else None
    if images is not None and not images.is_dir():
        raise InputError(images, "is not a folder of images", hint="give images=DIR, or leave it out")
    return _open_files(
        graphs=Path(settings["graphs"]) if "graphs" in settings else None,
        questions=Path(settings["questions"]) if "questions" in settings else None,
        images=images,
        licence=settings.get("licence", ""),
        complete=complete,
    )


def _open_folder(folder: Path, complete: frozenset[str]) -> Source:
    if not folder.is_dir():
        raise InputError(folder, "is not a folder", hint="give gqa:FOLDER or gqa:graphs=FILE,images=DIR")
    graphs = sorted({*folder.glob("*sceneGraphs.json"), *folder.glob("*scene_graphs.json")})
    questions = sorted(
        path
        for path in {*folder.glob("*_balanced_questions.json"), *folder.glob("questions.json")}
        if not path.name.startswith(".")
    )
    for files, key in ((graphs, "graphs"), (questions, "questions")):
        if len(files) > 1:
            names = ", ".join(path.name for path in files)
            raise InputError(folder, f"holds several files ({names})", hint=f"name one: gqa:{key}=FILE,images=DIR")
    if not graphs and not questions:
        raise InputError(folder, "holds no scene graphs of GQA", hint="give gqa:graphs=FILE,images=DIR")
    images = folder / "images"
    return _open_files(
        graphs=graphs[0] if graphs else None,
        questions=questions[0] if questions else None,
        images=images if images.is_dir() else None,
        complete=complete,
    )


def _open_files(
    *,
    graphs: Path | None,
    questions: Path | None,
    images: Path | None,
    licence: str = "",
    complete: frozenset[str] = frozenset(),
) -> Source:
    """The source that has what the given files hold, and no more."""
    if questions is None:
        return GqaScenes(graphs=graphs, images=images, licence=licence, complete=complete)
    if graphs is None:
        return GqaQuestions(questions=questions, images=images, licence=licence)
    return GqaSource(graphs=graphs, questions=questions, images=images, licence=licence, complete=complete)


class _GqaFiles:
    """The files of GQA that were given, mapped from disk, and its images."""

    name = "gqa"

    def __init__(
        self,
        *,
        graphs: Path | None = None,
        questions: Path | None = None,
        images: Path | None = None,
        licence: str = "",
        complete: frozenset[str] = frozenset(),
    ) -> None:
        self.licence = find_licence(graphs or questions, licence)
        self._complete = complete
        self._declared: dict[tuple[str, ...], frozenset[str]] = {}
        self.problems: Counter[str] = Counter()
        self._unusable: set[str] = set()
        self._cleaned: set[str] = set()
        self._graphs_path, self._questions_path, self._images = graphs, questions, images
        self._graphs = self._map_records(graphs, "the id of a scene graph appears twice")
        self._questions = self._map_records(questions, "the id of a question appears twice")

    def _map_records(self, path: Path | None, problem: str) -> dict[str, msgspec.Raw]:
        """The records of a file; of those with one id the first is used, and the others are counted."""
        if path is None:
            return {}
        if not path.exists():
            raise InputError(path, "does not exist")
        records, repeated = map_json_object(
            path, what="GQA's JSON", hint="mend the file, or download it again if it was published"
        )
        if repeated:
            self.problems[problem] = repeated
        return records

    def describe(self) -> dict[str, Any]:
        files = {"graphs": self._graphs_path, "questions": self._questions_path}
        return {
            "name": self.name,
            "licence": self.licence,
            "files": {
                key: {"name": path.name, "sha256": sha256_of_file(path)}
                for key, path in files.items()
                if path is not None
            },
            **({"complete": sorted(self._complete)} if self._complete else {}),
        }

    def image_path(self, image_id: str) -> Path | None:
        return self._image_files.get(image_id)

    @cached_property
    def _image_files(self) -> dict[str, Path]:
        if self._images is None:
            return {}
        return {path.stem: path for path in sorted(self._images.iterdir()) if path.suffix.lower() in _ENDINGS}


class GqaScenes(_GqaFiles):
    """GQA's scene graphs.

    What is wrong in a graph but leaves the rest usable (a relation to an object that is missing, a box outside the
    image, an empty name) is excluded and counted in ``problems``.
    """

    def image_ids(self) -> Sequence[str]:
        return list(self._graphs)

    def scene(self, image_id: str) -> SceneGraph | None:
        raw = self._graphs.get(image_id)
        if raw is None:
            return None
        assert self._graphs_path is not None  # it is where the record came from
        return self._clean(image_id, _graph.decode(raw, self._graphs_path, record=f"image {image_id!r}"))

    def _clean(self, image_id: str, record: _GraphRecord) -> SceneGraph:
        # A graph is decoded many times, but a problem in it counts once.
        problems = Counter[str]() if image_id in self._cleaned else self.problems
        self._cleaned.add(image_id)
        objects: dict[str, SceneObject] = {}
        for key, thing in record.objects.items():
            box = clip(Box(thing.x, thing.y, thing.w, thing.h), record.width, record.height)
            if not thing.name.strip():
                problems["object without a name"] += 1
            elif box is None:
                problems["box of no size or outside the image"] += 1
            else:
                objects[key] = SceneObject(
                    id=key,
                    name=thing.name.strip().lower(),
                    box=box,
                    attributes=tuple(dict.fromkeys(value.strip().lower() for value in thing.attributes)),
                    relations=tuple(Relation(one.name.strip().lower(), one.object) for one in thing.relations),
                )
        objects = _merge_duplicates(objects, problems)
        for key, kept in objects.items():
            there = tuple(one for one in kept.relations if one.target in objects)
            if len(there) != len(kept.relations):
                problems["relation to a missing object"] += len(kept.relations) - len(there)
                objects[key] = msgspec.structs.replace(kept, relations=there)
        return SceneGraph(
            image_id=image_id,
            width=record.width,
            height=record.height,
            objects=objects,
            location=record.location,
            weather=record.weather,
            complete=self._all_complete(tuple(record.complete)),
        )

    def _all_complete(self, declared: tuple[str, ...]) -> frozenset[str]:
        """What a graph and the user declare complete; most graphs of a file declare the same, and share it."""
        known = self._declared.get(declared)
        if known is None:
            known = self._declared[declared] = self._complete.union(declared)
        return known

    def scenes(self) -> Iterator[SceneGraph]:
        for image_id in self._graphs:
            graph = self.scene(image_id)
            if graph is not None:
                yield graph


class GqaQuestions(_GqaFiles):
    """GQA's questions."""

    def image_ids(self) -> Sequence[str]:
        return list(dict.fromkeys(question.image_id for question in self.questions()))

    def questions(self) -> Iterator[Question]:
        """The questions; a record that cannot be read is skipped and counted, unless none can."""
        first: InputError | None = None
        for key, raw in self._questions.items():
            assert self._questions_path is not None  # it is where the record came from
            try:
                record = _question.decode(raw, self._questions_path, record=f"question {key!r}")
            except InputError as error:
                first = first or error
                self._unusable.add(key)
                self.problems["question record that cannot be read"] = len(self._unusable)
                continue
            yield _as_question(key, record)
        if first is not None and len(self._unusable) == len(self._questions):
            raise first

    def question(self, question_id: str) -> Question | None:
        raw = self._questions.get(question_id)
        if raw is None or question_id in self._unusable:
            return None
        assert self._questions_path is not None  # it is where the record came from
        return _as_question(
            question_id, _question.decode(raw, self._questions_path, record=f"question {question_id!r}")
        )

    def native_record(self, question_id: str) -> dict[str, Any] | None:
        """The record of a question as the file has it."""
        raw = self._questions.get(question_id)
        if raw is None:
            return None
        assert self._questions_path is not None  # it is where the record came from
        return _native.decode(raw, self._questions_path, record=f"question {question_id!r}")


class GqaSource(GqaScenes, GqaQuestions):
    """GQA's scene graphs and questions together."""

    def image_ids(self) -> Sequence[str]:
        return GqaScenes.image_ids(self) or GqaQuestions.image_ids(self)


def _as_question(key: str, record: _QuestionRecord) -> Question:
    return Question(
        id=key,
        image_id=record.image_id,
        text=record.question,
        answer=record.answer,
        question_type=record.types.detailed,
        answer_type=record.types.structural,
        program=None if record.semantic is None else tuple(record.semantic),
    )


def _merge_duplicates(objects: dict[str, SceneObject], problems: Counter[str]) -> dict[str, SceneObject]:
    """The objects with those of one name in one box merged into the first of them."""
    first: dict[tuple[str, Box], str] = {}
    stands_for = {key: first.setdefault((thing.name, thing.box), key) for key, thing in objects.items()}
    if len(first) == len(objects):
        return objects
    problems["object annotated twice"] += len(objects) - len(first)
    kept: dict[str, SceneObject] = {}
    for key, thing in objects.items():
        own = stands_for[key]
        relations = tuple(Relation(one.name, stands_for.get(one.target, one.target)) for one in thing.relations)
        before = kept.get(own)
        kept[own] = SceneObject(
            id=own,
            name=thing.name,
            box=thing.box,
            attributes=tuple(dict.fromkeys((*(before.attributes if before else ()), *thing.attributes))),
            relations=tuple(
                one
                for one in dict.fromkeys((*(before.relations if before else ()), *relations))
                # A relation to its own duplicate says nothing.
                if one.target != own
            ),
        )
    return kept
