"""From completions to a reply: the text, the choice that is likeliest, the probability of a match."""

from __future__ import annotations

from collections.abc import Sequence

from falter.answers import read_reply as read_answer
from falter.models.openai.calls import YES_NO, Call
from falter.models.openai.completion import Completion
from falter.models.openai.errors import ItemRejectedError, RetryableError
from falter.models.openai.logprobs import probability_of_first, word_scores
from falter.models.request import Request
from falter.runs.reply import Reply

__all__ = ["check_said", "read_reply"]

CUT_OFF = "the reply was cut off before an answer came: raise --max-new-tokens"


def check_said(completion: Completion) -> None:
    """Raise where a completion holds nothing that the model said."""
    if completion.finish == "content_filter":
        raise ItemRejectedError("the service's content filter held the reply back")
    if completion.refusal is not None:
        return
    if completion.text is None and completion.finish != "length":
        raise RetryableError("the server sent a completion without text", maybe_charged=True)


def read_reply(request: Request, calls: Sequence[Call], completions: Sequence[Completion], *, logprobs: bool) -> Reply:
    """The reply that the completions of a request's calls make up; ``logprobs`` says whether the server lists them."""
    text = "\n".join(completion.refusal or completion.text or "" for completion in completions)
    unparsed = Reply(item_id=request.item_id, status="unparsed", text=text)
    is_cut = any(completion.finish == "length" for completion in completions)
    truncated = Reply(item_id=request.item_id, status="truncated", text=text, error=CUT_OFF)
    if any(completion.refusal is not None for completion in completions):
        return unparsed
    if request.task == "match":
        return _match(request, calls, completions, text, logprobs=logprobs) or (truncated if is_cut else unparsed)
    call, completion = calls[0], completions[0]
    if is_cut and not text.strip():
        return truncated
    if not call.words:
        return Reply(item_id=request.item_id, text=text, finish_reason="length" if is_cut else None)
    scores = word_scores(completion.positions or (), call.words)
    if scores is None:
        return unparsed
    named = {choice: scores[word] for word, choice in zip(call.words, call.stands_for, strict=True)}
    return Reply(item_id=request.item_id, text=text, choice_scores=named)


def _match(
    request: Request, calls: Sequence[Call], completions: Sequence[Completion], text: str, *, logprobs: bool
) -> Reply | None:
    found: dict[str, float] = {}
    words: dict[str, float] | None = None
    for call, completion in zip(calls, completions, strict=True):
        word = call.words[call.stands_for.index("yes")]
        other = call.words[call.stands_for.index("no")]
        if logprobs:
            words = word_scores(completion.positions or (), call.words)
            if words is None:
                return None
            found[word] = probability_of_first(words, word, other)
        else:
            said = _said(completion.text or "", call, cut_off=completion.finish == "length")
            if said is None:
                return None
            found[word] = float(said == "yes")
    score = sum(found.values()) / len(found)
    return Reply(
        item_id=request.item_id,
        text=text,
        score=score,
        score_kind="probability",
        choice_scores=found if len(calls) > 1 else words,
    )


def _said(text: str, call: Call, *, cut_off: bool) -> str | None:
    """Yes or no, by the letter that stands for it or by the word."""
    if call.words != YES_NO:
        letter = read_answer("answer", call.words, text, cut_off=cut_off).answer
        if letter in call.words:
            return call.stands_for[call.words.index(letter)]
    answer = read_answer("match", None, text, cut_off=cut_off).answer
    return answer if answer in YES_NO else None
