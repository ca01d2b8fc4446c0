"""Classifiers: the names of their answers, and choices that are or are not among them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from falter.core.errors import InputError
from falter.data.model import load_image
from falter.data.model_loading import LoadContext
from falter.data.model_options import ModelOptions
from falter.evaluation.models import load_model
from tests.models.tiny.vision_language import ANSWERS

from .conftest import Images, Load
from .test_batches import asked_at_once


def test_an_answer_is_the_name_of_the_largest_score(load: Load, images: Images) -> None:
    import torch

    model = load("vilt_answers")
    pipeline, (weights, _) = model._pipeline, model._copies[0]
    request = images.requests("answer")[0]
    inputs = pipeline._processor(images=[load_image(request)], text=[request.text], return_tensors="pt")  # type: ignore[attr-defined]
    with torch.inference_mode():
        best = int(weights(**inputs).logits.argmax())
    assert asked_at_once(model, [request])[0].text == ANSWERS[best]


def test_choices_are_scored_among_the_answers_it_has(load: Load, images: Images) -> None:
    model = load("vilt_answers", answer_by="likelihood")
    request = images.requests("answer", ("Red", "purple", "the table"))[0]
    reply = asked_at_once(model, [request])[0]
    assert set(reply.choice_scores or {}) == {"Red", "the table"}
    unknown = msgspec.structs.replace(request, choices=("purple", "pink"))
    assert asked_at_once(model, [unknown])[0].status == "unsupported"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("answers.json", json.dumps(ANSWERS)),
        ("answers.json", json.dumps({name: place for place, name in enumerate(ANSWERS)})),
        ("answers.json", json.dumps(dict(enumerate(ANSWERS)))),
        ("answers.txt", "\n".join(ANSWERS)),
    ],
)
def test_answers_may_come_in_a_file_of_the_users(
    name: str, content: str, load: Load, checkpoint: Callable[[str], Path], tmp_path: Path, images: Images
) -> None:
    folder = shutil.copytree(checkpoint("lxmert_answers"), tmp_path / "lxmert")
    (folder / "label2ans.json").unlink()
    context = LoadContext(options=ModelOptions(device="cpu", region_features=images.features))
    with pytest.raises(InputError, match=r"its 10 answers have no names \(.*labels=FILE\)"):
        load_model(f"hf:{folder}", context)
    file = tmp_path / name
    file.write_text(content)
    model = load_model(f"hf:{folder},labels={file}", context)
    requests = images.requests("answer")
    assert [r.text for r in model.reply(requests)] == [r.text for r in asked_at_once(load("lxmert_answers"), requests)]


def test_a_list_of_another_length_is_refused(checkpoint: Callable[[str], Path], tmp_path: Path, images: Images) -> None:
    file = tmp_path / "answers.txt"
    file.write_text("yes\nno\n")
    context = LoadContext(options=ModelOptions(device="cpu", region_features=images.features))
    with pytest.raises(InputError, match="has 2 answers, and the model gives 10"):
        load_model(f"hf:{checkpoint('lxmert_answers')},labels={file}", context)


def test_a_pretrained_lxmert_also_answers_once_its_answers_have_names(
    checkpoint: Callable[[str], Path], tmp_path: Path, images: Images
) -> None:
    file = tmp_path / "answers.txt"
    file.write_text("\n".join(ANSWERS))
    context = LoadContext(options=ModelOptions(device="cpu", region_features=images.features))
    model = load_model(f"hf:{checkpoint('lxmert_pretrained')},labels={file}", context)
    assert model.capabilities.tasks == {"answer", "match"}
    answered, matched = model.reply([images.requests("answer")[0], images.requests("match")[0]])
    assert answered.text in ANSWERS
    assert matched.score_kind == "probability"


def test_a_text_that_is_too_long_fails_alone(load: Load, images: Images) -> None:
    requests = images.requests("match")[:4]
    long = msgspec.structs.replace(requests[1], item_id="long", text="a bus " * 100)
    replies = load("vilt_matches").reply([requests[0], long, *requests[2:]])
    assert [reply.status for reply in replies] == ["ok", "failed", "ok", "ok"]
    assert replies[1].error == "the text has 202 tokens, and the model takes 160"
