"""Which pipeline a checkpoint takes, by what its configuration says it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from falter.errors import InputError, UsageError
from falter.models.hf.blip import Blip2MatchingPipeline, BlipMatchingPipeline
from falter.models.hf.generation import GenerativePipeline
from falter.models.hf.generation.families import BlipVqaRunner, GitRunner
from falter.models.hf.generation.prompt_formats import BareFormat, ChatFormat, PrefixFormat, PromptFormat
from falter.models.hf.generation.runners import DecoderOnly, EncoderDecoder, GenerationRunner
from falter.models.hf.region_pipelines import (
    LxmertPretrainingPipeline,
    LxmertVqaPipeline,
    VisualBertMatchingPipeline,
    VisualBertVqaPipeline,
)
from falter.models.hf.vilt import ViltMatchingPipeline, ViltVqaPipeline
from falter.models.options import ModelOptions
from falter.models.prompts import load_prompt
from falter.models.weights.checkpoint import Checkpoint
from falter.models.weights.devices import needed_package
from falter.models.weights.pipeline import Pipeline
from falter.models.weights.processor import load_processor

__all__ = ["select_pipeline"]

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

    needed_package("transformers")
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
    raise UsageError(f"{checkpoint.name} cannot match by {asked}: {can}; give --match-by auto")
