"""Every kind of file that commands accept, with the real code that reads it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from falter.core.errors import FalterError
from falter.core.files import is_regular, read_text, seal_json, sha256_of_file
from tests.cli.in_process import falter_here

__all__ = ["CYCLE", "TARGETS", "InternalError", "Target", "seal_again"]


class InternalError(Exception):
    """A command ended in the net of main(): an error that nobody foresaw."""


class Target(NamedTuple):
    """A file within the inputs, and what reads it: a function of the folder that holds them."""

    file: str
    read: Callable[[Path], object]
    seals: str | None = None
    """The manifest whose checksums are made anew after the file was changed."""


def _consume(values: object) -> None:
    if isinstance(values, Iterator):
        for _ in values:
            pass


def _command(*arguments: str | Path, codes: tuple[int, ...] = (0, 1, 2)) -> None:
    done = falter_here(*arguments)
    if "internal error" in done.stderr or "Traceback" in done.stderr or done.code not in codes:
        raise InternalError(f"exit {done.code}: {done.stderr[-400:]}")
    if done.code == 2:
        raise FalterError(done.stderr[-200:])


def _gqa(folder: Path) -> None:
    from falter.data.sources import open_source

    source = open_source(f"gqa:{folder / 'gqa'}")
    for graph in source.scenes() if hasattr(source, "scenes") else ():
        repr(graph)
    if hasattr(source, "questions"):
        _consume(source.questions())
    source.image_ids()


def _contrast_sets(folder: Path) -> None:
    from collections import Counter

    from falter.generation.english.question_reader import question_reader
    from falter.suites.contrast_sets.released_questions import GivenQuestion, Originals, read_questions

    known = [GivenQuestion("q1", "1", "Is there a dog near the boat?", "yes")]
    originals = Originals(known, question_reader())
    for question in read_questions(folder / "changed.json", Counter()):
        originals.find(question)


def _coco(folder: Path) -> None:
    from falter.data.sources import open_source

    source = open_source(f"coco:{folder / 'coco'}")
    for graph in source.scenes():  # type: ignore[attr-defined]
        source.image_path(graph.image_id)
    source.describe()


def _vqa(folder: Path) -> None:
    from falter.data.sources import open_source

    source = open_source(f"vqa:{folder / 'vqa'}")
    _consume(source.questions())  # type: ignore[attr-defined]
    source.describe()


def _visdial(folder: Path) -> None:
    from falter.data.sources import open_source

    source = open_source(f"visdial:{folder / 'visdial'}")
    _consume(source.questions())  # type: ignore[attr-defined]
    _consume(source.dialogues())  # type: ignore[attr-defined]
    source.describe()


def _table(folder: Path) -> None:
    from falter.data.sources import open_source

    source = open_source(f"table:{folder / 'own.csv'}")
    for question in source.questions():  # type: ignore[attr-defined]
        source.image_path(question.image_id)
    source.describe()


def _suite(folder: Path) -> None:
    from falter.data.suite import open_suite
    from falter.generation.inspection.contents import inspect_suite

    suite = open_suite(folder / "suite")
    suite.tests(), suite.tasks(), suite.image_count, len(suite), repr(suite)
    for item in suite.items():
        suite.image_path(item)
    suite.to_polars()
    inspect_suite(suite)


def _run(folder: Path) -> None:
    from falter.evaluation.runs import open_run

    run = open_run(folder / "run", suite_folder=folder / "suite")
    repr(run), run.answered, run.shard, run.probe_ids()
    run.replies()
    run.scores(n_resamples=0)


def _unfinished(folder: Path) -> None:
    from falter.evaluation.runs import open_run

    run = open_run(folder / "unfinished", suite_folder=folder / "suite")
    repr(run)
    run.replies()


def _votes(folder: Path) -> None:
    from falter.data.votes import read_votes

    _consume(read_votes(folder / "votes"))


def _predictions(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        from falter.data.model import Request
        from falter.data.model_loading import LoadContext, score_file_layouts
        from falter.evaluation.models.predictions import load_predictions

        model = load_predictions(str(folder / name), LoadContext(layouts=score_file_layouts()))
        asked = [*((name, None) for name in model._by_item), *((f"i{name}", name) for name in model._by_source)]
        model.preflight(asked)
        model.reply([Request(item_id=item, task="answer", text="a?", source_id=name) for item, name in asked])

    return read


def _prompt(folder: Path) -> None:
    from falter.data.model import Request
    from falter.data.model_options import ModelOptions
    from falter.evaluation.models.prompts import load_prompt

    options = ModelOptions(prompt=str(folder / "prompt.yaml"), few_shot=folder / "examples.yaml")
    prompt = load_prompt(options)
    repr(prompt.fingerprint), prompt.shown_examples("answer")
    prompt.question(Request(item_id="i", task="answer", text="Is it {red}?", choices=("yes", "no")))


def _prices(folder: Path) -> None:
    from falter.evaluation.models.token_costs import read_prices

    read_prices(folder / "prices.yaml").cost("big", 1000, 1000)


def _requirements(folder: Path) -> None:
    from falter.evaluation.measures.requirements import read_requirements

    read_requirements(folder / "requirements.yaml")


def _ontology(folder: Path) -> None:
    from falter.generation.english.ontology import load_ontology

    load_ontology([folder / "words"])


def _grammar(folder: Path) -> None:
    from falter.generation.english.grammar import Grammar, default_grammar

    Grammar(default_grammar().ontology, [folder / "words"])


def _statements(folder: Path) -> None:
    from falter.generation.english.grammar import default_grammar
    from falter.generation.english.statements import Statements

    repr(Statements(default_grammar(), [folder / "words"]).fingerprint)


def _published(folder: Path) -> None:
    from falter.evaluation.reporting.published import load_published

    load_published.__wrapped__(folder / "published.yaml")


def _carets(folder: Path) -> None:
    from falter.generation.authoring.importer import ImportLog
    from falter.suites.carets.release import CARETS_RELEASE

    for probe in CARETS_RELEASE._released(folder / "carets", ImportLog()):
        for item in probe.items:
            CARETS_RELEASE.objects_of(item)


def _valse(folder: Path) -> None:
    from falter.core.files import read_bytes
    from falter.suites.valse.instruments import INSTRUMENTS
    from falter.suites.valse.release import _choice, _match, read_records

    path = folder / "valse" / "existence.json"
    for number, released in enumerate(read_records(path, read_bytes(path))):
        _match(INSTRUMENTS[0], released, number)
        if released.entry.caption != released.entry.foil:
            _choice(INSTRUMENTS[0], released, number)


def _ranked(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        from falter.suites.basic_questions.ranking import read_dataset

        _consume(read_dataset(folder / name))

    return read


def _regions(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        from falter.data.model import PermanentError, Request
        from falter.data.model_options import ModelOptions
        from falter.evaluation.models.hf.region_features import open_region_features

        found = open_region_features(ModelOptions(region_features=folder / name), 6, "m")
        try:
            found(Request(item_id="i", task="match", text="t", image=Path("b.jpg"), image_id="b"))
        except PermanentError as error:
            raise FalterError(str(error)) from error

    return read


def _vectors(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        from falter.generation.nlp.encoders.stored_vectors import precomputed_encoder

        precomputed_encoder(str(folder / name)).encode(["one"])

    return read


def _vector_cache(folder: Path) -> None:
    from falter.generation.nlp.encoders.stored_vectors import VectorCache

    VectorCache(folder / "vector_cache")._load(folder / "vector_cache")


def _labels(folder: Path) -> None:
    from falter.evaluation.models.hf.pixel_pipelines import Labels, read_label_names

    Labels(read_label_names(folder / "labels.json"))


def _image(name: str) -> Callable[[Path], object]:
    def read(folder: Path) -> None:
        from falter.data.images import check_image, image_size, load_image
        from falter.data.thumbnails import thumbnail
        from falter.suites.carets.obfuscation.decoding import decode_image, open_image

        path = folder / name
        check_image(path), image_size(path), thumbnail(path)
        load_image(path, shrink_to=(8, 8))
        decode_image(open_image(path))

    return read


TARGETS: dict[str, Target] = {
    "gqa graphs": Target("gqa/val_sceneGraphs.json", _gqa),
    "gqa questions": Target("gqa/val_balanced_questions.json", _gqa),
    "gqa licence": Target("gqa/world.json", _gqa),
    "contrast sets": Target("changed.json", _contrast_sets),
    "coco": Target("coco/instances_val.json", _coco),
    "vqa questions": Target("vqa/v2_questions.json", _vqa),
    "vqa annotations": Target("vqa/v2_annotations.json", _vqa),
    "visdial": Target("visdial/visdial_1.0_val.json", _visdial),
    "table": Target("own.csv", _table),
    "suite manifest": Target("suite/suite.json", _suite, seals="suite/suite.json"),
    "suite items": Target("suite/items.parquet", _suite, seals="suite/suite.json"),
    "run manifest": Target("run/run.json", _run, seals="run/run.json"),
    "run replies": Target("run/replies.parquet", _run, seals="run/run.json"),
    "run items": Target("suite/items.parquet", _run, seals="suite/suite.json"),
    "reply log": Target("unfinished/replies.jsonl", _unfinished),
    "votes": Target("votes/votes.parquet", _votes),
    **{
        f"predictions {end}": Target(f"answers.{end}", _predictions(f"answers.{end}"))
        for end in ("jsonl", "csv", "tsv")
    },
    "predictions list": Target("answers.json", _predictions("answers.json")),
    "predictions logs": Target("logs.json", _predictions("logs.json")),
    "predictions samples": Target("samples.jsonl", _predictions("samples.jsonl")),
    "predictions parquet": Target("answers.parquet", _predictions("answers.parquet")),
    "prompt": Target("prompt.yaml", _prompt),
    "few-shot examples": Target("examples.yaml", _prompt),
    "prices": Target("prices.yaml", _prices),
    "requirements": Target("requirements.yaml", _requirements),
    "kinds": Target("words/kinds-mine.yaml", _ontology),
    "attributes": Target("words/attributes-mine.yaml", _ontology),
    "relations": Target("words/relations-mine.yaml", _ontology),
    "templates": Target("words/templates/mine.yaml", _grammar),
    "statements": Target("words/statements-mine.yaml", _statements),
    "published figures": Target("published.yaml", _published),
    "carets release": Target("carets/object_verification_negation_test.json", _carets),
    "valse release": Target("valse/existence.json", _valse),
    "ranked parquet": Target("ranked.parquet", _ranked("ranked.parquet")),
    "ranked json": Target("ranked.json", _ranked("ranked.json")),
    "regions npz": Target("regions.npz", _regions("regions.npz")),
    "regions parquet": Target("regions.parquet", _regions("regions.parquet")),
    "regions tsv": Target("regions.tsv", _regions("regions.tsv")),
    "regions folder": Target("regions/b.npz", _regions("regions")),
    "vectors npy": Target("vectors.npy", _vectors("vectors.npy")),
    "vectors texts": Target("vectors.txt", _vectors("vectors.npy")),
    "vectors parquet": Target("vectors.parquet", _vectors("vectors.parquet")),
    "vector cache": Target("vector_cache/shard.npz", _vector_cache),
    "labels": Target("labels.json", _labels),
    "image png": Target("image.png", _image("image.png")),
    "image jpg": Target("image.jpg", _image("image.jpg")),
}

COMMANDS: dict[str, Target] = {
    "falter inspect": Target(
        "suite/items.parquet", lambda f: _command("inspect", f / "suite"), seals="suite/suite.json"
    ),
    "falter score": Target(
        "run/replies.parquet", lambda f: _command("score", f / "run", "--suite", f / "suite"), seals="run/run.json"
    ),
    "falter score manifest": Target(
        "run/run.json", lambda f: _command("score", f / "run", "--suite", f / "suite", "--json"), seals="run/run.json"
    ),
    "falter run": Target(
        "answers.jsonl",
        lambda f: _command("run", f / "suite", "--model", f"file:{f / 'answers.jsonl'}", "--out", f / "new"),
    ),
    "falter run suite": Target(
        "suite/items.parquet",
        lambda f: _command("run", f / "suite", "--model", "builtin:always-yes", "--out", f / "new"),
        seals="suite/suite.json",
    ),
    "falter check": Target(
        "requirements.yaml",
        lambda f: _command("check", f / "run", "--suite", f / "suite", "--requirements", f / "requirements.yaml"),
    ),
    "falter import carets": Target(
        "carets/object_verification_negation_test.json",
        lambda f: _command("import", "carets", f / "carets", "--out", f / "new"),
    ),
    "falter import valse": Target(
        "valse/existence.json", lambda f: _command("import", "valse", f / "valse", "--out", f / "new")
    ),
    "falter list model": Target(
        "prompt.yaml", lambda f: _command("list", "model", "builtin:always-yes", "--prompt", f / "prompt.yaml")
    ),
    "falter generate": Target(
        "coco/instances_val.json",
        lambda f: _command(
            "generate",
            "carets",
            "--from",
            f"coco:{f / 'coco'}",
            "--test",
            "negation",
            "--size",
            "2",
            "--out",
            f / "new",
        ),
    ),
}
TARGETS |= COMMANDS

HEAVY = {
    *COMMANDS,
    *("suite manifest", "suite items", "run manifest", "run replies", "run items"),
    *("kinds", "attributes", "relations", "templates"),
}
CYCLE = [name for name in TARGETS for _ in range(1 if name in HEAVY else 10)]
"""The targets in turn; those that take long come less often."""


def seal_again(folder: Path, target: Target) -> None:
    """Make the checksums of a manifest fit what was changed, as an earlier version or an attacker would."""
    assert target.seals is not None
    manifest = folder / target.seals
    try:
        content = json.loads(read_text(manifest))
        content.pop("checksum", None)
        for name in ("items.parquet", "replies.parquet"):
            if is_regular(manifest.parent / name) and (manifest.parent / name).stat().st_size < 1 << 20:
                digest = sha256_of_file(manifest.parent / name)
                if "items_sha256" in content:
                    content["items_sha256"] = digest
                elif name in content.get("files", {}):
                    content["files"][name] = digest
        manifest.write_bytes(seal_json(json.dumps(content).encode()))
        _follow_suite(folder, manifest)
    except (ValueError, TypeError, KeyError, AttributeError, OSError, FalterError, RecursionError):
        return  # It is no longer a manifest at all.


def _follow_suite(folder: Path, manifest: Path) -> None:
    if manifest.parent.name != "suite":
        return
    fingerprint = json.loads(manifest.read_text())["items_sha256"]
    for name in ("run", "unfinished"):
        path = folder / name / "run.json"
        content = json.loads(path.read_text())
        content.pop("checksum", None)
        content["suite"]["fingerprint"] = fingerprint
        path.write_bytes(seal_json(json.dumps(content).encode()))
