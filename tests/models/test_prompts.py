"""The words around a question: named, checked, and known by every word of them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import yaml
from PIL import Image

from falter.core.errors import FalterError, InputError, UsageError
from falter.data.model import Capabilities, Request
from falter.data.model_options import ModelOptions
from falter.evaluation.models.prompts import Prompt, load_prompt, preview_prompt, prompt_names

STANDARD = {
    "version": 1,
    "answer": {"open": "Q {text}", "binary": "B {text}", "choices": "C {text}: {choices}"},
    "match": {"yes_no": "M {text}", "letters": "L {text} A {a} B {b}"},
}


def from_file(folder: Path, content: object, *, system: Path | None = None, few_shot: Path | None = None) -> Prompt:
    path = folder / "mine.yaml"
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content), encoding="utf-8")
    return load_prompt(ModelOptions(prompt=str(path), system=system, few_shot=few_shot))


def test_a_prompt_of_the_users_own_fills_in_what_a_request_has(tmp_path: Path) -> None:
    prompt = from_file(tmp_path, STANDARD)
    assert prompt.name == "mine"
    said = {(one.task, one.of): one.text for one in preview_prompt(prompt)}
    assert said == {
        ("answer", "open question"): "Q What color is the bus?",
        ("answer", "yes or no"): "B Is there a dog on the sofa?",
        ("answer", "choices"): "C Is the cup red or blue?: red or blue",
        ("match", "yes or no"): "M A dog lies on the sofa.",
        ("match", "letters"): "L A dog lies on the sofa. A yes B no",
    }


def test_yes_and_no_in_any_order_are_no_list_of_choices(tmp_path: Path) -> None:
    prompt = from_file(tmp_path, STANDARD)
    request = Request(item_id="x", task="answer", text="Is it?", choices=("no", "yes"))
    assert prompt.question(request) == "B Is it?"


def test_braces_in_a_question_are_only_text() -> None:
    for name in prompt_names():
        prompt = load_prompt(ModelOptions(prompt=name))
        request = Request(item_id="x", task="answer", text="What does {0} {text} {{b}} say?", choices=("{a}", "b"))
        assert "What does {0} {text} {{b}} say?" in prompt.question(request)


def changed(field: str, value: object) -> dict[str, object]:
    content = yaml.safe_load(yaml.safe_dump(STANDARD))
    *path, last = field.split(".")
    place = content
    for key in path:
        place = place[key]
    place[last] = value
    return dict(content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("answer: [unclosed", "is not a prompt"),
        ("just words", "is not a prompt"),
        ("", "is not a prompt"),
        (changed("match.yes_no", 7), "is not a prompt"),
        (changed("question", "more"), "question"),
        ({**STANDARD, "version": "first"}, "version"),
        ({"version": 1, "answer": STANDARD["answer"]}, "match"),
        (changed("answer.open", "What is it?"), "answer.open: the template does not fit"),
        (changed("answer.open", "{text} {choices}"), "answer.open: the template does not fit"),
        (changed("match.letters", "{text} {0}"), "match.letters: the template does not fit"),
        (changed("answer.binary", "{text} {"), "answer.binary"),
    ],
)
def test_bad_files_are_named_with_the_field(tmp_path: Path, content: object, said: str) -> None:
    with pytest.raises(InputError, match=r"mine\.yaml") as caught:
        from_file(tmp_path, content)
    assert said in str(caught.value)


def test_unknown_names_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown prompt 'polite': there are plain, standard, tagged"):
        load_prompt(ModelOptions(prompt="polite"))
    with pytest.raises(InputError, match="cannot be read"):
        load_prompt(ModelOptions(prompt=str(tmp_path / "none.yaml")))
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match="not UTF-8"):
        load_prompt(ModelOptions(system=tmp_path / "latin.txt"))


EXAMPLES: list[dict[str, object]] = [
    {"text": "Is it wet?", "reply": "yes", "choices": ["yes", "no"], "image": "wet.png"},
    {"text": "What is it?", "reply": "a boat"},
    {"text": "A boat.", "reply": "no", "task": "match", "image": "wet.png"},
]


def write_examples(folder: Path, examples: object = EXAMPLES, colour: str = "blue") -> Path:
    Image.new("RGB", (8, 8), colour).save(folder / "wet.png")
    path = folder / "shots.yaml"
    path.write_text(yaml.safe_dump(examples), encoding="utf-8")
    return path


def test_worked_examples_are_put_as_the_question_is(tmp_path: Path) -> None:
    prompt = from_file(tmp_path, STANDARD, few_shot=write_examples(tmp_path))
    image = tmp_path / "wet.png"
    assert prompt.shown_examples("answer") == [("B Is it wet?", image, "yes"), ("Q What is it?", None, "a boat")]
    assert prompt.shown_examples("match") == [("M A boat.", image, "no")]


def test_yes_and_no_need_no_quotes_in_examples(tmp_path: Path) -> None:
    path = tmp_path / "shots.yaml"
    path.write_text("- text: Is it?\n  choices: [yes, no]\n  reply: no\n- text: It is.\n  task: match\n  reply: yes\n")
    prompt = from_file(tmp_path, STANDARD, few_shot=path)
    assert prompt.shown_examples("answer") == [("B Is it?", None, "no")]
    assert prompt.shown_examples("match") == [("M It is.", None, "yes")]


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        ("no list", "is not a list of examples"),
        ([{"text": "Is it?"}], "reply"),
        ([{"text": "Is it?", "reply": "yes", "answer": "yes"}], "answer"),
        ([{"text": "Is it?", "reply": "yes", "task": "guess"}], "guess"),
        (
            [*EXAMPLES, {"text": "Is it?", "reply": "yes", "image": "gone.png"}],
            "example 3: there is no image gone.png",
        ),
    ],
)
def test_bad_examples_are_named(tmp_path: Path, examples: object, said: str) -> None:
    with pytest.raises(InputError) as caught:
        load_prompt(ModelOptions(few_shot=write_examples(tmp_path, examples)))
    assert said in str(caught.value)


def test_the_fingerprint_changes_with_every_word_and_picture(tmp_path: Path) -> None:
    system, other = tmp_path / "system.txt", tmp_path / "other.txt"
    system.write_text("Be brief.")
    other.write_text("Be brief!")
    shots = write_examples(tmp_path)
    found = [from_file(tmp_path, STANDARD).fingerprint]
    fields = ("answer.open", "answer.binary", "answer.choices", "match.yes_no", "match.letters")
    found += [from_file(tmp_path, changed(field, "{text}!")).fingerprint for field in fields]
    found.append(from_file(tmp_path, {**STANDARD, "version": 2}).fingerprint)
    found += [from_file(tmp_path, STANDARD, system=path).fingerprint for path in (system, other)]
    found.append(from_file(tmp_path, STANDARD, few_shot=shots).fingerprint)
    write_examples(tmp_path, [*EXAMPLES[:2], {**EXAMPLES[2], "reply": "yes"}])
    found.append(from_file(tmp_path, STANDARD, few_shot=shots).fingerprint)
    write_examples(tmp_path, colour="green")
    found.append(from_file(tmp_path, STANDARD, few_shot=shots).fingerprint)
    assert len(set(found)) == len(found) == 12
    assert found[0] == from_file(tmp_path, STANDARD).fingerprint


def test_a_family_of_models_has_a_default_that_the_user_can_overrule() -> None:
    assert load_prompt(ModelOptions(), default="plain").name == "plain"
    assert load_prompt(ModelOptions(prompt="tagged"), default="plain").name == "tagged"
    assert load_prompt(ModelOptions(prompt="standard"), default="plain").name == "standard"
    assert load_prompt(ModelOptions()).name == "standard"


def test_a_prompt_that_a_model_does_not_use_is_none() -> None:
    prompt = load_prompt(ModelOptions())
    assert Capabilities(prompt=prompt, prompted_tasks=frozenset()).prompt_used() is None
    some = Capabilities(prompt=prompt, prompted_tasks=frozenset({"answer"}))
    assert some.prompt_used() is some.prompt_used("answer") is prompt
    assert some.prompt_used("match") is None
    every = Capabilities(prompt=prompt)
    assert every.prompt_used() is every.prompt_used("match") is prompt
    assert Capabilities().prompt_used() is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"max_new_tokens": 0}, "--max-new-tokens"),
        ({"concurrency": 0}, "-M concurrency"),
        ({"timeout": float("nan")}, "-M timeout"),
        ({"max_requests": 0}, "-M max_requests"),
        ({"max_cost": 0.0, "prices": Path("prices.yaml")}, "-M max_cost"),
        ({"max_cost": 1.0}, "-M max_cost needs -M prices"),
    ],
)
def test_options_out_of_range_are_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(FalterError, match=said):
        msgspec.structs.replace(ModelOptions(), **given)
