"""A checkpoint of transformers as a model, ``hf:ID_OR_PATH``, with the pipeline that its configuration asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from falter.core.errors import InputError, UsageError
from falter.core.files import sha256_of_bytes
from falter.core.optional_packages import import_package
from falter.data.images import image_size
from falter.data.model import Capabilities, Reply, Request
from falter.data.model_loading import LoadContext
from falter.data.model_options import ModelOptions
from falter.evaluation.models.hf.generation import GenerativePipeline
from falter.evaluation.models.hf.generation_runners import (
    BlipVqaRunner,
    DecoderOnly,
    EncoderDecoder,
    GenerationRunner,
    GitRunner,
)
from falter.evaluation.models.hf.pixel_pipelines import (
    Blip2MatchingPipeline,
    BlipMatchingPipeline,
    ViltMatchingPipeline,
    ViltVqaPipeline,
)
from falter.evaluation.models.hf.prompt_formats import BareFormat, ChatFormat, PrefixFormat, PromptFormat
from falter.evaluation.models.hf.region_pipelines import (
    LxmertPretrainingPipeline,
    LxmertVqaPipeline,
    VisualBertMatchingPipeline,
    VisualBertVqaPipeline,
)
from falter.evaluation.models.prompts import load_prompt
from falter.evaluation.models.weights.batching import BatchingConfig
from falter.evaluation.models.weights.checkpoint import (
    Checkpoint,
    check_vocabulary,
    load_processor,
    load_weights,
    open_checkpoint,
)
from falter.evaluation.models.weights.devices import Placement, load_torch, placements
from falter.evaluation.models.weights.inference import infer_unordered, replies_in_order
from falter.evaluation.models.weights.pipeline import Pipeline, smoke_test

_PIPELINES: dict[str, Callable[[Checkpoint, ModelOptions], Pipeline]] = {
    "ViltForQuestionAnswering": ViltVqaPipeline,
    "ViltForImageAndTextRetrieval": ViltMatchingPipeline,
    "LxmertForQuestionAnswering": LxmertVqaPipeline,
    "LxmertForPreTraining": LxmertPretrainingPipeline,
    "VisualBertForQuestionAnswering": VisualBertVqaPipeline,
    "VisualBertForPreTraining": VisualBertMatchingPipeline,
    "BlipForImageTextRetrieval": BlipMatchingPipeline,
    "Blip2ForImageTextRetrieval": Blip2MatchingPipeline,
}
_BY_TENSORS = {
    "vilt": (("rank_output.", "ViltForImageAndTextRetrieval"), ("classifier.", "ViltForQuestionAnswering")),
    "lxmert": (("cls.seq_relationship", "LxmertForPreTraining"), ("answer_head.", "LxmertForQuestionAnswering")),
    "visual_bert": (("cls.seq_rel", "VisualBertForPreTraining"), ("cls.weight", "VisualBertForQuestionAnswering")),
    "blip": (("itm_head.", "BlipForImageTextRetrieval"), ("text_encoder.", "BlipForQuestionAnswering")),
    "blip-2": (("itm_head.", "Blip2ForImageTextRetrieval"), ("language_model.", "Blip2ForConditionalGeneration")),
}
"""What tells heads apart where the configuration does not name its class: how a tensor's name begins."""

_DUAL = ("clip", "siglip", "align", "altclip", "chinese_clip", "metaclip", "vision-text-dual-encoder")
_CAPTIONERS = ("BlipForConditionalGeneration", "VisionEncoderDecoderModel", "Pix2StructForConditionalGeneration")


def select_pipeline(checkpoint: Checkpoint, options: ModelOptions) -> Pipeline:
    """The pipeline of a checkpoint, with its processor; a checkpoint that can do neither task is refused."""
    architecture = _architecture(checkpoint)
    if architecture in _PIPELINES:
        pipeline = _PIPELINES[architecture](checkpoint, options)
    else:
        pipeline = _generative(checkpoint, options, architecture)
    _check_matching(checkpoint, options, pipeline)
    return pipeline


def _architecture(checkpoint: Checkpoint) -> str | None:
    if checkpoint.architecture is not None:
        return checkpoint.architecture
    heads = _BY_TENSORS.get(checkpoint.model_type, ())
    names = checkpoint.tensor_names()
    return next((found for start, found in heads if any(name.startswith(start) for name in names)), None)


