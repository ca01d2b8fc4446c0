"""What a chat model is shown: system text, worked examples with their images, earlier turns, the question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from PIL import Image

from falter.core.errors import UsageError
from falter.data.items import Turn
from falter.data.model import Request
from falter.evaluation.models.hf.generation import GenerativePipeline
from falter.evaluation.models.weights.batching import LoadedRequest

from .conftest import Images, Load
from .test_batches import asked_at_once


def shown(model: Any, request: Request) -> tuple[str, list[Any]]:
    pipeline = model._pipeline
    assert isinstance(pipeline, GenerativePipeline)
    return pipeline.prompt_input(request, pipeline.load_image(request))


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    Image.new("RGB", (20, 10), "red").save(tmp_path / "red.png")
    path = tmp_path / "examples.yaml"
    path.write_text(
        yaml.safe_dump(
            [
                {"text": "Is it red?", "reply": "yes", "choices": ["yes", "no"], "image": "red.png"},
                {"text": "A blue image.", "reply": "no", "task": "match", "image": "red.png"},
            ]
        )
    )
    return path


def test_system_examples_and_question_stand_in_order(
    load: Load, images: Images, examples: Path, tmp_path: Path
) -> None:
    system = tmp_path / "system.txt"
    system.write_text("You look closely.\n")
    model = load("llava", system=system, few_shot=examples)
    request = images.requests("answer", ("yes", "no"))[0]
    text, seen = shown(model, request)
    assert text == (
        "SYSTEM: You look closely. USER: <image>\nIs it red? Answer yes or no. ASSISTANT: yes "
        "USER: <image>\nIs there a red bus? Answer yes or no. ASSISTANT:"
    )
    assert [image.size for image in seen] == [(20, 10), (40, 30)]
    match, _ = shown(model, images.requests("match")[0])
    assert 'Does the caption "A blue image." describe the image correctly?' in match
    assert "Is it red?" not in match
    plain = load("llava")
    assert model.fingerprint != plain.fingerprint
    assert [r.status for r in asked_at_once(model, images.requests("answer", ("yes", "no")))] == ["ok"] * 12


def test_a_template_without_a_system_turn_gets_the_text_before_the_first_question(
    load: Load, images: Images, tmp_path: Path
) -> None:
    system = tmp_path / "system.txt"
    system.write_text("You look closely.")
    model = load("llava", system=system)
    processor = model._pipeline._prompt_format._processor  # type: ignore[attr-defined]
    kept = processor.chat_template
    processor.chat_template = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no') }}{% endif %}" + kept
    try:
        text, _ = shown(model, images.requests("answer")[0])
    finally:
        processor.chat_template = kept
    assert text.startswith("USER: <image>\nYou look closely.\n\n Is there a red bus?")


def test_earlier_turns_become_turns_of_the_chat_and_the_picture_stands_first(load: Load, images: Images) -> None:
    context = (
        Turn("caption", "A street."),
        Turn("questioner", "Is it day?"),
        Turn("answerer", "yes"),
    )
    request = msgspec.structs.replace(images.requests("answer", ("yes", "no"))[0], context=context)
    model = load("llava")
    assert model.capabilities.reads_context
    text, seen = shown(model, request)
    assert text == (
        "USER: <image>\nA street.\nIs it day? ASSISTANT: yes USER: Is there a red bus? Answer yes or no. ASSISTANT:"
    )
    assert len(seen) == 1
    assert asked_at_once(model, [request])[0].text != asked_at_once(model, [images.requests("answer")[0]])[0].text


def test_examples_of_matching_take_the_letter_that_is_right_in_each_order(
    load: Load, images: Images, examples: Path
) -> None:
    pipeline = load("llava", few_shot=examples, match_by="letters")._pipeline
    assert isinstance(pipeline, GenerativePipeline)
    for order, letter in ((("yes", "no"), "B"), (("no", "yes"), "A")):
        ((said, path, reply),) = pipeline._lettered_examples(order)
        assert f"A. {order[0]}\nB. {order[1]}" in said
        assert (path, reply) == (examples.parent / "red.png", letter)


def test_a_dialogue_that_the_assistant_began_begins_with_the_user(load: Load, images: Images) -> None:
    request = msgspec.structs.replace(images.requests("answer")[0], context=(Turn("answerer", "It is a street."),))
    text, seen = shown(load("llava", prompt="plain"), request)
    assert text == "USER: <image>\nYou said: It is a street.\nIs there a red bus? ASSISTANT:"
    assert len(seen) == 1


@pytest.mark.parametrize("name", ["llava", "idefics3", "qwen2_vl"])
def test_a_chat_goes_on_without_a_picture(name: str, load: Load, images: Images) -> None:
    model = load(name)
    assert model.capabilities.accepts_text_only
    blind = [
        msgspec.structs.replace(request, image=None, image_id=None)
        for request in images.requests("answer", ("yes", "no"))[:4]
    ]
    assert [reply.status for reply in asked_at_once(model, blind)] == ["ok"] * 4
    assert not load("blip_answers").capabilities.accepts_text_only


def test_models_of_bare_questions_refuse_what_would_mean_nothing(load: Load, examples: Path, tmp_path: Path) -> None:
    system = tmp_path / "system.txt"
    system.write_text("You look closely.")
    with pytest.raises(UsageError, match="reads bare questions"):
        load("blip_answers", system=system)
    with pytest.raises(UsageError, match="takes one image at a time"):
        load("blip2_answers", few_shot=examples)


def test_tokens_are_counted_by_the_models_own_tokenizer(load: Load, images: Images) -> None:
    model = load("vilt_answers")
    request = images.requests("answer")[0]
    # [CLS] is there a red bus ? [SEP]
    assert model.count_tokens([request]) == 8
    assert model.count_tokens([request] * 3) == 24
    assert model.count_tokens([]) == 0


def test_words_are_known_in_all_the_ways_a_tokenizer_writes_them() -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    from falter.evaluation.models.hf.generation import AnswerTokens

    vocabulary = {"<unk>": 0, "\u2581yes": 1, "yes": 2, "\u2581Yes": 3, "\u2581": 4, "\u2581no": 5, "\u2581A:": 6}
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0) for piece in vocabulary], unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    answers = AnswerTokens(PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>"), continues=True)
    assert answers.firsts(("yes", "Yes")) == {1, 2, 3}
    assert answers.after("A:", "no") == [5], "a space comes between"


def test_the_processor_counts_the_tokens_of_images(load: Load, images: Images) -> None:
    model = load("llava")
    request = images.requests("answer", ("yes", "no"))[0]
    prepared = model._pipeline.collate([LoadedRequest(request, model._pipeline.load_image(request))])
    image_token = model._pipeline.tokenizer.convert_tokens_to_ids("<image>")
    shown_tokens = int((prepared.inputs["input_ids"] == image_token).sum())
    assert model.capabilities.count_image_tokens([request, request]) == 2 * shown_tokens > 0
