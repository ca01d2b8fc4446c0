"""Generative models: from requests to replies, by generation or by the likelihood of given answers.

Answers are compared in tokens, as they would follow a question.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from falter.core.errors import UsageError
from falter.data.items import YES_NO
from falter.data.model import Reply, Request
from falter.data.model_options import ModelOptions
from falter.evaluation.models.hf.generation_runners import GenerationRunner, cut_rows, stop_tokens
from falter.evaluation.models.hf.prompt_formats import Examples, PromptFormat, PromptInput
from falter.evaluation.models.prompts import Prompt
from falter.evaluation.models.weights.batching import LoadedRequest
from falter.evaluation.models.weights.checkpoint import Checkpoint
from falter.evaluation.models.weights.devices import Placement
from falter.evaluation.models.weights.pipeline import (
    ModelInputs,
    Pipeline,
    check_length,
    max_text_tokens,
    move_to_device,
)

_TAIL = 24
_FORMS = ("{}", " {}")
_MARKS = ("", "\u2581", "\u0120")
"""How tokenizers write that a space comes before a word: not at all, as SentencePiece does, as GPT-2 does."""


class AnswerTokens:
    """Looks up how a tokenizer writes an answer after a text."""

    def __init__(self, tokenizer: Any, *, continues: bool) -> None:
        self._tokenizer = tokenizer
        self._continues = continues
        """Whether the answer follows the question's text, or begins a text of its own."""
        self._known: dict[tuple[str, str], list[int]] = {}
        self._firsts: dict[tuple[str, ...], frozenset[int]] = {}

    def after(self, text: str, answer: str) -> list[int]:
        """The tokens of an answer after a text; a space goes between where the text does not end in one."""
        tail = text[-_TAIL:] if self._continues else ""
        key = tail, answer
        if key not in self._known:
            self._known[key] = self._split(tail, answer)
        return self._known[key]

    def _split(self, tail: str, answer: str) -> list[int]:
        if not tail:
            return self._ids(answer)
        gap = "" if tail[-1].isspace() or not tail[-1].isascii() or self._ends_in_special(tail) else " "
        alone, joined = self._ids(tail), self._ids(f"{tail}{gap}{answer}")
        if len(joined) > len(alone) and joined[: len(alone)] == alone:
            return joined[len(alone) :]
        return self._ids(f"{gap}{answer}")

    def _ends_in_special(self, tail: str) -> bool:
        return any(tail.endswith(token) for token in self._tokenizer.all_special_tokens)

    def firsts(self, words: tuple[str, ...]) -> frozenset[int]:
        """The tokens that each say one of the words by itself; else those that begin it."""
        if words not in self._firsts:
            forms = [form.format(word) for word in words for form in _FORMS]
            written = [ids for ids in map(self._ids, forms) if ids]
            whole = {ids[0] for ids in written if len(ids) == 1}
            # A tokenizer that puts a space before every text cannot be asked for the word without one.
            known = self._tokenizer.get_vocab()
            whole |= {known[mark + word] for word in words for mark in _MARKS if mark + word in known}
            self._firsts[words] = frozenset(whole or {ids[0] for ids in written})
        return self._firsts[words]

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])


_YES = ("yes", "Yes", "YES")
_NO = ("no", "No", "NO")


class _Rows(NamedTuple):
    """How the rows of a batch belong to its requests."""

    mode: str
    answers: list[list[int]]
    """The answer of each row in tokens, where answers are scored."""
    counts: list[int]
    """Rows of each request."""