def _generative(checkpoint: Checkpoint, options: ModelOptions, architecture: str | None) -> Pipeline:
    class_name = _generative_class(checkpoint, architecture)
    processor = load_processor(checkpoint)
    config, family = checkpoint.config, checkpoint.model_type
    runner: GenerationRunner
    prompt_format: PromptFormat
    if class_name == "BlipForQuestionAnswering":
        prompt = load_prompt(options, default="plain")
        runner, prompt_format = BlipVqaRunner(processor, nested=False), BareFormat(prompt, checkpoint.name)
    elif family == "git":
        prompt = load_prompt(options, default="plain")
        runner = GitRunner(processor, nested=False, keeps_positions=False)
        prompt_format = BareFormat(prompt, checkpoint.name)
    elif getattr(processor, "chat_template", None):
        prompt = load_prompt(options)
        runner, prompt_format = _runner(config, family, processor, nested=True), ChatFormat(processor, prompt)
    else:
        prompt = load_prompt(
            options, default="tagged" if "blip" in family else "plain" if family == "paligemma" else None
        )
        prompt_format = PrefixFormat(prompt, checkpoint.name, image_token=_image_token(family, processor))
        runner = _runner(config, family, processor, nested=False)
    return GenerativePipeline(
        checkpoint,
        options,
        class_name=class_name,
        processor=processor,
        prompt=prompt,
        prompt_format=prompt_format,
        runner=runner,
    )


def _runner(config: Any, family: str, processor: Any, *, nested: bool) -> GenerationRunner:
    text = config.get_text_config(decoder=True)
    if config.is_encoder_decoder or getattr(text, "is_encoder_decoder", False):
        return EncoderDecoder(processor, nested=nested)
    if family == "paligemma":
        return DecoderOnly(processor, nested=nested, tensors="np", answer_type=1)
    return DecoderOnly(processor, nested=nested)


def _image_token(family: str, processor: Any) -> str:
    """The mark of an image in plain text; some processors put it there themselves."""
    if "blip" in family or family == "florence2":
        return ""
    mark = getattr(processor, "image_token", None)
    return "" if mark is None else str(getattr(mark, "content", mark))


def _generative_class(checkpoint: Checkpoint, architecture: str | None) -> str:
    """The class that writes, or the reason why there is none."""
    from transformers.models.auto import modeling_auto

    import_package("transformers", "this model")
    family, source = checkpoint.model_type, checkpoint.source
    if architecture in _CAPTIONERS:
        raise InputError(source, f"is a {architecture}, which describes images but answers no questions")
    if architecture in {"BlipForQuestionAnswering", "Blip2ForConditionalGeneration", "GitForCausalLM"}:
        return architecture
    if family in modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES or _has_remote_class(checkpoint):
        return "AutoModelForImageTextToText"
    if any(family.startswith(dual) for dual in _DUAL):
        raise InputError(source, f"is a dual encoder ({family})", hint=f"give it as clip:{source}")
    if family in modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        raise InputError(
            source,
            f"reads text only ({architecture or family}), and these items have images",
            hint=f"give it as lm:{source} as a text-only baseline, or choose a model that takes images",
        )
    raise InputError(
        source,
        f"is a {architecture or family}, which neither answers questions about images nor matches texts to them",
        hint="give a checkpoint that was trained for questions, for image-text matching or for chat with images",
    )


def _has_remote_class(checkpoint: Checkpoint) -> bool:
    named = getattr(checkpoint.config, "auto_map", None) or {}
    return "AutoModelForImageTextToText" in named


def _check_matching(checkpoint: Checkpoint, options: ModelOptions, pipeline: Pipeline) -> None:
    """A way of matching that the user asked for by name is taken, or refused."""
    asked = options.match_by
    taken = pipeline.method.rpartition("match:")[2] if "match" in pipeline.tasks else None
    if asked in {"auto", taken}:
        if not pipeline.tasks:
            raise UsageError(f"{checkpoint.name} can neither answer nor match as asked")
        return
    can = f"it matches by {taken}" if taken else "it cannot match"
    raise UsageError(f"{checkpoint.name} cannot match by {asked}: {can}; give -M match_by=auto")


