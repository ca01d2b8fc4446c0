"""Suites that go out to other harnesses, read by the real packages, and answers that come back."""

from __future__ import annotations

import asyncio
import base64
import csv
import json
import runpy
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from PIL import Image

import falter
from falter.data.items import ImageRef, Item, Probe, Turn
from falter.data.suite import Suite
from falter.evaluation.runs import Run
from tests.cli.commands import falter as program
from tests.cli.commands import refused

# Of inspect itself: it calls tenacity by the old name of an argument.
pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter:DeprecationWarning")

PAIRS = 25
CASES = Path(__file__).parents[1] / "answers" / "cases.jsonl"


def said(item: Item) -> str:
    """What the model of these tests answers: yes, but to every third question no."""
    number = int("".join(one for one in item.text if one.isdigit()))
    return "no" if number % 3 == 0 else "yes"


def pair(number: int, image: ImageRef) -> Probe:
    shared: dict[str, Any] = {"suite": "shop", "test": "negation", "probe_id": f"p{number}", "choices": ("yes", "no")}
    shared |= {"image": image, "expects": "different", "source_id": f"7{number:02}"}
    question = Item.make(text=f"Is there a cup number {number}?", gold="yes", facets={"size": "small"}, **shared)
    return Probe.of(question, question.change(text=f"Is there no cup number {number}?", gold="no", variant=1))


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("out")
    images = []
    for number, color in enumerate(("red", "blue")):
        path = folder / f"{color}.png"
        Image.new("RGB", (8 + number, 6), color).save(path)
        images.append(ImageRef.from_file(path))
    probes = [pair(number, images[number % 2]) for number in range(1, PAIRS + 1)]
    return falter.write_suite(probes, folder / "suite", name="shop", title="Cups", licence="CC0")


