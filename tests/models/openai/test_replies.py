"""What is sent for a request, and what is made of the answer: over a real connection."""

from __future__ import annotations

import base64
import json
from math import exp, isclose, log
from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import UsageError
from falter.data.items import Turn
from falter.data.model import Reply, Request
from falter.evaluation.engine.reply_processing import process_batch
from falter.evaluation.models.openai.errors import EndpointRejectedError
from tests.models.openai.asked import model_of, png, question
from tests.models.openai.server import Asked, Out, Server, completion, listed, problem


def say(text: str | None, **changes: Any) -> Any:
    return lambda asked: Out(completion(asked, text, **changes))


def ask(script: Any, request: Request, **options: Any) -> tuple[Reply, list[Asked]]:
    with Server(script) as server:
        replies = model_of(server, **options).reply([request])
        return process_batch([request], replies)[0], server.asked


def test_a_question_with_its_picture(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    reply, asked = ask(say("Yes, it is."), question(2, image=tmp_path / "a.png"))
    assert (reply.status, reply.answer, reply.text) == ("ok", "yes", "Yes, it is.")
    body = asked[0].body
    assert body["temperature"] == 0
    assert body["max_tokens"] == 32
    assert body["model"] == "tiny-vl"
    assert "logprobs" not in body
    (message,) = body["messages"]
    image, text = message["content"]
    assert text == {"type": "text", "text": "Is thing 2 even? Answer yes or no."}
    assert image["image_url"]["url"] == "data:image/png;base64," + base64.b64encode(png()).decode()
    assert asked[0].headers["authorization"] == "Bearer none"


def test_system_prompt_examples_and_earlier_turns(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    (tmp_path / "b.png").write_bytes(png(9))
    (tmp_path / "system.txt").write_text("Be brief.")
    (tmp_path / "shots.yaml").write_text(
        "- {text: 'Is it red?', reply: 'no', choices: ['yes', 'no'], image: b.png}\n"
        "- {text: A dog., task: match, reply: 'yes'}\n"
    )
    context = (Turn("caption", "A park."), Turn("questioner", "Any dog?"), Turn("answerer", "Two."))
    request = question(4, image=tmp_path / "a.png", context=context)
    _, asked = ask(say("yes"), request, system=tmp_path / "system.txt", few_shot=tmp_path / "shots.yaml")
    messages = asked[0].body["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert messages[0]["content"] == "Be brief."
    assert base64.b64encode(png(9)).decode() in messages[1]["content"][0]["image_url"]["url"]
    assert messages[2]["content"] == "no"
    assert base64.b64encode(png()).decode() in messages[3]["content"][0]["image_url"]["url"]
    assert messages[3]["content"][1]["text"] == "caption: A park.\nAny dog?"
    assert messages[4]["content"] == "Two."
    assert messages[5]["content"] == "Is thing 4 even? Answer yes or no."


@pytest.mark.parametrize(
    ("script", "status", "said"),
    [
        (say("Perhaps."), "unparsed", None),
        (say(""), "unparsed", None),
        (say(None, message={"role": "assistant", "content": None, "refusal": "I won't say yes."}), "unparsed", None),
        (say("no", finish_reason="content_filter"), "failed", "content filter"),
        (say("", finish_reason="length"), "truncated", "--max-new-tokens"),
        (say("<think>Well, yes or", finish_reason="length"), "truncated", None),
        (say("The picture may show a", finish_reason="length"), "truncated", None),
        (say("Yes, there is a", finish_reason="length"), "ok", None),
        (say("<think>no, no</think>Yes."), "ok", None),
        (lambda asked: problem(400, "the text is too long"), "failed", "the text is too long"),
        (lambda asked: problem(413, "too large"), "failed", "413"),
        (lambda asked: problem(403, "Your input was flagged by moderation"), "failed", "flagged"),
    ],
)
def test_what_is_no_clear_answer(script: Any, status: str, said: str | None) -> None:
    reply, asked = ask(script, question(2))
    assert reply.status == status
    assert len(asked) == 1, "none of these is helped by asking again"
    assert said is None or said in str(reply.error)
    assert reply.answer == ("yes" if status == "ok" else None)


def test_parts_of_a_text_are_joined() -> None:
    parts = [{"type": "text", "text": "Yes"}, {"type": "text", "text": "."}]
    reply, _ = ask(say(None, message={"role": "assistant", "content": parts}), question(2))
    assert reply.text == "Yes."


def test_a_server_that_wants_other_words_gets_them_and_is_told_once() -> None:
    def picky(asked: Asked) -> Out:
        if "max_tokens" in asked.body:
            return problem(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "temperature" in asked.body:
            return problem(400, "Unsupported value: 'temperature' does not support 0 with this model.")
        return Out(completion(asked, "yes"))

    with Server(picky) as server:
        replies = list(model_of(server).reply_unordered(question(2 * n) for n in range(20)))
        assert [reply.status for reply in replies] == ["ok"] * 20
        assert len(server.asked) == 22
        assert server.asked[-1].body["max_completion_tokens"] == 32


RED_BLUE = {"red": log(0.2), "Blue": log(0.6), "blue": log(0.1)}


def test_choices_by_likelihood() -> None:
    request = question(2, text="What colour?", choices=("red", "blue"))
    reply, asked = ask(say("Blue", logprobs=listed(RED_BLUE)), request, answer_by="likelihood")
    assert reply.answer == "blue"
    assert reply.choice_scores is not None
    assert isclose(exp(reply.choice_scores["blue"]), 0.7)
    assert asked[0].body["logprobs"] is True
    assert asked[0].body["top_logprobs"] == 20


def test_choices_of_several_words_by_their_letters() -> None:
    request = question(2, text="What is it?", choices=("a red bus", "a red car", "a red van"))
    answer = listed({"C": log(0.5), "B": log(0.3), "A": log(0.1)})
    reply, asked = ask(say("C", logprobs=answer), request, answer_by="likelihood")
    assert reply.answer == "a red van"
    assert reply.choice_scores is not None
    assert sorted(reply.choice_scores, key=reply.choice_scores.__getitem__) == ["a red bus", "a red car", "a red van"]
    assert "B. a red car\nC. a red van" in asked[0].text


def test_what_no_letter_can_stand_for_is_unsupported() -> None:
    request = question(2, choices=tuple(f"the number {number}" for number in range(21)))
    reply, asked = ask(say("A"), request, answer_by="likelihood")
    assert reply.status == "unsupported"
    assert not asked


def test_likelihood_says_it_of_the_choices_or_nothing() -> None:
    request = question(2, choices=("red", "blue"))
    reply, _ = ask(say("Green", logprobs=listed({"Green": -0.1})), request, answer_by="likelihood")
    assert reply.status == "unparsed"
    open_question = question(2, text="What is it?", choices=None)
    reply, asked = ask(say("A bus."), open_question, answer_by="likelihood")
    assert reply.answer == "bus"
    assert "logprobs" not in asked[0].body


@pytest.mark.parametrize("script", [say("yes"), lambda asked: problem(400, "logprobs is not supported")])
def test_likelihood_without_logprobs_is_one_clear_line(script: Any) -> None:
    with pytest.raises(EndpointRejectedError, match=r"gives no log-probabilities.*leave out -M answer_by=likelihood"):
        ask(script, question(2), answer_by="likelihood")


def test_a_server_that_lists_fewer_tokens() -> None:
    def few(asked: Asked) -> Out:
        if asked.body.get("top_logprobs", 0) > 5:
            return problem(400, "top_logprobs must be at most 5")
        return Out(completion(asked, "no", logprobs=listed({"no": log(0.75), "yes": log(0.25)})))

    reply, asked = ask(few, question(2, task="match", text="A dog.", choices=None))
    assert reply.score is not None
    assert isclose(reply.score, 0.25)
    assert len(asked) == 2


def test_a_refusal_that_quotes_the_question_changes_nothing() -> None:
    def quotes(asked: Asked) -> Out:
        if "warm" in asked.text:
            return problem(400, "cannot tokenize: What is the temperature?")
        return Out(completion(asked, "yes"))

    with Server(quotes) as server:
        replies = model_of(server).reply([question(1, text="How warm?"), question(2)])
        assert [reply.status for reply in replies] == ["failed", "ok"]
        assert all("temperature" in asked.body for asked in server.asked)


def test_an_empty_reply_with_empty_logprobs_is_a_reply_with_logprobs() -> None:
    def silent_first(asked: Asked) -> Out:
        if "dog" in asked.text:
            return Out(completion(asked, "", logprobs={"content": []}))
        return Out(completion(asked, "no", logprobs=listed({"no": log(0.9), "yes": log(0.1)})))

    with Server(silent_first) as server:
        first, second = model_of(server).reply([match(1, "A dog."), match(2, "A cat.")])
    assert first.status == "unparsed"
    assert second.score is not None
    assert isclose(second.score, 0.1)


def match(number: int = 1, text: str = "A dog runs.") -> Request:
    return question(number, task="match", text=text, choices=None)


def test_a_match_is_the_probability_of_yes_against_no() -> None:
    answer = listed({"No": log(0.6), "Yes": log(0.15), "yes": log(0.05)})
    reply, asked = ask(say("No.", logprobs=answer), match())
    assert (reply.status, reply.score_kind) == ("ok", "probability")
    assert reply.score is not None
    assert isclose(reply.score, 0.2 / 0.8)
    assert asked[0].text == 'Does the caption "A dog runs." describe the image correctly? Answer yes or no.'


@pytest.mark.parametrize(
    ("text", "status", "score"), [("Yes, it does.", "ok", 1.0), ("No.", "ok", 0.0), ("Hard to tell.", "unparsed", None)]
)
def test_a_match_without_logprobs_is_read_from_the_text(text: str, status: str, score: float | None) -> None:
    reply, _ = ask(say(text), match())
    assert (reply.status, reply.score, reply.choice_scores) == (status, score, None)


UNPROCESSABLE = {"detail": [{"loc": ["body", "logprobs"], "msg": "Extra inputs are not permitted"}]}


@pytest.mark.parametrize(
    "out", [problem(400, "logprobs are not allowed"), Out(json.dumps(UNPROCESSABLE).encode(), 422)]
)
def test_a_match_where_logprobs_are_refused_is_read_from_the_text(out: Out) -> None:
    def refuses(asked: Asked) -> Out:
        return out if "logprobs" in asked.body else Out(completion(asked, "Yes."))

    reply, asked = ask(refuses, match())
    assert reply.score == 1.0
    assert len(asked) == 2


def test_replies_are_read_in_one_way_throughout() -> None:
    def forgetful(asked: Asked) -> Out:
        if "cat" in asked.text and not asked.times:
            return Out(completion(asked, "yes"))
        return Out(completion(asked, "no", logprobs=listed({"no": log(0.9), "yes": log(0.1)})))

    with Server(forgetful) as server:
        requests = [match(1, "A dog."), match(2, "A cat.")]
        replies = {reply.item_id: reply for reply in model_of(server).reply_unordered(iter(requests))}
        assert len(server.asked) == 3
    assert all(reply.score is not None and isclose(reply.score, 0.1) for reply in replies.values())


def test_a_match_by_letters_both_ways_round() -> None:
    def likes_a(asked: Asked) -> Out:
        assert "A. yes\nB. no" in asked.text or "A. no\nB. yes" in asked.text
        says_yes = 0.9 if "A. yes" in asked.text else 0.7
        letters = {"A": says_yes, "B": 1 - says_yes} if "A. yes" in asked.text else {"B": says_yes, "A": 1 - says_yes}
        return Out(completion(asked, "A", logprobs=listed({k: log(v) for k, v in letters.items()})))

    reply, asked = ask(likes_a, match(), match_by="letters")
    assert len(asked) == 2
    assert reply.choice_scores is not None
    assert isclose(reply.choice_scores["A"], 0.9)
    assert isclose(reply.choice_scores["B"], 0.7)
    assert reply.score is not None
    assert isclose(reply.score, 0.8)


def test_a_match_by_letters_from_the_text() -> None:
    reply, _ = ask(say("(A)"), match(), match_by="letters")
    assert reply.choice_scores == {"A": 1.0, "B": 0.0}
    assert reply.score == 0.5
    reply, _ = ask(lambda asked: Out(completion(asked, "B. no" if "B. no" in asked.text else "A. no")), match())
    assert reply.score == 0.0


def test_no_head_behind_a_server() -> None:
    with pytest.raises(UsageError, match="-M match_by is yes-no or letters"):
        model_of("http://localhost:1/v1", match_by="head")


def test_fingerprints_change_with_what_changes_replies_and_with_nothing_else(tmp_path: Path) -> None:
    base = "http://localhost:1/v1"
    plain = model_of(base)
    assert model_of(base, concurrency=3, timeout=5.0, max_requests=9, key="abcdef").fingerprint == plain.fingerprint
    (tmp_path / "system.txt").write_text("Be brief.")
    others = [
        model_of("http://localhost:2/v1"),
        model_of(base, name="other"),
        model_of(base, answer_by="likelihood"),
        model_of(base, match_by="letters"),
        model_of(base, max_new_tokens=64),
        model_of(base, prompt="tagged"),
        model_of(base, system=tmp_path / "system.txt"),
    ]
    assert len({plain.fingerprint, *(other.fingerprint for other in others)}) == 8
    assert model_of(base, match_by="yes-no").fingerprint == plain.fingerprint
    assert plain.capabilities.method == "decide:generate,match:yes-no,p:logprobs-else-text"


def test_tokens_are_estimated_with_their_pictures(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    model = model_of("http://localhost:1/v1")
    blind = model.count_tokens([question(1)])
    assert 8 <= blind <= 30
    seen = question(1, image=tmp_path / "a.png")
    assert model.count_tokens([seen]) == blind, "images are counted apart"
    assert (model.count_image_tokens([question(1)]), model.count_image_tokens([seen, seen]) % 2) == (0, 0)
    assert model.count_image_tokens([seen]) > 0
