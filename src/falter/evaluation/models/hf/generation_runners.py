"""Runs a generative model: next tokens, whole answers, and the likelihood of a given answer.

Most are decoders, or encoders with a decoder; BLIP's VQA model and GIT need code of their own.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from falter.evaluation.models.hf.prompt_formats import PromptInput
from falter.evaluation.models.weights.devices import load_torch
from falter.evaluation.models.weights.pipeline import pad_images, preprocess_pixels

Tokens = Sequence[int]


class GenerationRunner(ABC):
    """Encodes what is asked and runs the model on it. Inputs are padded at the end, but for generation by a decoder."""

    side = "right"
    """Where a batch is padded for generation."""

    def __init__(self, processor: Any, *, nested: bool, tensors: str = "pt") -> None:
        self._processor = processor
        self._tokenizer = processor.tokenizer
        self._nested = nested
        """Whether the processor takes a list of images for each text."""
        self._tensors = tensors
        """What the processor gives: tensors of torch, or arrays (np) where it goes on reckoning with arrays."""

    def preprocess_image(self, image: Any) -> Any:
        """What is made of an image ahead; where text and image must be processed together, nothing."""
        return image

    def encode(self, asked: Sequence[PromptInput], *, side: str) -> dict[str, Any]:
        """A batch in tokens and pixels."""
        texts = [one.text for one in asked]
        images: list[Any] | None = [one.images if self._nested else one.images[0] for one in asked if one.images]
        settings: dict[str, Any] = {"padding": True, "padding_side": side, "return_tensors": self._tensors}
        bos = self._tokenizer.bos_token
        if bos and texts[0].startswith(bos):
            settings["add_special_tokens"] = False
        self._tokenizer.padding_side = side
        inputs = dict(self._processor(images=images or None, text=texts, **settings))
        # Some processors give what only training needs.
        inputs.pop("labels", None)
        return {name: load_torch().as_tensor(value) for name, value in inputs.items()}

    @abstractmethod
    def generate(self, model: Any, inputs: dict[str, Any], most: int) -> Any:
        """The tokens that the model writes, row by row, likeliest first."""

    @abstractmethod
    def answer_logits(self, model: Any, inputs: dict[str, Any], answers: Sequence[Tokens]) -> list[Any]:
        """For each row the scores of all tokens at each place of its answer, given what stands before."""

    def decode(self, tokens: Any) -> list[str]:
        """Texts of generated tokens."""
        return [text.strip() for text in self._tokenizer.batch_decode(tokens, skip_special_tokens=True)]


def greedy(most: int, tokenizer: Any) -> dict[str, Any]:
    """Settings of greedy decoding."""
    return {"do_sample": False, "num_beams": 1, "max_new_tokens": most, "pad_token_id": tokenizer.pad_token_id}


def stop_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """The tokens that end a text of the model, or fill it up after its end."""
    found: set[int] = set()
    for holder in (getattr(model, "generation_config", None), tokenizer):
        for name in ("eos_token_id", "pad_token_id"):
            value = getattr(holder, name, None)
            found.update(value if isinstance(value, list | tuple) else () if value is None else (value,))
    return frozenset(found)


def cut_rows(tokens: Any, most: int, stops: frozenset[int]) -> list[bool]:
    """Which rows of generated tokens reached the limit before the text ended."""
    # The first token of a decoder with a sequence of its own may be one that fills up.
    return [len(row) >= most and not stops & set(row[1:]) for row in tokens.tolist()]


class DecoderOnly(GenerationRunner):
    """The answer continues the question in one sequence."""

    side = "left"

    def __init__(
        self,
        processor: Any,
        *,
        nested: bool,
        tensors: str = "pt",
        answer_type: int | None = None,
        keeps_positions: bool = True,
    ) -> None:
        super().__init__(processor, nested=nested, tensors=tensors)
        self._answer_type = answer_type
        """What ``token_type_ids`` says of an answer, where that differs from the question."""
        self._keeps_positions = keeps_positions
        """Whether places in the logits are places in the tokens."""

    def generate(self, model: Any, inputs: dict[str, Any], most: int) -> Any:
        written = model.generate(**inputs, **greedy(most, self._tokenizer))
        return written[:, inputs["input_ids"].shape[1] :]

    def answer_logits(self, model: Any, inputs: dict[str, Any], answers: Sequence[Tokens]) -> list[Any]:
        torch = load_torch()
        # Padding at the end is invisible to what stands before it, whatever a family makes of masks and positions.
        starts = inputs["attention_mask"].sum(-1).tolist()
        extended = self._append_answers(inputs, answers, starts)
        places = [
            [start - 1 + step for step in range(len(answer))] for start, answer in zip(starts, answers, strict=True)
        ]
        wanted = sorted({place for row in places for place in row})
        if self._keeps_positions and "logits_to_keep" in inspect.signature(model.forward).parameters:
            # All logits of a long text with a large vocabulary would not fit.
            extended["logits_to_keep"] = torch.tensor(wanted, device=inputs["input_ids"].device)
            index = {place: position for position, place in enumerate(wanted)}
            logits = model(**extended).logits
        else:
            logits = model(**extended).logits
            before = logits.shape[1] - extended["input_ids"].shape[1]
            index = {place: place + before for place in wanted}
        return [logits[row, [index[place] for place in where]].float() for row, where in enumerate(places)]

    def _append_answers(self, inputs: dict[str, Any], answers: Sequence[Tokens], starts: list[int]) -> dict[str, Any]:
        """Inputs with all but the last token of each answer after its question."""
        torch = load_torch()
        rows, length = inputs["input_ids"].shape
        longest = max(start + len(answer) - 1 for start, answer in zip(starts, answers, strict=True))
        more = max(0, longest - length)
        made = dict(inputs)
        for name, value in inputs.items():
            if name.startswith("qformer") or value.dim() < 2 or tuple(value.shape[:2]) != (rows, length):
                continue
            last = torch.stack([value[row, start - 1] for row, start in enumerate(starts)])
            grown = torch.cat([value, torch.zeros_like(value[:, :1]).expand(-1, more, *value.shape[2:])], dim=1).clone()
            for row, (start, answer) in enumerate(zip(starts, answers, strict=True)):
                grown[row, start : start + len(answer) - 1] = last[row]
            made[name] = grown
        for row, (start, answer) in enumerate(zip(starts, answers, strict=True)):
            stop = start + len(answer) - 1
            made["input_ids"][row, start:stop] = made["input_ids"].new_tensor(list(answer[:-1]))
            made["attention_mask"][row, start:stop] = 1
            made["input_ids"][row, stop:] = self._tokenizer.pad_token_id
            if self._answer_type is not None and "token_type_ids" in made:
                made["token_type_ids"][row, start:stop] = self._answer_type
        return made


class EncoderDecoder(GenerationRunner):
    """The question is read by an encoder, and the answer written by a decoder with a sequence of its own."""

    def generate(self, model: Any, inputs: dict[str, Any], most: int) -> Any:
        return model.generate(**inputs, **greedy(most, self._tokenizer))

    def answer_logits(self, model: Any, inputs: dict[str, Any], answers: Sequence[Tokens]) -> list[Any]:
        logits = self.decoded(model, inputs, self._decoder_ids(inputs, answers, self.start(model)))
        return [logits[row, : len(answer)].float() for row, answer in enumerate(answers)]

    def start(self, model: Any) -> int:
        """The token that an answer begins with."""
        for config in (model.generation_config, model.config, model.config.get_text_config(decoder=True)):
            token = getattr(config, "decoder_start_token_id", None)
            if token is not None:
                return int(token)
        return int(model.config.get_text_config(decoder=True).bos_token_id)

    def decoded(self, model: Any, inputs: dict[str, Any], ids: Any) -> Any:
        """The logits of the decoder on the beginnings of answers."""
        return model(**inputs, decoder_input_ids=ids).logits

    def _decoder_ids(self, inputs: dict[str, Any], answers: Sequence[Tokens], start: int) -> Any:
        longest = max(map(len, answers))
        ids = inputs["input_ids"].new_full((len(answers), longest), self._tokenizer.pad_token_id)
        for row, answer in enumerate(answers):
            ids[row, 0] = start
            ids[row, 1 : len(answer)] = ids.new_tensor(list(answer[:-1]))
        return ids


class BlipVqaRunner(EncoderDecoder):
    """BLIP for questions: image and question are encoded together, and the answer is decoded from that.

    Its decoder takes the padding of shorter questions for words, so that a batch would change answers: questions of
    one length go through it together, without padding.
    """

    def preprocess_image(self, image: Any) -> Any:
        return preprocess_pixels(self._processor.image_processor, image)

    def encode(self, asked: Sequence[PromptInput], *, side: str) -> dict[str, Any]:
        self._tokenizer.padding_side = side
        inputs = self._processor(text=[one.text for one in asked], padding=True, return_tensors="pt")
        return {**inputs, "pixel_values": pad_images([one.images[0] for one in asked]).values}

    def generate(self, model: Any, inputs: dict[str, Any], most: int) -> Any:
        torch = load_torch()
        settings = greedy(most, self._tokenizer)
        written: dict[int, Any] = {}
        for rows, some in _group_by_length(inputs):
            tokens = model.text_decoder.generate(
                input_ids=some["input_ids"].new_full((len(rows), 1), self.start(model)),
                eos_token_id=model.config.text_config.sep_token_id,
                encoder_hidden_states=_encode_question(model, some),
                **settings,
            )
            written |= zip(rows, tokens, strict=True)
        padding = self._tokenizer.pad_token_id
        in_order = [written[row] for row in range(len(written))]
        return torch.nn.utils.rnn.pad_sequence(in_order, batch_first=True, padding_value=padding)

    def start(self, model: Any) -> int:
        return int(model.decoder_start_token_id)

    def decoded(self, model: Any, inputs: dict[str, Any], ids: Any) -> Any:
        torch = load_torch()
        logits: dict[int, Any] = {}
        for rows, some in _group_by_length(inputs):
            output = model.text_decoder(input_ids=ids[rows], encoder_hidden_states=_encode_question(model, some))
            logits |= zip(rows, output.logits, strict=True)
        return torch.stack([logits[row] for row in range(len(logits))])


def _group_by_length(inputs: dict[str, Any]) -> Iterator[tuple[list[int], dict[str, Any]]]:
    """The rows of a batch by the length of their questions, without padding."""
    lengths = inputs["attention_mask"].sum(-1).tolist()
    for length in sorted(set(lengths)):
        rows = [row for row, own in enumerate(lengths) if own == length]
        yield rows, {"input_ids": inputs["input_ids"][rows, :length], "pixel_values": inputs["pixel_values"][rows]}


def _encode_question(model: Any, inputs: dict[str, Any]) -> Any:
    seen = model.vision_model(pixel_values=inputs["pixel_values"]).last_hidden_state
    read = model.text_encoder(
        input_ids=inputs["input_ids"],
        attention_mask=inputs["input_ids"].new_ones(inputs["input_ids"].shape),
        encoder_hidden_states=seen,
        encoder_attention_mask=inputs["input_ids"].new_ones(seen.shape[:2]),
    )
    return read.last_hidden_state


class GitRunner(DecoderOnly):
    """GIT: the image's tokens come first and are not counted, and a question has no closing token."""

    def preprocess_image(self, image: Any) -> Any:
        return preprocess_pixels(self._processor.image_processor, image)

    def encode(self, asked: Sequence[PromptInput], *, side: str) -> dict[str, Any]:
        tokenizer = self._tokenizer
        tokenizer.padding_side = side
        first = [] if tokenizer.cls_token_id is None else [tokenizer.cls_token_id]
        rows = [first + tokenizer(one.text, add_special_tokens=False)["input_ids"] for one in asked]
        inputs = dict(tokenizer.pad({"input_ids": rows}, padding=True, return_tensors="pt"))
        return {
            "input_ids": inputs["input_ids"],
            "attention_mask": inputs["attention_mask"],
            "pixel_values": pad_images([one.images[0] for one in asked]).values,
        }
