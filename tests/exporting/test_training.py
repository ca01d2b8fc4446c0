"""Training questions are GQA's in form, and say what the suite of the same seed says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from falter.core.bundle import BUNDLES, SuiteBundle
from falter.core.errors import InputError, UsageError
from falter.data.images import Source
from falter.data.items import Probe
from falter.data.sources import open_source
from falter.data.suite import open_suite
from falter.generation.authoring.generator import GenerateContext
from falter.generation.authoring.options import GenerateOptions, TrainingOptions
from falter.generation.authoring.training import write_training
from falter.generation.authoring.training_formats import LxmertRecords, MacRecords
from falter.generation.scene import Exists, ObjectDescription, Option, query_from_json
from falter.generation.scene.programs import query_to_program
from falter.generation.scene.query import Choose, Count
from falter.suites.carets.generator import CARETS
from tests.cli.commands import falter, refused
from tests.suites.made import make_suite, raw_graphs, write_graphs

TEXT_TESTS = ("rephrase", "ontology", "order", "negation", "antonym")
KEYS = {
    "annotations": dict,
    "answer": str,
    "entailed": list,
    "equivalent": list,
    "fullAnswer": str,
    "groups": dict,
    "imageId": str,
    "isBalanced": bool,
    "question": str,
    "semantic": list,
    "semanticStr": str,
    "types": dict,
}
ARITY = {
    "select": 0,
    "filter": 1,
    "relate": 1,
    "exist": 1,
    "not": 1,
    "and": 2,
    "or": 2,
    "verify": 1,
    "choose": 1,
    "choose name": 1,
}
REAL = Path(__file__).parents[2] / "../shared/data/gqa/questions_val_sample.json"

Records = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_graphs(tmp_path_factory.mktemp("training") / "gqa", raw_graphs(24, seed=5))


def written(source: str, out: Path, *, workers: int = 1, **options: Any) -> Path:
    wanted = GenerateOptions(seed=3, size=60, workers=workers, **options)
    write_training(BUNDLES.get("carets"), open_source(source), out, wanted)
    return out / "train_carets_questions.json"


@pytest.fixture(scope="module")
def file(source: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(source, tmp_path_factory.mktemp("training") / "out")


@pytest.fixture(scope="module")
def records(file: Path) -> Records:
    return dict(json.loads(file.read_text()))


def shape(record: dict[str, Any]) -> dict[str, Any]:
    """The keys with the types of their values; also inside, where GQA's keys are always the same."""
    inner = {key: sorted(record[key]) for key in ("annotations", "groups", "types")}
    return {
        **{key: type(value).__name__ for key, value in record.items()},
        **inner,
        "steps": {
            tuple(sorted((key, type(value).__name__) for key, value in step.items())) for step in record["semantic"]
        },
    }


def test_the_file_is_named_for_its_split_and_suite(file: Path) -> None:
    assert file.name == "train_carets_questions.json"


def test_every_record_has_the_keys_and_types_of_gqa(records: Records) -> None:
    assert len(records) > 300
    for record in records.values():
        assert {key: type(value) for key, value in record.items()} == KEYS
        assert set(record["types"]) == {"structural", "semantic", "detailed"}
        assert set(record["groups"]) == {"global", "local"}
        assert all(set(step) == {"operation", "dependencies", "argument"} for step in record["semantic"])


@pytest.mark.real
@pytest.mark.skipif(not REAL.is_file(), reason="needs ../shared/data/gqa beside the checkout")
def test_the_form_is_that_of_published_questions(records: Records) -> None:
    published: Records = json.loads(REAL.read_text())
    wanted = shape(next(iter(published.values())))
    for record in (*published.values(), *records.values()):
        assert shape(record) == wanted
    kinds = {(one["types"]["structural"], one["types"]["semantic"]) for one in published.values()}
    assert {(one["types"]["structural"], one["types"]["semantic"]) for one in records.values()} <= kinds
    own = {"not", "and", "filter", "verify"}  # GQA asks "and" and plain ones too, though not in this sample.
    operations = {step["operation"] for one in published.values() for step in one["semantic"]}
    assert {step["operation"] for one in records.values() for step in one["semantic"]} <= operations | own