_VERSION = 1
"""Changes whenever the same weights would reply otherwise to the same request."""

_SQUARE = (448, 448)
"""The size that an image is taken for where it cannot be read."""


class HuggingFaceModel:
    """Weights on one or several devices, run by the pipeline of their family."""

    def __init__(
        self, name: str, pipeline: Pipeline, copies: Sequence[tuple[Any, Placement]], *, weights: str, precision: str
    ) -> None:
        """``copies`` are the same weights, one for each device; ``weights`` is their fingerprint."""
        self.name = name
        self.capabilities = Capabilities(
            tasks=pipeline.tasks,
            needs_image=True,
            accepts_text_only=pipeline.accepts_text_only,
            reads_context=pipeline.reads_context,
            batch_size=pipeline.batch_size,
            method=pipeline.method,
            prompt=pipeline.prompt,
            prompted_tasks=pipeline.prompted_tasks,
            generates=pipeline.generates,
            count_tokens=self.count_tokens,
            count_image_tokens=self.count_image_tokens if _has_image_tokens(pipeline) else None,
            reply_unordered=self.reply_unordered,
        )
        self._pipeline = pipeline
        self._copies = copies
        prompt = pipeline.prompt.fingerprint if pipeline.prompted_tasks else None
        identity = (
            "hf",
            _VERSION,
            weights,
            pipeline.class_name,
            pipeline.method,
            prompt,
            pipeline.fingerprint_parts,
            precision,
        )
        self._fingerprint = sha256_of_bytes(repr(identity).encode())

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return replies_in_order(batch, self.reply_unordered(iter(batch), len(batch) or None))

    def reply_unordered(self, requests: Iterator[Request], batch_size: int | None = None) -> Iterator[Reply]:
        """Replies in batches of like length; with several devices, each works on batches of its own."""
        pipeline = self._pipeline
        config = BatchingConfig(
            default_size=pipeline.batch_size,
            group_key=pipeline.group_key,
            length=pipeline.length,
            load_image=pipeline.load_image,
            collate=pipeline.collate,
            can_grow=lambda: all(place.has_room() for _, place in self._copies),
        )
        workers = [partial(pipeline.infer, model, place) for model, place in self._copies]
        return infer_unordered(requests, workers, config, batch_size)

    def count_tokens(self, requests: Sequence[Request]) -> int:
        """The tokens of the texts that the model would read; images come on top."""
        texts = [self._pipeline.prompt_text(request) for request in requests]
        return sum(len(ids) for ids in self._pipeline.tokenizer(texts)["input_ids"]) if texts else 0

    def count_image_tokens(self, requests: Sequence[Request]) -> int:
        """The tokens that the images become, by the sizes of their files."""
        sizes = [image_size(request.image) or _SQUARE for request in requests if request.image is not None]
        return sum(self._pipeline.count_image_tokens(*size) or 0 for size in sizes)


def _has_image_tokens(pipeline: Pipeline) -> bool:
    """Whether images become tokens of the prompt, and the processor says how many."""
    try:
        return pipeline.count_image_tokens(*_SQUARE) is not None
    except (AttributeError, KeyError, NotImplementedError, TypeError, ValueError):
        return False


def load_hf(rest: str, context: LoadContext) -> HuggingFaceModel:
    """Open a checkpoint, take the pipeline of its family, and put a copy of the weights on each device."""
    load_torch()
    options = context.options
    placed = placements(options)
    checkpoint = open_checkpoint(rest, options)
    pipeline = select_pipeline(checkpoint, options)
    copies = []
    for place in placed:
        model = load_weights(checkpoint, pipeline.class_name, place)
        check_vocabulary(checkpoint, pipeline.tokenizer, model)
        pipeline.configure(model)
        copies.append((model, place))
    smoke_test(checkpoint, pipeline, *copies[0])
    # By what the weights are, not by what was asked for: the same run can go on elsewhere.
    precision = f"{copies[0][0].dtype}{' mixed' if placed[0].mixed else ''}"
    return HuggingFaceModel(checkpoint.name, pipeline, copies, weights=checkpoint.fingerprint(), precision=precision)
