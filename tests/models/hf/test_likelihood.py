"""How likely a model finds an answer is what it would give it while writing, whatever the order of choices."""

from __future__ import annotations

import math
from typing import Any

import pytest

from falter.evaluation.models.hf.generation import GenerativePipeline
from falter.evaluation.models.weights.batching import LoadedRequest
from tests.models.tiny.vision_language import WRITERS

from .conftest import Images, Load
from .test_batches import asked_at_once

CHOICES = ("yes", "no", "red")


def written_with_scores(model: Any, pipeline: GenerativePipeline, loaded: LoadedRequest) -> tuple[list[int], Any]:
    """The tokens that a model writes, with the scores it had for all tokens at each step."""
    import torch

    inputs = pipeline.collate([loaded]).inputs
    settings = {"do_sample": False, "num_beams": 1, "max_new_tokens": 4}
    with torch.inference_mode():
        given = model.generate(**inputs, **settings, output_logits=True, return_dict_in_generate=True)
    scores = torch.stack(given.logits, dim=1)[0]
    return given.sequences[0, -len(scores) :].tolist(), scores


@pytest.mark.parametrize("name", [made.__name__ for made in WRITERS])
def test_scoring_a_given_answer_agrees_with_writing_it(name: str, load: Load, images: Images) -> None:
    import torch

    model = load(name)
    pipeline, (weights, _) = model._pipeline, model._copies[0]
    assert isinstance(pipeline, GenerativePipeline)
    for request in images.requests("answer", CHOICES)[::5]:
        loaded = LoadedRequest(request, pipeline.load_image(request))
        tokens, scores = written_with_scores(weights, pipeline, loaded)
        with torch.inference_mode():
            asked = pipeline.prompt_input(request, loaded.image)
            inputs = pipeline._runner.encode([asked], side="right")
            (found,) = pipeline._runner.answer_logits(weights, inputs, [tokens])
        torch.testing.assert_close(found, scores, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", ["llava", "blip_answers", "blip2_t5"])
def test_a_choice_is_scored_by_the_mean_of_its_tokens(name: str, load: Load, images: Images) -> None:
    """The choices of one token are read from one row; beside a longer one, each has a row of its own."""
    # This prompt does not list the choices.
    model = load(name, answer_by="likelihood", prompt="plain")
    short, long = (
        asked_at_once(model, images.requests("answer", choices))
        for choices in (CHOICES, (*CHOICES, "red bus near the man"))
    )
    for one, other in zip(short, long, strict=True):
        assert one.choice_scores is not None
        assert other.choice_scores is not None
        assert {choice: other.choice_scores[choice] for choice in CHOICES} == pytest.approx(one.choice_scores, abs=1e-5)
        # A sum over seven tokens of a model that knows nothing would be far below all single ones.
        assert other.choice_scores["red bus near the man"] > 2 * min(one.choice_scores.values())
        assert all(score < 0 for score in other.choice_scores.values())


@pytest.mark.parametrize("name", ["llava", "blip_answers", "vilt_answers"])
def test_the_order_of_the_choices_changes_no_score(name: str, load: Load, images: Images) -> None:
    model = load(name, answer_by="likelihood", prompt="plain")
    forward, backward = (
        asked_at_once(model, images.requests("answer", choices)) for choices in (CHOICES, CHOICES[::-1])
    )
    for one, other in zip(forward, backward, strict=True):
        assert one.choice_scores == pytest.approx(other.choice_scores, abs=1e-5)


def test_what_the_model_would_write_first_is_the_likeliest_choice(load: Load, images: Images) -> None:
    from falter.data.model import Request

    writing, scoring = load("blip_answers"), load("blip_answers", answer_by="likelihood")
    for request in images.requests("answer", ("yes", "no"))[::3]:
        text = asked_at_once(writing, [request])[0].text
        assert text
        first = text.split()[0]
        others = [word for word in ("yes", "no", "red", "table", "dogs") if word != first]
        for choices in ((first, *others), (*others, first)):
            again = Request(
                **{name: getattr(request, name) for name in request.__struct_fields__} | {"choices": choices}
            )
            scores = asked_at_once(scoring, [again])[0].choice_scores
            assert scores is not None
            assert max(scores, key=scores.__getitem__) == first


def test_probabilities_of_all_tokens_sum_to_one(load: Load, images: Images) -> None:
    model = load("vilt_answers", answer_by="likelihood")
    from tests.models.tiny.vision_language import ANSWERS

    for reply in asked_at_once(model, images.requests("answer", ANSWERS)):
        assert sum(math.exp(score) for score in (reply.choice_scores or {}).values()) == pytest.approx(1)


def test_a_question_without_choices_is_answered_in_writing(load: Load, images: Images) -> None:
    for reply in asked_at_once(load("llava", answer_by="likelihood"), images.requests("answer")[:2]):
        assert reply.choice_scores is None
        assert reply.text is not None