@pytest.fixture(scope="module")
def run(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Run:
    texts = {item.item_id: said(item) for item in suite.items()}
    out = tmp_path_factory.mktemp("run") / "ours"
    return falter.run(suite, lambda requests: [f"{texts[one.item_id]}." for one in requests], name="ours", out=out)


def values(run: Run) -> dict[tuple[str, str], tuple[float | None, float | None, float | None]]:
    return {(row.test, row.measure): (row.value, row.low, row.high) for row in run.scores().rows}


def test_the_real_package_reads_a_data_set_with_its_images(suite: Suite, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    written = falter.export(suite, "hf", out=tmp_path / "hf")
    rows = datasets.load_from_disk(str(tmp_path / "hf"))["test"]
    assert written == {"test/data-00000-of-00001.arrow": 2 * PAIRS} and rows.num_rows == 2 * PAIRS
    first = rows[0]
    assert (first["image"].size, first["image"].getpixel((0, 0))) == ((9, 6), (0, 0, 255))
    assert (first["question"], first["answer"], first["choices"]) == ("Is there a cup number 1?", "yes", ["yes", "no"])
    assert first["facets"] == [{"name": "size", "value": "small"}]
    frame = pl.read_ipc_stream(tmp_path / "hf" / "test" / "data-00000-of-00001.arrow")
    assert frame["item_id"].to_list() == [item.item_id for item in suite.items()]
    card = (tmp_path / "hf" / "README.md").read_text()
    assert "license_name: CC0" in card and f"{PAIRS} probes" in card


def test_equal_suites_give_equal_files(suite: Suite, tmp_path: Path) -> None:
    for to in ("hf", "inspect", "vlmevalkit"):
        for name in ("one", "two"):
            falter.export(suite, to, out=tmp_path / to / name)
        files = [path.relative_to(tmp_path / to / "one") for path in (tmp_path / to / "one").rglob("*.*")]
        assert len(files) > 0
        for file in files:
            if (tmp_path / to / "one" / file).is_file():
                assert (tmp_path / to / "one" / file).read_bytes() == (tmp_path / to / "two" / file).read_bytes()


def test_lmms_eval_finds_a_task_and_its_documents(suite: Suite, run: Run, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    import yaml

    falter.export(suite, "lmms-eval", out=tmp_path / "task")
    text = (tmp_path / "task" / "falter_shop.yaml").read_text().replace("!function ", "")
    task = yaml.safe_load(text)
    rows = datasets.load_dataset(task["dataset_path"], split=task["test_split"], cache_dir=str(tmp_path / "cache"))
    functions: dict[str, Any] = {}
    exec((tmp_path / "task" / "utils.py").read_text(), functions)
    items = {item.item_id: item for item in suite.items()}
    samples = []
    for number, doc in enumerate(rows):
        assert functions["doc_to_visual"](doc)[0].size in {(8, 6), (9, 6)}
        assert functions["doc_to_text"](doc).startswith(doc["question"])
        reply = said(items[doc["item_id"]])
        score = functions["process_results"](doc, [reply])
        assert score["accuracy"]["score"] == float(reply == doc["answer"])
        denied = functions["process_results"](doc, ["I'm afraid not."])
        assert denied["accuracy"]["score"] == float(doc["answer"] == "no")
        kept = {name: value for name, value in doc.items() if name != "image"}
        samples.append({"doc_id": number, "doc": kept, "resps": [[reply]], **score})
    assert task["metric_list"][0]["aggregation"] == "utils.mean_score"
    mean = functions["mean_score"]([sample["accuracy"] for sample in samples])
    assert mean == pytest.approx(values(run)["negation", "acc"][0])
    # Since 0.3 the program logs samples without their documents.
    for name in ("old", "new"):
        log = tmp_path / f"{name}.jsonl"
        kept = [{key: one for key, one in sample.items() if name == "old" or key != "doc"} for sample in samples]
        log.write_text("".join(json.dumps(sample) + "\n" for sample in kept))
        assert values(falter.run(suite, f"file:{log}", out=tmp_path / name)) == values(run)


def test_vlmevalkit_gets_one_table_and_gives_one_back(suite: Suite, run: Run, tmp_path: Path) -> None:
    falter.export(suite, "vlmevalkit", out=tmp_path / "LMUData")
    csv.field_size_limit(1 << 24)
    with (tmp_path / "LMUData" / "falter_shop.tsv").open(newline="") as stream:
        rows = list(csv.DictReader(stream, dialect="excel-tab"))
    by_index = {row["index"]: row["image"] for row in rows}
    assert len(by_index) == 2 * PAIRS
    pictures = {image for image in by_index.values() if len(image) > 64}
    assert len(pictures) == 2 and all(base64.b64decode(one).startswith(b"\x89PNG") for one in pictures)
    # Another row's index stands for its image.
    assert all(len(by_index[image]) > 64 for image in by_index.values() if len(image) <= 64)
    items = {item.item_id: item for item in suite.items()}
    back = tmp_path / "model_falter_shop.tsv"
    with back.open("w", newline="") as stream:
        out = csv.DictWriter(
            stream, [*(name for name in rows[0] if name != "image"), "prediction"], dialect="excel-tab"
        )
        out.writeheader()
        for row in rows:
            row.pop("image")
            out.writerow({**row, "prediction": said(items[row["item_id"]])})
    assert values(falter.run(suite, f"file:{back}", out=tmp_path / "back")) == values(run)


def test_inspect_runs_an_exported_suite_and_its_log_comes_back(
    suite: Suite, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    falter.export(suite, "inspect", out=tmp_path / "task")
    by_text = {item.text: said(item) for item in suite.items()}
    shown = set()

    def reply(messages: Any, *_: Any) -> Any:
        image, text = messages[-1].content
        shown.add(image.image[:22])
        answer = next(one for question, one in by_text.items() if text.text.startswith(question))
        output = ModelOutput.from_content("mockllm/model", f"{answer}.")
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=reply)
    monkeypatch.chdir(tmp_path)
    (log,) = inspect_ai.eval("task/task.py", model=model, display="none", log_dir="logs")
    assert (log.status, log.results.total_samples, shown) == ("success", 2 * PAIRS, {"data:image/png;base64,"})
    accuracy = next(one.value for one in log.results.scores[0].metrics.values() if one.name == "all")
    assert accuracy == pytest.approx(values(run)["negation", "acc"][0])
    done = program("import", "inspect-log", log.location, "--suite", suite.folder, "--out", tmp_path / "back")
    assert done.returncode == 0, done.stderr
    back = falter.load(tmp_path / "back")
    assert back.manifest.model.name == "mockllm/model"
    assert values(back) == values(run)
    assert values(back)["negation", "c_acc"][1] is not None


MIXED = 500


def mixed_probes() -> tuple[list[Probe], dict[str, str]]:
    """Questions of every kind with the prose that chat models wrote, and by item the reply."""
    cases = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    open_golds = ("dog", "cannot tell", "it's a dog", "café", "10 m²", "no")
    open_replies = ("It's a dog.", "Cannot tell.", "**Dog**", "cafe\u0301", "10 m²", "I don't know.", "No, it isn't.")
    rows: list[dict[str, Any]] = [
        {"choices": case["choices"], "gold": case["answer"] or case["choices"][0], "reply": case["text"]}
        for case in cases[:: len(cases) // 400]
        if case["choices"] and (case["answer"] is None or case["answer"] in case["choices"])
    ]
    rows += [{"gold": gold, "reply": reply} for gold in open_golds for reply in open_replies]
    people = ("many", "many", "many", "5", "5", "5", "yes, it is", "unknown", "a lot", "a dog")
    rows += [{"answers": people, "reply": reply} for reply in (*people, *open_replies)]
    rows += [{"task": "match", "gold": "no", "expects": "each", "reply": case["text"]} for case in cases[::12]]
    probes, replies = [], {}
    for number, row in enumerate(rows[:MIXED]):
        reply = row.pop("reply")
        item = Item.make(suite="mixed", test=f"t{number % 3}", probe_id=f"{number}", text=f"Which, {number}?", **row)
        probes.append(Probe.of(item))
        replies[item.item_id] = reply
    return probes, replies


def test_an_inspect_task_scores_every_reply_as_falter_does(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai.model import ModelOutput

    probes, replies = mixed_probes()
    assert len(probes) == MIXED
    suite = falter.write_suite(probes, tmp_path / "suite", name="mixed", images="none")
    predictions = tmp_path / "replies.jsonl"
    lines = [json.dumps({"item_id": item_id, "text": text}) for item_id, text in replies.items()]
    predictions.write_text("\n".join(lines))
    run = falter.run(suite, f"file:{predictions}", out=tmp_path / "run")
    expected = dict(run.outcomes().select("item_id", "outcome").iter_rows())
    counts = Counter(expected.values())
    assert min(counts[name] for name in ("correct", "incorrect", "unparsed")) > 20 and counts["off_list"]

    falter.export(suite, "inspect", out=tmp_path / "task")
    task = runpy.run_path(str(tmp_path / "task" / "task.py"))["mixed"]()
    (score,) = task.scorer

    async def score_all() -> dict[str, Any]:
        found = {}
        for sample in task.dataset:
            output = ModelOutput.from_content("mockllm/model", replies[sample.id])
            found[sample.id] = await score(SimpleNamespace(metadata=sample.metadata, output=output), sample.target)
        return found

    scored = asyncio.run(score_all())
    assert {one: each.metadata["outcome"] for one, each in scored.items()} == expected
    correct = {one for one, outcome in expected.items() if outcome == "correct"}
    assert {one for one, each in scored.items() if each.value == "C"} == correct
    refusal = next(one for one, said in replies.items() if said == "I don't know.")
    assert (scored[refusal].value, scored[refusal].answer) == ("I", None)


def test_a_file_that_is_no_log_is_refused(suite: Suite, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    broken = tmp_path / "broken.eval"
    broken.write_bytes(b"not a zip")
    line = refused("import", "inspect-log", broken, "--suite", suite.folder, "--out", tmp_path / "back")
    assert str(broken) in line and "log of Inspect" in line
    assert not (tmp_path / "back").exists()


def test_a_dialogue_keeps_its_turns(tmp_path: Path) -> None:
    turns = (Turn("questioner", "Is it a cat?"), Turn("answerer", "yes"))
    item = Item.make(suite="talk", test="rounds", probe_id="1", text="What color is it?", context=turns, gold="red")
    suite = falter.write_suite([Probe.of(item)], tmp_path / "suite", name="talk")
    falter.export(suite, "inspect", out=tmp_path / "task")
    (record,) = map(json.loads, (tmp_path / "task" / "samples.jsonl").read_text().splitlines())
    assert [turn["role"] for turn in record["turns"]] == ["user", "assistant", "user"]
    falter.export(suite, "vlmevalkit", out=tmp_path / "table")
    prompt = next(csv.DictReader((tmp_path / "table" / "falter_talk.tsv").open(), dialect="excel-tab"))["question"]
    assert prompt.startswith("User: Is it a cat?\nAssistant: yes\nUser: What color is it?")


@pytest.mark.parametrize(
    ("what", "to", "said"),
    [
        ("suite", "vqa", "a format of runs"),
        ("run", "hf", "a format of suites"),
        ("suite", "word", "there are hf, inspect"),
        ("run", "word", "there are every-eval-ever"),
    ],
)
def test_a_format_that_does_not_fit_is_named(
    suite: Suite, run: Run, tmp_path: Path, what: str, to: str, said: str
) -> None:
    folder = suite.folder if what == "suite" else run.folder
    assert said in refused("export", folder, "--to", to, "--out", tmp_path / "x")
    assert not (tmp_path / "x").exists()
