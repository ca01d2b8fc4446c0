"""Dual encoders: scores as the whole model has them, everything encoded once, questions as statements."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from falter.core.errors import InputError, UsageError
from falter.core.files import sha256_of_file
from falter.data.items import ImageRef, Item, Probe, Turn
from falter.data.model import Request
from falter.data.model_loading import LoadContext
from falter.data.model_options import ModelOptions
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.models import load_model
from falter.evaluation.models.weights.clip import DualEncoderModel
from tests.models.clip.checkpoints import FAMILIES, TEXTS, clip, draw, plain_scores
from tests.models.in_process import falter_here, scores_in
from tests.models.lm.checkpoints import gpt2

pytest.importorskip("torch")


class Made(NamedTuple):
    folders: dict[str, Path]
    images: list[Path]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    root = tmp_path_factory.mktemp("dual encoders")
    return Made({name: make(root / name) for name, make in FAMILIES.items()}, draw(root / "images"))


def loaded(folder: Path, **options: object) -> DualEncoderModel:
    model = load_model(f"clip:{folder}", LoadContext(options=msgspec.convert(options, ModelOptions)))
    assert isinstance(model, DualEncoderModel)
    return model


def match(image: Path, text: str) -> Request:
    return Request(
        item_id=f"{image.name} {text}",
        task="match",
        text=text,
        image=image,
        image_id=image.stem,
        image_sha256=sha256_of_file(image),
    )


def ask(image: Path, text: str, *choices: str) -> Request:
    return Request(
        item_id=f"{image.name} {text} {choices}",
        task="answer",
        text=text,
        choices=choices or None,
        image=image,
        image_id=image.stem,
        image_sha256=sha256_of_file(image),
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_a_match_scores_as_the_whole_model_has_it(made: Made, family: str) -> None:
    model = loaded(made.folders[family])
    requests = [match(image, text) for image in made.images for text in TEXTS]
    replies = {reply.item_id: reply for reply in model.reply(requests)}
    for image in made.images[:2]:
        plain = plain_scores(made.folders[family], image, TEXTS)
        for text, expected in zip(TEXTS, plain, strict=True):
            assert replies[f"{image.name} {text}"].score == pytest.approx(expected, abs=1e-5)
    probable = family.startswith("siglip")
    assert {reply.score_kind for reply in replies.values()} == {"probability" if probable else "similarity"}
    assert model.capabilities.method == ("clip:sigmoid" if probable else "clip:cosine")
    assert all(0 < (reply.score or 0) < 1 for reply in replies.values()) or not probable


@pytest.mark.parametrize("family", FAMILIES)
def test_pictures_and_texts_are_encoded_once_and_batches_change_nothing(made: Made, family: str) -> None:
    requests = [match(image, text) for text in TEXTS for image in made.images]
    requests += [ask(image, "Is there a red car?", "yes", "no") for image in made.images]
    scores: list[dict[str, object]] = []
    for size in (1, 3, 64):
        model = loaded(made.folders[family])
        replies = list(model.reply_unordered(iter(requests), size))
        assert len(replies) == len(requests)
        # One statement of the question stands among the captions already.
        assert model.encoded == (len(made.images), len(TEXTS) + 1)
        list(model.reply_unordered(iter(requests), size))
        assert model.encoded == (len(made.images), len(TEXTS) + 1)
        scores.append({reply.item_id: reply.score or (reply.choice_scores or {})["yes"] for reply in replies})
    for other in scores[1:]:
        assert other == pytest.approx(scores[0], abs=1e-5)


def test_questions_are_answered_by_the_nearest_statement(made: Made, tmp_path: Path) -> None:
    answers = set()
    for seed, image in enumerate(made.images[:3]):
        folder = clip(tmp_path / f"clip-{seed}", seed=seed)
        there, back, named, free = loaded(folder).reply(
            [
                ask(image, "Is there a red car?", "yes", "no"),
                ask(image, "Is there a red car?", "no", "yes"),
                ask(image, "What color is the car, red or blue?", "red", "blue"),
                ask(image, "What color is the car?", "blue", "red"),
            ]
        )
        texts = ("There is a red car.", "There is no red car.", "The car is red.", "The car is blue.")
        yes, no, red, blue = plain_scores(folder, image, texts)
        assert there.choice_scores == pytest.approx({"yes": yes, "no": no}, abs=1e-5)
        assert there.answer == back.answer == ("yes" if yes > no else "no")
        assert named.choice_scores == pytest.approx({"red": red, "blue": blue}, abs=1e-5)
        assert free.choice_scores == pytest.approx(named.choice_scores, abs=1e-6)
        assert named.answer == free.answer == ("red" if red > blue else "blue")
        answers |= {there.answer, named.answer}
    assert len(answers) > 2, "weights that differ should not all answer alike"


def test_what_cannot_be_said_is_unsupported_and_its_picture_left_alone(made: Made, tmp_path: Path) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no image")
    whole = made.images[0]
    model = loaded(made.folders["blip"])
    replies = model.reply(
        [
            ask(broken, "Why is the sky blue?", "yes", "no"),
            ask(whole, "What is this?"),
            ask(broken, "Is there a red car?", "yes", "no"),
            match(whole, "A red car."),
            match(broken, "A red car."),
        ]
    )
    assert [reply.status for reply in replies] == ["unsupported", "unsupported", "failed", "ok", "failed"]
    assert "broken.png" in (replies[4].error or "")
    assert model.encoded == (1, 1)


def test_a_text_that_is_too_long_is_cut(made: Made) -> None:
    for family in ("clip", "siglip", "blip"):
        first, second = loaded(made.folders[family]).reply(
            [match(made.images[0], "the car is red " * 40), match(made.images[0], "the car is red " * 41)]
        )
        assert first.score is not None
        assert second.score == pytest.approx(first.score, abs=1e-6)


def test_two_copies_share_what_they_know(made: Made) -> None:
    requests = [match(image, text) for text in TEXTS for image in made.images]
    one, two = loaded(made.folders["clip"]), loaded(made.folders["clip"], device="cpu,cpu")
    assert two.capabilities.reply_unordered is not None
    assert two.fingerprint == one.fingerprint
    alone = {reply.item_id: reply.score for reply in one.reply_unordered(iter(requests), 2)}
    shared = {reply.item_id: reply.score for reply in two.reply_unordered(iter(requests), 2)}
    assert shared == pytest.approx(alone, abs=1e-5)
    assert two.encoded == (len(made.images), len(TEXTS))


def test_the_fingerprint_is_that_of_weights_and_statements(made: Made, tmp_path: Path) -> None:
    first = loaded(made.folders["clip"]).fingerprint
    other = loaded(clip(tmp_path / "clip", seed=1)).fingerprint
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "statements.yaml").write_text('- {means: Exists(x), says: "A photo of {a x}."}\n')
    extended = load_model(f"clip:{made.folders['clip']}", LoadContext(plugin_dirs=(tmp_path / "words",))).fingerprint
    assert len({first, other, extended}) == 3


class TestRefusals:
    """One clear line each."""

    def test_nothing_there(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="gone"):
            loaded(tmp_path / "gone")

    def test_a_model_of_another_kind(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no dual encoder but a GPT2"):
            loaded(gpt2(tmp_path / "gpt2"))

    def test_weights_or_words_that_are_missing(self, tmp_path: Path) -> None:
        folder = clip(tmp_path / "clip")
        (folder / "model.safetensors").rename(tmp_path / "weights")
        with pytest.raises(InputError, match="weights"):
            loaded(folder)
        (tmp_path / "weights").rename(folder / "model.safetensors")
        for path in folder.glob("*token*"):
            path.unlink()
        with pytest.raises(InputError, match="tokenizer"):
            loaded(folder)

    @pytest.mark.parametrize("family", ["clip", "siglip", "blip"])
    def test_pictures_of_another_size(self, made: Made, family: str, tmp_path: Path) -> None:
        folder = Path(shutil.copytree(made.folders[family], tmp_path / "copy"))
        settings = json.loads((folder / "processor_config.json").read_text())
        settings["image_processor"] |= {name: {"height": 48, "width": 48} for name in ("size", "crop_size")}
        (folder / "processor_config.json").write_text(json.dumps(settings))
        with pytest.raises(
            InputError, match=r"makes images of 48 x 48 and its weights take 32 x 32.*preprocessor_config"
        ):
            loaded(folder)

    def test_words_of_another_model(self, made: Made, tmp_path: Path) -> None:
        folder = Path(shutil.copytree(made.folders["blip"], tmp_path / "copy"))
        for path in made.folders["clip"].glob("*token*"):
            shutil.copy(path, folder)
        with pytest.raises(InputError, match=r"tokenizer has \d+ tokens and its weights know \d+"):
            loaded(folder)

    def test_texts_that_all_come_out_the_same(self, made: Made, tmp_path: Path) -> None:
        folder = Path(shutil.copytree(made.folders["clip"], tmp_path / "copy"))
        settings = json.loads((folder / "config.json").read_text())
        settings["text_config"]["eos_token_id"] = 7
        (folder / "config.json").write_text(json.dumps(settings))
        with pytest.raises(InputError, match="cannot tell the texts of its tokenizer apart"):
            loaded(folder)

    def test_open_clip_that_is_not_installed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "open_clip_config.json").write_text("{}")
        monkeypatch.setitem(sys.modules, "open_clip", None)
        with pytest.raises(UsageError, match="pip install open_clip_torch"):
            loaded(tmp_path)


def suite_of_pairs(folder: Path, images: list[Path]) -> Suite:
    """Captions with foils, and questions, over drawn images."""
    with create_suite(folder, SuiteManifest(name="pairs")) as writer:
        for number, image in enumerate(images):
            sha256, name = sha256_of_file(image), writer.add_image(image)
            for task, texts in (("match", TEXTS[:2]), ("answer", ("Is there a red car?", "Is there no red car?"))):
                choices = None if task == "match" else ("yes", "no")
                items = [
                    Item.make(
                        probe_id=f"{task}{number}",
                        variant=variant,
                        suite="pairs",
                        test="existence" if task == "match" else "negation",
                        expects="prefer" if task == "match" else "different",
                        task=task,
                        text=text,
                        gold="no" if variant else "yes",
                        choices=choices,
                        image=ImageRef(image.stem, name, sha256),
                    )
                    for variant, text in enumerate(texts)
                ]
                writer.add(Probe(tuple(items)))
    return open_suite(folder)


def test_from_the_command_line_to_the_score(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite_of_pairs(tmp_path / "suite", made.images)
    for family in ("clip", "siglip"):
        folder, run = made.folders[family], tmp_path / family
        done = falter_here(
            monkeypatch, capsys, "run", tmp_path / "suite", "--model", f"clip:{folder}", "--out", run, "--device", "cpu"
        )
        assert done.code == 0, done.err
        scored = falter_here(monkeypatch, capsys, "score", run, "--json")
        assert scored.code == 0, scored.err
        found = {key: one["value"] for key, one in scores_in(scored.out).items()}
        plain = [plain_scores(folder, image, TEXTS[:2]) for image in made.images]
        assert found["existence", "acc_r"] == pytest.approx(sum(one > two for one, two in plain) / len(plain))
        assert (found["existence", "acc"] is None) == (family == "clip"), "only a probability has a threshold"
        # A statement and its negation swap places, so that a dual encoder never contradicts itself.
        assert found["negation", "cons"] == 1.0


def test_pictures_that_are_gone(made: Made, tmp_path: Path) -> None:
    suite = suite_of_pairs(tmp_path / "suite", made.images)
    for path in (suite.folder / "images").iterdir():
        path.unlink()
    with pytest.raises(InputError, match="needs images"):
        run_suite(suite, loaded(made.folders["clip"]), tmp_path / "run")


@pytest.mark.parametrize("bias", [None, -10])
def test_a_checkpoint_of_open_clip(made: Made, bias: int | None, tmp_path: Path) -> None:
    """Where the library is installed: a folder with its configuration and weights, against the library itself."""
    library = pytest.importorskip("open_clip")
    import torch
    from PIL import Image
    from safetensors.torch import save_file

    config = {
        "embed_dim": 16,
        "vision_cfg": {"image_size": 32, "layers": 2, "width": 32, "patch_size": 8, "head_width": 8},
        "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 32, "heads": 4, "layers": 2},
        **({} if bias is None else {"init_logit_bias": bias}),
    }
    pixels = {"mean": [0.5] * 3, "std": [0.5] * 3, "interpolation": "bicubic", "resize_mode": "shortest"}
    written = json.dumps({"model_cfg": config, "preprocess_cfg": pixels})
    (tmp_path / "open_clip_config.json").write_text(written)
    torch.manual_seed(0)
    whole = library.CLIP(**config).eval()
    save_file(
        {name: one.contiguous() for name, one in whole.state_dict().items()}, tmp_path / "open_clip_model.safetensors"
    )
    model = loaded(tmp_path)
    assert model.capabilities.method == ("clip:cosine" if bias is None else "clip:sigmoid")
    replies = iter(model.reply([match(image, text) for image in made.images for text in TEXTS]))
    _, transform = library.create_model_from_pretrained(f"local-dir:{tmp_path}")
    tokens = library.get_tokenizer(f"local-dir:{tmp_path}")
    for path in made.images:
        for text in TEXTS:
            with torch.no_grad(), Image.open(path) as image:
                seen = whole.encode_image(transform(image.convert("RGB"))[None])
                expected = torch.cosine_similarity(seen, whole.encode_text(tokens([text])))
                if bias is not None:
                    expected = torch.sigmoid(whole.logit_scale.exp() * expected + whole.logit_bias)
            assert next(replies).score == pytest.approx(float(expected), abs=1e-5)


def test_options_of_a_dialogue_are_ranked_after_the_question(made: Made) -> None:
    image = made.images[0]
    turns = (Turn("caption", "a car on a road"), Turn("question", "is it day"), Turn("answer", "yes"))
    options = ("it is red", "blue", "no, it is not", "2")
    request = msgspec.structs.replace(ask(image, "what color is it", *options), context=turns)
    [reply] = loaded(made.folders["clip"]).reply([request])
    texts = tuple(f"what color is it {option}" for option in options)
    scores = dict(zip(options, plain_scores(made.folders["clip"], image, texts), strict=True))
    assert reply.choice_scores == pytest.approx(scores, abs=1e-5)
    assert reply.answer == max(scores, key=lambda option: scores[option])
