"""Which way round each head says yes, and how yes and no or letters become a probability."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from falter.core.errors import UsageError
from falter.data.model_loading import LoadContext
from falter.data.model_options import ModelOptions
from falter.evaluation.models import load_model
from tests.models.tiny.vision_language import BUILDERS

from .conftest import Images, Load
from .test_batches import asked_at_once

MATCHES = {
    "vilt_matches": ("rank_output.bias", 0),
    "lxmert_pretrained": ("cls.seq_relationship.bias", 1),
    "visual_bert_matches": ("cls.seq_relationship.bias", 0),
    "blip_matches": ("itm_head.bias", 1),
    "blip2_matches": ("itm_head.bias", 1),
}
"""The number in each head that pulls towards a match, by the papers and the documentation of the weights."""


@pytest.mark.parametrize("name", sorted(MATCHES))
def test_a_head_that_always_finds_a_match_scores_near_one(name: str, tmp_path: Path, images: Images) -> None:
    from safetensors.torch import load_file, save_file

    folder = BUILDERS[name](tmp_path / "model")
    tensor, place = MATCHES[name]
    tensors = load_file(folder / "model.safetensors")
    tensors[tensor][place] += 40.0
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    options = ModelOptions(device="cpu", region_features=images.features)
    model = load_model(f"hf:{folder}", LoadContext(options=options))
    assert (model.capabilities.tasks, model.capabilities.method) == ({"match"}, "match:head")  # type: ignore[attr-defined]
    for reply in model.reply(images.requests("match")[:3]):
        assert reply.score_kind == "probability"
        assert reply.score is not None
        assert 0.99 < reply.score <= 1


@pytest.mark.parametrize("name", ["vilt_answers", "visual_bert_answers", "lxmert_answers"])
def test_a_classifier_matches_by_its_yes_against_its_no(name: str, load: Load, images: Images) -> None:
    import math

    model = load(name, answer_by="likelihood")
    assert model.capabilities.method == "decide:likelihood,match:yes-no"
    for request, reply in zip(images.requests("match"), asked_at_once(model, images.requests("match")), strict=True):
        said = model.capabilities.prompt.question(request)
        asked = type(request)(
            item_id="x", task="answer", text=said, image=request.image, image_id=request.image_id, choices=("yes", "no")
        )
        scores = asked_at_once(model, [asked])[0].choice_scores
        assert scores is not None
        yes, no = math.exp(scores["yes"]), math.exp(scores["no"])
        assert reply.score == pytest.approx(yes / (yes + no), abs=1e-5)


def test_a_writer_matches_by_all_its_words_for_yes_and_no(load: Load, images: Images) -> None:
    import torch

    from falter.evaluation.models.hf.generation import GenerativePipeline

    model = load("llava")
    pipeline, (weights, _) = model._pipeline, model._copies[0]
    assert isinstance(pipeline, GenerativePipeline)
    request = images.requests("match")[0]
    asked = pipeline.prompt_input(request, pipeline.load_image(request))
    with torch.inference_mode():
        inputs = pipeline._runner.encode([asked], side="right")
        chances = weights(**inputs).logits[0, -1].double().softmax(-1)
    words = pipeline.tokenizer.get_vocab()
    yes, no = (
        sum(float(chances[words[form]]) for form in forms if form in words)
        for forms in (("yes", "Yes", "Ġyes", "ĠYes"), ("no", "No", "Ġno", "ĠNo"))
    )
    assert asked_at_once(model, [request])[0].score == pytest.approx(yes / (yes + no), rel=1e-4)
    assert sum(form in words for form in ("yes", "Yes", "Ġyes", "ĠYes")) > 1, "the tokenizer has one form only"


def test_letters_are_asked_both_ways_round_and_the_bias_is_kept(load: Load, images: Images) -> None:
    model = load("llava", match_by="letters")
    assert model.capabilities.method == "decide:generate,match:letters"
    for reply in asked_at_once(model, images.requests("match")):
        assert set(reply.choice_scores or {}) == {"A", "B"}
        assert reply.choice_scores is not None
        a, b = reply.choice_scores["A"], reply.choice_scores["B"]
        assert reply.score == pytest.approx((a + b) / 2)
        assert a != b, "a model that knows nothing leans to a letter"


def test_a_model_that_always_says_a_is_seen_to(checkpoint: Callable[[str], Path], images: Images) -> None:
    options = ModelOptions(device="cpu", match_by="letters")
    model = load_model(f"hf:{checkpoint('llava')}", LoadContext(options=options))
    weights, pipeline = model._copies[0][0], model._pipeline  # type: ignore[attr-defined]
    head = weights.lm_head.weight.data
    for token in pipeline._answers.firsts(("B",)):
        head[token] = 0
    for token in pipeline._answers.firsts(("A",)):
        head[token] = 0
        # The last layer is normalized to length: a large multiple of any one place wins or loses alike everywhere.
    import torch

    hidden = torch.nn.Linear(head.shape[1], head.shape[0], bias=True)
    hidden.weight.data, hidden.bias.data = head, torch.zeros(head.shape[0])
    hidden.bias.data[list(pipeline._answers.firsts(("A",)))] = 30.0
    weights.lm_head = hidden
    for reply in model.reply(images.requests("match")[:3]):
        assert reply.choice_scores == pytest.approx({"A": 1.0, "B": 0.0}, abs=1e-3)
        assert reply.score == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "way"),
    [("vilt_matches", "yes-no"), ("llava", "head"), ("vilt_answers", "letters"), ("blip_matches", "letters")],
)
def test_a_way_of_matching_that_a_model_lacks_is_refused(name: str, way: str, load: Load) -> None:
    with pytest.raises(UsageError, match=f"cannot match by {way}: it matches by .*; give -M match_by=auto"):
        load(name, match_by=way)
