"""A model replies the same however its questions are put into batches, and on however many devices."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from falter.data.model import Reply, Request, load_image
from falter.evaluation.models.hf.model import HuggingFaceModel
from falter.evaluation.models.weights.batching import LoadedRequest
from tests.models.tiny.vision_language import CLASSIFIERS, MATCHERS, WRITERS

from .conftest import Images, Load

TOLERANCE = 2e-5
CHOICES = ("yes", "no", "red bus")
CASES = [
    *((made.__name__, {}) for made in (*CLASSIFIERS, *MATCHERS, *WRITERS)),
    *((made.__name__, {"answer_by": "likelihood"}) for made in (*CLASSIFIERS, *WRITERS)),
    ("llava", {"match_by": "letters"}),
    ("blip_answers", {"match_by": "letters"}),
]


def asked_at_once(model: HuggingFaceModel, requests: Sequence[Request]) -> list[Reply]:
    """Past the batching, which would hide that a batch fails by prompt_format its items one by one."""
    pipeline = model._pipeline
    copy, place = model._copies[0]
    return pipeline.infer(
        copy, place, pipeline.collate([LoadedRequest(request, pipeline.load_image(request)) for request in requests])
    )


def alike(one: Reply, other: Reply) -> bool:
    assert (one.item_id, one.status, one.text) == (other.item_id, other.status, other.text)
    assert one.score == pytest.approx(other.score, abs=TOLERANCE)
    assert (one.choice_scores or {}) == pytest.approx(other.choice_scores or {}, abs=TOLERANCE)
    return True


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_a_batch_of_all_lengths_and_sizes_gives_what_each_item_gives_alone(
    name: str, options: dict[str, str], load: Load, images: Images
) -> None:
    model = load(name, **options)
    tasks = sorted(model.capabilities.tasks) if not options else ["match"] if "match_by" in options else ["answer"]
    for task in tasks:
        requests = images.requests(task, CHOICES if task == "answer" else None)  # type: ignore[arg-type]
        together = asked_at_once(model, requests)
        assert all(reply.status == "ok" for reply in together)
        assert len({str((r.text, r.score, r.choice_scores)) for r in together}) > 1, "it takes all for the same"
        for reply, request in zip(together, requests, strict=True):
            assert alike(reply, asked_at_once(model, [request])[0])


@pytest.mark.parametrize("name", ["llava", "vilt_answers"])
def test_the_stream_gives_the_same_for_every_batch_size_and_on_two_devices(
    name: str, load: Load, images: Images
) -> None:
    model, both = load(name), load(name, device="cpu,cpu")
    requests = images.requests("answer", CHOICES) + images.requests("match")
    assert both.fingerprint == model.fingerprint
    alone = {reply.item_id: reply for reply in model.reply_unordered(iter(requests), 1)}
    for other in (
        model.reply_unordered(iter(requests), 5),
        model.reply_unordered(iter(requests)),
        both.reply_unordered(iter(requests), 3),
    ):
        replies = {reply.item_id: reply for reply in other}
        assert replies.keys() == alone.keys()
        assert all(alike(reply, alone[item]) for item, reply in replies.items())


def test_replies_to_a_batch_come_in_its_order(load: Load, images: Images) -> None:
    requests = images.requests("match")[::-1]
    replies = load("blip_matches").reply(requests)
    assert [reply.item_id for reply in replies] == [request.item_id for request in requests]


def test_the_same_batch_gives_the_same_digits(load: Load, images: Images) -> None:
    requests = images.requests("match")
    first, second = (asked_at_once(load("vilt_matches"), requests) for _ in range(2))
    assert first == second


def test_half_precision_and_mixed_precision_stay_near(load: Load, images: Images) -> None:
    requests = images.requests("match")
    exact = asked_at_once(load("blip_matches"), requests)
    for dtype in ("bf16", "mixed"):
        rough = load("blip_matches", dtype=dtype)
        assert rough.fingerprint != load("blip_matches").fingerprint
        for one, other in zip(exact, asked_at_once(rough, requests), strict=True):
            assert one.score == pytest.approx(other.score, abs=0.1)


@pytest.mark.parametrize("name", ["vilt_matches", "blip_matches", "blip2_matches", "blip_answers"])
def test_what_is_made_of_a_picture_ahead_is_what_the_processor_would_make(
    name: str, load: Load, images: Images
) -> None:
    import torch

    pipeline = load(name)._pipeline
    processor = getattr(pipeline, "_processor", None) or pipeline._runner._processor  # type: ignore[attr-defined]
    for request in images.requests("match")[::5]:
        made = pipeline.collate([LoadedRequest(request, pipeline.load_image(request))]).inputs
        expected = processor(images=[load_image(request)], text=[pipeline.prompt_text(request)], return_tensors="pt")
        assert made.keys() == expected.keys()
        for key, value in expected.items():
            torch.testing.assert_close(made[key], value)