class GenerativePipeline(Pipeline):
    """Answers by writing or by how likely it finds each choice; matches by yes and no, or by letters."""

    tasks = frozenset(("answer", "match"))
    prompted_tasks = frozenset(("answer", "match"))
    batch_size = 8

    def __init__(
        self,
        checkpoint: Checkpoint,
        options: ModelOptions,
        *,
        class_name: str,
        processor: Any,
        prompt: Prompt,
        prompt_format: PromptFormat,
        runner: GenerationRunner,
    ) -> None:
        self.class_name = class_name
        self.tokenizer = processor.tokenizer
        self._processor = processor
        self.prompt = prompt
        self.generates = frozenset(("answer",)) if options.answer_by == "generate" else frozenset()
        self._prompt_format = prompt_format
        # A chat goes on without an image; what was trained on questions about one does not.
        self.reads_context = self.accepts_text_only = prompt_format.reads_context
        self._runner = runner
        self._answers = AnswerTokens(self.tokenizer, continues=runner.side == "left")
        self._answer_by = options.answer_by
        self._most = options.max_new_tokens
        self._longest = max_text_tokens(checkpoint.config)
        self._letters = options.match_by == "letters"
        self.method = f"decide:{options.answer_by},match:{'letters' if self._letters else 'yes-no'}"
        self.fingerprint_parts = (options.max_new_tokens,)
        if self._firsts_meet():
            raise UsageError(f"{checkpoint.name} writes yes and no with the same token: it cannot match by them")

    def _firsts_meet(self) -> bool:
        pairs = [(("A",), ("B",))] if self._letters else [(_YES, _NO)]
        return any(self._answers.firsts(one) & self._answers.firsts(other) for one, other in pairs)

    def load_image(self, request: Request) -> Any:
        return None if request.image is None and request.image_id is None else super().load_image(request)

    def preprocess_image(self, image: Any) -> Any:
        return self._runner.preprocess_image(image)

    def group_key(self, request: Request) -> Hashable:
        return self._mode(request), request.image is not None, len(request.context or ())

    def length(self, request: Request) -> int:
        return len(request.text) + sum(len(turn.text) for turn in request.context or ())

    def prompt_text(self, request: Request) -> str:
        return self.prompt_input(request, None).text

    def count_image_tokens(self, width: int, height: int) -> int | None:
        count = getattr(self._processor, "_get_num_multimodal_tokens", None)
        if count is None:
            return None
        counted = count(image_sizes=[(height, width)])["num_image_tokens"]
        return int(counted[0])

    def prompt_input(self, request: Request, image: Any) -> PromptInput:
        """What is shown for a request, unless it goes by letters."""
        examples = self.prompt.shown_examples(request.task)
        question = self.prompt.question(request, scored=self._mode(request) == "choices")
        return self._prompt_format.render(request, question, image, examples)

    def _lettered_examples(self, order: tuple[str, str]) -> Examples:
        """The examples of matching in the form of the question, with the letter that is right in this order."""
        return [
            (self.prompt.letters(Request(item_id="", task="match", text=example.text), *order), path, letter)
            for example, path in self.prompt.examples
            for letter, word in zip("AB", order, strict=True)
            if example.task == "match" and example.reply.strip().rstrip(".").lower() == word
        ]

    def _mode(self, request: Request) -> str:
        if request.task == "match":
            return "letters" if self._letters else "yes-no"
        # Without choices there is nothing to score: the answer is written.
        return "choices" if self._answer_by == "likelihood" and request.choices else "write"

    def collate(self, loaded: list[LoadedRequest]) -> ModelInputs:
        requests = [one.request for one in loaded]
        mode = self._mode(requests[0])
        if mode == "letters":
            asked = [
                self._prompt_format.render(
                    one.request, self.prompt.letters(one.request, *order), one.image, self._lettered_examples(order)
                )
                for one in loaded
                for order in (YES_NO, YES_NO[::-1])
            ]
            rows = _Rows(mode, [[0]] * len(asked), [2] * len(loaded))
        else:
            asked = [self.prompt_input(one.request, one.image) for one in loaded]
            if mode == "choices":
                asked, rows = self._with_choices(requests, asked)
            else:
                rows = _Rows(mode, [[0]] * len(asked), [1] * len(asked))
        side = self._runner.side if mode == "write" else "right"
        inputs = self._runner.encode(asked, side=side)
        # A place beyond the last that was learned would be an error of the device, which ends everything on it.
        check_length(inputs["attention_mask"], self._room(rows))
        return ModelInputs(requests, inputs, rows)

    def _room(self, rows: _Rows) -> int | None:
        """The tokens that a question may have so that the answer still fits behind it."""
        if self._longest is None or self._runner.side == "right":
            return self._longest
        answer = self._most if rows.mode == "write" else max(map(len, rows.answers)) if rows.mode == "choices" else 1
        return self._longest - answer

    def _with_choices(self, requests: list[Request], asked: list[PromptInput]) -> tuple[list[PromptInput], _Rows]:
        """A row for each choice; but where every choice is one token, a row for each request tells them all."""
        answers = [
            [self._answers.after(one.text, choice) for choice in request.choices or ()]
            for request, one in zip(requests, asked, strict=True)
        ]
        if all(len(tokens) == 1 for row in answers for tokens in row):
            flat = [[tokens[0] for tokens in row] for row in answers]
            return asked, _Rows("single", flat, [1] * len(asked))
        counts = [len(row) for row in answers]
        repeated = [one for one, count in zip(asked, counts, strict=True) for _ in range(count)]
        return repeated, _Rows("choices", [tokens for row in answers for tokens in row], counts)

    def infer(self, model: Any, place: Placement, batch: ModelInputs) -> list[Reply]:
        return self._infer(model, place, batch, self._most)

    def smoke_test(self, model: Any, place: Placement, batch: ModelInputs) -> None:
        self._infer(model, place, batch, 1)

    def _infer(self, model: Any, place: Placement, batch: ModelInputs, most: int) -> list[Reply]:
        rows: _Rows = batch.row_map
        with place.running():
            inputs = move_to_device(batch.inputs, model)
            if rows.mode == "write":
                tokens = self._runner.generate(model, inputs, most).cpu()
                texts, cut = self._runner.decode(tokens), cut_rows(tokens, most, stop_tokens(model, self.tokenizer))
                return [
                    Reply(item_id=request.item_id, text=text, finish_reason="length" if is_cut else None)
                    for request, text, is_cut in zip(batch.requests, texts, cut, strict=True)
                ]
            first_only = rows.mode != "choices"
            answers = [row[:1] for row in rows.answers] if first_only else rows.answers
            logits = self._runner.answer_logits(model, inputs, answers)
            logprobs = [row.double().log_softmax(-1).cpu() for row in logits]
        return self._read(batch.requests, rows, logprobs)

    def _read(self, requests: list[Request], rows: _Rows, logprobs: list[Any]) -> list[Reply]:
        replies = []
        start = 0
        for request, count in zip(requests, rows.counts, strict=True):
            own, answers = logprobs[start : start + count], rows.answers[start : start + count]
            start += count
            if rows.mode == "yes-no":
                replies.append(self._match_reply(request, own[0][0]))
            elif rows.mode == "letters":
                replies.append(self._letter_reply(request, own[0][0], own[1][0]))
            elif rows.mode == "single":
                replies.append(_choice_reply(request, [float(own[0][0][token]) for token in answers[0]]))
            else:
                means = [
                    float(row[range(len(answer)), answer].mean()) for row, answer in zip(own, answers, strict=True)
                ]
                replies.append(_choice_reply(request, means))
        return replies

    def _match_reply(self, request: Request, logprobs: Any) -> Reply:
        score = self._share(logprobs, _YES, _NO)
        return Reply(item_id=request.item_id, score=score, score_kind="probability")

    def _letter_reply(self, request: Request, yes_first: Any, no_first: Any) -> Reply:
        by_letter = {"A": self._share(yes_first, ("A",), ("B",)), "B": self._share(no_first, ("B",), ("A",))}
        return Reply(
            item_id=request.item_id,
            score=sum(by_letter.values()) / 2,
            score_kind="probability",
            choice_scores=by_letter,
        )

    def _share(self, logprobs: Any, ours: tuple[str, ...], others: tuple[str, ...]) -> float:
        mine, theirs = (logprobs[sorted(self._answers.firsts(words))].logsumexp(0) for words in (ours, others))
        return float((mine - theirs).sigmoid())


def _choice_reply(request: Request, scores: list[float]) -> Reply:
    by_choice = dict(zip(request.choices or (), scores, strict=True))
    return Reply(item_id=request.item_id, choice_scores=by_choice, score_kind="logprob")
