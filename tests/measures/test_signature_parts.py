"""What signatures say of the way in which a model was asked."""

from __future__ import annotations

from typing import Any

import pytest

from falter.data.suite import SuiteManifest
from falter.evaluation.runs import RunManifest
from falter.evaluation.runs.manifest import ModelRecord, SuiteRecord
from falter.evaluation.runs.scoring import signature_parts

LM = {"rule": "lm:mean,bos:on", "prompt_fingerprint": "tagged-v1-515e", "prompted": ("answer",)}
CHAT = {"rule": "decide:likelihood,match:letters,p:logprobs", "prompt_fingerprint": "plain-v1-12f8"}


def asked(model: dict[str, Any], **settings: Any) -> RunManifest:
    record = ModelRecord(spec="x", name="x", fingerprint="f", abilities=("answer", "match"), needs_image=False, **model)
    return RunManifest(model=record, suite=SuiteRecord(name="s", path="s", fingerprint="f", items=1), settings=settings)


@pytest.mark.parametrize(
    ("model", "tasks", "parts"),
    [
        (LM, {"match"}, ("lm:mean", "bos:on")),
        (LM, {"answer"}, ("lm:mean", "bos:on", "prompt:tagged-v1-515e")),
        (CHAT, {"match"}, ("match:letters", "p:logprobs", "prompt:plain-v1-12f8")),
        (CHAT, {"answer"}, ("decide:likelihood", "p:logprobs", "prompt:plain-v1-12f8")),
        (CHAT, {"answer", "match"}, ("decide:likelihood", "match:letters", "p:logprobs", "prompt:plain-v1-12f8")),
    ],
)
def test_only_what_bears_on_the_tasks_is_named(model: dict[str, Any], tasks: set[str], parts: tuple[str, ...]) -> None:
    assert signature_parts(asked(model), tasks) == parts
    assert signature_parts(asked(model, image="blank"), tasks) == (*parts, "image:blank")


@pytest.mark.parametrize(
    ("parameters", "parts"),
    [
        ({"tokenizer": "bert-large-cased", "max_tokens": 80}, ("tokens:bert-large-cased<=80",)),
        ({"tokenizer": "a|b", "max_tokens": 9}, ("tokens:a%7Cb<=9",)),
        ({"max_tokens": 80}, ()),
    ],
)
def test_what_counted_the_tokens_of_captions_is_named(parameters: dict[str, Any], parts: tuple[str, ...]) -> None:
    suite = SuiteManifest(name="s", parameters=parameters)
    assert signature_parts(asked({}), {"match"}, suite) == parts
