"""The builtin models: the oracle sees scenes only, the learners learn, all are deterministic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from falter.core.errors import UsageError
from falter.core.files import checksums as source_code
from falter.core.files import sha256_of_file
from falter.core.files.checksums import hash_code, read_code
from falter.data.items import Probe
from falter.data.model import Request
from falter.data.model_loading import LoadContext
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.models import load_model
from falter.evaluation.models.backends import parse_builtin
from falter.generation.scene import Box, SceneGraph, SceneObject
from falter.generation.sources import Question
from tests.engine.small_suite import make_item


class Meadow:
    """A source of plain images: green ones with a dog, blue ones with a boat."""

    name = "meadow"
    licence = "none"

    def __init__(self, folder: Path, count: int = 40) -> None:
        self.folder = folder
        self.count = count
        for number in range(count):
            colour = (20, 150 + number, 30) if number % 2 else (20, 30, 150 + number)
            Image.new("RGB", (60, 40), colour).save(folder / f"{number}.png")

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "count": self.count}

    def image_ids(self) -> Sequence[str]:
        return [str(number) for number in range(self.count)]

    def scene(self, image_id: str) -> SceneGraph | None:
        if not image_id.isdecimal() or int(image_id) >= self.count:
            return None
        name = "dog" if int(image_id) % 2 else "boat"
        thing = SceneObject(id="1", name=name, box=Box(10, 10, 20, 20))
        return SceneGraph(
            image_id=image_id, width=60, height=40, objects={"1": thing}, complete=frozenset(("objects",))
        )

    def scenes(self) -> Iterator[SceneGraph]:
        for image_id in self.image_ids():
            scene = self.scene(image_id)
            assert scene is not None
            yield scene

    def questions(self) -> Iterator[Question]:
        for number in range(self.count):
            name, polar = ("dog", "yes") if number % 2 else ("boat", "no")
            image_id = str(number)
            yield Question(id=f"a{number}", image_id=image_id, text="Is there a dog?", answer=polar)
            yield Question(id=f"b{number}", image_id=image_id, text="What is there?", answer=name)
            yield Question(id=f"c{number}", image_id=image_id, text="Are there unicorns?", answer="no")

    def image_path(self, image_id: str) -> Path | None:
        path = self.folder / f"{image_id}.png"
        return path if path.exists() else None


@pytest.fixture(scope="module")
def meadow(tmp_path_factory: pytest.TempPathFactory) -> Meadow:
    return Meadow(tmp_path_factory.mktemp("meadow"))


def dog_suite(folder: Path, meadow: Meadow, *, lie: bool = False) -> Suite:
    """Questions about dogs; with ``lie``, every right answer and meaning is wrong."""
    with create_suite(folder, SuiteManifest(name="dogs")) as writer:
        for number in range(meadow.count):
            image = meadow.folder / f"{number}.png"
            gold = "yes" if (number % 2 == 1) != lie else "no"
            other = "no" if gold == "yes" else "yes"
            shown = {"image_id": str(number), "image": str(image), "image_sha256": sha256_of_file(image)}
            meaning = '{"nonsense": true}' if lie else None
            writer.add(
                Probe(
                    (
                        make_item(number, 0, "Is there a dog?", gold=gold, meaning=meaning, **shown),
                        make_item(number, 1, "Is there no dog?", gold=other, meaning=meaning, **shown),
                    )
                )
            )
    return open_suite(folder, image_dirs=[meadow.folder])


def right(suite: Suite, replies: dict[str, str | None]) -> float:
    items = list(suite.items())
    return sum(replies[item.item_id] == item.gold for item in items) / len(items)


def answers(suite: Suite, spec: str, out: Path, context: LoadContext) -> dict[str, str | None]:
    frame = run_suite(suite, load_model(spec, context), out).replies()
    return dict(zip(frame["item_id"], frame["answer"], strict=True))


def test_the_oracle_is_right_and_sees_neither_gold_nor_meaning(tmp_path: Path, meadow: Meadow) -> None:
    context = LoadContext(scenes=meadow)
    honest = dog_suite(tmp_path / "honest", meadow)
    lying = dog_suite(tmp_path / "lying", meadow, lie=True)
    told = answers(honest, "builtin:oracle", tmp_path / "one", context)
    assert right(honest, told) == 1.0
    assert answers(lying, "builtin:oracle", tmp_path / "two", context) == told
    assert (tmp_path / "one" / "replies.parquet").read_bytes() == (tmp_path / "two" / "replies.parquet").read_bytes()


def ask(spec: str, context: LoadContext, text: str, *, image_id: str | None, choices: tuple[str, ...] | None) -> str:
    request = Request(item_id="x", task="answer", text=text, image_id=image_id, choices=choices)
    reply = load_model(spec, context).reply([request])[0]
    return reply.answer if reply.answer is not None else reply.status


def test_the_oracle_does_not_answer_what_it_cannot_know(meadow: Meadow) -> None:
    context = LoadContext(scenes=meadow)
    yes_no = ("yes", "no")
    assert ask("builtin:oracle", context, "Is there a dog?", image_id="1", choices=yes_no) == "yes"
    assert ask("builtin:oracle", context, "Is there a dog?", image_id="1", choices=None) == "yes"
    assert ask("builtin:oracle", context, "Is there a dog?", image_id="1", choices=("Yes", "No")) == "Yes"
    assert ask("builtin:oracle", context, "Is there a dog?", image_id="1", choices=("red", "blue")) == "unsupported"
    assert ask("builtin:oracle", context, "Is there a dog?", image_id="nowhere", choices=yes_no) == "unsupported"
    assert ask("builtin:oracle", context, "Is there a dog?", image_id=None, choices=yes_no) == "unsupported"
    assert ask("builtin:oracle", context, "Colourless ideas sleep?", image_id="1", choices=yes_no) == "unsupported"


def test_the_noisy_oracle_errs_at_its_rate(tmp_path: Path, meadow: Meadow) -> None:
    context = LoadContext(scenes=meadow)
    suite = dog_suite(tmp_path / "suite", meadow)
    assert right(suite, answers(suite, "builtin:noisy-oracle,p=1", tmp_path / "a", context)) == 1.0
    assert right(suite, answers(suite, "builtin:noisy-oracle,p=0", tmp_path / "b", context)) == 0.0
    half = answers(suite, "builtin:noisy-oracle,p=0.5", tmp_path / "c", context)
    assert 0.3 < right(suite, half) < 0.7
    assert set(half.values()) == {"yes", "no"}
    assert answers(suite, "builtin:noisy-oracle,p=0.5", tmp_path / "d", context) == half
    assert answers(suite, "builtin:noisy-oracle,p=0.5,seed=1", tmp_path / "e", context) != half


def test_always_yes_answers_and_matches() -> None:
    model = load_model("builtin:always-yes")
    replies = model.reply([Request(item_id=task, task=task, text="A dog.") for task in ("answer", "match")])
    assert [reply.answer for reply in replies] == ["yes", "yes"]
    assert replies[1].score == 1.0


def test_the_prior_gives_the_usual_answer(meadow: Meadow) -> None:
    context = LoadContext(train=meadow)
    yes_no = ("yes", "no")
    assert ask("builtin:prior", context, "Are there unicorns?", image_id=None, choices=yes_no) == "no"
    assert ask("builtin:prior", context, "Are there unicorns?", image_id=None, choices=("No", "Yes")) == "No"
    assert ask("builtin:prior", context, "What is there?", image_id=None, choices=("cat", "dog")) == "dog"
    assert ask("builtin:prior", context, "What is there?", image_id=None, choices=("cow", "cat")) == "cat"
    assert ask("builtin:prior", context, "What is there?", image_id=None, choices=None) == "boat"


def test_the_blind_learn_words_and_nothing_else(tmp_path: Path, meadow: Meadow) -> None:
    context = LoadContext(train=meadow)
    assert ask("builtin:blind", context, "Are there unicorns?", image_id=None, choices=("yes", "no")) == "no"
    assert ask("builtin:blind", context, "What is there?", image_id=None, choices=None) in ("dog", "boat")
    suite = dog_suite(tmp_path / "suite", meadow)
    told = answers(suite, "builtin:blind", tmp_path / "run", context)
    assert right(suite, told) == 0.5


def test_the_bag_looks(tmp_path: Path, meadow: Meadow) -> None:
    context = LoadContext(train=meadow)
    suite = dog_suite(tmp_path / "suite", meadow)
    told = answers(suite, "builtin:bow-image", tmp_path / "run", context)
    originals = [item for item in suite.items() if item.role == "original"]
    assert sum(told[item.item_id] == item.gold for item in originals) / len(originals) > 0.9


def test_a_broken_picture_fails_alone(tmp_path: Path, meadow: Meadow) -> None:
    (tmp_path / "broken.png").write_bytes(b"nothing")
    model = load_model("builtin:bow-image", LoadContext(train=meadow))
    paths = [meadow.folder / "1.png", tmp_path / "broken.png", meadow.folder / "3.png"]
    requests = [
        Request(item_id=str(number), task="answer", text="Is there a dog?", image=path, choices=("yes", "no"))
        for number, path in enumerate(paths)
    ]
    replies = model.reply(requests)
    assert [reply.item_id for reply in replies] == ["0", "1", "2"]
    assert [reply.status for reply in replies] == ["ok", "failed", "ok"]
    assert [model.reply([request])[0] for request in requests] == list(replies)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("always-yes", "evaluation.models.backends"),
        ("oracle", "scene/scene.py"),
        ("oracle", "english/data/"),
        ("noisy-oracle", "baselines/oracle.py"),
        ("prior", "text_only.py"),
        ("blind", "text_only.py"),
        ("bow-image", "data.images"),
    ],
)
def test_an_edited_model_has_another_fingerprint(
    name: str, file: str, meadow: Meadow, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = LoadContext(train=meadow, scenes=meadow)
    first = load_model(f"builtin:{name}", context).fingerprint
    edited: list[str] = []

    def edit(path: str) -> Iterator[tuple[str, bytes]]:
        for one, content in read_code(path):
            edited.extend([one] if file in one.replace("falter.", "falter/") else [])
            yield one, content + b"# edited" * (one in edited)

    monkeypatch.setattr(source_code, "read_code", edit)
    hash_code.cache_clear()
    try:
        second = load_model(f"builtin:{name}", context).fingerprint
    finally:
        hash_code.cache_clear()
    assert edited
    assert first != second


def test_the_hash_of_code_knows_all_files_and_no_line_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for package in ("one_package", "same_package"):
        (tmp_path / package / "inner").mkdir(parents=True)
        (tmp_path / package / "__init__.py").write_bytes(b"")
        end = b"\n" if package == "one_package" else b"\r\n"
        (tmp_path / package / "inner" / "words.yaml").write_bytes(b"a: 1" + end)
        (tmp_path / package / "inner" / "compiled.pyc").write_bytes(package.encode())
    contents = [
        [content for _, content in read_code(f"{package}.inner")] for package in ("one_package", "same_package")
    ]
    assert contents == [[b"a: 1\n"]] * 2
    before = hash_code("one_package.inner")
    (tmp_path / "one_package" / "inner" / "more.yaml").write_bytes(b"")
    hash_code.cache_clear()
    assert hash_code("one_package.inner") != before


@pytest.mark.parametrize("name", ["prior", "blind", "bow-image"])
def test_learning_is_repeatable_and_the_fingerprint_knows_the_data(name: str, meadow: Meadow, tmp_path: Path) -> None:
    first = load_model(f"builtin:{name}", LoadContext(train=meadow))
    second = load_model(f"builtin:{name}", LoadContext(train=meadow))
    other = load_model(f"builtin:{name}", LoadContext(train=Meadow(tmp_path, count=30)))
    assert first.fingerprint == second.fingerprint != other.fingerprint
    requests = [
        Request(item_id=str(n), task="answer", text=text, image=meadow.folder / f"{n}.png", choices=("yes", "no"))
        for n, text in enumerate(("Is there a dog?", "Are there boats?", "Is there no dog?", "Hm?"))
    ]
    assert list(first.reply(requests)) == list(second.reply(requests))


def test_specs_with_sources_in_them() -> None:
    assert parse_builtin("bag,train=gqa:graphs=a,images=b@c") == ("bag", {}, "gqa:graphs=a,images=b@c")
    assert parse_builtin("bag@vqa:x,train=y") == ("bag", {}, "vqa:x,train=y")
    assert parse_builtin("noisy-oracle,p=0.5,seed=2") == ("noisy-oracle", {"p": "0.5", "seed": "2"}, None)
    with pytest.raises(UsageError, match="is not key=value"):
        parse_builtin("noisy-oracle,p")
    with pytest.raises(UsageError, match="from 0 to 1"):
        load_model("builtin:noisy-oracle,p=2")
    with pytest.raises(UsageError, match="from 0 to 1"):
        load_model("builtin:noisy-oracle,p=nan")
    with pytest.raises(UsageError, match="builtin:always-yes needs nothing: leave out @gqa:x"):
        load_model("builtin:always-yes@gqa:x")