def test_our_reader_of_gqa_takes_it(file: Path, records: Records) -> None:
    questions = list(open_source(f"gqa:questions={file}").questions())
    assert [(one.id, one.image_id, one.text, one.answer) for one in questions] == [
        (key, record["imageId"], record["question"], record["answer"]) for key, record in records.items()
    ]


def test_answers_are_the_golds_of_the_suite_of_the_same_seed(source: str, records: Records, tmp_path: Path) -> None:
    make_suite(source, tmp_path / "suite", tests=TEXT_TESTS, seed=3, size=60)
    golds = {(item.image_id, item.text): item.gold for item in open_suite(tmp_path / "suite").items()}
    told = {(record["imageId"], record["question"]): record["answer"] for record in records.values()}
    assert told == golds
    assert len(told) == len(records), "each text once a picture"


def test_references_lead_to_records_about_the_same_picture(records: Records) -> None:
    turned = 0
    for key, record in records.items():
        assert key in record["equivalent"], "as in GQA, a question is equivalent to itself"
        for other in record["equivalent"]:
            assert records[other]["imageId"] == record["imageId"]
            assert records[other]["answer"] == record["answer"]
        for other in record["entailed"]:
            assert records[other]["imageId"] == record["imageId"]
            assert {records[other]["answer"], record["answer"]} == {"yes", "no"}
            turned += 1
    assert turned > 100


def test_programs_are_well_formed(records: Records) -> None:
    seen: Counter[str] = Counter()
    for record in records.values():
        program = record["semantic"]
        used: Counter[int] = Counter()
        for place, step in enumerate(program):
            seen[step["operation"]] += 1
            assert len(step["dependencies"]) == ARITY[step["operation"]]
            assert all(0 <= one < place for one in step["dependencies"])
            used.update(step["dependencies"])
        assert used == Counter(range(len(program) - 1)), "every step but the last is used once"
        shown = [f"{step['operation']}: {step['argument']}" for step in program]
        told = record["semanticStr"].split("->")
        assert len(told) == len(shown)
        for whole, step, begin in zip(told, program, shown, strict=True):
            assert whole.removeprefix(begin) == (f" {step['dependencies']}" if step["dependencies"] else "")
    assert set(seen) == set(ARITY)


def test_types_tell_structure_and_subject(records: Records) -> None:
    for record in records.values():
        last = record["semantic"][-1]["operation"]
        inner = {step["operation"] for step in record["semantic"]}
        structural = "logical" if inner & {"and", "or"} else "choose" if last.startswith("choose") else "verify"
        assert record["types"]["structural"] == structural
        assert (record["types"]["semantic"] == "cat") == (last == "choose name")
        if structural == "logical":
            assert record["types"]["semantic"] == "obj"
        if structural == "verify":
            assert (record["types"]["semantic"] == "rel") == ("relate" in inner)


def test_what_gqa_has_no_operation_for_has_no_program() -> None:
    dog = ObjectDescription("dog")
    assert query_to_program(Count(dog)) == []
    assert query_to_program(Choose((Option("a", Exists(dog)), Option("b", Exists(dog))))) == []
    meaning = '{"query":"not","of":{"query":"exists","of":{"kind":"dog","relation":{"name":"on","to":{"kind":"bed"}}}}}'
    assert query_to_program(query_from_json(meaning)) == [
        {"operation": "select", "dependencies": [], "argument": "bed (-)"},
        {"operation": "relate", "dependencies": [0], "argument": "dog,on,s (-)"},
        {"operation": "exist", "dependencies": [1], "argument": "?"},
        {"operation": "not", "dependencies": [2], "argument": ""},
    ]


def test_two_workers_write_the_same_bytes(source: str, file: Path, tmp_path: Path) -> None:
    assert written(source, tmp_path / "out", workers=2).read_bytes() == file.read_bytes()


class Failing:
    """Makes one probe, then gives up."""

    requires = ()

    def tests(self) -> Sequence[str]:
        return CARETS.tests()

    def probes(self, source: Source, options: GenerateOptions, context: GenerateContext) -> Iterator[Probe]:
        yield next(iter(CARETS.probes(source, options, context)))
        raise InputError("graphs.json", "is broken further down")


