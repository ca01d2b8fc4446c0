"""Which server, which model, which key; and that no key is ever repeated."""

from __future__ import annotations

import pytest

from falter.core.errors import UsageError
from falter.evaluation.models.openai.endpoint import ApiKey, parse_endpoint

SECRET = "hunter2-0123456789"


@pytest.mark.parametrize(
    ("spec", "environment", "model", "base"),
    [
        ("gpt-4o", {}, "gpt-4o", "https://api.openai.com/v1"),
        ("gpt-4o", {"OPENAI_BASE_URL": "http://proxy:4000/v1/"}, "gpt-4o", "http://proxy:4000/v1"),
        ("llava:7b@http://localhost:11434/v1", {}, "llava:7b", "http://localhost:11434/v1"),
        ("@cf/meta/llama@https://gateway.example/v1", {}, "@cf/meta/llama", "https://gateway.example/v1"),
        ("claude@20240229", {}, "claude@20240229", "https://api.openai.com/v1"),
        ("m@HTTP://[::1]:8000/v1", {"OPENAI_BASE_URL": "http://other/v1"}, "m", "http://[::1]:8000/v1"),
    ],
)
def test_specs(spec: str, environment: dict[str, str], model: str, base: str) -> None:
    endpoint = parse_endpoint(spec, environment)
    assert (endpoint.model, endpoint.base) == (model, base)


@pytest.mark.parametrize(
    ("spec", "environment"),
    [
        (f"m@http://user:{SECRET}@localhost/v1", {}),
        (f"m@http://{SECRET}@localhost/v1", {}),
        (f"m@http://user:with/{SECRET}@localhost/v1", {}),
        (f"m@http://localhost/v1?api_key={SECRET}", {}),
        (f"m@http://localhost/v1#{SECRET}", {}),
        (f"m@http://localhost/{SECRET}/v1", {"OPENAI_API_KEY": SECRET}),
        (f"{SECRET}@http://localhost/v1", {"FALTER_OPENAI_API_KEY": SECRET}),
        ("m", {"OPENAI_BASE_URL": f"http://u:{SECRET}@localhost/v1"}),
        ("m", {"OPENAI_BASE_URL": f"http://localhost/{SECRET}", "OPENAI_API_KEY": SECRET}),
        (f"m@http://localhost:port{SECRET}/v1", {}),
    ],
)
def test_a_key_in_the_address_is_refused_and_not_repeated(spec: str, environment: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        parse_endpoint(spec, environment)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "spec",
    [
        "m@localhost:8000/v1",
        "m@ftp://host/v1",
        "m@htp://host/v1",
        "m@//host/v1",
        "//user:word@host/v1",
        "http://localhost:8000/v1",
        "m@http:/host:1/v1",
        "m@http://",
        "@http://localhost/v1",
        "a b@http://localhost/v1",
    ],
)
def test_what_is_no_address(spec: str) -> None:
    with pytest.raises(UsageError):
        parse_endpoint(spec, {})


def test_a_key_is_shown_nowhere() -> None:
    endpoint = parse_endpoint("m", {"OPENAI_API_KEY": "the-other-one", "FALTER_OPENAI_API_KEY": f" {SECRET}\n"})
    assert endpoint.key.reveal() == SECRET
    assert SECRET not in f"{endpoint} {endpoint!r} {endpoint.key!r} {vars(endpoint)}"
    assert parse_endpoint("m", {}).key.reveal() == "none"


@pytest.mark.parametrize("key", ["two words", "bell\x07", "clé-0123", "line\nbreak"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(UsageError, match="no key has") as caught:
        parse_endpoint("m", {"OPENAI_API_KEY": key})
    assert key not in str(caught.value)


def test_what_is_hidden() -> None:
    key = ApiKey("a+b/c=secret")
    for form in ("a+b/c=secret", "a%2Bb%2Fc%3Dsecret"):
        assert "secret" not in key.hide(f"the key {form} is wrong")
    assert key.hide("Incorrect key provided: sk-abcd****wxyz.") == "Incorrect key provided: [key]"
    assert key.hide("Authorization: Bearer xyz") == "Authorization: Bearer [key]"
    assert key.remove("a task-list of sk-walks") == "a task-list of sk-walks"