def test_nothing_is_left_of_a_failure_and_what_was_there_stays(source: str, tmp_path: Path) -> None:
    options = GenerateOptions(size=2, tests=("negation",))
    failing = SuiteBundle(
        name="carets",
        title="",
        generator=Failing(),
        training=BUNDLES.get("carets").training,
        package="falter.suites.carets",
    )
    with pytest.raises(InputError, match="further down"):
        write_training(failing, open_source(source), tmp_path / "new", options)
    assert list((tmp_path / "new").iterdir()) == []
    path = written(source, tmp_path / "old", tests=("negation",))
    before = path.read_bytes()
    with pytest.raises(UsageError, match="already exists"):
        write_training(BUNDLES.get("carets"), open_source(source), tmp_path / "old", options)
    with pytest.raises(InputError, match="further down"):
        write_training(failing, open_source(source), tmp_path / "old", msgspec.structs.replace(options, overwrite=True))
    assert path.read_bytes() == before
    assert {one.name for one in path.parent.iterdir()} == {path.name, "train_carets_training.json"}


def test_the_command_tells_what_it_wrote_and_what_it_could_not(source: str, tmp_path: Path) -> None:
    given = ("generate", "carets", "--from", source, "--as", "training", "--out", tmp_path / "out")
    assert "--split" in refused(*given, "--split", "../x")
    done = falter(*given, "--test", "negation", "--size", "5000", "--split", "val")
    assert done.returncode == 0, done.stderr
    count = len(json.loads((tmp_path / "out" / "val_carets_questions.json").read_text()))
    assert f"negation: {count:,} questions" in done.stdout
    assert "more than these scenes can carry" in " ".join(done.stderr.split())
    assert "already exists" in refused(*given, "--test", "negation", "--split", "val")


def test_questions_on_images_of_an_evaluation_suite_are_refused(source: str, tmp_path: Path) -> None:
    make_suite(source, tmp_path / "suite", tests=("negation",), seed=3, size=8)
    tested = {item.image_id for item in open_suite(tmp_path / "suite").items()}
    given = ("generate", "carets", "--from", source, "--as", "training", "--test", "negation", "--size", "60")
    given = (*given, "--out", tmp_path / "out", "--evaluation", tmp_path / "suite")
    done = falter(*given)
    assert done.returncode == 0, done.stderr
    records = json.loads((tmp_path / "out" / "train_carets_questions.json").read_text())
    assert tested
    assert tested.isdisjoint(record["imageId"] for record in records.values())
    manifest = json.loads((tmp_path / "out" / "train_carets_training.json").read_text())
    refused_by = "the image is in the evaluation suite carets"
    assert manifest["counts"]["refused"][refused_by] > 0
    assert f"x: {refused_by}" in done.stderr
    counts = manifest["counts"]
    assert counts["originals"] + counts["variants"] == len(records)
    assert counts["images"] == len({record["imageId"] for record in records.values()})
    assert manifest["evaluation"][0]["items_sha256"] == open_suite(tmp_path / "suite").manifest.items_sha256


def test_lxmert_and_mac_get_their_own_layouts(source: str, records: Records, tmp_path: Path) -> None:
    training = {"lxmert": LxmertRecords, "mac": MacRecords}
    bundle = SuiteBundle(name="carets", title="", generator=CARETS, training=training)
    options = GenerateOptions(seed=3, size=60)
    told = {(key, one["imageId"], one["question"], one["answer"]) for key, one in records.items()}
    for form in training:
        write_training(bundle, open_source(source), tmp_path / form, options, TrainingOptions(format=form))
    lxmert = json.loads((tmp_path / "lxmert" / "train_carets_questions.json").read_text())
    assert {(one["question_id"], one["img_id"], one["sent"], *one["label"]) for one in lxmert} == told
    assert {score for one in lxmert for score in one["label"].values()} == {1.0}
    mac = json.loads((tmp_path / "mac" / "train_carets_questions.json").read_text())["questions"]
    assert {(one["questionId"], one["imageId"], one["question"], one["answer"]) for one in mac} == told
    assert len(lxmert) == len(mac) == len(records)
